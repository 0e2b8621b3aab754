"""What crosses the border of the decision step: small frozen records, all plain when written."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Literal, TypeVar

from slackwater.balance.cost import Spent
from slackwater.control.accuracy import Accuracy
from slackwater.control.orders import FilterOrder, PeriodOrder, Prods, WindowOrder, Work
from slackwater.control.request import Request
from slackwater.control.share import Loads, Share, Shared
from slackwater.disorder.keys import Tallies
from slackwater.disorder.periods import Found
from slackwater.disorder.strays import Group
from slackwater.optimize.facts import Sample
from slackwater.plan.ranks import Ranking
from slackwater.plan.stage import PipelinePlan
from slackwater.stats.calls import LinkSeen
from slackwater.stats.panes import PaneCount, ValueCount

Tier = Literal["columnar", "spark"]
Explanation = dict[str, float | int | str | None]
K = TypeVar("K")
STATE_VERSION = 5


@dataclass(frozen=True, slots=True)
class Policy:
    """What a person or planner chose; it does not change while the pipeline runs.

    ``zone`` is the time zone of the session.
    """

    plan: PipelinePlan
    columnar_rows: int = 5_000_000
    jump_rows: int = 100
    zone: str = "UTC"


@dataclass(frozen=True, slots=True)
class Measured:
    """Results whose error is known by now: how many, how many kept the bound, rows per result.

    ``unseen`` results may be broken without having been measured so. ``keys`` has results and
    those within of each key, if there are keys.
    """

    results: int = 0
    within: int = 0
    sizes: tuple[float, ...] = ()
    unseen: int = 0
    keys: Tallies = ()


@dataclass(frozen=True, slots=True)
class Quality:
    """All measurements of a query since it began, and those of the newest batch.

    ``unseen`` results may be broken without having been measured so: a row came after the
    measurement, or was set aside.
    """

    results: int = 0
    within: int = 0
    last: Measured = field(default_factory=Measured)
    unseen: int = 0

    def plus(self, found: Measured) -> Quality:
        return Quality(
            self.results + found.results,
            self.within + found.within,
            replace(found, unseen=0),  # they are in the total
            self.unseen + found.unseen,
        )

    @property
    def fulfilment(self) -> float | None:
        """Share of measured results that kept their bound, at least; ``None`` before the first."""
        return max(0, self.within - self.unseen) / self.results if self.results else None


def without_last(quality: Quality) -> Quality:
    """The same once the newest measurements were looked at."""
    return replace(quality, last=Measured())


@dataclass(frozen=True, slots=True)
class Metered:
    """The memory of a controller whose promise is measured."""

    quality: Quality = field(default_factory=Quality)


@dataclass(frozen=True, slots=True)
class Feedback:
    """What executing a batch measured, by query.

    ``measured`` are errors of results, or the recall of periods; ``found`` results that joins
    computed; ``accuracy`` is what estimates were worth, by now; ``spent`` is the time that each
    task took, where there are several; ``joined`` what joins came to whose plan is open. All of it
    took ``seconds``, the rest of the batch before ``rest``, if that is known.
    """

    measured: dict[str, Measured] = field(default_factory=dict)
    found: dict[str, tuple[Found, ...]] = field(default_factory=dict)
    accuracy: dict[str, Accuracy] = field(default_factory=dict)
    spent: tuple[Spent, ...] = ()
    joined: dict[str, Sample] = field(default_factory=dict)
    seconds: float = 0.0
    rest: float | None = None


@dataclass(frozen=True, slots=True)
class Wants:
    """What controllers want to know of the next batch, by base state.

    ``cuts`` are instants to count rows apart at; ``instants`` say when the rows of an input come,
    where that is kept with them; ``distinct`` names columns whose values are to be counted;
    ``ranked`` tells how rows that wait are told apart. ``filters`` says, by link, how functions
    that commute are run.
    """

    cuts: dict[str, tuple[int, ...]] = field(default_factory=dict)
    instants: dict[str, int | None] = field(default_factory=dict)
    distinct: dict[str, tuple[str, ...]] = field(default_factory=dict)
    ranked: dict[str, Ranking] = field(default_factory=dict)
    filters: dict[str, FilterOrder] = field(default_factory=dict)

    def __or__(self, other: Wants) -> Wants:
        cuts = {
            state: (*self.cuts.get(state, ()), *other.cuts.get(state, ()))
            for state in {**self.cuts, **other.cuts}
        }
        return Wants(
            cuts,
            self.instants | other.instants,
            self.distinct | other.distinct,
            self.ranked | other.ranked,
            self.filters | other.filters,
        )


@dataclass(frozen=True, slots=True)
class Observation:
    """What one micro-batch looked like.

    ``panes`` maps each base state to its pane histogram, ``now`` is the heartbeat's wall time
    (``None`` without heartbeat), ``wall`` the wall time of the observation (used as a label only).
    ``sums`` has totals of partials by base state. ``distinct`` counts values of columns, by input
    of joins whose order is not chosen yet. ``requests`` are prods of people. ``loads`` are those of
    the groups, where state is spread over them. ``held`` and ``sizes`` are rows and bytes by state.
    ``values`` are the frequent values in join columns of rows with ranks. ``called`` is what Python
    functions did, by link. ``since`` says of each state that is kept from when on it has all rows
    (``None``: from the beginning).
    """

    batch: int
    panes: dict[str, tuple[PaneCount, ...]]
    state_rows: int
    wall: int
    now: int | None = None
    ended: bool = False
    pin: Tier | None = None
    sums: dict[str, dict[str, float]] = field(default_factory=dict)
    distinct: dict[str, dict[str, float]] = field(default_factory=dict)
    requests: tuple[Request, ...] = ()
    loads: Loads | None = None
    held: dict[str, int] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    values: dict[str, tuple[ValueCount, ...]] = field(default_factory=dict)
    called: dict[str, LinkSeen] = field(default_factory=dict)
    since: dict[str, int | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StreamClock:
    """Progress of one stream: largest event time seen, where it began, when it last spoke.

    ``strays`` are groups of rows far ahead of it that are not believed yet. ``oldest`` is the
    smallest event time seen: rows of later batches may lie before where the stream began.
    """

    clock: int | None = None
    origin: int | None = None
    last_seen: int | None = None
    strays: tuple[Group, ...] = ()
    oldest: int | None = None


@dataclass(frozen=True, slots=True)
class Arrival:
    """A query came when the streams were under way: with this batch.

    ``after`` is an instant: what ends later is whole, and nothing else is given; ``None`` if all
    is. Of a join it is about the times of results, of all others about the ends of windows.
    """

    batch: int
    after: int | None = None


@dataclass(frozen=True, slots=True)
class QueryMemory:
    """What is remembered of one query: clock, watermark, the memory of each controller, and how it
    came if that was in mid-stream.
    """

    clock: int | None = None
    watermark: int | None = None
    controllers: dict[str, object] = field(default_factory=dict)
    arrival: Arrival | None = None

    @property
    def whole_after(self) -> int | None:
        """What ends later is whole; ``None`` if all is."""
        return None if self.arrival is None else self.arrival.after

    def find(self, kind: type[K]) -> K | None:
        """The memory of a controller, by its type."""
        return first_of(kind, self.controllers.values())


@dataclass(frozen=True, slots=True)
class ControlState:
    """Everything the next step needs to know."""

    streams: dict[str, StreamClock] = field(default_factory=dict)
    queries: dict[str, QueryMemory] = field(default_factory=dict)
    tier: Tier = "columnar"
    shared: Shared = field(default_factory=Shared)
    version: int = STATE_VERSION

    def of(self, query: str) -> QueryMemory:
        """The memory of a query, empty if it is new."""
        return self.queries.get(query, QueryMemory())


def qualities(state: ControlState) -> dict[str, Quality]:
    """By query under a contract: what was measured of it."""
    found = {name: memory.find(Metered) for name, memory in state.queries.items()}
    return {name: meter.quality for name, meter in found.items() if meter is not None}


@dataclass(frozen=True, slots=True)
class StreamDecision:
    """A stream after this batch, and the newest event time believed (later ones are strays)."""

    clock: int | None
    origin: int | None
    bound: int | None
    rows: int
    null_time: int
    far_future: int
    oldest: int | None = None


@dataclass(frozen=True, slots=True)
class QueryDecision:
    """What a query does in this batch.

    Windows ending in ``(after, upto]`` close. Closed windows that end after ``horizon`` may still
    be revised. ``late`` rows missed at least one of their windows, ``dropped`` rows missed all.
    ``lateness`` has the late rows by lateness, as pairs of an upper edge and rows. ``orders`` is
    the work of the batch, ``controllers`` why it is so, both by name of the controller. ``arrival``
    is how the query came, if that was in mid-stream.
    """

    slack: int
    after: int | None
    upto: int | None
    horizon: int | None
    late: int
    dropped: int
    null_time: int
    far_future: int
    max_lateness: int | None
    lateness: tuple[tuple[int, int], ...] = ()
    orders: dict[str, object] = field(default_factory=dict)
    controllers: dict[str, Explanation] = field(default_factory=dict)
    arrival: Arrival | None = None

    @property
    def whole_after(self) -> int | None:
        """Nothing is given that ends until this instant; ``None`` if everything is."""
        return None if self.arrival is None else self.arrival.after

    @property
    def rejected(self) -> int:
        """Rows that cannot be placed in time: no event time, or one too far ahead."""
        return self.null_time + self.far_future

    def find(self, kind: type[K]) -> K | None:
        """An order, by its type."""
        return first_of(kind, self.orders.values())

    @property
    def window_order(self) -> WindowOrder | None:
        """Windows whose errors are measured."""
        return self.find(WindowOrder)

    @property
    def period_order(self) -> PeriodOrder | None:
        """Periods whose recall is measured."""
        return self.find(PeriodOrder)

    @property
    def prods(self) -> Prods | None:
        """Estimates to give."""
        return self.find(Prods)

    @property
    def work(self) -> Work | None:
        """Rows that an expensive query works on."""
        return self.find(Work)


@dataclass(frozen=True, slots=True)
class Decision:
    """One step of control, written before it is applied."""

    batch: int
    emitted_at: int
    tier: Tier
    streams: dict[str, StreamDecision]
    queries: dict[str, QueryDecision]
    notices: tuple[str, ...] = ()
    share: Share | None = None
    version: int = STATE_VERSION


def first_of(kind: type[K], things: Iterable[object]) -> K | None:
    """The first of some things that is of a kind."""
    return next((one for one in things if isinstance(one, kind)), None)
