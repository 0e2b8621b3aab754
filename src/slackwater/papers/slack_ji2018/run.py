"""Reproduce the sliding-window experiments of Ji (2018) on the stand-in streams."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from pathlib import Path

from slackwater.papers.paper import Figures, Paper, Results
from slackwater.papers.slack_ji2018 import ablations
from slackwater.papers.slack_ji2018.draw import draw_all
from slackwater.papers.slack_ji2018.measure import (
    FULL,
    QUICK,
    Experiment,
    Scale,
    adaptation_times,
    baselines,
    disorder,
    sweep,
    sweep_granularity,
    sweep_retrospect,
)
from slackwater.papers.slack_ji2018.workload import SET_1, SET_2
from slackwater.papers.stream.soccer import Soccer

LOG = logging.getLogger(__name__)
STRICTEST = ("AM", "PD")


def measure(soccer: Soccer, scale: Scale) -> Results:
    if scale.share != 1:
        soccer = soccer.shortened(scale.share)
    experiment = Experiment(soccer)
    LOG.info(f"{soccer.name}: baselines")
    found: Results = {
        "disorder": disorder(experiment.recording),
        "baselines": baselines(experiment, scale.windows_s),
    }
    seeds = [Experiment(soccer, seed) for seed in scale.seeds]
    found["seeds"] = [
        {
            "seed": seed,
            **disorder(other.recording),
            "max_latency_s": baselines(other, [1])["max"][0]["latency_s"],
        }
        for seed, other in zip(scale.seeds, seeds, strict=True)
    ]
    found["sweep"] = sweep(experiment, scale)
    LOG.info(f"{soccer.name}: granularity, retrospect, time of a decision")
    found["granularity"] = sweep_granularity(experiment, scale)
    found["retrospect"] = sweep_retrospect(experiment, scale)
    found["times"] = adaptation_times(experiment, scale)
    return found


def figures(data: Results) -> Figures:
    """The numbers that the source work quotes, by name."""
    found: Figures = {}
    for name, one in data["sets"].items():
        for key in ("late", "correlated", "max_delay_s"):
            found[f"{name}/{key}"] = one["disorder"][key]
        for row in one["baselines"]["none"]:
            where = f"{name}/No-K/W={row['window_s']:g}"
            found[f"{where}/within 1 %"] = row["within_1_percent"]
            found[f"{where}/off by 10 %"] = row["off_by_10_percent"]
        found[f"{name}/No-K/latency_s"] = one["baselines"]["none"][0]["latency_s"]
        found[f"{name}/Max-K/latency_s"] = one["baselines"]["max"][0]["latency_s"]
        for row in one["baselines"]["max"]:
            where = f"{name}/Max-K/W={row['window_s']:g}"
            found[f"{where}/wrong"] = row["wrong"]
            found[f"{where}/smallest error (%)"] = 100 * (row["smallest_error"] or 0.0)
            found[f"{where}/largest error (%)"] = 100 * (row["largest_error"] or 0.0)
        found |= _sweep_figures(name, one)
        found |= _parameter_figures(name, one)
    if "ablations" in data:  # not in a quick run
        found |= ablations.figures(data["ablations"])
    return found


def _sweep_figures(name: str, one: Results) -> Figures:
    found = {}
    longest = one["baselines"]["max"][0]["latency_s"]
    for variant in sorted({row["variant"] for row in one["sweep"]}):
        rows = [r for r in one["sweep"] if r["variant"] == variant and r["window_s"] <= 5]
        saved = [1 - row["latency_s"] / longest for row in rows]
        found[f"{name}/{variant}/least fulfilment"] = min(row["fulfilment"] for row in rows)
        found[f"{name}/{variant}/mean fulfilment"] = _mean(row["fulfilment"] for row in rows)
        found[f"{name}/{variant}/least latency saved"] = min(saved)
        found[f"{name}/{variant}/most latency saved"] = max(saved)
    quicker = [
        am["latency_s"] <= pd["latency_s"]
        for am in one["sweep"]
        for pd in one["sweep"]
        if (am["variant"], pd["variant"]) == STRICTEST
        and (am["window_s"], am["epsilon"]) == (pd["window_s"], pd["epsilon"])
    ]
    found[f"{name}/AM waits less than PD"] = _mean(quicker)
    loose = [r for r in one["sweep"] if r["variant"] == "AM" and r["epsilon"] == 0.1]
    found[f"{name}/AM/epsilon 10 %/latency_s"] = max(row["latency_s"] for row in loose)
    return found


def _parameter_figures(name: str, one: Results) -> Figures:
    latencies = {row["granularity_ms"]: row["latency_s"] for row in one["granularity"]}
    retrospects = one["retrospect"]
    found = {
        f"{name}/g/latency 1000 ms over 10 ms": latencies[1000] / latencies[10],
        f"{name}/q/fulfilment .99 minus .6": retrospects[0]["fulfilment"]
        - retrospects[-1]["fulfilment"],
        f"{name}/q/coverage error .6 minus .99": retrospects[-1]["coverage_error"]
        - retrospects[0]["coverage_error"],
    }
    for method in ("AM", "AM literal", "PD"):
        rows = [row for row in one["times"] if row["method"] == method]
        worst = [row["median_us"] for row in rows if row["granularity_ms"] == 10]
        found[f"{name}/time/{method} (us, g=10 ms)"] = max(worst)
    return found


def _mean(values: Iterable[float]) -> float:
    known = list(values)
    return sum(known) / len(known)


def run(scale: Scale) -> Results:
    data: Results = {"sets": {s.name: measure(s, scale) for s in (SET_1, SET_2)}}
    return data


def measure_all(is_quick: bool) -> Results:
    return run(QUICK) if is_quick else {**run(FULL), "ablations": ablations.run()}


PAPER = Paper(
    name="slack_ji2018",
    title="Slack by a bound on the error of window aggregates",
    source="Ji 2018, ch. 4",
    minutes=12,
    folder=Path(__file__).parent,
    measure=measure_all,
    figures=figures,
    draw=draw_all,
)
