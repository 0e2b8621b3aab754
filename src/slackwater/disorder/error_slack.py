"""Quality-driven slack for micro-batches: how long to wait so that results keep their bound.

Once per batch, from the pane histogram alone:

1. The delays of the batch go into an adaptive window (ADWIN); a change of their distribution drops
   the history before it.
2. The rows go into the arrival curves of their windows: what each recent window would have held
   under any slack.
3. *Holding*: no watermark at all until delays are known well enough (``disorder/holding.py``): at
   the start, after a silence, after a change for the worse. ``at_most`` bounds it.
   *Warm-up*: until enough windows are known, the slack is the largest delay so far (Max-K).
4. *Model* (AM-adt): the smallest slack whose expected coverage reaches the threshold of the bound.
5. *Calibration*: once enough windows are complete, the smallest slack under which the wanted share
   of them would have kept the bound. Windows still incomplete count as soon as they have failed.
   The risk that is planned with shrinks while measured results break the bound too often, and
   grows back slowly: ``margin``.

``method="model"`` stops after 4, ``method="feedback"`` replaces 4 and 5 by the PD controller.

Reference: Ji 2018, ch. 4; 5 goes beyond the source work, which calibrates by an additive correction
it leaves open.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

import numpy as np

from slackwater.disorder import arrivals, feedback, holding
from slackwater.disorder.arrivals import CurveParams, Curves
from slackwater.disorder.coverage import CoverageModel
from slackwater.disorder.fulfilment import Array, kept_share
from slackwater.disorder.holding import Glimpse, HoldingParams, HoldingState
from slackwater.disorder.prudence import Prudence
from slackwater.disorder.threshold import Moments, Requirement, coverage_threshold
from slackwater.errors import check_version
from slackwater.stats.adwin import Adwin, AdwinParams, AdwinState
from slackwater.stats.histogram import DelayHistogram
from slackwater.stats.panes import PaneCount, largest_delay
from slackwater.units import ceil_to

VERSION = 2
MEASURED_EVERY = 4  # batches: measuring several windows at once costs little more than one
SETTLED = 0.999  # of late rows: the delay that a horizon of measuring is told in
MARGIN = 1.25  # a window is measured once the largest delay so far has passed, with a margin
FURTHEST = 8  # but not later than so many times the delay of nearly all late rows
FINEST = 1e-6  # of an error bound, where it says how many rows must be seen
ROWS = 12  # divided by the error: rows that show delays which can break it, were there any
ITEMS = 32  # a batch counts as so many items for ADWIN, whatever its size

Method = Literal["calibrated", "model", "feedback"]
Sums = tuple[float, float, float]
Phase = Literal["holding", "warm-up", "model", "calibrated", "feedback"]


@dataclass(frozen=True, slots=True)
class SlackParams:
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

    @property
    def holding(self) -> HoldingParams:
        """When delays are known well enough: the finer the bound, the rarer ones matter."""
        finest = max(min(r.epsilon for r in self.requirements), FINEST)
        return HoldingParams(
            rows=math.ceil(ROWS / finest), windows=self.warmup, tail=1 - min(0.001, finest / 10)
        )

    @property
    def curves(self) -> CurveParams:
        return CurveParams(self.size, self.slide, self.offset, self.granularity)


@dataclass(frozen=True, slots=True)
class Seen:
    """One batch: the clock before and after it, and its rows by pane.

    ``sums`` has count, sum and sum of squares of the batch's values for each requirement (zeros
    where values do not matter), ``sizes`` the rows per result of a grouped query. ``measured``
    results were measured since the last batch, ``within`` of them kept the bound. Of those measured
    earlier, ``unseen`` may be broken after all: a row came even later, or was set aside.
    """

    before: int | None
    after: int | None
    counts: tuple[PaneCount, ...]
    sums: tuple[Sums, ...] = ()
    sizes: tuple[float, ...] | None = None
    measured: int = 0
    within: int = 0
    unseen: int = 0


@dataclass(frozen=True, slots=True)
class SlackState:
    """The slack in force (K), why, and everything the next step needs.

    ``is_endless``: the watermark stays where it is; the slack tells how long that is so far.
    ``doubt``: results that may be broken unseen, and are not in the margin yet.
    """

    slack: int = 0
    phase: Phase = "holding"
    is_endless: bool = True
    wanted: int = 0
    binding: int = 0
    threshold: float | None = None
    expected: float | None = None
    coverage: float | None = None
    margin: float = 0.5
    max_delay: int = 0
    adwin: AdwinState = field(default_factory=AdwinState)
    begun: tuple[int, ...] = ()
    values: tuple[Sums, ...] = ()
    late: DelayHistogram = field(default_factory=DelayHistogram)
    curves: Curves = field(default_factory=Curves)
    pd: feedback.PDState = field(default_factory=feedback.PDState)
    holding: HoldingState = field(default_factory=HoldingState)
    doubt: int = 0
    version: int = VERSION

    @property
    def is_capped(self) -> bool:
        """Whether the bound would need more slack than is allowed."""
        return self.wanted > self.slack

    def to_json(self) -> dict[str, Any]:
        """Plain values, without the copies that ``asdict`` makes: written with every batch."""
        plain = {name: getattr(self, name) for name in self.__slots__}
        return plain | {
            "adwin": self.adwin.to_json(),
            "late": self.late.counts,
            "curves": self.curves.to_json(),
            "pd": asdict(self.pd),
            "holding": self.holding.to_json(),
        }

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> SlackState:
        check_version("slack", cls(version=value["version"]), VERSION)
        return cls(
            **{
                **value,
                "adwin": AdwinState.from_json(value["adwin"]),
                "begun": tuple(value["begun"]),
                "values": tuple((n, s, q) for n, s, q in value["values"]),
                "late": DelayHistogram.from_json(value["late"]),
                "curves": Curves.from_json(value["curves"]),
                "pd": feedback.PDState(**value["pd"]),
                "holding": HoldingState.from_json(value["holding"]),
            }
        )


def step(params: SlackParams, state: SlackState, seen: Seen) -> SlackState:
    """The slack after a batch; its watermark already uses it."""
    state = _observe(params, state, seen)
    state = _judged(params, state, seen)
    known = arrivals.table(state.curves)
    wanted, state = _choose(params, state, seen, known)
    is_held = not state.holding.is_known
    if is_held:
        state, wanted = replace(state, phase="holding"), _held(state, seen)
    slack = wanted = max(params.at_least, wanted)
    if params.at_most is not None:
        slack = params.at_most if is_held else min(slack, params.at_most)
    is_endless = is_held and params.at_most is None
    return replace(state, slack=slack, wanted=wanted, is_endless=is_endless)


def _held(state: SlackState, seen: Seen) -> int:
    """How long the oldest rows of the hold have waited so far."""
    since = state.holding.since
    return 0 if since is None or seen.after is None else max(0, seen.after - since)


def settled(
    params: SlackParams,
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
    nearly_all = state.late.late_quantile(SETTLED) * params.granularity
    lag = math.ceil(MARGIN * min(state.max_delay, FURTHEST * nearly_all))
    reached = watermark if watermark > clock else min(watermark, clock - lag)
    return reached if before is None else max(before, reached)


def unseen(
    params: SlackParams, counts: Iterable[PaneCount], settled: int | None, bound: int | None
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


def _observe(params: SlackParams, state: SlackState, seen: Seen) -> SlackState:
    """Statistics after the batch; a change of the delays drops what came before it."""
    placed = tuple(c for c in seen.counts if c.pane is not None and c.low is not None)
    if not placed:
        return state
    delays = DelayHistogram.of_panes(placed, seen.before, params.granularity)
    window = Adwin.start(AdwinParams(), state.adwin)
    level = window.mean
    window.update(delays.level, delays, items=ITEMS)
    curves = arrivals.update(params.curves, state.curves, placed, seen.before)
    begun = (*state.begun, seen.before if seen.before is not None else 0)
    begun = begun[-(window.items // ITEMS) :]
    has_changed = window.dropped > state.adwin.dropped
    if has_changed:
        curves = arrivals.since(curves, begun[0], at_least=params.half_life)
    glimpse = Glimpse(
        before=seen.before,
        after=seen.after,
        low=min(c.low for c in placed if c.low is not None),
        delays=delays,
        granularity=params.granularity,
        windows=_complete_windows(params, state, seen),
        changed=begun[0] if has_changed and window.mean > level else None,
        anew=window.get() if has_changed else DelayHistogram(),
    )
    return replace(
        state,
        max_delay=max(state.max_delay, largest_delay(placed, seen.before)),
        adwin=window.snapshot(),
        begun=begun,
        values=_faded(state.values, seen.sums),
        late=state.late.merge(delays.only_late()),
        curves=curves,
        holding=holding.update(params.holding, state.holding, glimpse),
    )


def _complete_windows(params: SlackParams, state: SlackState, seen: Seen) -> int:
    complete = _completeness(params, state, seen)
    return sum(end <= complete for end, _ in state.curves.windows)


def _faded(old: tuple[Sums, ...], new: tuple[Sums, ...]) -> tuple[Sums, ...]:
    """Sums over the recent past: each batch takes a fifth of the weight of those before it."""
    if len(old) != len(new):
        return new
    pairs = zip(old, new, strict=True)
    return tuple((0.8 * a[0] + b[0], 0.8 * a[1] + b[1], 0.8 * a[2] + b[2]) for a, b in pairs)


def _judged(params: SlackParams, state: SlackState, seen: Seen) -> SlackState:
    """The share of the allowed risk to plan with: less while results break the bound too often."""
    doubt = state.doubt + seen.unseen
    if not seen.measured:
        return replace(state, doubt=doubt)
    delta = min(requirement.delta for requirement in params.requirements)
    broken = 1 - max(0, seen.within - doubt) / seen.measured
    margin = params.prudence.after(state.margin, broken, delta)
    return replace(state, margin=margin, doubt=0)


def _choose(
    params: SlackParams, state: SlackState, seen: Seen, known: arrivals.Table
) -> tuple[int, SlackState]:
    complete = _completeness(params, state, seen)
    closed = int((known.ends <= (seen.after or 0)).sum()) if known.ends.size else 0
    moments = _moments(params, state, seen, known)
    thresholds = [
        coverage_threshold(r, m) for r, m in zip(params.requirements, moments, strict=True)
    ]
    binding = max(range(len(thresholds)), key=thresholds.__getitem__)
    delays = Adwin.start(AdwinParams(), state.adwin).get()
    model = CoverageModel(params.size, params.granularity)
    by_model = model.smallest(delays, thresholds[binding])
    measured = _measured(known, complete, state.slack // params.granularity)
    state = replace(state, threshold=thresholds[binding], binding=binding, coverage=measured)
    is_blind = params.is_grouped and not seen.sizes
    if closed < params.warmup or is_blind:
        return ceil_to(state.max_delay, params.granularity), replace(state, phase="warm-up")
    if params.method == "feedback":
        return _by_feedback(params, state)
    expected = model.expected(delays, by_model)
    state = replace(state, expected=expected, phase="model")
    mature = known.ends <= complete
    if params.method == "model" or int(mature.sum()) < params.warmup:
        return by_model, state
    chance = [
        kept_share(requirement, known.coverage, moments[number], seen.sizes)
        for number, requirement in enumerate(params.requirements)
    ]
    steps, binding = _calibrated(params, state, chance, known, mature=mature)
    steps = math.ceil(steps * params.prudence.stretch(state.margin))
    return steps * params.granularity, replace(state, phase="calibrated", binding=binding)


def _completeness(params: SlackParams, state: SlackState, seen: Seen) -> int:
    """Windows that end before this instant have (nearly) all their rows."""
    lag = state.late.late_quantile(params.retrospect) * params.granularity
    return (seen.after or 0) - lag


def _moments(
    params: SlackParams, state: SlackState, seen: Seen, known: arrivals.Table
) -> tuple[Moments, ...]:
    """Rows of a recent window, with mean and variance of recent values."""
    done = known.rows[known.ends <= (seen.after or 0)]
    rows = float(done[-50:].mean()) if done.size else 0.0
    values = state.values or ((0.0, 0.0, 0.0),) * len(params.requirements)
    return tuple(
        replace(Moments.of_sums(n, s, q), rows=rows) if n else Moments(rows) for n, s, q in values
    )


def _measured(known: arrivals.Table, complete: int, step_in_force: int) -> float | None:
    """Coverage of the newest complete window under the slack in force."""
    mature = np.flatnonzero(known.ends <= complete)
    if not mature.size:
        return None
    at = int(np.searchsorted(known.steps, step_in_force, side="right")) - 1
    return float(known.coverage[mature[-1], at])


def _by_feedback(params: SlackParams, state: SlackState) -> tuple[int, SlackState]:
    if state.coverage is None or state.threshold is None:
        return state.slack, replace(state, phase="feedback")
    pd = feedback.step(params.pd, state.pd, state.threshold, state.coverage)
    wanted = ceil_to(feedback.slack_of(pd, state.max_delay), params.granularity)
    return wanted, replace(state, pd=pd, phase="feedback")


def _calibrated(
    params: SlackParams,
    state: SlackState,
    chance: list[Array],
    known: arrivals.Table,
    *,
    mature: np.ndarray[Any, np.dtype[np.bool_]],
) -> tuple[int, int]:
    """The smallest step under which enough of the recent windows would have kept their bounds."""
    best, binding = 0, state.binding
    age = np.arange(known.ends.size)[::-1, None] / params.half_life
    fading = 0.5**age
    margin = params.prudence.planned(state.margin)
    for number, requirement in enumerate(params.requirements):
        kept = chance[number]
        counted = mature[:, None] | (kept < 0.5)  # an unfinished window counts once it has failed
        weights = counted * fading
        share = (weights * kept).sum(0) / np.maximum(weights.sum(0), 1e-9)
        enough = np.flatnonzero(share >= 1 - requirement.delta * margin)
        found = int(known.steps[enough[0]]) if enough.size else int(known.steps[-1])
        if found > best:
            best, binding = found, number
    return best, binding
