"""The Buffer-Size Adaptation Unit of a sliding-window aggregate: one decision per fired window.

From an error requirement to a coverage threshold (recalculated now and then), and from there to a
slack: by the model of expected coverage (AM-adt), or by feedback from measured coverage (PD-adt).

Reference: Ji 2018, ch. 4.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, Protocol

from slackwater.disorder.coverage import CoverageModel
from slackwater.disorder.feedback import PDParams, PDState, slack_of, step
from slackwater.disorder.threshold import Moments, Requirement, coverage_threshold
from slackwater.errors import SlackwaterError, check_version
from slackwater.papers.slack_ji2018.operators.calibration import (
    CalibrationParams,
    CalibrationState,
    promise,
    settle,
)
from slackwater.stats.histogram import Counts
from slackwater.units import SECOND

VERSION = 1

Method = Literal["am", "pd"]


class Observation(Protocol):
    """What a decision may look at when a window has fired; it pays for what it asks."""

    @property
    def end(self) -> int: ...
    @property
    def time(self) -> int: ...
    @property
    def max_delay(self) -> int: ...
    @property
    def rate(self) -> float | None: ...
    @property
    def counts(self) -> Counts: ...
    def moments(self) -> Moments: ...
    def measured(self) -> tuple[int, float] | None: ...


@dataclass(frozen=True, slots=True)
class AdaptationParams:
    """What a user asks for, and how it is pursued.

    Parameters
    ----------
    requirement
        ``(ε_thr, δ)`` and the kind of aggregate.
    method
        ``"am"`` or ``"pd"``.
    is_literal
        Whether AM-adt tries one slack after the other as printed, or searches the whole curve at
        once. The answer is the same.
    gains
        ``U_p`` and ``U_d`` of PD-adt.
    recalculate_every
        ``I_recalc``, microseconds of event time.
    calibration
        Correct the estimates of AM-adt by measured coverage; ``None`` for no.
    at_least, at_most
        Bounds of the slack in microseconds.
    """

    requirement: Requirement
    method: Method = "am"
    is_literal: bool = False
    gains: PDParams = field(default_factory=PDParams)
    recalculate_every: int = SECOND
    calibration: CalibrationParams | None = None
    at_least: int = 0
    at_most: int | None = None

    def __post_init__(self) -> None:
        if self.at_least < 0 or (self.at_most is not None and self.at_most < self.at_least):
            raise SlackwaterError(
                "SLACK_BOUNDS_INVALID",
                f"adaptation: at_least is {self.at_least} and at_most is {self.at_most}",
                "both are 0 or more, and at_least is not above at_most",
            )


@dataclass(frozen=True, slots=True)
class AdaptationState:
    """The threshold in force, what PD-adt and the calibration remember, the estimate made last."""

    threshold: float | None = None
    recalculated_at: int | None = None
    pd: PDState = field(default_factory=PDState)
    calibration: CalibrationState = field(default_factory=CalibrationState)
    estimate: float | None = None
    version: int = VERSION


class Adaptation:
    """Decides the slack of one query; the model knows its window."""

    def __init__(
        self, params: AdaptationParams, model: CoverageModel, state: AdaptationState
    ) -> None:
        self._params = params
        self._model = model
        self._threshold, self._recalculated_at = state.threshold, state.recalculated_at
        self._pd = state.pd
        self._calibration = state.calibration
        self._estimate = state.estimate

    @classmethod
    def start(
        cls, params: AdaptationParams, model: CoverageModel, state: AdaptationState | None = None
    ) -> Adaptation:
        check_version("adaptation", state, VERSION)
        return cls(params, model, state or AdaptationState())

    def snapshot(self) -> AdaptationState:
        return AdaptationState(
            self._threshold, self._recalculated_at, self._pd, self._calibration, self._estimate
        )

    @property
    def threshold(self) -> float | None:
        """``Cvrg_thr`` in force, ``None`` before the first decision."""
        return self._threshold

    def step(self, seen: Observation) -> int | None:
        """The slack from now on in microseconds, ``None`` to leave it as it is."""
        threshold = self._recalculate(seen)
        slack = self._by_model(seen, threshold) if self._is_model else self._by_pd(seen, threshold)
        if slack is None:
            return None
        if self._params.at_most is not None:
            slack = min(slack, self._params.at_most)
        return max(slack, self._params.at_least)

    @property
    def _is_model(self) -> bool:
        return self._params.method == "am"

    def _recalculate(self, seen: Observation) -> float:
        last, every = self._recalculated_at, self._params.recalculate_every
        if self._threshold is None or last is None or seen.time - last >= every:
            known = seen.moments()
            rows = (seen.rate or 0.0) * self._model.window
            moments = Moments(rows, known.mean, known.variance)
            self._threshold = coverage_threshold(self._params.requirement, moments)
            self._recalculated_at = seen.time
        return self._threshold

    def _by_pd(self, seen: Observation, threshold: float) -> int | None:
        found = seen.measured()
        if found is None:
            return None
        self._pd = step(self._params.gains, self._pd, threshold, found[1])
        return slack_of(self._pd, seen.max_delay)

    def _by_model(self, seen: Observation, threshold: float) -> int:
        wanted = threshold
        if self._params.calibration is not None:
            # cov(K) + error >= threshold, in the terms of the model
            wanted -= self._calibrate(self._params.calibration, seen)
        if self._params.is_literal:
            slack = self._model.smallest_literal_of(seen.counts, wanted)
            self._estimate = self._model.expected_of(seen.counts, slack)
        else:
            curve = self._model.curve_of(seen.counts)
            slack = self._model.first_enough(curve, wanted)
            self._estimate = float(curve[slack // self._model.granularity])
        return slack

    def _calibrate(self, params: CalibrationParams, seen: Observation) -> float:
        if self._estimate is not None:
            self._calibration = promise(self._calibration, seen.end, self._estimate)
        found = seen.measured()
        if found is not None:
            self._calibration = settle(params, self._calibration, *found)
        return self._calibration.error
