"""The common slack of a join, decided once per adaptation interval from the recall asked for.

When an interval ends, its productivity profile tells how many results it should have had. From
that and the results of the period before, the recall that the next interval needs (Γ'); from
there the slack, by the recall model (AM-adt), or by feedback from the estimated recall (PD-adt).

It knows nothing of an engine: productivity profiles and delays in, a slack out.

Reference: Ji 2018, ch. 4 (nothing known: keep the slack).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from slackwater.disorder.feedback import PDParams, PDState, slack_of, step
from slackwater.disorder.recall import RecallModel
from slackwater.errors import check_version
from slackwater.papers.recall_ji2018.operators.productivity import LateEstimate, Profile
from slackwater.papers.recall_ji2018.operators.requirement import (
    RecallRequirement,
    ResultCounts,
    estimated_recall,
    instant_requirement,
)
from slackwater.papers.recall_ji2018.operators.result_size import (
    ResultSizeParams,
    ResultSizes,
    ResultSizeState,
)
from slackwater.stats.histogram import Counts
from slackwater.units import MINUTE, SECOND

VERSION = 1

Method = Literal["am", "pd"]
Selectivities = Literal["noneq", "eq"]
IntervalClock = Literal["output", "arrival"]


@dataclass(frozen=True, slots=True)
class RecallParams:
    """What a user asks of a join, and how it is pursued.

    Parameters
    ----------
    requirement
        ``Γ`` and its calibration.
    method
        ``"am"`` or ``"pd"``.
    selectivity
        Whether late tuples are taken to be as productive as others (``"eq"``), or that is learned.
    late
        What a late tuple counts with in the profile.
    gains
        ``U_p`` and ``U_d`` of PD-adt.
    period, interval
        ``P_meas`` and ``L_adt``, microseconds.
    clock
        What drives the intervals: progress of the output ``T_x``, or of the arrivals.
    is_literal
        Whether AM-adt tries one slack after the other as printed. The answer is the same.
    at_most
        Upper bound of the slack in microseconds.
    """

    requirement: RecallRequirement
    method: Method = "am"
    selectivity: Selectivities = "noneq"
    late: LateEstimate = "max"
    gains: PDParams = field(default_factory=lambda: PDParams(0.6, 0.8))
    period: int = MINUTE
    interval: int = SECOND
    clock: IntervalClock = "output"
    is_literal: bool = False
    at_most: int | None = None

    @property
    def sizes(self) -> ResultSizeParams:
        return ResultSizeParams(self.period, self.interval)


@dataclass(frozen=True, slots=True)
class JoinSeen:
    """What a decision looks at; one entry per stream.

    Parameters
    ----------
    delays
        Rows of ``R_i^stat`` by coarse delay.
    leads
        ``K_i^sync`` in microseconds.
    max_delay
        Largest delay of any stream since the start, microseconds.
    """

    delays: tuple[Counts, ...]
    leads: tuple[float, ...]
    max_delay: int


@dataclass(frozen=True, slots=True)
class RecallState:
    """Sizes of the results, what PD-adt remembers, and the requirement in force."""

    sizes: ResultSizeState = field(default_factory=ResultSizeState)
    pd: PDState = field(default_factory=PDState)
    required: float | None = None
    version: int = VERSION

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "sizes": self.sizes.to_json()}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> RecallState:
        sizes, pd = ResultSizeState.from_json(value["sizes"]), PDState(**value["pd"])
        return cls(**{**value, "sizes": sizes, "pd": pd})


class RecallAdaptation:
    """Decides the slack of one join; the model knows its windows.

    Examples
    --------
    >>> import numpy as np
    >>> params = RecallParams(RecallRequirement(0.8, "off"), selectivity="eq")
    >>> unit = RecallAdaptation.start(params, RecallModel((4, 4), granularity=1))
    >>> seen = JoinSeen((np.array([6, 2, 1, 1]),) * 2, leads=(0.0, 0.0), max_delay=3)
    >>> unit.step(Profile(((0, 100),), ((0, 10),)), seen)
    2
    """

    def __init__(self, params: RecallParams, model: RecallModel, state: RecallState) -> None:
        self._params = params
        self._model = model
        self.sizes = ResultSizes.start(params.sizes, state.sizes)
        self._pd = state.pd
        self._required = state.required

    @classmethod
    def start(
        cls, params: RecallParams, model: RecallModel, state: RecallState | None = None
    ) -> RecallAdaptation:
        check_version("recall adaptation", state, VERSION)
        return cls(params, model, state or RecallState())

    def snapshot(self) -> RecallState:
        return RecallState(self.sizes.snapshot(), self._pd, self._required)

    @property
    def required(self) -> float | None:
        """``Γ'`` of the newest decision by the model."""
        return self._required

    def step(self, profile: Profile, seen: JoinSeen) -> int | None:
        """End of an interval: the slack from now on, ``None`` to leave it as it is."""
        self.sizes.close(profile.true_results)
        by_model = self._params.method == "am"
        slack = self._by_model(profile, seen) if by_model else self._by_pd(seen)
        if slack is None or self._params.at_most is None:
            return slack
        return min(slack, self._params.at_most)

    def _by_pd(self, seen: JoinSeen) -> int | None:
        recall = estimated_recall(self.sizes.produced(), self.sizes.true())
        if recall is None:
            return None
        asked = self._params.requirement.recall
        self._pd = step(self._params.gains, self._pd, asked, recall)
        return slack_of(self._pd, seen.max_delay)

    def _by_model(self, profile: Profile, seen: JoinSeen) -> int | None:
        results = ResultCounts(
            self.sizes.produced(but_one=True),
            self.sizes.true(but_one=True),
            profile.true_results,
        )
        required = instant_requirement(self._params.requirement, results)
        ratios = profile.ratios() if self._params.selectivity == "noneq" else None
        if required is None or (ratios is None and self._params.selectivity == "noneq"):
            return None
        self._required = required
        model = self._model
        search = model.smallest_literal if self._params.is_literal else model.smallest
        return search(seen.delays, required, seen.leads, ratios)
