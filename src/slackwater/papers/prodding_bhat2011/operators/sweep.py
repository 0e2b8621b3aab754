"""Which panes a prod must flush.

A prod names windows; an operator below holds panes. The source work flushes the pane that ends with
the window (``eq``) and so leaves older panes behind whose punctuations are late, the very
situation prods are for. The window needs all of its panes (``range``); flushing everything older
as well (``le``) gives the same estimates.

Reference: Bhat 2011, ch. 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from slackwater.errors import SlackwaterError
from slackwater.papers.prodding_bhat2011.operators.predicate import (
    Anything,
    Eq,
    In,
    Le,
    Predicate,
    Range,
)

Flush = Literal["eq", "range", "le"]


@dataclass(frozen=True, slots=True)
class Sweep:
    """How far a prod reaches down.

    Parameters
    ----------
    flush
        ``range``, or one of the other two to see the difference.
    panes
        Own ids that make up one window of the operator that answers.
    step
        Own ids per slide of that operator.

    Examples
    --------
    Windows of three panes; a prod for the one that ends with pane 12:

    >>> Sweep("range", panes=3).reach(Eq(12))
    Range(low=10, high=12)
    """

    flush: Flush = "range"
    panes: int = 1
    step: int = 1

    def __post_init__(self) -> None:
        if self.panes < 1 or self.step < 1:
            raise SlackwaterError(
                "WINDOW_INVALID", f"sweep: panes {self.panes}, step {self.step}; both from 1"
            )

    def reach(self, asked: Predicate) -> Predicate:
        """Own ids that a prod concerns, given what it says about own ids."""
        if self.flush == "eq" or isinstance(asked, Anything | Le):
            return asked
        lowest, highest = _bounds(asked)
        if highest is None or lowest is None:
            return asked
        if self.flush == "le":
            return Le(highest)
        last = (lowest + 1) // self.step * self.step - 1  # of the window that is asked for
        return Range(min(last - self.panes + 1, highest), highest)


def _bounds(asked: Predicate) -> tuple[int | None, int | None]:
    match asked:
        case Eq(value):
            return int(value), int(value)  # type: ignore[arg-type]
        case Range(low, high):
            return int(low), int(high)
        case In(values) if values:
            numbers = [int(value) for value in values if value is not None]
            return min(numbers), max(numbers)
    return None, None
