"""How long queries under an error bound wait: the slack controller, wired to plans and batches."""

from __future__ import annotations

from collections.abc import Iterator

from slackwater.control.records import (
    ControlState,
    Measured,
    Observation,
    StreamClock,
    StreamDecision,
    Waiting,
)
from slackwater.disorder.error_slack import (
    MEASURED_EVERY,
    Seen,
    SlackParams,
    SlackState,
    Sums,
    settled,
    step,
    unseen,
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
        unseen=unseen_results(query, observation, state, seen),
    )
    return step(slack_params(query), state.slacks.get(query.name, SlackState()), batch)


def unseen_results(
    query: QueryPlan, observation: Observation, state: ControlState, seen: StreamDecision
) -> int:
    """Results that this batch shows may be broken although they count as kept."""
    counts = [c for c in observation.panes.get(query.base.state.identity, ()) if c.passes]
    return unseen(slack_params(query), counts, state.settled.get(query.name), seen.bound)


def reached(chosen: SlackState, clock: int, spoken: int | None) -> int | None:
    """The watermark at a query's clock, ``None`` if it is held where it is.

    A stream that has been quiet for as long as the hold lasted (``spoken`` is its own clock) has
    no stragglers left that could be known.
    """
    if chosen.is_endless and (spoken is None or clock <= spoken):
        return None
    return clock - chosen.slack


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
    unseen: int,
) -> Waiting:
    """Why the slack is what it is, and which windows are measured now."""
    assert query.promise is not None
    settling = before
    if observation.ended or observation.batch % MEASURED_EVERY == 0:
        settling = settled(slack_params(query), chosen, before, clock, upto)
    return Waiting(
        phase=chosen.phase,
        threshold=chosen.threshold,
        expected=chosen.expected,
        coverage=chosen.coverage,
        wanted=chosen.wanted,
        binding=query.promise.bounds[chosen.binding].column,
        margin=round(chosen.margin, 6),
        after=before,
        upto=settling,
        unseen=unseen,
    )


def notices(query: QueryPlan, before: SlackState | None, after: SlackState | None) -> list[str]:
    """What a person should hear of: holds, a promise that cannot be kept, and when it can again."""
    if after is None:
        return []
    return [
        f"query {query.name}: {text}"
        for text in (*_holds(query, before, after), *_caps(query, before, after))
    ]


_WHY = {
    "start": "no answers until delays are known well enough",
    "silence": "the clock leaped; rows of the time between may still come",
    "change": "delays have grown; no further answers until they are known again",
}


def _holds(query: QueryPlan, before: SlackState | None, after: SlackState) -> Iterator[str]:
    was = before is not None and before.phase == "holding"
    if not was and after.phase == "holding":
        assert query.promise is not None
        most = query.promise.at_most
        cut = "" if most is None else f" (for {show_duration(most)} at most)"
        yield f"holding{cut}: {_WHY[after.holding.reason]}"
    if was and after.phase != "holding":
        yield f"delays are known, answers from now on; the slack is {show_duration(after.slack)}"


def _caps(query: QueryPlan, before: SlackState | None, after: SlackState) -> Iterator[str]:
    was = before is not None and before.is_capped
    is_other = before is not None and (before.phase == "holding") != (after.phase == "holding")
    if was == after.is_capped and not (was and is_other):
        return
    assert query.promise is not None
    if not after.is_capped:
        yield "the error bound is within reach again"
    elif after.phase == "holding":
        allowed = show_duration(after.slack)
        yield f"delays are not known, but at_most = {allowed} ends the hold: errors may be larger"
    else:
        binding = query.promise.bounds[after.binding].column
        wanted, allowed = show_duration(after.wanted), show_duration(after.slack)
        needs = f"the error bound of {binding} would need a slack of {wanted}"
        yield f"{needs}, at most {allowed} is allowed"
