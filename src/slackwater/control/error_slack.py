"""How long queries under an error bound wait, and which of their windows are measured."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from slackwater.control.controller import Controller, Moment
from slackwater.control.orders import WindowOrder
from slackwater.control.records import (
    Explanation,
    Feedback,
    Measured,
    Metered,
    StreamClock,
    without_last,
)
from slackwater.control.slack_notices import Words, conformal_terms, hold_notices
from slackwater.control.watermark import Closing, Wait
from slackwater.disorder.error_slack import (
    MEASURED_EVERY,
    ErrorSeen,
    ErrorSlackParams,
    ErrorSlackState,
    Sums,
    settled,
    step,
    unseen,
)
from slackwater.disorder.keys import Tallies, total
from slackwater.disorder.threshold import Requirement
from slackwater.plan.bound import Bound, ErrorContract
from slackwater.plan.stage import QueryPlan
from slackwater.stats.panes import PaneCount

NO_VALUES: Sums = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class ErrorBound:
    """What is promised of which windows, and the parameters that follow for the slack."""

    promise: ErrorContract
    params: ErrorSlackParams

    @classmethod
    def of(cls, query: QueryPlan) -> ErrorBound | None:
        promise = query.find(ErrorContract)
        return None if promise is None else cls(promise, _params(query, promise))


@dataclass(frozen=True, slots=True)
class ErrorWait(Wait):
    """The slack of a query under an error bound, with why it is so."""

    state: ErrorSlackState
    binding: str


@dataclass(frozen=True, slots=True)
class WindowMeter(Metered):
    """Windows that end up to ``settled`` are measured; ``sizes`` were rows per result, last.

    ``keys`` has what was measured of each key so far.
    """

    settled: int | None = None
    sizes: tuple[float, ...] = ()
    keys: Tallies = ()


def _params(query: QueryPlan, promise: ErrorContract) -> ErrorSlackParams:
    window = query.base.window
    return ErrorSlackParams(
        size=window.size,
        slide=window.slide,
        offset=window.offset,
        requirements=tuple(_requirement(bound) for bound in promise.bounds),
        granularity=promise.granularity,
        is_grouped=bool(query.base.keys),
        method=promise.method,
        at_least=promise.at_least,
        at_most=promise.at_most,
        risk=1 - promise.confidence,
        per_key=promise.per_key,
    )


def _requirement(bound: Bound) -> Requirement:
    return Requirement(bound.kind, bound.epsilon, bound.delta, bound.share)


class ErrorSlack(Controller[ErrorBound, ErrorSlackState, ErrorWait]):
    """The smallest slack under which results keep their error bound."""

    name = "error_slack"
    memory = ErrorSlackState

    def parameters(self, query: QueryPlan) -> ErrorBound | None:
        return ErrorBound.of(query)

    def step(
        self, params: ErrorBound, moment: Moment, memory: ErrorSlackState
    ) -> tuple[ErrorWait, ErrorSlackState]:
        observation, query = moment.observation, moment.query
        stream, identity = moment.streams[query.stream], query.base.state.identity
        meter = _meter(moment)
        batch = ErrorSeen(
            before=moment.before.get(query.stream, StreamClock()).clock,
            after=stream.clock,
            counts=tuple(c for c in _passing(moment) if not c.is_beyond(stream.bound)),
            sums=_sums(params.promise, observation.sums.get(identity, {})),
            sizes=meter.sizes or None,
            measured=meter.quality.last.results,
            within=meter.quality.last.within,
            unseen=_unseen(params, moment),
            watermark=moment.memory.watermark,
            settled=meter.settled,
            keys=meter.quality.last.keys,
        )
        after = step(params.params, memory, batch)
        binding = params.promise.bounds[after.binding].column
        return ErrorWait(after.slack, _reached(after, moment), after, binding), after

    def notices(self, params: ErrorBound, moment: Moment, terms: ErrorWait) -> Iterator[str]:
        words = _words(params.promise, terms.binding)
        return hold_notices(words, moment.memory.find(ErrorSlackState), terms.state)

    def explain(self, terms: ErrorWait) -> Explanation:
        return {
            "phase": terms.state.phase,
            "threshold": terms.state.threshold,
            "expected_coverage": terms.state.expected,
            "measured_coverage": terms.state.coverage,
            "wanted": terms.state.wanted,
            "binding": terms.binding,
            "margin": round(terms.state.margin, 6),
            **conformal_terms(terms.state),
        }


class ErrorMeter(Controller[ErrorBound, WindowMeter, WindowOrder]):
    """Which windows are measured: those that were answered and have their stragglers by now."""

    name = "error_meter"
    memory = WindowMeter
    order = WindowOrder

    def parameters(self, query: QueryPlan) -> ErrorBound | None:
        return ErrorBound.of(query)

    def step(
        self, params: ErrorBound, moment: Moment, memory: WindowMeter
    ) -> tuple[WindowOrder, WindowMeter]:
        upto, wait, closing = memory.settled, moment.find(ErrorWait), moment.find(Closing)
        is_time = moment.observation.ended or moment.observation.batch % MEASURED_EVERY == 0
        if is_time and wait is not None and closing is not None:
            upto = settled(params.params, wait.state, upto, moment.clock, closing.upto)
        order = WindowOrder(memory.settled, upto, _unseen(params, moment))
        return order, replace(memory, settled=upto, quality=without_last(memory.quality))

    def learn(self, query: str, memory: WindowMeter, feedback: Feedback) -> WindowMeter:
        measured = feedback.measured.get(query, Measured())
        quality = memory.quality.plus(measured)
        sizes, keys = measured.sizes or memory.sizes, total(memory.keys, measured.keys)
        return replace(memory, quality=quality, sizes=sizes, keys=keys)


def _passing(moment: Moment) -> list[PaneCount]:
    identity = moment.query.base.state.identity
    return [c for c in moment.observation.panes.get(identity, ()) if c.passes]


def _unseen(params: ErrorBound, moment: Moment) -> int:
    """Results that this batch shows may be broken although they count as kept."""
    bound = moment.streams[moment.query.stream].bound
    return unseen(params.params, _passing(moment), _meter(moment).settled, bound)


def _meter(moment: Moment) -> WindowMeter:
    """What was measured before this batch."""
    return moment.memory.find(WindowMeter) or WindowMeter()


def _sums(promise: ErrorContract, totals: dict[str, float]) -> tuple[Sums, ...]:
    found = []
    for bound in promise.bounds:
        count, total, squares = (totals.get(name, 0.0) for name in bound.sums or ("", "", ""))
        found.append((count, total, squares) if bound.sums else NO_VALUES)
    return tuple(found)


def _reached(chosen: ErrorSlackState, moment: Moment) -> int | None:
    """The watermark at a query's clock, ``None`` if it is held where it is.

    A stream that has been quiet for as long as the hold lasted has no stragglers left that could
    be known.
    """
    spoken = moment.streams[moment.query.stream].clock
    if moment.clock is None:
        return None
    if chosen.is_endless and (spoken is None or moment.clock <= spoken):
        return None
    return moment.clock - chosen.slack


def _words(promise: ErrorContract, binding: str) -> Words:
    """How a hold, and a bound out of reach, are told."""
    return Words(
        hold="",
        why={
            "start": "no answers until delays are known well enough",
            "silence": "the clock leaped; rows of the time between may still come",
            "change": "delays have grown; no further answers until they are known again",
        },
        known="delays are known, answers from now on",
        needs=f"the error bound of {binding}",
        cut="errors may be larger",
        again="the error bound is within reach again",
        at_most=promise.at_most,
    )
