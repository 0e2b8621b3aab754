"""What a decision orders: the work of one query in one batch, for whoever executes it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from slackwater.disorder.periods import Period
from slackwater.migrate.choose import How
from slackwater.plan.tree import JoinNode
from slackwater.stats.panes import Queue


@dataclass(frozen=True, slots=True)
class WindowOrder:
    """Measure the errors of windows ending in ``(after, upto]``: their stragglers are in by now.

    Of all measured before, ``unseen`` may be broken after all, by rows of this batch.
    """

    after: int | None
    upto: int | None
    unseen: int = 0


@dataclass(frozen=True, slots=True)
class FilterOrder:
    """How filters that commute run in the next batch: orders that are ready, and the one to take.

    Where ``chooses``, whoever reads some of the rows may take another of them, by rows of its own
    that all filters see and by the ``costs`` of a row and of ``calls``; rows come out the same.
    ``is_marked`` asks for such rows also where few rows come.
    """

    plans: tuple[tuple[int, ...], ...]
    plan: int = 0
    costs: tuple[float, ...] = ()
    calls: tuple[float, ...] = ()
    is_marked: bool = False
    chooses: bool = False


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

    All are of one pane, between the event times ``low`` and ``high``, and of one queue. ``since``
    is what the query's clock said when they were set aside, ``input`` the number of the input that
    they are of.
    """

    batch: int
    start: int
    rows: int
    pane: int
    low: int
    high: int
    since: int | None = None
    input: int = 0
    queue: Queue = Queue()  # noqa: RUF009 - a value

    @property
    def weight(self) -> int:
        """How much work they are expected to be."""
        return self.rows * self.queue.weight


Pieces = tuple[Piece, ...]


def rows_of(pieces: Iterable[Piece]) -> int:
    return sum(piece.rows for piece in pieces)


def weight_of(pieces: Iterable[Piece]) -> int:
    return sum(piece.weight for piece in pieces)


@dataclass(frozen=True, slots=True)
class Book:
    """What became of the rows of one rank in a batch (``None``: of those without one).

    What waited before and the ``admitted`` are together the ``worked``, ``waiting``, ``expired``
    and ``shed``. ``promising`` ones of those admitted have the rank for the sake of others. The
    worked took ``used`` units of the budget.
    """

    rank: int | None
    admitted: int = 0
    worked: int = 0
    waiting: int = 0
    expired: int = 0
    shed: int = 0
    promising: int = 0
    used: int = 0


@dataclass(frozen=True, slots=True)
class Work:
    """Work on some rows of an expensive query, and leave others.

    ``todo`` and ``aside`` are rows that wait afterwards, in the runs of the batches ``runs``, the
    ``oldest`` of this event time; ``shed`` rows were given up, ``expired`` ones, too, as their time
    was over. ``weight`` is how much work was expected, of as much as the ``budget`` allows (there
    is none at the end of the stream); ``books`` tell of each rank. With ranks: of a rank and those
    before it rows up to an event time were ``lost`` (given up, ever), or are ``pending`` (lost, or
    they wait).
    """

    taken: Pieces = ()
    todo: int = 0
    aside: int = 0
    shed: int = 0
    runs: tuple[int, ...] = ()
    oldest: int | None = None
    expired: int = 0
    weight: int = 0
    books: tuple[Book, ...] = ()
    budget: int | None = None
    lost: tuple[int, ...] = ()
    pending: tuple[int, ...] = ()

    @property
    def worked(self) -> int:
        return rows_of(self.taken)

    @property
    def is_prodded(self) -> bool:
        """Whether rows were shed for the sake of an estimate."""
        return self.shed > 0 and not self.has_ranks

    @property
    def has_ranks(self) -> bool:
        return any(book.rank is not None for book in self.books)

    @property
    def complete(self) -> int:
        """Of this rank and all before it no row waits, and none was given up in this batch."""
        found = 0
        for book in self.books:
            if book.rank is None or book.waiting + book.expired + book.shed:
                break
            found = book.rank
        return found

    def of(self, number: int) -> Pieces:
        """The rows of one input that are worked on."""
        return tuple(piece for piece in self.taken if piece.input == number)


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
class Route(Proposal):
    """The way that rows of a batch go: one ``plan`` of so many ``plans`` that were prepared.

    They are good enough in a share ``covered`` of the space; ``places`` says where in it the batch
    is, ``outside`` what lies beyond it. ``switches`` are those between plans so far.
    """

    plan: int | None = None
    plans: int = 0
    covered: float | None = None
    places: dict[str, float] = field(default_factory=dict)
    outside: tuple[str, ...] = ()
    switches: int = 0


@dataclass(frozen=True, slots=True)
class JoinChoice:
    """Join by this tree; ``rows`` and ``sizes`` by input are what was expected of it."""

    tree: JoinNode
    rows: dict[str, float]
    sizes: dict[str, tuple[float, ...]]
