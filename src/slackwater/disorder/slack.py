"""Calibrated slack for micro-batches: how long to wait so that answers keep what was promised.

What is promised differs: an error of windows (``disorder/error_slack.py``), a recall of periods
(``disorder/recall_slack.py``). Both are a *curve*: what any slack would have given to each of the
recent windows or periods. What is done with a curve, once per batch, is the same:

1. The delays of the batch go into adaptive windows (ADWIN), one per input; a change of any drops
   the history before it.
2. *Holding*: no watermark at all until delays are known well enough (``disorder/holding.py``): at
   the start, after a silence, after a change for the worse. ``at_most`` bounds it.
   *Warm-up*: until enough spans are known, the slack is the largest delay so far (Max-K).
3. *Model* (AM-adt): the smallest slack that is expected to be enough.
4. *Calibration*: once enough spans are complete, the smallest slack under which the wanted share of
   them would have kept the promise. Spans still incomplete count as soon as they have failed. The
   risk that is planned with shrinks while measurements break the promise too often, and grows
   back slowly: ``margin``.

``method="model"`` stops after 3, ``method="feedback"`` replaces 3 and 4 by the PD controller, and
``method="conformal"`` keeps 4, but what was measured says with how much of the risk to plan, until
all of it is used (``disorder/conformal.py``).

Reference: Ji 2018, ch. 4; 4 goes beyond the source work, which calibrates by an additive correction
it leaves open.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Literal, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from slackwater.disorder import arrivals, conformal, feedback, holding
from slackwater.disorder.arrivals import Array, Curves, Steps
from slackwater.disorder.conformal import ConformalParams, ConformalState
from slackwater.disorder.holding import Glimpse, HoldingParams, HoldingState
from slackwater.disorder.prudence import Prudence
from slackwater.query.contract import Method
from slackwater.stats.adwin import Adwin, AdwinParams, AdwinState
from slackwater.stats.histogram import DelayHistogram
from slackwater.stats.panes import PaneCount, largest_delay
from slackwater.units import ceil_to

SETTLED = 0.999  # of late rows: a span is known once this share would have come
MARGIN = 1.25  # a span is measured once the largest delay so far has passed, with a margin
FURTHEST = 8  # but not later than so many times the delay of nearly all late rows
FINEST = 1e-6  # of what may be wrong or missed, where it says how many rows must be seen
ROWS = 12  # divided by what may be wrong or missed: rows that show delays which can break it
BEYOND = 2  # times the largest delay so far is as far as a slack is stretched
FEW = 3  # spans that tell what the next ones need, if what breaks can be paid later
GRAIN = 10  # granules that a slack of nothing is stretched from
ITEMS = 32  # a batch counts as so many items for ADWIN, whatever its size

Phase = Literal["holding", "warm-up", "model", "calibrated", "conformal", "feedback"]
Bools = npt.NDArray[np.bool_]
Counts = tuple[PaneCount, ...]
Recent = tuple[DelayHistogram, ...]


class SlackParams(Protocol):
    """What every promise says of its slack; the rest is its own.

    ``granularity`` is ``g`` of the source work: the slack is a multiple of it. Until ``warmup``
    spans are known nothing but the largest delay is used, or until ``few`` (if not 0) what these
    needed; after ``half_life`` spans one counts
    half. ``prudence`` says how ``margin`` follows what was measured.
    """

    @property
    def granularity(self) -> int: ...
    @property
    def method(self) -> Method: ...
    @property
    def at_least(self) -> int: ...
    @property
    def at_most(self) -> int | None: ...
    @property
    def warmup(self) -> int: ...
    @property
    def few(self) -> int: ...
    @property
    def half_life(self) -> int: ...
    @property
    def prudence(self) -> Prudence: ...
    @property
    def pd(self) -> feedback.PDParams: ...
    @property
    def holding(self) -> HoldingParams: ...
    @property
    def conformal(self) -> ConformalParams: ...


@dataclass(frozen=True, slots=True)
class SlackState:
    """The slack in force (K), why, and everything the next step needs.

    ``is_endless``: the watermark stays where it is; the slack tells how long that is so far.
    """

    slack: int = 0
    phase: Phase = "holding"
    is_endless: bool = True
    wanted: int = 0
    expected: float | None = None
    margin: float = 0.5
    max_delay: int = 0
    adwins: tuple[AdwinState, ...] = ()
    begun: tuple[int, ...] = ()
    late: DelayHistogram = field(default_factory=DelayHistogram)
    curves: Curves = field(default_factory=Curves)
    pd: feedback.PDState = field(default_factory=feedback.PDState)
    holding: HoldingState = field(default_factory=HoldingState)
    conformal: ConformalState = field(default_factory=ConformalState)

    @property
    def is_capped(self) -> bool:
        """Whether the promise would need more slack than is allowed."""
        return self.wanted > self.slack


S = TypeVar("S", bound=SlackState)


class Curve(Protocol):
    """What any slack would have given to each of the recent spans (windows, or periods).

    ``closed`` spans have ended on the clock, those that are ``mature`` have (nearly) all their
    rows. ``setpoint`` and ``measured`` are for the PD controller; without a new measurement it
    leaves the slack as it is.
    """

    @property
    def closed(self) -> int: ...
    @property
    def mature(self) -> Bools: ...
    @property
    def setpoint(self) -> float: ...
    @property
    def measured(self) -> float | None: ...

    def by_model(self) -> tuple[int, float]:
        """The smallest slack that is expected to be enough, and what it is expected to give."""

    def promises(self) -> Iterable[Promise]:
        """What must be kept by each of the spans, under each slack."""


@dataclass(frozen=True, slots=True, eq=False)
class Promise:
    """``kept[w, k]``: how likely span ``w`` keeps it with a slack of ``steps[k]`` granules.

    ``ages`` are those of the spans, in spans; ``risk`` is the share that may break it.
    """

    kept: Array | Bools
    steps: Steps
    ages: Steps
    risk: float


@dataclass(frozen=True, slots=True)
class Chosen:
    """The slack that a promise wants, by which phase; ``binding`` is the strictest promise."""

    wanted: int
    phase: Phase
    expected: float | None
    binding: int | None = None
    pd: feedback.PDState = field(default_factory=feedback.PDState)


@dataclass(frozen=True, slots=True)
class Arrived:
    """The rows of a batch by input, with the clock before and after it.

    ``complete`` spans have all their rows by now. After a change of the delays the newest
    ``at_least`` curves stay.
    """

    before: int | None
    after: int | None
    counts: Sequence[Counts]
    complete: int
    at_least: int


def placed(counts: Iterable[PaneCount]) -> Counts:
    """The rows that lie somewhere in time."""
    return tuple(c for c in counts if c.pane is not None and c.low is not None)


def recent(state: SlackState) -> Recent:
    """Delays of the recent past, by input."""
    return tuple(Adwin.start(AdwinParams(), adwin).get() for adwin in state.adwins)


def observe(params: SlackParams, state: S, arrived: Arrived) -> tuple[S, Recent]:
    """Delays of all inputs against the clock; a change drops what came before it."""
    inputs = [placed(counts) for counts in arrived.counts]
    if not any(inputs):
        return state, recent(state)
    old = state.adwins or (AdwinState(),) * len(inputs)
    windows = [Adwin.start(AdwinParams(), adwin) for adwin in old]
    levels, delays = [window.mean for window in windows], DelayHistogram()
    for window, counts in zip(windows, inputs, strict=True):
        mine = DelayHistogram.of_panes(counts, arrived.before, params.granularity)
        if counts:
            window.update(mine.level, mine, items=ITEMS)
        delays = delays.merge(mine)
    begun = (*state.begun, arrived.before if arrived.before is not None else 0)
    begun = begun[-max(1, min(window.items for window in windows) // ITEMS) :]
    dropped = [w.dropped > was.dropped for w, was in zip(windows, old, strict=True)]
    moved = zip(windows, dropped, levels, strict=True)
    grown = [window for window, is_new, level in moved if is_new and window.mean > level]
    glimpse = Glimpse(
        before=arrived.before,
        after=arrived.after,
        low=min(c.low for counts in inputs for c in counts if c.low is not None),
        delays=delays,
        granularity=params.granularity,
        windows=arrived.complete,
        changed=begun[0] if grown else None,
        anew=reduce(DelayHistogram.merge, (w.get() for w in grown), DelayHistogram()),
    )
    largest = max(largest_delay(counts, arrived.before) for counts in inputs)
    curves = state.curves
    after = replace(
        state,
        max_delay=max(state.max_delay, largest),
        adwins=tuple(window.snapshot() for window in windows),
        begun=begun,
        late=state.late.merge(delays.only_late()),
        curves=arrivals.since(curves, begun[0], arrived.at_least) if any(dropped) else curves,
        holding=holding.update(params.holding, state.holding, glimpse),
    )
    return after, tuple(window.get() for window in windows)


def choose(params: SlackParams, state: SlackState, curve: Curve) -> Chosen:
    """The slack that the curve asks for, whatever is allowed."""
    if params.few and int(curve.mature.sum()) < params.warmup:
        return _early(params, state, curve)
    if curve.closed < params.warmup:
        return _largest(params, state)
    if params.method == "feedback":
        return _by_feedback(params, state, curve)
    by_model, expected = curve.by_model()
    if params.method == "model" or int(curve.mature.sum()) < params.warmup:
        return Chosen(by_model, "model", expected, pd=state.pd)
    if params.method == "conformal":
        steps, binding = _enough(params, curve, state.conformal.planned(params.conformal))
        furthest = max(steps, BEYOND * state.max_delay // params.granularity + 1)
        steps = min(conformal.stretched(state.conformal, steps, GRAIN), furthest)
        return Chosen(steps * params.granularity, "conformal", expected, binding, state.pd)
    steps, binding = _enough(params, curve, params.prudence.planned(state.margin))
    steps = math.ceil(steps * params.prudence.stretch(state.margin))
    return Chosen(steps * params.granularity, "calibrated", expected, binding, state.pd)


def _largest(params: SlackParams, state: SlackState) -> Chosen:
    largest = ceil_to(state.max_delay, params.granularity)
    return Chosen(largest, "warm-up", state.expected, pd=state.pd)


def _early(params: SlackParams, state: SlackState, curve: Curve) -> Chosen:
    """The most that any span needed so far, once a few are known.

    Of n spans the next one needs more with a chance of 1 / (n + 1), whatever the delays are: from
    the third to the tenth these sum to less than two, which the account has back soon.
    """
    if min(curve.closed, int(curve.mature.sum())) < params.few:
        return _largest(params, state)
    steps, binding = _enough(params, curve, 0.0)
    return Chosen(steps * params.granularity, "warm-up", state.expected, binding, state.pd)


def _by_feedback(params: SlackParams, state: SlackState, curve: Curve) -> Chosen:
    if curve.measured is None:
        return Chosen(state.slack, "feedback", state.expected, pd=state.pd)
    pd = feedback.step(params.pd, state.pd, curve.setpoint, curve.measured)
    wanted = ceil_to(feedback.slack_of(pd, state.max_delay), params.granularity)
    return Chosen(wanted, "feedback", state.expected, pd=pd)


def _enough(params: SlackParams, curve: Curve, planned: float) -> tuple[int, int | None]:
    """The smallest step under which enough of the recent spans would have kept all promises.

    ``planned`` is the share of the allowed risk to plan with, which may be more than all of it.
    """
    best, binding = 0, None
    for number, promise in enumerate(curve.promises()):
        found = least_steps(promise, curve.mature, params.half_life, promise.risk * planned)
        if found > best:
            best, binding = found, number
    return best, binding


def least_steps(promise: Promise, mature: Bools, half_life: int, risk: float) -> int:
    """The smallest step under which all but a share ``risk`` of the spans keep a promise."""
    kept = promise.kept
    counted = mature[:, None] | (kept < 0.5)  # unfinished ones count once they failed
    weights = counted * 0.5 ** (promise.ages[:, None] / half_life)
    share = (weights * kept).sum(0) / np.maximum(weights.sum(0), 1e-9)
    enough = np.flatnonzero(share >= 1 - risk)
    return int(promise.steps[enough[0] if enough.size else -1])


def put_in_force(params: SlackParams, state: S, chosen: Chosen, until: int | None) -> S:
    """The state with a slack that is allowed; a hold lasts, so far, until an instant."""
    is_held = not state.holding.is_known
    since = state.holding.since
    held = 0 if since is None or until is None else max(0, until - since)
    wanted = max(params.at_least, held if is_held else chosen.wanted)
    slack = wanted
    if params.at_most is not None:
        slack = params.at_most if is_held else min(slack, params.at_most)
    return replace(
        state,
        slack=slack,
        wanted=wanted,
        phase="holding" if is_held else chosen.phase,
        expected=chosen.expected,
        pd=chosen.pd,
        is_endless=is_held and params.at_most is None,
    )


def lag(params: SlackParams, state: SlackState, share: float = SETTLED) -> int:
    """How late rows may be and still count as known: nearly all are earlier."""
    return state.late.late_quantile(share) * params.granularity


def horizon(params: SlackParams, state: SlackState) -> int:
    """How long what was answered is followed, so that what was missed is counted.

    That is when the largest delay so far has passed, and a margin; the rest is in doubt.
    """
    return math.ceil(MARGIN * min(state.max_delay, FURTHEST * lag(params, state)))
