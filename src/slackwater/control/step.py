"""The decision step: a pure function of what was observed and what is remembered.

No clock, no session, no randomness: any run replays from its event log.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from slackwater.control import error_slack as waiting
from slackwater.control import overload
from slackwater.control import recall_slack as finding
from slackwater.control.backlog import Backlog
from slackwater.control.join_plan import order_after
from slackwater.control.prods import ProddingState, Progress, prods_of
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
from slackwater.disorder.error_slack import SlackState
from slackwater.disorder.recall_slack import FindingState, Judged
from slackwater.disorder.strays import Belief, StrayParams, believe
from slackwater.plan.stage import QueryPlan, StreamPlan
from slackwater.stats.panes import PaneCount, total
from slackwater.units import show_duration, upper_edge

END_OF_TIME = 1 << 61
JUMP_FEW = 10  # strays that are believed if little else comes


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
    clocks = {q.name: _query_clock(q, streams, observation.now) for q in policy.plan.queries}
    findings = {
        query.name: finding.finding_after(query, observation, state, seen, clocks[query.name])
        for query in policy.plan.queries
        if query.recall is not None
    }
    at_work = {
        query.name: overload.work_of(query, observation, state, clocks[query.name], seen)
        for query in policy.plan.queries
        if query.costly is not None
    }
    queries = {
        query.name: _query(
            query,
            observation,
            state,
            (clocks[query.name], seen),
            chosen=slacks.get(query.name),
            finding_now=findings.get(query.name),
            held=at_work[query.name].left.oldest if query.name in at_work else None,
        )
        for query in policy.plan.queries
    }
    for query in policy.plan.queries:
        notices += waiting.notices(query, state.slacks.get(query.name), slacks.get(query.name))
        if query.name in findings:
            before = state.findings.get(query.name)
            notices += finding.notices(query, before, findings[query.name][0])
    prodding: dict[str, ProddingState] = {}
    for query in policy.plan.queries:
        if query.estimates is not None:
            progress = _progress(query, state, clocks, queries, streams)
            progress = replace(progress, zone=policy.zone)
            queries[query.name], prodding[query.name] = _prodded(
                query, queries[query.name], observation, state, progress
            )
    backlogs: dict[str, Backlog] = {}
    for query in policy.plan.queries:
        if query.name in at_work:
            queries[query.name], backlogs[query.name] = overload.left_of(
                query, queries[query.name], at_work[query.name], clocks[query.name]
            )
            notices += overload.notices(query, queries[query.name])
    tier = _tier(policy, observation, state)
    decision = Decision(
        observation.batch, observation.wall, state.tier, seen, queries, tuple(notices)
    )
    marks = {name: query.upto for name, query in queries.items()}
    settled = {name: q.waiting.upto for name, q in queries.items() if q.waiting is not None}
    after = ControlState(
        streams=streams,
        watermarks=marks,
        tier=tier,
        slacks=slacks,
        settled=settled,
        sizes={name: waiting.sizes(observation, state, name) for name in slacks},
        findings={name: found for name, (found, _) in findings.items()},
        clocks=clocks,
        orders=_orders(policy, observation, state),
        prodding=prodding,
        backlogs=backlogs,
    )
    return decision, after


def _progress(
    query: QueryPlan,
    state: ControlState,
    clocks: dict[str, int | None],
    queries: dict[str, QueryDecision],
    streams: dict[str, StreamClock],
) -> Progress:
    before, name = state.clocks.get(query.name), query.name
    return Progress(before, clocks[name], queries[name].upto, origin_of(query.streams, streams))


def origin_of(names: Sequence[str], streams: Mapping[str, StreamClock]) -> int | None:
    """When the first of these streams began."""
    origins = [streams[name].origin for name in names if name in streams]
    return min((origin for origin in origins if origin is not None), default=None)


def _prodded(
    query: QueryPlan,
    decision: QueryDecision,
    observation: Observation,
    state: ControlState,
    progress: Progress,
) -> tuple[QueryDecision, ProddingState]:
    """A query's decision with the prods of this batch."""
    requests = [request for request in observation.requests if request.query == query.name]
    accuracies = observation.accuracies.get(query.name, {})
    before = state.prodding.get(query.name, ProddingState())
    if observation.ended:  # all answers are final now
        progress = replace(progress, before=progress.clock)
    prods, after = prods_of(query, before, progress, requests, accuracies)
    return replace(decision, prodding=prods), after


