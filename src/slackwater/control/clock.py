"""Clocks: how far streams and queries have come in event time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from slackwater.control.records import Observation, Policy, StreamClock, StreamDecision
from slackwater.disorder.strays import Belief, StrayParams, believe
from slackwater.plan.stage import QueryPlan, StreamPlan
from slackwater.stats.panes import PaneCount, total
from slackwater.units import show_duration

JUMP_FEW = 10  # strays that are believed if little else comes


def advance(
    policy: Policy, observation: Observation, before: Mapping[str, StreamClock]
) -> tuple[dict[str, StreamClock], dict[str, StreamDecision]]:
    """Move the clocks of all streams."""
    clocks: dict[str, StreamClock] = {}
    seen: dict[str, StreamDecision] = {}
    for stream in policy.plan.streams:
        clock = before.get(stream.name, StreamClock())
        counts = _counts(policy, stream.name, observation)
        belief = _belief(policy, stream, clock, counts)
        moved = _moved(clock, belief, counts, observation.now)
        clocks[stream.name], seen[stream.name] = moved, _seen(moved, belief, counts)
    return clocks, seen


def _counts(policy: Policy, stream: str, observation: Observation) -> tuple[PaneCount, ...]:
    """The pane histogram of a stream: every base state over it sees all its rows, the finest."""
    found = [
        state
        for name, state in policy.plan.base_states
        if name == stream and state.identity in observation.panes
    ]
    finest = min(found, key=lambda state: state.pane, default=None)
    return () if finest is None else observation.panes[finest.identity]


def _belief(
    policy: Policy, stream: StreamPlan, clock: StreamClock, counts: tuple[PaneCount, ...]
) -> Belief:
    if stream.max_ahead is None:
        return Belief(max((c.high for c in counts if c.high is not None), default=None), None)
    params = StrayParams(stream.max_ahead, policy.jump_rows, min(JUMP_FEW, policy.jump_rows))
    return believe(params, clock.clock, counts, clock.strays)


def _moved(
    clock: StreamClock, belief: Belief, counts: tuple[PaneCount, ...], now: int | None
) -> StreamClock:
    """A stream's clock, moved by what is believed, never by strays."""
    lows = [c.low for c in counts if c.low is not None and not c.is_beyond(belief.bound)]
    known = clock.origin if clock.oldest is None else clock.oldest  # older states have none
    return StreamClock(
        clock=later(clock.clock, belief.clock),
        origin=clock.origin if clock.origin is not None else min(lows, default=None),
        last_seen=now if total(counts) or clock.last_seen is None else clock.last_seen,
        strays=belief.pending,
        oldest=min(lows if known is None else (known, *lows), default=None),
    )


def _seen(moved: StreamClock, belief: Belief, counts: tuple[PaneCount, ...]) -> StreamDecision:
    null_time = total(c for c in counts if c.low is None and c.passes)
    ahead = total(c for c in counts if c.is_beyond(belief.bound))
    return StreamDecision(
        moved.clock,
        moved.origin,
        belief.bound,
        total(counts),
        null_time,
        ahead,
        moved.oldest,
    )


def later(one: int | None, other: int | None) -> int | None:
    """The later of two instants that may be unknown."""
    if one is None or other is None:
        return other if one is None else one
    return max(one, other)


def query_clock(
    query: QueryPlan, streams: Mapping[str, StreamClock], now: int | None
) -> int | None:
    """The smallest clock of the query's streams; a stream idle for too long does not count.

    If all are idle, event time is taken to pass as wall time does since they last spoke, so
    that the last windows of a quiet stream close.
    """
    clocks = [streams[name] for name in query.streams]
    awake = [c for c in clocks if not _is_idle(query, c, now)]
    if any(c.clock is None for c in awake):
        return None
    if awake:
        return min(c.clock for c in awake if c.clock is not None)
    passed = [
        c.clock + (now - c.last_seen)
        for c in clocks
        if c.clock is not None and now is not None and c.last_seen is not None
    ]
    return min(passed, default=None)


def _is_idle(query: QueryPlan, clock: StreamClock, now: int | None) -> bool:
    if query.idle is None or now is None or clock.last_seen is None:
        return False
    return now - clock.last_seen > query.idle


Seen = Mapping[str, StreamClock] | Mapping[str, StreamDecision]


def origin_of(names: Sequence[str], streams: Seen) -> int | None:
    """When the first of these streams began."""
    origins = [streams[name].origin for name in names if name in streams]
    return min((origin for origin in origins if origin is not None), default=None)


def oldest_of(names: Sequence[str], streams: Seen) -> int | None:
    """The smallest event time that any of these streams has brought."""
    found = [streams[name].oldest for name in names if name in streams]
    return min((oldest for oldest in found if oldest is not None), default=None)


def notices(policy: Policy, seen: Mapping[str, StreamDecision]) -> Iterator[str]:
    """Rows that cannot be placed in time are told."""
    for stream in policy.plan.streams:
        found = seen[stream.name]
        if found.far_future and stream.max_ahead is not None:
            yield (
                f"stream {stream.name}: {found.far_future} rows lie more than "
                f"{show_duration(stream.max_ahead)} ahead of the clock and of all others; set aside"
            )
        if found.null_time:
            yield f"stream {stream.name}: {found.null_time} rows have no event time; set aside"
