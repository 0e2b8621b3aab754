"""The decision step: a pure function of what was observed and what is remembered.

No clock, no session, no randomness: any run replays from its event log.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from slackwater.control.adapt import Adapt
from slackwater.control.arrival import arrival
from slackwater.control.backlog import Leftover, Worker
from slackwater.control.clock import advance, notices, query_clock
from slackwater.control.controller import Controller, Moment, Stateless
from slackwater.control.count_late import Late, Missed
from slackwater.control.error_slack import ErrorMeter, ErrorSlack
from slackwater.control.functions import Functions
from slackwater.control.join_plan import JoinOrder
from slackwater.control.prods import Prodder
from slackwater.control.ranks import Ranks
from slackwater.control.recall_slack import RecallMeter, RecallSlack
from slackwater.control.records import (
    ControlState,
    Decision,
    Explanation,
    Feedback,
    Observation,
    Policy,
    QueryDecision,
    QueryMemory,
    StreamClock,
    Tier,
    Wants,
)
from slackwater.control.refresh import TableRefresh
from slackwater.control.robust import Robust
from slackwater.control.share import share
from slackwater.control.tier import next_tier
from slackwater.control.watermark import Closing, FixedSlack, Wait, Watermark

Controllers = tuple[Controller[Any, Any, Any], ...]

# Each reads the terms of those before it; of several that say how long to wait, the last counts.
CONTROLLERS: Controllers = (
    FixedSlack(),  # first: what a query waits if no contract below says otherwise
    ErrorSlack(),  # needs clocks only; how long to wait comes before how far to close
    RecallSlack(),  # the same for joins
    Worker(),  # before the watermark: a row that waits keeps its windows open
    Watermark(),  # after everybody who holds it back
    Late(),  # by the watermark before this batch, which its rows met
    ErrorMeter(),  # after the watermark: only what was answered is measured
    RecallMeter(),  # rows are kept by slack and watermark of this batch
    Prodder(),  # after the watermark: only what it left open is estimated
    Leftover(),  # after the prods: they set rows of their windows aside
    Ranks(),  # after the work is chosen: it learns what became of rows, for the next batch
    TableRefresh(),  # depends on none: what it orders is for the next batch
    Adapt(),  # depends on none; before the order of a join, which it proposes
    Robust(),  # the same for a join that asks for robust plans
    JoinOrder(),  # after those that propose to it
    Functions(),  # last, as nothing reads it: it is about the rows of the next batch
)


def step(
    policy: Policy,
    observation: Observation,
    state: ControlState,
    controllers: Controllers = CONTROLLERS,
) -> tuple[Decision, ControlState]:
    """Decide what this batch does and what to remember."""
    streams, seen = advance(policy, observation, state.streams)
    told = list(notices(policy, seen))
    queries: dict[str, QueryDecision] = {}
    memories: dict[str, QueryMemory] = {}
    for query in policy.plan.queries:
        clock = query_clock(query, streams, observation.now)
        came = arrival(query, observation, state)
        before = state.of(query.name) if came is None else QueryMemory(arrival=came)
        moment = Moment(policy, query, observation, state.streams, seen, clock, before)
        queries[query.name], memories[query.name], heard = decide(moment, controllers)
        told += [f"query {query.name}: {text}" for text in heard]
    shares = None if observation.loads is None else share(observation.loads, state.shared)
    decision = Decision(
        observation.batch, observation.wall, state.tier, seen, queries, tuple(told), shares
    )
    tier = next_tier(policy, observation, state.tier)
    shared = state.shared if shares is None else replace(state.shared, tasks=shares.tasks)
    return decision, ControlState(streams, memories, tier, shared)


def decide(
    moment: Moment, controllers: Controllers
) -> tuple[QueryDecision, QueryMemory, list[str]]:
    """What one query does, what to remember of it, and what people should hear."""
    memories: dict[str, object] = {}
    orders: dict[str, object] = {}
    why: dict[str, Explanation] = {}
    heard: list[str] = []
    for one in controllers:
        params = one.parameters(moment.query)
        if params is None:
            continue
        memory = moment.memory.controllers.get(one.name, one.memory())
        terms, after = one.step(params, moment, memory)
        moment = replace(moment, terms=(*moment.terms, terms))
        heard += one.notices(params, moment, terms)
        memories |= {} if one.memory is Stateless else {one.name: after}
        orders |= {} if one.order is None else {one.name: terms}
        why |= {one.name: reasons} if (reasons := one.explain(terms)) else {}
    came = moment.memory.arrival
    decision = replace(_decision(moment), orders=orders, controllers=why, arrival=came)
    return decision, QueryMemory(moment.clock, decision.upto, memories, came), heard


def wants(policy: Policy, state: ControlState, controllers: Controllers = CONTROLLERS) -> Wants:
    """What to look for in the next batch."""
    found = Wants()
    for query in policy.plan.queries:
        for one in controllers:
            params = one.parameters(query)
            if params is not None:
                found |= one.wants(params, query, state.of(query.name))
    return found


def finish(
    policy: Policy,
    state: ControlState,
    feedback: Feedback,
    controllers: Controllers = CONTROLLERS,
) -> dict[str, tuple[object, ...]]:
    """The streams have ended: orders that are left, by query."""
    found: dict[str, tuple[object, ...]] = {}
    for query in policy.plan.queries:
        asked = [(one, one.parameters(query)) for one in controllers]
        memory = state.of(query.name)
        orders = [
            one.finish(params, memory, feedback, query.name)
            for one, params in asked
            if params is not None
        ]
        found[query.name] = tuple(order for order in orders if order is not None)
    return found


def learn(
    policy: Policy,
    state: ControlState,
    feedback: Feedback,
    controllers: Controllers = CONTROLLERS,
) -> ControlState:
    """What is remembered once a batch was executed: what that measured comes in."""
    queries = dict(state.queries)
    for query in policy.plan.queries:
        memory = state.of(query.name)
        known = {one.name: one for one in controllers}
        after = {
            name: known[name].learn(query.name, one, feedback) if name in known else one
            for name, one in memory.controllers.items()
        }
        queries[query.name] = replace(memory, controllers=after)
    return replace(state, queries=queries, shared=state.shared.learned(feedback.spent))


def _decision(moment: Moment) -> QueryDecision:
    """How long the query waits, what it closes, and what came too late for that."""
    wait = moment.find(Wait) or Wait(0, None)
    closing = moment.find(Closing) or Closing(None, None, None)
    missed = moment.find(Missed) or Missed()
    return QueryDecision(
        slack=wait.slack,
        after=closing.after,
        upto=closing.upto,
        horizon=closing.horizon,
        late=missed.late,
        dropped=missed.dropped,
        null_time=missed.null_time,
        far_future=missed.far_future,
        max_lateness=missed.lateness,
        lateness=missed.spread,
    )


def start(policy: Policy, tier: Tier = "columnar") -> ControlState:
    """The state before the first batch."""
    streams = {stream.name: StreamClock() for stream in policy.plan.streams}
    return ControlState(streams, {query.name: QueryMemory() for query in policy.plan.queries}, tier)
