"""What a decision orders: the work of one query in one batch, for whoever executes it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from slackwater.disorder.periods import Period
from slackwater.migrate.choose import How
from slackwater.plan.tree import JoinNode


@dataclass(frozen=True, slots=True)
class WindowOrder:
    """Measure the errors of windows ending in ``(after, upto]``: their stragglers are in by now.

    Of all measured before, ``unseen`` may be broken after all, by rows of this batch.
    """

    after: int | None
    upto: int | None
    unseen: int = 0


@dataclass(frozen=True, slots=True)
class PeriodOrder:
    """Count what a join missed.

    So that it can be counted, rows were kept ``kept`` longer than answers before this batch needed
    them, and are kept ``keep`` longer than those of this batch do. ``periods`` are measured in this
    batch: start, results, results given in time; ``unseen`` periods may have missed results that
    nobody could count.
    """

    kept: int
    keep: int
    periods: tuple[Period, ...]
    unseen: int = 0


@dataclass(frozen=True, slots=True)
class ProdCall:
    """One prod: who sent it, for which windows (by start, both included) and which rows."""

    id: str
    source: str
    first: int
    last: int
    where: str | None = None


@dataclass(frozen=True, slots=True)
class Prods:
    """Answer the prods of a query in one batch.

    ``late`` counts windows that were answered for good before their prod was due, ``refused`` has
    the requests that cannot be answered, each with the reason.
    """

    calls: tuple[ProdCall, ...] = ()
    late: int = 0
    refused: tuple[tuple[str, str], ...] = ()
    aggressiveness: dict[str, float] = field(default_factory=dict)
    requests: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Piece:
    """Rows that wait in the run of a batch: ``rows`` of them from place ``start`` on.

    All are of one pane, between the event times ``low`` and ``high``. ``since`` is what the
    query's clock said when they were set aside.
    """

    batch: int
    start: int
    rows: int
    pane: int
    low: int
    high: int
    since: int | None = None


Pieces = tuple[Piece, ...]


def rows_of(pieces: Iterable[Piece]) -> int:
    return sum(piece.rows for piece in pieces)


@dataclass(frozen=True, slots=True)
class Work:
    """Work on some rows of an expensive query, and leave others.

    ``todo`` and ``aside`` are rows that wait afterwards, in the runs of the batches ``runs``, the
    ``oldest`` of this event time; ``shed`` rows were given up.
    """

    taken: Pieces = ()
    todo: int = 0
    aside: int = 0
    shed: int = 0
    runs: tuple[int, ...] = ()
    oldest: int | None = None

    @property
    def worked(self) -> int:
        return rows_of(self.taken)


@dataclass(frozen=True, slots=True)
class Proposal:
    """Look at these pairs of inputs, and join by this tree from now on, if there is one.

    ``how`` says how to get there. ``predicted`` are the seconds of a batch by the plan in force,
    ``best`` those of the plan that is in force from now on, which holds ``memory`` bytes;
    ``measured`` is what batches took. The plan that comes next takes ``second``.
    """

    survey: tuple[tuple[str, str], ...] = ()
    tree: JoinNode | None = None
    how: How = "moving"
    reason: str = ""
    predicted: float | None = None
    best: float | None = None
    measured: float | None = None
    memory: float | None = None
    limit: int | None = None
    runner_up: str = ""
    second: float | None = None
    notice: str = ""


@dataclass(frozen=True, slots=True)
class JoinChoice:
    """Join by this tree; ``rows`` and ``sizes`` by input are what was expected of it."""

    tree: JoinNode
    rows: dict[str, float]
    sizes: dict[str, tuple[float, ...]]
