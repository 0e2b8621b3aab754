"""How long joins under a recall contract wait: the controller, wired to plans and batches."""

from __future__ import annotations

from collections.abc import Iterator

from slackwater.control.records import ControlState, Finding, Observation, StreamDecision
from slackwater.disorder import recall_slack as finding
from slackwater.disorder.periods import Found
from slackwater.disorder.recall_slack import FindingParams, FindingSeen, FindingState, Judged
from slackwater.plan.stage import QueryPlan
from slackwater.units import show_duration


def finding_params(query: QueryPlan) -> FindingParams:
    """What the controller is asked to keep, for a join with a recall contract."""
    contract, join = query.recall, query.join
    assert contract is not None
    assert join is not None
    return FindingParams(
        recall=contract.gamma,
        risk=1 - contract.confidence,
        over=contract.over,
        windows=tuple(max(1, join.graph.patience(name)) for name in join.graph.names),
        granularity=contract.granularity,
        method=contract.method,  # type: ignore[arg-type]
        at_least=contract.at_least,
        at_most=contract.at_most,
    )


def finding_after(
    query: QueryPlan,
    observation: Observation,
    state: ControlState,
    seen: dict[str, StreamDecision],
    clock: int | None,
) -> tuple[FindingState, Judged]:
    """The slack of a join after this batch, and the periods measured with it."""
    panes = [
        (seen[stream].bound, [c for c in observation.panes.get(fed.identity, ()) if c.passes])
        for stream, fed in query.fed
    ]
    clocks = [seen[name].clock for name in query.streams]
    batch = FindingSeen(
        before=state.clocks.get(query.name),
        after=clock,
        counts=tuple(tuple(c for c in some if not c.is_beyond(bound)) for bound, some in panes),
        found=observation.found.get(query.name, ()),
        watermark=state.watermarks.get(query.name),
        spoken=max((clock for clock in clocks if clock is not None), default=None),
        strays=tuple(tuple(c for c in some if c.is_beyond(bound)) for bound, some in panes),
    )
    before = state.findings.get(query.name, FindingState())
    return finding.step(finding_params(query), before, batch)


def explained(before: FindingState | None, chosen: FindingState, judged: Judged) -> Finding:
    """Why the slack is what it is, and what was measured now."""
    return Finding(
        phase=chosen.phase,
        expected=chosen.expected,
        recall=chosen.recall,
        wanted=chosen.wanted,
        margin=round(chosen.margin, 6),
        kept=0 if before is None else _kept(before),
        keep=_kept(chosen),
        periods=judged.periods,
        unseen=judged.unseen,
    )


def _kept(state: FindingState) -> int:
    """How much longer than answers need them rows are kept."""
    if state.watermark is None or state.floor is None:
        return 0
    return state.watermark - state.floor


def last_periods(
    query: QueryPlan, state: FindingState, found: tuple[Found, ...], clock: int | None
) -> Judged:
    """The stream has ended: all periods that were not measured yet."""
    return finding.last_periods(finding_params(query), state, found, clock)


def notices(query: QueryPlan, before: FindingState | None, after: FindingState) -> list[str]:
    """What a person should hear of: holds, a promise that cannot be kept, and when it can again."""
    told = (*_holds(query, before, after), *_caps(query, before, after))
    return [f"query {query.name}: {text}" for text in told]


_WHY = {
    "start": "until delays are known well enough",
    "silence": "the clock leaped; rows of the time between may still come",
    "change": "delays have grown, until they are known again",
}


def _holds(query: QueryPlan, before: FindingState | None, after: FindingState) -> Iterator[str]:
    assert query.recall is not None
    assert query.join is not None
    was = before is not None and before.phase == "holding"
    what = "no results" if query.join.is_ordered else "results come, nothing is let go of"
    if not was and after.phase == "holding":
        most = query.recall.at_most
        cut = "" if most is None else f" (for {show_duration(most)} at most)"
        yield f"holding{cut}: {what}; {_WHY[after.holding.reason]}"
    if was and after.phase != "holding":
        yield f"delays are known, the hold ends; the slack is {show_duration(after.slack)}"


def _caps(query: QueryPlan, before: FindingState | None, after: FindingState) -> Iterator[str]:
    assert query.recall is not None
    was = before is not None and before.is_capped
    is_other = before is not None and (before.phase == "holding") != (after.phase == "holding")
    if was == after.is_capped and not (was and is_other):
        return
    wanted, allowed = show_duration(after.wanted), show_duration(after.slack)
    if not after.is_capped:
        yield "the recall is within reach again"
    elif after.phase == "holding":
        yield f"delays are not known, but at_most = {allowed} ends the hold: less may be found"
    else:
        needs = f"a recall of {query.recall.gamma:g} would need a slack of {wanted}"
        yield f"{needs}, at most {allowed} is allowed"
