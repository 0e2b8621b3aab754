"""How long queries under an error bound wait: the slack controller, wired to plans and batches."""

from __future__ import annotations

from slackwater.control.records import (
    ControlState,
    Measured,
    Observation,
    StreamClock,
    StreamDecision,
    Waiting,
)
from slackwater.disorder.slack import (
    MEASURED_EVERY,
    Seen,
    SlackParams,
    SlackState,
    Sums,
    settled,
    step,
)
from slackwater.disorder.threshold import Requirement
from slackwater.plan.bound import Bound
from slackwater.plan.stage import QueryPlan
from slackwater.units import show_duration

NO_VALUES: Sums = (0.0, 0.0, 0.0)


def slack_params(query: QueryPlan) -> SlackParams:
    """What the controller is asked to keep, for a query with a promise."""
    promise, window = query.promise, query.base.window
    assert promise is not None
    return SlackParams(
        size=window.size,
        slide=window.slide,
        offset=window.offset,
        requirements=tuple(_requirement(bound) for bound in promise.bounds),
        granularity=promise.granularity,
        is_grouped=bool(query.base.keys),
        method=promise.method,  # type: ignore[arg-type]
        at_least=promise.at_least,
        at_most=promise.at_most,
    )


def _requirement(bound: Bound) -> Requirement:
    return Requirement(bound.kind, bound.epsilon, bound.delta, bound.share)


def slack_after(
    query: QueryPlan, observation: Observation, state: ControlState, seen: StreamDecision
) -> SlackState:
    """The slack of a query after this batch."""
    identity = query.base.state.identity
    counts = tuple(
        count
        for count in observation.panes.get(identity, ())
        if count.passes and not count.is_beyond(seen.bound)
    )
    measured = observation.measured.get(query.name, Measured())
    batch = Seen(
        before=state.streams.get(query.stream, StreamClock()).clock,
        after=seen.clock,
        counts=counts,
        sums=_sums(query, observation.sums.get(identity, {})),
        sizes=sizes(observation, state, query.name) or None,
        measured=measured.results,
        within=measured.within,
    )
    return step(slack_params(query), state.slacks.get(query.name, SlackState()), batch)


def sizes(observation: Observation, state: ControlState, query: str) -> tuple[float, ...]:
    """Rows per result, as measured last."""
    fresh = observation.measured.get(query, Measured()).sizes
    return fresh or state.sizes.get(query, ())


def _sums(query: QueryPlan, totals: dict[str, float]) -> tuple[Sums, ...]:
    assert query.promise is not None
    found = []
    for bound in query.promise.bounds:
        count, total, squares = (totals.get(name, 0.0) for name in bound.sums or ("", "", ""))
        found.append((count, total, squares) if bound.sums else NO_VALUES)
    return tuple(found)


def explained(
    query: QueryPlan,
    chosen: SlackState,
    before: int | None,
    observation: Observation,
    *,
    clock: int | None,
    upto: int | None,
) -> Waiting:
    """Why the slack is what it is, and which windows are measured now."""
    assert query.promise is not None
    reached = before
    if observation.ended or observation.batch % MEASURED_EVERY == 0:
        reached = settled(slack_params(query), chosen, before, clock, upto)
    return Waiting(
        phase=chosen.phase,
        threshold=chosen.threshold,
        expected=chosen.expected,
        coverage=chosen.coverage,
        wanted=chosen.wanted,
        binding=query.promise.bounds[chosen.binding].column,
        margin=round(chosen.margin, 6),
        after=before,
        upto=reached,
    )


def notices(query: QueryPlan, before: SlackState | None, after: SlackState | None) -> list[str]:
    """What a person should hear of: a promise that cannot be kept, and when it can again."""
    was, is_now = before is not None and before.is_capped, after is not None and after.is_capped
    if was == is_now or after is None:
        return []
    if not is_now:
        return [f"query {query.name}: the error bound is within reach again"]
    assert query.promise is not None
    binding = query.promise.bounds[after.binding].column
    wanted, allowed = show_duration(after.wanted), show_duration(after.slack)
    needs = f"the error bound of {binding} would need a slack of {wanted}"
    return [f"query {query.name}: {needs}, at most {allowed} is allowed"]
