"""The decision step: a pure function of what was observed and what is remembered.

No clock, no session, no randomness: any run replays from its event log.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from slackwater.control import waiting
from slackwater.control.records import (
    ControlState,
    Decision,
    Observation,
    Policy,
    QueryDecision,
    StreamClock,
    StreamDecision,
    Tier,
)
from slackwater.disorder.slack import SlackState
from slackwater.plan.stage import QueryPlan, StreamPlan
from slackwater.stats.panes import PaneCount, median_time, total
from slackwater.units import show_duration, upper_edge

END_OF_TIME = 1 << 61


def step(
    policy: Policy, observation: Observation, state: ControlState
) -> tuple[Decision, ControlState]:
    """Decide what this batch does and what to remember."""
    streams: dict[str, StreamClock] = {}
    seen: dict[str, StreamDecision] = {}
    notices: list[str] = []
    for stream in policy.plan.streams:
        clock = state.streams.get(stream.name, StreamClock())
        counts = _counts(policy, stream.name, observation)
        streams[stream.name], seen[stream.name] = _advance(
            policy, stream, clock, counts, observation.now
        )
        notices += _stream_notices(stream, seen[stream.name])
    slacks = {
        query.name: waiting.slack_after(query, observation, state, seen[query.stream])
        for query in policy.plan.queries
        if query.promise is not None
    }
    queries = {
        query.name: _query(
            query, observation, state, streams, seen[query.stream], chosen=slacks.get(query.name)
        )
        for query in policy.plan.queries
    }
    for query in policy.plan.queries:
        notices += waiting.notices(query, state.slacks.get(query.name), slacks.get(query.name))
    tier = _tier(policy, observation, state)
    decision = Decision(
        observation.batch, observation.wall, state.tier, seen, queries, tuple(notices)
    )
    marks = {name: query.upto for name, query in queries.items()}
    settled = {name: q.waiting.upto for name, q in queries.items() if q.waiting is not None}
    sizes = {name: waiting.sizes(observation, state, name) for name in slacks}
    return decision, ControlState(streams, marks, tier, slacks, settled, sizes)


def _counts(policy: Policy, stream: str, observation: Observation) -> tuple[PaneCount, ...]:
    """The pane histogram of a stream: every base state over it sees all its rows, take one."""
    for name, state in policy.plan.base_states:
        if name == stream and state.identity in observation.panes:
            return observation.panes[state.identity]
    return ()


def _advance(
    policy: Policy,
    stream: StreamPlan,
    clock: StreamClock,
    counts: tuple[PaneCount, ...],
    now: int | None,
) -> tuple[StreamClock, StreamDecision]:
    """Move a stream's clock, but never by rows further ahead than allowed."""
    rows = total(counts)
    bound = _bound(stream, clock, counts)
    ahead = total(c for c in counts if c.is_beyond(bound))
    strays = clock.strays + ahead if ahead and 2 * ahead > rows else 0
    if strays >= policy.jump_rows:  # not strays: the stream itself has moved on
        bound, ahead, strays = None, 0, 0
    believed = [c for c in counts if not c.is_beyond(bound)]
    highs = [c.high for c in believed if c.high is not None]
    lows = [c.low for c in believed if c.low is not None]
    highest = max(highs, default=None)
    if highest is not None and bound is not None:
        highest = min(highest, bound)
    moved = StreamClock(
        clock=_later(clock.clock, highest),
        origin=clock.origin if clock.origin is not None else min(lows, default=None),
        last_seen=now if rows or clock.last_seen is None else clock.last_seen,
        strays=strays,
    )
    null_time = total(c for c in counts if c.low is None and c.passes)
    return moved, StreamDecision(moved.clock, moved.origin, bound, rows, null_time, ahead)


def _bound(stream: StreamPlan, clock: StreamClock, counts: tuple[PaneCount, ...]) -> int | None:
    """The newest event time to believe; a stream without clock is measured by its own median."""
    if stream.max_ahead is None:
        return None
    base = clock.clock if clock.clock is not None else median_time(counts)
    return None if base is None else base + stream.max_ahead


