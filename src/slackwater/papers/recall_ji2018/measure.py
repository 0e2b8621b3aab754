"""The join experiments of Ji 2018, ch. 4: numbers, no pictures."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass, replace
from time import perf_counter_ns
from typing import Any

import numpy as np

from slackwater.disorder.recall import RecallModel
from slackwater.papers.recall_ji2018.operators.counted import CountedJoin, JoinRun, exact_counts
from slackwater.papers.recall_ji2018.operators.join_manager import JoinManagerParams
from slackwater.papers.recall_ji2018.operators.join_slack import (
    JoinSeen,
    RecallAdaptation,
    RecallParams,
)
from slackwater.papers.recall_ji2018.operators.productivity import Profile
from slackwater.papers.recall_ji2018.operators.quality import measured_recall, recall_fulfilment
from slackwater.papers.recall_ji2018.operators.recording import JoinTrace
from slackwater.papers.recall_ji2018.operators.requirement import RecallRequirement
from slackwater.papers.recall_ji2018.workload import DataSet, Workload
from slackwater.papers.stream.statistics import StatisticsParams
from slackwater.units import MILLISECOND, MINUTE, SECOND

Row = dict[str, Any]
Policy = RecallParams | str


@dataclass(frozen=True)
class Variant:
    """A way to choose the slack; the first three are the source work's."""

    name: str
    policy: RecallParams
    recalls: tuple[float, ...] | None = None

    def asked(self, recall: float, **changes: Any) -> RecallParams:
        requirement = replace(self.policy.requirement, recall=recall)
        return replace(self.policy, requirement=requirement, **changes)


LOG = logging.getLogger(__name__)
_ANY = RecallRequirement(0.95)
_OFF = RecallRequirement(0.95, "off")
AM = Variant("AM", RecallParams(_ANY))
AM_EQ = Variant("AM EqSel", RecallParams(_ANY, selectivity="eq"))
PD = Variant("PD", RecallParams(_ANY, "pd"))
SOME = (0.95, 0.99)
AM_EQ_OFF = Variant("AM EqSel, calibration off", RecallParams(_OFF, selectivity="eq"), SOME)
VARIANTS = (
    AM,
    AM_EQ,
    PD,
    Variant("AM, calibration off", RecallParams(_OFF), SOME),
    AM_EQ_OFF,
    Variant("AM, damped", RecallParams(RecallRequirement(0.95, "damped")), SOME),
    Variant("AM, late as the mean", RecallParams(_ANY, late="mean"), SOME),
    Variant("AM, arrivals as clock", RecallParams(_ANY, clock="arrival"), SOME),
)


@dataclass(frozen=True)
class Scale:
    """How much of the experiment matrix to run: minutes of the streams by data set."""

    baseline_minutes: dict[str, float]
    minutes: dict[str, float]
    sweep_minutes: float
    recalls: tuple[float, ...] = (0.9, 0.95, 0.99, 0.999)
    variants: tuple[Variant, ...] = VARIANTS
    periods_s: tuple[int, ...] = (10, 30, 60, 120)
    intervals_s: tuple[float, ...] = (0.1, 1, 10)
    granularities_ms: tuple[int, ...] = (10, 100)
    seeds: tuple[int, ...] = (2, 3, 4)
    timed_minutes: float = 3
    literal_every: int = 60


FULL = Scale({"x2": 23, "x3": 30, "x4": 30}, {"x2": 10, "x3": 15, "x4": 15}, 8)
QUICK = Scale(
    {"x3": 1.7},
    {"x3": 1.7},
    1.2,
    recalls=SOME,
    variants=(AM, PD, AM_EQ_OFF),
    periods_s=(10, 30),
    intervals_s=(1, 5),
    granularities_ms=(10,),
    seeds=(),
    timed_minutes=0.5,
    literal_every=10**9,
)


class Experiment:
    """One workload; its true results and the statistics of its streams are worked out once."""

    def __init__(self, workload: Workload) -> None:
        self.workload = workload
        self.true = exact_counts(workload.recording, workload.windows, workload.probe())
        self._traces: dict[int, JoinTrace] = {}

    def run(self, policy: Policy, granularity: int = 10 * MILLISECOND) -> JoinRun:
        return self.join(policy, granularity).run()

    def join(self, policy: Policy, granularity: int = 10 * MILLISECOND) -> CountedJoin:
        statistics = StatisticsParams(granularity)
        params = JoinManagerParams(policy, statistics, basic=10 * MILLISECOND)  # type: ignore[arg-type]
        if granularity not in self._traces:
            self._traces[granularity] = JoinTrace.of(self.workload.recording, statistics)
        trace = self._traces[granularity]
        return CountedJoin(params, self.workload.windows, trace, self.workload.probe())

    def row(self, policy: Policy, recall: float, period: int = MINUTE) -> Row:
        """Latency and fulfilment of a run."""
        return self.summary(self.run(policy), recall, period)

    def summary(self, run: JoinRun, recall: float, period: int = MINUTE) -> Row:
        recalls = self.recalls(run, period)
        slacks = [end.slack for end in run.intervals]
        return {
            "recall": recall,
            "latency_s": (run.latency or 0.0) / SECOND,
            "fulfilment": recall_fulfilment(recalls, recall),
            "fulfilment_99": recall_fulfilment(recalls, 0.99 * recall),
            "mean_recall": float(recalls.mean()),
            "least_recall": float(recalls.min()),
            "overall_recall": run.results.total / self.true.total,
            "mean_slack_s": float(np.mean(slacks)) / SECOND,
            "required_0": float(np.mean([end.required == 0.0 for end in run.intervals])),
            "required_1": float(np.mean([end.required == 1.0 for end in run.intervals])),
            "measurements": recalls.size,
        }

    def recalls(self, run: JoinRun, period: int = MINUTE) -> np.ndarray:
        ends = [end.time for end in run.intervals]
        return measured_recall(run.results, self.true, ends, period)


