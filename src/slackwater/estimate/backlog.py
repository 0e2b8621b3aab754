"""Who is served first when work piled up: new rows, or rows that a prod set aside.

After a prod the rest of a burst may wait *aside* while newer rows are served. Three policies:
``drop`` forgets it, ``idle`` serves it when nothing new waits, ``ratio`` serves one of it after
every ``k`` new rows. Whoever waits aside must not wait for ever: under ``ratio``, and under
``idle`` with a ``patience``, the row at place n is served after n·k new rows at most.

Only numbers of rows are decided here; any budget takes constant time. Reference:
Bhat 2011, ch. 6.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from slackwater.errors import SlackwaterError

Kind = Literal["drop", "idle", "ratio"]


@dataclass(frozen=True, slots=True)
class BacklogPolicy:
    """How rows set aside are served.

    Parameters
    ----------
    kind
        ``drop``, ``idle`` or ``ratio``.
    k
        New rows for each one that was set aside, for ``ratio`` (3 in the source work).
    patience
        For ``idle``: new rows served in a row until one that was set aside is served anyway;
        ``None`` for no bound.
    """

    kind: Kind = "ratio"
    k: int = 3
    patience: int | None = None

    def __post_init__(self) -> None:
        if self.k < 1 or (self.patience is not None and self.patience < 1):
            raise SlackwaterError(
                "BACKLOG_INVALID",
                f"backlog: k is {self.k}, patience is {self.patience}",
                "both from 1; a patience of None sets no bound",
            )

    @property
    def cycle(self) -> int | None:
        """New rows after which one set aside has its turn; ``None`` for never."""
        if self.kind == "ratio":
            return self.k
        return self.patience if self.kind == "idle" else None


@dataclass(frozen=True, slots=True)
class Served:
    """Numbers of rows: new, set aside, forgotten; and the place in the cycle afterwards."""

    new: int
    aside: int
    dropped: int = 0
    position: int = 0


def serve(policy: BacklogPolicy, new: int, aside: int, budget: int, position: int = 0) -> Served:
    """How many rows of each kind a budget serves.

    Parameters
    ----------
    new, aside
        Rows waiting.
    budget
        Rows that can be served now.
    position
        New rows served since one set aside was, as the call before gave it.

    Examples
    --------
    >>> serve(BacklogPolicy("ratio", k=3), new=10, aside=5, budget=8)
    Served(new=6, aside=2, dropped=0, position=0)
    >>> serve(BacklogPolicy("drop"), new=10, aside=5, budget=8)
    Served(new=8, aside=0, dropped=5, position=0)
    """
    if min(new, aside, budget, position) < 0:
        raise SlackwaterError(
            "BACKLOG_INVALID",
            f"backlog: new {new}, aside {aside}, budget {budget}, position {position}; "
            "none may be below 0",
        )
    if policy.kind == "drop":
        return Served(min(new, budget), 0, aside)
    if policy.cycle is None:
        first = min(new, budget)
        return Served(first, min(aside, budget - first))
    return _in_turns(policy.cycle, new, aside, budget, min(position, policy.cycle))


def _in_turns(k: int, new: int, aside: int, budget: int, position: int) -> Served:
    """Turns of k new rows and one set aside, until one kind runs out; the rest is free."""
    until_new = new + (position + new - 1) // k if new else 0  # rows served until none is left
    until_aside = aside * (k + 1) - position if aside else 0
    in_turns = min(budget, until_new, until_aside)
    aside_served = (in_turns + position) // (k + 1) if aside else 0
    new_served = in_turns - aside_served
    after = (in_turns + position) % (k + 1)
    free = budget - in_turns
    more_new = min(new - new_served, free)
    more_aside = min(aside - aside_served, free - more_new)
    waits = aside_served + more_aside < aside
    return Served(
        new_served + more_new,
        aside_served + more_aside,
        position=after if waits and not more_aside else 0,
    )
