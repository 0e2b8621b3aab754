"""How long joins under a recall contract wait, and which of their periods are measured."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from slackwater.control.controller import Controller, Moment
from slackwater.control.orders import PeriodOrder
from slackwater.control.records import (
    Explanation,
    Feedback,
    Measured,
    Metered,
    QueryMemory,
    Wants,
    without_last,
)
from slackwater.control.slack_notices import Words, conformal_terms, hold_notices
from slackwater.control.watermark import Wait
from slackwater.disorder import recall_slack
from slackwater.disorder.periods import Found
from slackwater.disorder.recall_slack import (
    Judged,
    RecallSeen,
    RecallSlackParams,
    RecallSlackState,
)
from slackwater.plan.bound import RecallContract
from slackwater.plan.join import JoinPlan
from slackwater.plan.stage import QueryPlan


@dataclass(frozen=True, slots=True)
class Recall:
    """The recall that is promised of a join, and the parameters that follow for the slack."""

    contract: RecallContract
    join: JoinPlan
    params: RecallSlackParams

    @classmethod
    def of(cls, query: QueryPlan) -> Recall | None:
        contract, join = query.find(RecallContract), query.join
        if contract is None or join is None:
            return None
        return cls(contract, join, _params(contract, join))


@dataclass(frozen=True, slots=True)
class RecallWait(Wait):
    """The slack of a join under a recall contract, with why it is so and what was measured."""

    state: RecallSlackState
    judged: Judged


def _params(contract: RecallContract, join: JoinPlan) -> RecallSlackParams:
    return RecallSlackParams(
        recall=contract.gamma,
        risk=1 - contract.confidence,
        over=contract.over,
        windows=tuple(max(1, join.graph.patience(name)) for name in join.graph.names),
        granularity=contract.granularity,
        method=contract.method,
        at_least=contract.at_least,
        at_most=contract.at_most,
    )


@dataclass(frozen=True, slots=True)
class PeriodMeter(Metered):
    """Results that the join computed in the batch before, by the slack they needed."""

    found: tuple[Found, ...] = ()


class RecallSlack(Controller[Recall, RecallSlackState, RecallWait]):
    """The smallest slack under which a join finds enough of its results."""

    name = "recall_slack"
    memory = RecallSlackState

    def parameters(self, query: QueryPlan) -> Recall | None:
        return Recall.of(query)

    def wants(self, params: Recall, query: QueryPlan, memory: QueryMemory) -> Wants:
        """When rows come, on the join's clock; and which of them come too late to be counted."""
        waits, inputs = memory.find(RecallSlackState), [fed.identity for _, fed in query.fed]
        floor: tuple[int, ...] = ()
        if waits is not None and waits.floor is not None:
            floor = (waits.floor,)
        cuts = {} if memory.watermark is None else dict.fromkeys(inputs, floor)
        return Wants(cuts, dict.fromkeys(inputs, memory.clock))

    def step(
        self, params: Recall, moment: Moment, memory: RecallSlackState
    ) -> tuple[RecallWait, RecallSlackState]:
        after, judged = recall_slack.step(params.params, memory, _seen(moment))
        return RecallWait(after.slack, after.watermark, after, judged), after

    def notices(self, params: Recall, moment: Moment, terms: RecallWait) -> Iterator[str]:
        return hold_notices(_words(params), moment.memory.find(RecallSlackState), terms.state)

    def explain(self, terms: RecallWait) -> Explanation:
        return {
            "phase": terms.state.phase,
            "expected_recall": terms.state.expected,
            "recall": terms.state.recall,
            "wanted": terms.state.wanted,
            "margin": round(terms.state.margin, 6),
            **conformal_terms(terms.state),
        }


def _seen(moment: Moment) -> RecallSeen:
    """The batch as the join sees it."""
    observation, query = moment.observation, moment.query
    panes = [
        (moment.streams[stream].bound, observation.panes.get(fed.identity, ()))
        for stream, fed in query.fed
    ]
    passing = [(bound, [c for c in counts if c.passes]) for bound, counts in panes]
    clocks = [moment.streams[name].clock for name in query.streams]
    return RecallSeen(
        before=moment.memory.clock,
        after=moment.clock,
        counts=tuple(tuple(c for c in some if not c.is_beyond(bound)) for bound, some in passing),
        found=(moment.memory.find(PeriodMeter) or PeriodMeter()).found,
        watermark=moment.memory.watermark,
        spoken=max((clock for clock in clocks if clock is not None), default=None),
        strays=tuple(tuple(c for c in some if c.is_beyond(bound)) for bound, some in passing),
    )


class RecallMeter(Controller[Recall, PeriodMeter, PeriodOrder]):
    """Which periods are measured, and how long rows are kept for that."""

    name = "recall_meter"
    memory = PeriodMeter
    order = PeriodOrder

    def parameters(self, query: QueryPlan) -> Recall | None:
        return Recall.of(query)

    def step(
        self, params: Recall, moment: Moment, memory: PeriodMeter
    ) -> tuple[PeriodOrder, PeriodMeter]:
        before, wait = moment.memory.find(RecallSlackState), moment.find(RecallWait)
        kept = 0 if before is None else _kept(before)
        after = PeriodMeter(without_last(memory.quality))
        if wait is None:
            return PeriodOrder(kept, kept, ()), after
        judged = wait.judged
        return PeriodOrder(kept, _kept(wait.state), judged.periods, judged.unseen), after

    def finish(
        self, params: Recall, memory: QueryMemory, feedback: Feedback, query: str
    ) -> PeriodOrder:
        state = memory.find(RecallSlackState) or RecallSlackState()
        found = feedback.found.get(query, ())
        last = recall_slack.last_periods(params.params, state, found, memory.clock)
        return PeriodOrder(0, 0, last.periods, last.unseen)

    def learn(self, query: str, memory: PeriodMeter, feedback: Feedback) -> PeriodMeter:
        measured = feedback.measured.get(query, Measured())
        return PeriodMeter(memory.quality.plus(measured), feedback.found.get(query, ()))


def _kept(state: RecallSlackState) -> int:
    """How much longer than answers need them rows are kept."""
    if state.watermark is None or state.floor is None:
        return 0
    return state.watermark - state.floor


def _words(params: Recall) -> Words:
    """How a hold, and a recall out of reach, are told."""
    held = "no results" if params.join.is_ordered else "results come, nothing is let go of"
    return Words(
        hold=f"{held}; ",
        why={
            "start": "until delays are known well enough",
            "silence": "the clock leaped; rows of the time between may still come",
            "change": "delays have grown, until they are known again",
        },
        known="delays are known, the hold ends",
        needs=f"a recall of {params.contract.gamma:g}",
        cut="less may be found",
        again="the recall is within reach again",
        at_most=params.contract.at_most,
    )