def _orders(
    policy: Policy, observation: Observation, state: ControlState
) -> dict[str, dict[str, Any]]:
    chosen = {q.name: order_after(q, observation, state) for q in policy.plan.queries}
    return {name: order for name, order in chosen.items() if order is not None}


def _counts(policy: Policy, stream: str, observation: Observation) -> tuple[PaneCount, ...]:
    """The pane histogram of a stream: every base state over it sees all its rows, the finest."""
    found = [
        state
        for name, state in policy.plan.base_states
        if name == stream and state.identity in observation.panes
    ]
    finest = min(found, key=lambda state: state.pane, default=None)
    return () if finest is None else observation.panes[finest.identity]


def _advance(
    policy: Policy,
    stream: StreamPlan,
    clock: StreamClock,
    counts: tuple[PaneCount, ...],
    now: int | None,
) -> tuple[StreamClock, StreamDecision]:
    """Move a stream's clock, but never by strays."""
    rows = total(counts)
    belief = _belief(policy, stream, clock, counts)
    lows = [c.low for c in counts if c.low is not None and not c.is_beyond(belief.bound)]
    moved = StreamClock(
        clock=_later(clock.clock, belief.clock),
        origin=clock.origin if clock.origin is not None else min(lows, default=None),
        last_seen=now if rows or clock.last_seen is None else clock.last_seen,
        strays=belief.pending,
    )
    null_time = total(c for c in counts if c.low is None and c.passes)
    ahead = total(c for c in counts if c.is_beyond(belief.bound))
    return moved, StreamDecision(moved.clock, moved.origin, belief.bound, rows, null_time, ahead)


def _belief(
    policy: Policy, stream: StreamPlan, clock: StreamClock, counts: tuple[PaneCount, ...]
) -> Belief:
    if stream.max_ahead is None:
        return Belief(max((c.high for c in counts if c.high is not None), default=None), None)
    params = StrayParams(stream.max_ahead, policy.jump_rows, min(JUMP_FEW, policy.jump_rows))
    return believe(params, clock.clock, counts, clock.strays)


def _later(one: int | None, other: int | None) -> int | None:
    if one is None or other is None:
        return other if one is None else one
    return max(one, other)


def _query(
    query: QueryPlan,
    observation: Observation,
    state: ControlState,
    progress: tuple[int | None, dict[str, StreamDecision]],
    *,
    chosen: SlackState | None,
    finding_now: tuple[FindingState, Judged] | None,
    held: int | None = None,
) -> QueryDecision:
    clock, seen = progress
    after = state.watermarks.get(query.name)
    slack = query.slack if chosen is None else chosen.slack
    reached = None if clock is None else clock - slack
    if finding_now is not None:
        slack, reached = finding_now[0].slack, finding_now[0].watermark
    if chosen is not None and clock is not None:
        reached = waiting.reached(chosen, clock, seen[query.stream].clock)
    if reached is not None and held is not None:
        reached = min(reached, held)  # a row that waits keeps its windows open
    upto = END_OF_TIME if observation.ended and clock is not None else _later(after, reached)
    horizon = None if after is None else after - query.keep
    missed = _missed(query, observation, state, seen)
    return QueryDecision(
        slack=slack,
        after=after,
        upto=upto,
        horizon=horizon,
        late=missed.late,
        dropped=missed.dropped,
        null_time=missed.null_time,
        far_future=missed.far_future,
        max_lateness=missed.lateness,
        waiting=None
        if chosen is None
        else waiting.explained(
            query,
            chosen,
            state.settled.get(query.name),
            observation,
            clock=clock,
            upto=upto,
            unseen=waiting.unseen_results(query, observation, state, seen[query.stream]),
        ),
        finding=None
        if finding_now is None
        else finding.explained(state.findings.get(query.name), *finding_now),
        lateness=missed.spread,
    )


