"""Slack from an error bound: how long to wait so that results of windows keep it.

The curve is the coverage that any slack would have given to each recent window
(``disorder/arrivals.py``), and from it the chance that a result keeps its bound
(``disorder/fulfilment.py``). Why the slack is what it is: ``disorder/slack.py``.

Reference: Ji 2018, ch. 4.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import reduce

import numpy as np

from slackwater.disorder import answered, arrivals, conformal, feedback, keys, slack
from slackwater.disorder.answered import Answer, Answered, Hindsight, Judgement
from slackwater.disorder.arrivals import CurveParams
from slackwater.disorder.conformal import Came, ConformalParams
from slackwater.disorder.coverage import CoverageModel
from slackwater.disorder.fulfilment import kept_share
from slackwater.disorder.holding import HoldingParams
from slackwater.disorder.keys import KeyAccount, Tallies
from slackwater.disorder.prudence import Prudence
from slackwater.disorder.slack import FEW, FINEST, ROWS, Arrived, Bools, Promise, Recent, SlackState
from slackwater.disorder.threshold import Moments, Requirement, coverage_threshold
from slackwater.query.contract import Method
from slackwater.stats.histogram import DelayHistogram
from slackwater.stats.panes import PaneCount

MEASURED_EVERY = 4  # batches: measuring several windows at once costs little more than one
RECENT = 50  # windows that tell how many rows a window has

Sums = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class ErrorSlackParams:
    """What is wanted, of which windows.

    Parameters
    ----------
    size, slide, offset
        The windows of the query's base level, microseconds.
    requirements
        One bound or several; the strictest decides.
    granularity
        ``g`` of the source work: the slack is a multiple of it.
    at_least, at_most
        Bounds of the slack, ``at_most`` may be ``None``.
    warmup
        Windows that must be known before anything but the largest delay is used.
    retrospect
        ``q``: a window is complete once this share of all late rows would have come.
    half_life
        After so many windows a window counts half.
    prudence
        How ``margin`` follows what was measured.
    risk
        Share of the results that may break any of the requirements; by default the smallest ``δ``.
    per_key
        Whether every key of a grouped query is promised its share, instead of all together.
    """

    size: int
    slide: int
    requirements: tuple[Requirement, ...]
    granularity: int
    offset: int = 0
    is_grouped: bool = False
    method: Method = "calibrated"
    at_least: int = 0
    at_most: int | None = None
    warmup: int = 10
    retrospect: float = 0.999
    half_life: int = 25
    prudence: Prudence = field(default_factory=Prudence)
    pd: feedback.PDParams = field(default_factory=feedback.PDParams)
    risk: float | None = None
    per_key: bool = False

    @property
    def conformal(self) -> ConformalParams:
        """How the planned risk follows what was measured, with ``method="conformal"``."""
        return ConformalParams(self.risk or min(one.delta for one in self.requirements))

    @property
    def holding(self) -> HoldingParams:
        """When delays are known well enough: the finer the bound, the rarer ones matter."""
        tail = 1 - min(0.001, self.finest / 10)
        if self.method != "conformal":
            return HoldingParams(rows=math.ceil(ROWS / self.finest), windows=self.warmup, tail=tail)
        rows = math.ceil(ROWS / 2 / self.finest)
        return HoldingParams(rows=rows, windows=FEW, tail=tail, spare=self.spare)

    @property
    def few(self) -> int:
        """Windows that tell what the next ones need, if what breaks can be paid later."""
        return FEW if self.method == "conformal" else 0

    @property
    def finest(self) -> float:
        return max(min(one.epsilon for one in self.requirements), FINEST)

    @property
    def spare(self) -> float:
        """A share of the rows that is too small to break a result, if a window has only one.

        Of many results with few rows each it may break some, and with half of the risk it is not
        asked for.
        """
        return 0.0 if self.is_grouped or self.method != "conformal" else self.finest / 10

    @property
    def curves(self) -> CurveParams:
        return CurveParams(self.size, self.slide, self.offset, self.granularity)


@dataclass(frozen=True, slots=True)
class ErrorSeen:
    """One batch: the clock before and after it, and its rows by pane.

    ``sums`` has count, sum and sum of squares of the batch's values for each requirement (zeros
    where values do not matter), ``sizes`` the rows per result of a grouped query. ``measured``
    results were measured since the last batch, ``within`` of them kept the bound. Of those measured
    earlier, ``unseen`` may be broken after all: a row came even later, or was set aside.
    ``watermark`` is that before the batch; windows that end up to ``settled`` were measured, and
    of ``keys`` results and those within since the last batch.
    """

    before: int | None
    after: int | None
    counts: tuple[PaneCount, ...]
    sums: tuple[Sums, ...] = ()
    sizes: tuple[float, ...] | None = None
    measured: int = 0
    within: int = 0
    unseen: int = 0
    watermark: int | None = None
    settled: int | None = None
    keys: Tallies = ()


@dataclass(frozen=True, slots=True)
class ErrorSlackState(SlackState):
    """The slack under an error bound.

    ``threshold`` is the coverage that the bound needs, ``coverage`` that of the newest complete
    window. ``doubt``: results that may be broken unseen, and are not in the margin yet.
    """

    binding: int = 0
    threshold: float | None = None
    coverage: float | None = None
    values: tuple[Sums, ...] = ()
    doubt: int = 0
    answered: Answered = field(default_factory=Answered)
    accounts: tuple[KeyAccount, ...] = ()


def step(params: ErrorSlackParams, state: ErrorSlackState, seen: ErrorSeen) -> ErrorSlackState:
    """The slack after a batch; its watermark already uses it."""
    state, recent = _observe(params, state, seen)
    state = _judged(params, state, seen)
    curve = WindowCurve.of(params, state, seen, recent)
    if params.method == "conformal":
        curve = replace(curve, made=tuple(curve.promises()))
        state = _followed(params, state, seen, curve)
    binding, threshold = curve.strictest
    state = replace(state, threshold=threshold, binding=binding, coverage=curve.measured)
    chosen = slack.choose(params, state, curve)
    if chosen.binding is not None:
        state = replace(state, binding=chosen.binding)
    return slack.put_in_force(params, state, chosen, seen.after)


def settled(
    params: ErrorSlackParams,
    state: SlackState,
    before: int | None,
    clock: int | None,
    watermark: int | None,
) -> int | None:
    """Windows that end up to here have been answered and have their stragglers by now.

    That is when the largest delay so far has passed, and a margin; rows that come even later are
    ``unseen``. A watermark beyond the clock means the end of the stream.
    """
    if clock is None or watermark is None:
        return before
    followed = clock - slack.horizon(params, state)
    reached = watermark if watermark > clock else min(watermark, followed)
    return reached if before is None else max(before, reached)


def unseen(
    params: ErrorSlackParams, counts: Iterable[PaneCount], settled: int | None, bound: int | None
) -> int:
    """Results that rows of a batch may break without being measured, at most.

    Rows of windows measured already (up to ``settled``), and strays (beyond ``bound``): each may
    have broken one result of each of its windows.
    """
    hit: Counter[int] = Counter()
    for count in counts:
        if count.pane is None:
            continue
        last = count.pane - (count.pane - params.offset) % params.slide
        is_stray = count.is_beyond(bound)
        for start in range(last, count.pane - params.size, -params.slide):
            end = start + params.size
            if is_stray or (settled is not None and end <= settled):
                hit[end] += count.rows
    return sum(hit.values()) if params.is_grouped else len(hit)


def _observe(
    params: ErrorSlackParams, state: ErrorSlackState, seen: ErrorSeen
) -> tuple[ErrorSlackState, DelayHistogram]:
    """Statistics after the batch, and recent delays; a change of these drops what came before."""
    counts = slack.placed(seen.counts)
    if not counts:
        return state, _only(slack.recent(state))
    windows = 0
    if not state.holding.is_known:
        complete = _completeness(params, state, seen, _only(slack.recent(state)))
        windows = sum(end <= complete for end, _ in state.curves.windows)
    curves = arrivals.update(params.curves, state.curves, counts, seen.before)
    values = _faded(state.values, seen.sums)
    arrived = Arrived(seen.before, seen.after, (counts,), windows, params.half_life)
    state, recent = slack.observe(params, replace(state, curves=curves, values=values), arrived)
    return state, _only(recent)


def _only(recent: Recent) -> DelayHistogram:
    """The delays of the one input there is, once there were rows."""
    return recent[0] if recent else DelayHistogram()


def _faded(old: tuple[Sums, ...], new: tuple[Sums, ...]) -> tuple[Sums, ...]:
    """Sums over the recent past: each batch takes a fifth of the weight of those before it."""
    if len(old) != len(new):
        return new
    pairs = zip(old, new, strict=True)
    return tuple((0.8 * a[0] + b[0], 0.8 * a[1] + b[1], 0.8 * a[2] + b[2]) for a, b in pairs)


def _judged(params: ErrorSlackParams, state: ErrorSlackState, seen: ErrorSeen) -> ErrorSlackState:
    """The share of the allowed risk to plan with: less while results break the bound too often."""
    doubt = state.doubt + seen.unseen
    if not seen.measured:
        return replace(state, doubt=doubt)
    delta = min(requirement.delta for requirement in params.requirements)
    broken = 1 - max(0, seen.within - doubt) / seen.measured
    margin = params.prudence.after(state.margin, broken, delta)
    return replace(state, margin=margin, doubt=0)


def _followed(
    params: ErrorSlackParams, state: ErrorSlackState, seen: ErrorSeen, curve: WindowCurve
) -> ErrorSlackState:
    """What became of answers, and the share of the risk to plan the next ones with."""
    past, clock = curve.hindsight, seen.before or 0
    ends = (int(end) for end in curve.known.ends)
    found = (Answer(end, max(0, (clock - end) // params.granularity)) for end in ends)
    follows = answered.answer(state.answered, found, seen.watermark)
    given = len(follows.pending) - len(state.answered.pending)
    forgotten = _forgotten(params, seen, past)
    broken = seen.measured - seen.within + forgotten
    judgement = Judgement(seen.measured, broken, seen.settled)
    follows, judged, lost, since = answered.judge(follows, past, judgement)
    pending = answered.pending(follows, past, params.conformal.risk)
    came, before = Came(judged, lost + since, pending, given), state.conformal
    accounts: tuple[KeyAccount, ...] = ()
    if params.per_key:
        unseen_share = since + forgotten / (follows.results or 1.0)
        accounts = keys.settle(params.conformal, state.accounts, seen.keys, unseen_share)
        credit = keys.worst(params.conformal, accounts)
        if credit is not None:
            before, came = replace(before, credit=credit), replace(came, judged=0, broken=0)
    after = conformal.step(params.conformal, before, came)
    return replace(state, answered=follows, conformal=after, accounts=accounts)


def _forgotten(params: ErrorSlackParams, seen: ErrorSeen, past: Hindsight) -> int:
    """Results that may be broken unseen and whose curve is not known any more: they count."""
    if seen.settled is None or not past.ends.size:
        return seen.unseen
    oldest = min(seen.settled, int(past.ends[0]) - 1)
    followed = unseen(params, seen.counts, seen.settled, None)
    return seen.unseen - followed + unseen(params, seen.counts, oldest, None)


def _completeness(
    params: ErrorSlackParams, state: SlackState, seen: ErrorSeen, delays: DelayHistogram
) -> int:
    """Windows that end before this instant have (nearly) all their rows.

    With all of the risk to use, and one result a window, they are complete enough once so few rows
    are still to come that these cannot break it.
    """
    late = slack.lag(params, state, params.retrospect)
    if params.spare:
        late = min(late, delays.exceeded_by(params.spare) * params.granularity)
    return (seen.after or 0) - late


@dataclass(frozen=True, slots=True, eq=False)
class WindowCurve:
    """Coverage of recent windows under any slack, and what it means for their results."""

    params: ErrorSlackParams
    known: arrivals.Table
    moments: tuple[Moments, ...]
    delays: DelayHistogram
    sizes: tuple[float, ...] | None
    closed: int
    mature: Bools
    measured: float | None
    made: tuple[Promise, ...] = ()

    @classmethod
    def of(
        cls,
        params: ErrorSlackParams,
        state: ErrorSlackState,
        seen: ErrorSeen,
        delays: DelayHistogram,
    ) -> WindowCurve:
        known = arrivals.table(state.curves)
        mature = known.ends <= _completeness(params, state, seen, delays)
        is_blind = params.is_grouped and not seen.sizes
        return cls(
            params,
            known,
            _moments(params, state, seen, known),
            delays,
            seen.sizes,
            closed=0 if is_blind else int((known.ends <= (seen.after or 0)).sum()),
            mature=mature,
            measured=_coverage(known, mature, state.slack // params.granularity),
        )

    @property
    def strictest(self) -> tuple[int, float]:
        """The requirement that needs the largest coverage, and that coverage."""
        pairs = zip(self.params.requirements, self.moments, strict=True)
        thresholds = [coverage_threshold(*pair) for pair in pairs]
        binding = max(range(len(thresholds)), key=thresholds.__getitem__)
        return binding, thresholds[binding]

    @property
    def setpoint(self) -> float:
        return self.strictest[1]

    def by_model(self) -> tuple[int, float]:
        model = CoverageModel(self.params.size, self.params.granularity)
        found = model.smallest(self.delays, self.strictest[1])
        return found, model.expected(self.delays, found)

    @property
    def hindsight(self) -> Hindsight:
        """What every window would have kept of all promises together."""
        kept = reduce(np.minimum, (promise.kept for promise in self.promises()))
        return Hindsight(self.known.ends, self.known.steps, kept, self.mature)

    def promises(self) -> Iterator[Promise]:
        """Those ``made`` already, if they are asked for twice."""
        if self.made:
            yield from self.made
            return
        ages = np.arange(self.known.ends.size)[::-1]
        for requirement, moments in zip(self.params.requirements, self.moments, strict=True):
            per_key, coverage = self.params.per_key, self.known.coverage
            kept = kept_share(requirement, coverage, moments, self.sizes, of_worst=per_key)
            yield Promise(kept, self.known.steps, ages, requirement.delta)


def _moments(
    params: ErrorSlackParams, state: ErrorSlackState, seen: ErrorSeen, known: arrivals.Table
) -> tuple[Moments, ...]:
    """Rows of a recent window, with mean and variance of recent values."""
    done = known.rows[known.ends <= (seen.after or 0)]
    rows = float(done[-RECENT:].mean()) if done.size else 0.0
    values = state.values or ((0.0, 0.0, 0.0),) * len(params.requirements)
    return tuple(
        replace(Moments.of_sums(n, s, q), rows=rows) if n else Moments(rows) for n, s, q in values
    )


def _coverage(known: arrivals.Table, mature: Bools, step_in_force: int) -> float | None:
    """Coverage of the newest complete window under the slack in force."""
    complete = np.flatnonzero(mature)
    if not complete.size:
        return None
    at = int(np.searchsorted(known.steps, step_in_force, side="right")) - 1
    return float(known.coverage[complete[-1], at])
