"""The experiments of Ji 2018, ch. 4 on the stand-ins: numbers, no pictures."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass, replace
from time import perf_counter_ns
from typing import Any

import numpy as np
import numpy.typing as npt

from slackwater.disorder.coverage import CoverageModel
from slackwater.disorder.feedback import PDParams
from slackwater.disorder.threshold import Requirement
from slackwater.papers.slack_ji2018.operators.adaptation import Adaptation, AdaptationParams
from slackwater.papers.slack_ji2018.operators.buffer_manager import BufferManager, ManagerParams
from slackwater.papers.slack_ji2018.operators.calibration import CalibrationParams
from slackwater.papers.slack_ji2018.operators.quality import error_cdf, fulfilment, wrong_results
from slackwater.papers.slack_ji2018.operators.recorded import Recorded, Run
from slackwater.papers.slack_ji2018.operators.swa import SWAParams
from slackwater.papers.stream.monoids import SUM
from slackwater.papers.stream.quantile import LateQuantileParams
from slackwater.papers.stream.recent import RecentParams
from slackwater.papers.stream.recording import Recording, Trace
from slackwater.papers.stream.soccer import Soccer, generate
from slackwater.papers.stream.statistics import StatisticsParams
from slackwater.papers.stream.windows import TimeWindow
from slackwater.stats.arrival import arrivals_with
from slackwater.stats.relative_error import relative_errors
from slackwater.units import MILLISECOND, SECOND

LOG = logging.getLogger(__name__)
SLIDE = SECOND // 10
BOUNDS = np.logspace(-4, 0, 41)
Row = dict[str, Any]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Variant:
    """A way to choose the slack; the first two are the source work's, with its parameters."""

    name: str
    policy: AdaptationParams
    late: float = 0.99
    window: RecentParams | None = None

    @property
    def statistics(self) -> StatisticsParams:
        known = StatisticsParams(late=LateQuantileParams(self.late))
        return known if self.window is None else replace(known, window=self.window)


_ANY = Requirement("sum", 0.01)
AM = Variant("AM", AdaptationParams(_ANY))
PD = Variant("PD", AdaptationParams(_ANY, "pd"))
VARIANTS = (
    AM,
    PD,
    Variant("AM calibrated", AdaptationParams(_ANY, calibration=CalibrationParams(0.05))),
    Variant("AM fixed 10 s", AdaptationParams(_ANY), window=RecentParams(10 * SECOND)),
    Variant("PD re-tuned", AdaptationParams(_ANY, "pd", gains=PDParams(1.0, 4.0)), late=0.9995),
)


@dataclass(frozen=True)
class Scale:
    """How much of the experiment matrix to run."""

    share: float = 1.0
    windows_s: tuple[float, ...] = (0.1, 0.5, 1, 5, 10)
    epsilons: tuple[float, ...] = (1e-4, 1e-3, 5e-3, 1e-2, 5e-2, 1e-1)
    variants: tuple[Variant, ...] = VARIANTS
    seeds: tuple[int, ...] = (1, 2, 3, 4, 5)
    granularities_ms: tuple[int, ...] = (1, 10, 100, 1000)
    retrospects: tuple[float, ...] = (0.99, 0.9, 0.8, 0.7, 0.6)
    timed_tuples: int = 30_000


FULL = Scale()
QUICK = Scale(
    share=0.05,
    windows_s=(0.1, 1, 5),
    epsilons=(1e-3, 1e-2, 1e-1),
    variants=(AM, PD),
    seeds=(1,),
    granularities_ms=(10, 1000),
    retrospects=(0.99, 0.6),
    timed_tuples=12_000,
)


class Experiment:
    """One data set; statistics of the raw stream are worked out once for all runs."""

    def __init__(self, soccer: Soccer, seed: int = 1) -> None:
        self.soccer = soccer
        self.recording = generate(soccer, seed)
        self._traces: dict[tuple[float, RecentParams | None], Trace] = {}

    def run(self, params: ManagerParams, window_s: float) -> Run:
        window = TimeWindow(round(window_s * SECOND), SLIDE)
        return Recorded(params, window, self.recording, self._trace(params.statistics)).run()

    def row(self, params: ManagerParams, window_s: float, epsilon: float) -> Row:
        run = self.run(params, window_s)
        errors = self.errors(run)
        return {
            "window_s": window_s,
            "epsilon": epsilon,
            "latency_s": self.latency_s(run),
            "fulfilment": fulfilment(errors, epsilon),
            "coverage_error": self._coverage_error(run),
        }

    def policy(self, variant: Variant, epsilon: float) -> ManagerParams:
        policy = replace(variant.policy, requirement=Requirement("sum", epsilon))
        return ManagerParams(policy, variant.statistics)

    def errors(self, run: Run) -> Floats:
        """Relative errors of the windows that end within the stream."""
        inside = self._inside(run)
        wrong = relative_errors(run.exact, run.sums)
        # the same rows are the same sum: what is left there is rounding
        return np.asarray(np.where(run.rows == run.true_rows, 0.0, wrong)[inside])

    def latency_s(self, run: Run) -> float:
        """Mean logical latency of what was given before the end of the stream."""
        live = self._inside(run) & (run.fired < self.recording.size)
        return float(run.latency[live].mean() / SECOND)

    def _inside(self, run: Run) -> npt.NDArray[np.bool_]:
        return np.asarray((run.ends > 0) & (run.ends <= self.recording.time[-1]))

    def _coverage_error(self, run: Run) -> float | None:
        known = ~np.isnan(run.measured)
        if not known.any():
            return None
        places = np.searchsorted(run.ends, run.looked_at[known])
        true = run.rows[places] / run.true_rows[places]
        return float((run.measured[known] - true).mean())

    def _trace(self, params: StatisticsParams) -> Trace:
        # Where recent history begins does not depend on g; only its histogram does.
        window = params.window if isinstance(params.window, RecentParams) else None
        key = (params.late.share, window)
        if key not in self._traces:
            self._traces[key] = Trace.of(self.recording, params)
        return replace(self._traces[key], params=params)


