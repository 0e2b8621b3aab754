"""What crosses the border between Spark and the core: small frozen records, all JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from slackwater.plan.stage import PipelinePlan
from slackwater.stats.panes import PaneCount

Tier = Literal["columnar", "spark"]
STATE_VERSION = 1


@dataclass(frozen=True, slots=True)
class Policy:
    """What a person or planner chose; it does not change while the pipeline runs."""

    plan: PipelinePlan
    columnar_rows: int = 5_000_000
    jump_rows: int = 100


@dataclass(frozen=True, slots=True)
class Observation:
    """What one micro-batch looked like.

    ``panes`` maps each base state to its pane histogram, ``now`` is the heartbeat's wall time
    (``None`` without heartbeat), ``wall`` the wall time of the observation (used as a label only).
    """

    batch: int
    panes: dict[str, tuple[PaneCount, ...]]
    state_rows: int
    wall: int
    now: int | None = None
    ended: bool = False
    pin: Tier | None = None


@dataclass(frozen=True, slots=True)
class StreamClock:
    """Progress of one stream: largest event time seen, where it began, when it last spoke."""

    clock: int | None = None
    origin: int | None = None
    last_seen: int | None = None
    strays: int = 0


@dataclass(frozen=True, slots=True)
class ControlState:
    """Everything the next step needs to know."""

    streams: dict[str, StreamClock] = field(default_factory=dict)
    watermarks: dict[str, int | None] = field(default_factory=dict)
    tier: Tier = "columnar"
    version: int = STATE_VERSION

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> ControlState:
        streams = {name: StreamClock(**clock) for name, clock in value["streams"].items()}
        return cls(streams, dict(value["watermarks"]), value["tier"], value["version"])


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
class QueryDecision:
    """What a query does in this batch.

    Windows ending in ``(after, upto]`` close. Closed windows that end after ``horizon`` may still
    be revised. ``late`` rows missed at least one of their windows, ``dropped`` rows missed all.
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
            {name: QueryDecision(**q) for name, q in value["queries"].items()},
            tuple(value["notices"]),
        )
