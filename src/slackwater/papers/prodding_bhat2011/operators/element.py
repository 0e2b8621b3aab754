"""What flows through a prodded plan: tuples, punctuations, prods; feedback flows against it.

One channel carries them all, so their order between two operators is kept. All semantics of prods
rests on that. Reference: Bhat 2011, ch. 2, 3 (common element type).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from slackwater.papers.prodding_bhat2011.operators.prod import Pattern, Prod

Row = Mapping[str, Any]
Ident = int | str

TS = "ts"  # application time
FROM = "wid_from"  # first and last id of the windows (or panes) that a tuple belongs to
TO = "wid_to"
ID = "id"  # the window or pane a row is the result of
VALUE = "value"
PARTIAL = "partial"


@dataclass(frozen=True, slots=True)
class DataTuple:
    """A tuple.

    Parameters
    ----------
    row
        Values of attributes.
    arrived
        System time at which it entered; the first bucket stamps it unless that was done before.
    provisional
        The prod for which alone it is valid, ``None`` if it is valid for good.
    """

    row: Row
    arrived: int | None = None
    provisional: Ident | None = None


@dataclass(frozen=True, slots=True)
class Punctuation(Pattern):
    """An assertion: nothing that matches will follow.

    ``time`` is about the same attribute as that of a prod: application time below the first bucket,
    ids above it.
    """


@dataclass(frozen=True, slots=True)
class Result:
    """An answer for one window and group.

    Parameters
    ----------
    kind
        ``early`` if a prod asked for it, ``final`` if a punctuation closed the window, ``change``
        if every change is told.
    window, start, end
        Id and bounds of the window.
    group
        Values of the grouping attributes.
    rows
        Tuples in it.
    first_arrival
        System time at which its first tuple arrived (latency by definition B counts from there).
    slide_arrival
        The same of the newest slide.
    oldest
        Application time of its oldest tuple (definition A).
    emitted
        System time of production.
    prod, source
        Which prod asked, and who put it into the stream.
    revision
        1 for the first answer of this window and group, and so on.
    is_widened
        The answer covers more than was asked for.
    """

    kind: Literal["early", "final", "change"]
    window: int
    start: int
    end: int
    group: tuple[Any, ...]
    value: Any
    rows: int
    first_arrival: int
    slide_arrival: int
    oldest: int
    emitted: int
    prod: Ident | None = None
    source: str | None = None
    revision: int = 1
    is_widened: bool = False


Element = DataTuple | Punctuation | Prod
Output = Element | Result