def disorder(recording: Recording) -> Row:
    late = recording.delay > 0
    return {
        "tuples": recording.size,
        "duration_s": float(recording.time[-1] / SECOND),
        "late": int(late.sum()),
        "correlated": int((late[1:] & late[:-1]).sum()),
        "max_delay_s": float(recording.delay.max() / SECOND),
        "late_below_100ms": float((recording.delay[late] <= 100 * MILLISECOND).mean()),
    }


def baselines(experiment: Experiment, windows_s: Iterable[float]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {"none": [], "max": []}
    for window_s in windows_s:
        for policy, rows in found.items():
            run = experiment.run(ManagerParams(policy), window_s)  # type: ignore[arg-type]
            errors = experiment.errors(run)
            table = wrong_results(errors)
            rows.append(
                {
                    "window_s": window_s,
                    "latency_s": experiment.latency_s(run),
                    "within_1_percent": fulfilment(errors, 0.01),
                    "off_by_10_percent": float((errors >= 0.1).mean()),
                    "results": table.results,
                    "wrong": table.wrong,
                    "smallest_error": table.smallest,
                    "largest_error": table.largest,
                    "cdf": error_cdf(errors, BOUNDS).tolist(),
                }
            )
    return found


def sweep(experiment: Experiment, scale: Scale) -> list[Row]:
    """Latency and fulfilment against epsilon."""
    rows = []
    for variant in scale.variants:
        for window_s in scale.windows_s:
            for epsilon in scale.epsilons:
                row = experiment.row(experiment.policy(variant, epsilon), window_s, epsilon)
                rows.append({"variant": variant.name, **row})
            LOG.info(f"  {experiment.soccer.name}: {variant.name}, W = {window_s:g} s")
    return rows


def sweep_granularity(experiment: Experiment, scale: Scale, epsilon: float = 0.01) -> list[Row]:
    """Latency and fulfilment against g: AM, W = 5 s."""
    rows = []
    for g in scale.granularities_ms:
        params = experiment.policy(AM, epsilon)
        statistics = replace(params.statistics, granularity=g * MILLISECOND)
        params = replace(params, statistics=statistics, basic=10 * MILLISECOND)
        rows.append({"granularity_ms": g, **experiment.row(params, 5, epsilon)})
        LOG.info(f"  {experiment.soccer.name}: g = {g} ms")
    return rows


def sweep_retrospect(experiment: Experiment, scale: Scale, epsilon: float = 0.001) -> list[Row]:
    """Error of the measured coverage and fulfilment against q: PD, W = 1 s."""
    rows = []
    for q in scale.retrospects:
        params = experiment.policy(replace(PD, late=q), epsilon)
        rows.append({"retrospect": q, **experiment.row(params, 1, epsilon)})
    return rows


def adaptation_times(experiment: Experiment, scale: Scale) -> list[Row]:
    """Wall time of one decision, tuple at a time, W = 1 s, in a stretch with large delays."""
    recording = experiment.recording
    begin = int(np.argmax(recording.delay))
    begin = max(0, min(begin - scale.timed_tuples // 2, recording.size - scale.timed_tuples))
    part = slice(begin, begin + scale.timed_tuples)
    stream = list(zip(recording.ts[part].tolist(), recording.values[part].tolist(), strict=True))
    rows = []
    for name, policy, granularities in TIMED:
        for g in granularities:
            for epsilon in (1e-3, 1e-2, 1e-1):
                asked = replace(policy, requirement=Requirement("sum", epsilon))
                times = _time_decisions(stream, asked, g * MILLISECOND)
                row = {"method": name, "granularity_ms": g, "epsilon": epsilon}
                rows.append({**row, "median_us": float(np.median(times)), "samples": times.size})
    return rows


# Trying one slack after the other is the printed algorithm; at g = 1 ms it takes seconds here.
TIMED = (
    ("AM", AM.policy, (1, 10, 100)),
    ("AM literal", replace(AM.policy, is_literal=True), (10, 100)),
    ("PD", PD.policy, (10,)),
)


def _time_decisions(
    stream: list[tuple[int, float]], policy: AdaptationParams, granularity: int
) -> Floats:
    """Microseconds of decisions on copies, a dozen windows apart, three times each."""
    # The stream is driven by the fast search: the decisions are the same, and only copies count.
    driver = replace(policy, is_literal=False)
    params = ManagerParams(driver, StatisticsParams(granularity))
    manager: BufferManager[float] = BufferManager.start(
        params, SWAParams(TimeWindow(SECOND, SLIDE), SUM)
    )
    model = CoverageModel(SECOND, granularity)
    times, fired = [], 0
    for arrival in arrivals_with([ts for ts, _ in stream], [value for _, value in stream]):
        fired += len(manager.update(arrival))
        if fired < 12 or manager.seen is None or manager.adaptation is None:
            continue
        fired = 0
        if manager.adaptation.threshold is None:
            continue  # warming up
        for _ in range(3):
            copy = Adaptation.start(policy, model, manager.adaptation.snapshot())
            began = perf_counter_ns()
            copy.step(manager.seen)
            times.append((perf_counter_ns() - began) / 1000)
    return np.array(times)