def _later(one: int | None, other: int | None) -> int | None:
    if one is None or other is None:
        return other if one is None else one
    return max(one, other)


def _query(
    query: QueryPlan,
    observation: Observation,
    state: ControlState,
    streams: dict[str, StreamClock],
    seen: StreamDecision,
    *,
    chosen: SlackState | None,
) -> QueryDecision:
    after = state.watermarks.get(query.name)
    clock = _query_clock(query, streams, observation.now)
    slack = query.slack if chosen is None else chosen.slack
    reached = None if clock is None else clock - slack
    upto = END_OF_TIME if observation.ended and clock is not None else _later(after, reached)
    horizon = None if after is None else after - query.keep
    counts = observation.panes.get(query.base.state.identity, ())
    window = query.base.window
    late = dropped = 0
    lateness: int | None = None
    spread: Counter[int] = Counter()
    before = state.streams.get(query.stream, StreamClock()).clock
    for count in counts:
        if after is None or count.pane is None or count.is_beyond(seen.bound):
            continue
        if window.first_start(count.pane) + window.size <= after:
            late += count.rows
            if before is not None and count.low is not None:
                lateness = _later(lateness, before - count.low)
                spread[upper_edge(before - count.low)] += count.rows
        if horizon is not None and window.last_start(count.pane) + window.size <= horizon:
            dropped += count.rows
    passing = [c for c in counts if c.passes]
    return QueryDecision(
        slack=slack,
        after=after,
        upto=upto,
        horizon=horizon,
        late=late,
        dropped=dropped,
        null_time=total(c for c in passing if c.pane is None),
        far_future=total(c for c in passing if c.is_beyond(seen.bound)),
        max_lateness=lateness,
        waiting=None
        if chosen is None
        else waiting.explained(
            query, chosen, state.settled.get(query.name), observation, clock=clock, upto=upto
        ),
        lateness=tuple(sorted(spread.items())),
    )


def _query_clock(query: QueryPlan, streams: dict[str, StreamClock], now: int | None) -> int | None:
    """The smallest clock of the query's streams; a stream idle for too long does not count.

    If all are idle, event time is taken to pass as wall time does since they last spoke, so
    that the last windows of a quiet stream close.
    """
    clocks = [streams[query.stream]]
    if any(c.clock is None for c in clocks):
        return None
    awake = [c for c in clocks if not _is_idle(query, c, now)]
    if awake:
        return min(c.clock for c in awake if c.clock is not None)
    return min(
        c.clock + (now - c.last_seen)
        for c in clocks
        if c.clock is not None and now is not None and c.last_seen is not None
    )


def _is_idle(query: QueryPlan, clock: StreamClock, now: int | None) -> bool:
    if query.idle is None or now is None or clock.last_seen is None:
        return False
    return now - clock.last_seen > query.idle


def _tier(policy: Policy, observation: Observation, state: ControlState) -> Tier:
    """The tier of the next batch: by pin, else by size with a margin so that it does not flap."""
    if observation.pin is not None:
        return observation.pin
    if observation.state_rows > policy.columnar_rows:
        return "spark"
    if observation.state_rows < policy.columnar_rows // 2:
        return "columnar"
    return state.tier


def _stream_notices(stream: StreamPlan, seen: StreamDecision) -> list[str]:
    notices = []
    if seen.far_future and stream.max_ahead is not None:
        notices.append(
            f"stream {stream.name}: {seen.far_future} rows lie more than "
            f"{show_duration(stream.max_ahead)} ahead of the clock; set aside"
        )
    if seen.null_time:
        notices.append(f"stream {stream.name}: {seen.null_time} rows have no event time; set aside")
    return notices


def start(policy: Policy, tier: Tier = "columnar") -> ControlState:
    """The state before the first batch."""
    streams = {stream.name: StreamClock() for stream in policy.plan.streams}
    marks: dict[str, int | None] = {query.name: None for query in policy.plan.queries}
    return replace(ControlState(), streams=streams, watermarks=marks, tier=tier)