def disorder(workload: Workload) -> Row:
    streams = workload.recording.streams
    return {
        "minutes": workload.minutes,
        "tuples": [stream.size for stream in streams],
        "late": [float((stream.delay > 0).mean()) for stream in streams],
        "max_delay_s": [float(stream.delay.max() / SECOND) for stream in streams],
    }


def baselines(data: DataSet, minutes: float, seed: int = 1) -> Row:
    """No-K and Max-K over (nearly) all of the original length."""
    experiment = Experiment(data.make(minutes, seed))
    found: Row = {"disorder": disorder(experiment.workload)}
    for policy in ("none", "max"):
        run = experiment.run(policy)
        series = experiment.recalls(run)[::10].round(4).tolist()
        found[policy] = {**experiment.summary(run, 0.95), "series": series}
        LOG.info(f"  {data.name}: {policy}, {minutes:g} minutes")
    return found


def sweep(experiment: Experiment, scale: Scale) -> list[Row]:
    """Latency and fulfilment against the recall that is asked for."""
    rows = []
    for variant in scale.variants:
        for recall in variant.recalls or scale.recalls:
            if recall in scale.recalls:
                row = experiment.row(variant.asked(recall), recall)
                rows.append({"variant": variant.name, **row})
        LOG.info(f"  {experiment.workload.name}: {variant.name}")
    return rows


def other_seeds(data: DataSet, scale: Scale) -> list[Row]:
    """The methods of the source work on other draws of the same workload."""
    rows = []
    for seed in scale.seeds:
        experiment = Experiment(data.make(scale.sweep_minutes, seed))
        rows += [
            {"seed": seed, "variant": variant.name, **experiment.row(variant.asked(recall), recall)}
            for variant in (AM, AM_EQ, PD)
            for recall in SOME
        ]
        LOG.info(f"  {data.name}: seed {seed}")
    return rows


def sweep_period(experiment: Experiment, scale: Scale) -> list[Row]:
    """Fulfilment against the measurement period."""
    rows = []
    for period_s in scale.periods_s:
        for recall in SOME:
            policy = AM.asked(recall, period=period_s * SECOND)
            row = experiment.row(policy, recall, period_s * SECOND)
            rows.append({"period_s": period_s, **row})
    return rows


def sweep_interval(experiment: Experiment, scale: Scale) -> list[Row]:
    """Latency and fulfilment against the adaptation interval."""
    rows = []
    for interval_s in scale.intervals_s:
        for recall in SOME:
            policy = AM.asked(recall, interval=round(interval_s * SECOND))
            rows.append({"interval_s": interval_s, **experiment.row(policy, recall)})
    return rows


class Timed(RecallAdaptation):
    """Measures its own decisions, and now and then one by trial on a copy."""

    def __init__(self, params: RecallParams, model: RecallModel, every: int) -> None:
        super().__init__(params, model, RecallAdaptation.start(params, model).snapshot())
        self._asked, self._recall_model, self._every = params, model, every
        self.times: list[float] = []
        self.literal: list[float] = []

    def step(self, profile: Profile, seen: JoinSeen) -> int | None:
        if self._asked.method == "am" and len(self.times) % self._every == self._every - 1:
            literal = replace(self._asked, is_literal=True)
            copy = RecallAdaptation.start(literal, self._recall_model, self.snapshot())
            began = perf_counter_ns()
            copy.step(profile, seen)
            self.literal.append((perf_counter_ns() - began) / 1000)
        began = perf_counter_ns()
        slack = super().step(profile, seen)
        self.times.append((perf_counter_ns() - began) / 1000)
        return slack


def adaptation_times(experiment: Experiment, scale: Scale) -> list[Row]:
    """Wall time of one decision."""
    rows: list[Row] = []
    cases = [(AM, g) for g in scale.granularities_ms] + [(PD, 10)]
    for variant, g in cases:
        for recall in scale.recalls:
            policy = variant.asked(recall)
            join = experiment.join(policy, g * MILLISECOND)
            model = RecallModel(experiment.workload.windows, g * MILLISECOND, 10 * MILLISECOND)
            timed = Timed(policy, model, scale.literal_every)
            join.adaptation = timed
            join.run()
            row: Row = {"method": variant.name, "granularity_ms": g, "recall": recall}
            rows.append({**row, **_summary(timed.times)})
            if timed.literal and g == 10:
                rows.append({**row, "method": "AM by trial", **_summary(timed.literal)})
    return rows


def _summary(times: Iterable[float]) -> Row:
    known = np.array(list(times))
    return {
        "median_us": float(np.median(known)),
        "p99_us": float(np.quantile(known, 0.99)),
        "samples": known.size,
    }