@dataclass(frozen=True, slots=True)
class _Missed:
    """Rows of a batch that a query could not, or not wholly, use."""

    late: int = 0
    dropped: int = 0
    null_time: int = 0
    far_future: int = 0
    lateness: int | None = None
    spread: tuple[tuple[int, int], ...] = ()

    def __add__(self, other: _Missed) -> _Missed:
        return _Missed(
            self.late + other.late,
            self.dropped + other.dropped,
            self.null_time + other.null_time,
            self.far_future + other.far_future,
            _later(self.lateness, other.lateness),
            tuple(sorted((Counter(dict(self.spread)) + Counter(dict(other.spread))).items())),
        )


def _missed(
    query: QueryPlan,
    observation: Observation,
    state: ControlState,
    seen: dict[str, StreamDecision],
) -> _Missed:
    after = state.watermarks.get(query.name)
    found = _Missed()
    for number, (stream, fed) in enumerate(query.fed):
        bound = seen[stream].bound
        before = state.streams.get(stream, StreamClock()).clock
        counts = [c for c in observation.panes.get(fed.identity, ()) if c.passes]
        placed = [c for c in counts if c.pane is not None and not c.is_beyond(bound)]
        late, dropped = _too_late(query, number, placed, after)
        behind = [
            (before - c.low, c.rows) for c in late if c.low is not None and before is not None
        ]
        spread: Counter[int] = Counter()
        for lateness, rows in behind:
            spread[upper_edge(lateness)] += rows
        found += _Missed(
            total(late),
            total(dropped),
            total(c for c in counts if c.pane is None),
            total(c for c in counts if c.is_beyond(bound)),
            max((lateness for lateness, _ in behind), default=None),
            tuple(sorted(spread.items())),
        )
    return found


def _too_late(
    query: QueryPlan, number: int, counts: list[PaneCount], after: int | None
) -> tuple[list[PaneCount], list[PaneCount]]:
    """Rows that miss something, and of these the rows that miss everything."""
    if after is None:
        return [], []
    if query.join is not None:
        gone = after - query.keep - query.join.graph.patience(query.join.inputs[number].name)
        late = [c for c in counts if c.pane is not None and c.pane < after]
        return late, [c for c in late if c.pane is not None and c.pane < gone]
    window = query.base.window
    late = [c for c in counts if window.first_start(c.pane or 0) + window.size <= after]
    past = after - query.keep
    return late, [c for c in late if window.last_start(c.pane or 0) + window.size <= past]


def cuts(policy: Policy, state: ControlState) -> dict[str, tuple[int, ...]]:
    """By input of a join: instants at which its rows must be counted apart to be counted right."""
    found: dict[str, tuple[int, ...]] = {}
    for query in policy.plan.queries:
        after = state.watermarks.get(query.name)
        if query.join is None or after is None:
            continue
        waits = state.findings.get(query.name)
        floors = () if waits is None or waits.floor is None else (waits.floor,)
        for part in query.join.inputs:
            gone = after - query.keep - query.join.graph.patience(part.name)
            known = found.get(part.state.identity, ())
            found[part.state.identity] = (*known, gone, after, *floors)
    return found


def _query_clock(query: QueryPlan, streams: dict[str, StreamClock], now: int | None) -> int | None:
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
            f"{show_duration(stream.max_ahead)} ahead of the clock and of all others; set aside"
        )
    if seen.null_time:
        notices.append(f"stream {stream.name}: {seen.null_time} rows have no event time; set aside")
    return notices


def start(policy: Policy, tier: Tier = "columnar") -> ControlState:
    """The state before the first batch."""
    streams = {stream.name: StreamClock() for stream in policy.plan.streams}
    marks: dict[str, int | None] = {query.name: None for query in policy.plan.queries}
    return replace(ControlState(), streams=streams, watermarks=marks, tier=tier)
