"""How long joins under a recall contract wait: the controller, wired to plans and batches."""

from __future__ import annotations

from slackwater.control.records import ControlState, Finding, Observation, StreamDecision
from slackwater.disorder import finding
from slackwater.disorder.finding import FindingParams, FindingSeen, FindingState, Found, Period
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
) -> tuple[FindingState, tuple[Period, ...]]:
    """The slack of a join after this batch, and the periods measured with it."""
    counts = tuple(
        tuple(
            count
            for count in observation.panes.get(fed.identity, ())
            if count.passes and not count.is_beyond(seen[stream].bound)
        )
        for stream, fed in query.fed
    )
    batch = FindingSeen(
        before=state.clocks.get(query.name),
        after=clock,
        counts=counts,
        found=observation.found.get(query.name, ()),
    )
    before = state.findings.get(query.name, FindingState())
    return finding.step(finding_params(query), before, batch)


def explained(query: QueryPlan, chosen: FindingState, periods: tuple[Period, ...]) -> Finding:
    """Why the slack is what it is, and what was measured now."""
    return Finding(
        phase=chosen.phase,
        expected=chosen.expected,
        recall=chosen.recall,
        wanted=chosen.wanted,
        margin=round(chosen.margin, 6),
        keep=max(0, finding.lag(finding_params(query), chosen) - chosen.slack),
        periods=periods,
    )


def last_periods(
    query: QueryPlan, state: FindingState, found: tuple[Found, ...], clock: int | None
) -> tuple[Period, ...]:
    """The stream has ended: all periods that were not measured yet."""
    return finding.last_periods(finding_params(query), state, found, clock)


def notices(query: QueryPlan, before: FindingState | None, after: FindingState) -> list[str]:
    """What a person should hear of: a promise that cannot be kept, and when it can again."""
    was = before is not None and before.is_capped
    if was == after.is_capped:
        return []
    if not after.is_capped:
        return [f"query {query.name}: the recall is within reach again"]
    assert query.recall is not None
    wanted, allowed = show_duration(after.wanted), show_duration(after.slack)
    needs = f"a recall of {query.recall.gamma:g} would need a slack of {wanted}"
    return [f"query {query.name}: {needs}, at most {allowed} is allowed"]
