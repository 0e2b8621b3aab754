"""What crosses the border between Spark and the core: small frozen records, all JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from slackwater.control.backlog import Backlog, Working
from slackwater.control.prods import Prodding, ProddingState
from slackwater.control.request import Request
from slackwater.disorder.error_slack import SlackState
from slackwater.disorder.periods import Found
from slackwater.disorder.recall_slack import FindingState
from slackwater.disorder.strays import Group
from slackwater.estimate.running import Running
from slackwater.plan.stage import PipelinePlan
from slackwater.stats.panes import PaneCount

Tier = Literal["columnar", "spark"]
STATE_VERSION = 4


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
    """Results whose error is known by now: how many, how many kept the bound, rows per result."""

    results: int = 0
    within: int = 0
    sizes: tuple[float, ...] = ()

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Measured:
        return cls(value["results"], value["within"], tuple(value["sizes"]))


@dataclass(frozen=True, slots=True)
class Observation:
    """What one micro-batch looked like.

    ``panes`` maps each base state to its pane histogram, ``now`` is the heartbeat's wall time
    (``None`` without heartbeat), ``wall`` the wall time of the observation (used as a label only).
    ``sums`` has totals of partials by base state, ``measured`` what the batch before measured,
    ``found`` the results that the joins of the batch before computed. ``distinct`` counts values
    of columns, by input of joins whose order is not chosen yet. ``requests`` are prods of people;
    ``accuracies`` says, by query and source of prods, what estimates were worth so far.
    """

    batch: int
    panes: dict[str, tuple[PaneCount, ...]]
    state_rows: int
    wall: int
    now: int | None = None
    ended: bool = False
    pin: Tier | None = None
    sums: dict[str, dict[str, float]] = field(default_factory=dict)
    measured: dict[str, Measured] = field(default_factory=dict)
    found: dict[str, tuple[Found, ...]] = field(default_factory=dict)
    distinct: dict[str, dict[str, float]] = field(default_factory=dict)
    requests: tuple[Request, ...] = ()
    accuracies: dict[str, dict[str, Running]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StreamClock:
    """Progress of one stream: largest event time seen, where it began, when it last spoke.

    ``strays`` are groups of rows far ahead of it that are not believed yet.
    """

    clock: int | None = None
    origin: int | None = None
    last_seen: int | None = None
    strays: tuple[Group, ...] = ()

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> StreamClock:
        return cls(**{**value, "strays": tuple(Group(**group) for group in value["strays"])})


@dataclass(frozen=True, slots=True)
class ControlState:
    """Everything the next step needs to know."""

    streams: dict[str, StreamClock] = field(default_factory=dict)
    watermarks: dict[str, int | None] = field(default_factory=dict)
    tier: Tier = "columnar"
    slacks: dict[str, SlackState] = field(default_factory=dict)
    settled: dict[str, int | None] = field(default_factory=dict)
    sizes: dict[str, tuple[float, ...]] = field(default_factory=dict)
    findings: dict[str, FindingState] = field(default_factory=dict)
    clocks: dict[str, int | None] = field(default_factory=dict)
    orders: dict[str, dict[str, Any]] = field(default_factory=dict)
    prodding: dict[str, ProddingState] = field(default_factory=dict)
    backlogs: dict[str, Backlog] = field(default_factory=dict)
    version: int = STATE_VERSION

    def to_json(self) -> dict[str, Any]:
        plain = asdict(replace(self, slacks={}, findings={}, prodding={}, backlogs={}))
        return plain | {
            "prodding": {name: prods.to_json() for name, prods in self.prodding.items()},
            "backlogs": {name: backlog.to_json() for name, backlog in self.backlogs.items()},
            "slacks": {name: slack.to_json() for name, slack in self.slacks.items()},
            "findings": {name: found.to_json() for name, found in self.findings.items()},
        }

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> ControlState:
        streams = {name: StreamClock.from_json(clock) for name, clock in value["streams"].items()}
        return cls(
            streams,
            dict(value["watermarks"]),
            value["tier"],
            {name: SlackState.from_json(slack) for name, slack in value["slacks"].items()},
            dict(value["settled"]),
            {name: tuple(sizes) for name, sizes in value["sizes"].items()},
            {name: FindingState.from_json(found) for name, found in value["findings"].items()},
            dict(value["clocks"]),
            dict(value["orders"]),
            {name: ProddingState.from_json(prods) for name, prods in value["prodding"].items()},
            {name: Backlog.from_json(one) for name, one in value.get("backlogs", {}).items()},
            value["version"],
        )


@dataclass(frozen=True, slots=True)
class StreamDecision:
    """A stream after this batch, and the newest event time believed (later ones are strays)."""

    clock: int | None
    origin: int | None
    bound: int | None
    rows: int
    null_time: int
    far_future: int


@dataclass(frozen=True, slots=True)
class Waiting:
    """Why a query under an error bound waits as long as it does.

    ``expected`` coverage is what the model gives, ``coverage`` what was measured last. Windows
    ending in ``(after, upto]`` have their stragglers by now and are measured in this batch. Of all
    measured before, ``unseen`` may be broken after all, by rows of this batch.
    """

    phase: str
    threshold: float | None
    expected: float | None
    coverage: float | None
    wanted: int
    binding: str
    margin: float
    after: int | None
    upto: int | None
    unseen: int = 0


@dataclass(frozen=True, slots=True)
class Finding:
    """Why a join under a recall contract waits as long as it does.

    ``expected`` recall is what the model gives, ``recall`` what was measured last. So that what was
    missed can be counted, rows were kept ``kept`` longer than answers before this batch needed
    them, and are kept ``keep`` longer than those of this batch do. ``periods`` are measured in this
    batch: start, results, results given in time; ``unseen`` periods may have missed results that
    nobody could count.
    """

    phase: str
    expected: float | None
    recall: float | None
    wanted: int
    margin: float
    kept: int
    keep: int
    periods: tuple[tuple[int, int, int], ...]
    unseen: int = 0

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Finding:
        return cls(**{**value, "periods": tuple((p, n, g) for p, n, g in value["periods"])})


@dataclass(frozen=True, slots=True)
class QueryDecision:
    """What a query does in this batch.

    Windows ending in ``(after, upto]`` close. Closed windows that end after ``horizon`` may still
    be revised. ``late`` rows missed at least one of their windows, ``dropped`` rows missed all.
    ``lateness`` has the late rows by lateness, as pairs of an upper edge and rows. ``working``
    says which rows an expensive query works on.
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
    waiting: Waiting | None = None
    finding: Finding | None = None
    prodding: Prodding | None = None
    lateness: tuple[tuple[int, int], ...] = ()
    working: Working | None = None

    @property
    def rejected(self) -> int:
        """Rows that cannot be placed in time: no event time, or one too far ahead."""
        return self.null_time + self.far_future


@dataclass(frozen=True, slots=True)
class Decision:
    """One step of control, written before it is applied."""

    batch: int
    emitted_at: int
    tier: Tier
    streams: dict[str, StreamDecision]
    queries: dict[str, QueryDecision]
    notices: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Decision:
        return cls(
            value["batch"],
            value["emitted_at"],
            value["tier"],
            {name: StreamDecision(**s) for name, s in value["streams"].items()},
            {name: _query_decision(q) for name, q in value["queries"].items()},
            tuple(value["notices"]),
        )


def _query_decision(value: dict[str, Any]) -> QueryDecision:
    waiting, finding, prodding = value["waiting"], value["finding"], value["prodding"]
    working = value.get("working")
    return QueryDecision(
        **{
            **value,
            "waiting": waiting and Waiting(**waiting),
            "finding": finding and Finding.from_json(finding),
            "prodding": prodding and Prodding.from_json(prodding),
            "working": working and Working.from_json(working),
            "lateness": tuple((edge, rows) for edge, rows in value["lateness"]),
        }
    )
