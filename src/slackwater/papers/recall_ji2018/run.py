"""Reproduce the join experiments of Ji (2018): recall asked for, slack chosen."""

from __future__ import annotations

import logging
from pathlib import Path
from statistics import mean

from slackwater.papers.paper import Figures, Paper, Results
from slackwater.papers.recall_ji2018 import ablations
from slackwater.papers.recall_ji2018.draw import draw_all
from slackwater.papers.recall_ji2018.measure import (
    FULL,
    QUICK,
    Experiment,
    Scale,
    adaptation_times,
    baselines,
    other_seeds,
    sweep,
    sweep_interval,
    sweep_period,
)
from slackwater.papers.recall_ji2018.workload import SETS, X2, X4, DataSet

LOG = logging.getLogger(__name__)


def measure(data: DataSet, scale: Scale) -> Results:
    LOG.info(f"{data.name}: baselines")
    found: Results = {"baselines": baselines(data, scale.baseline_minutes[data.name])}
    experiment = Experiment(data.make(scale.minutes[data.name], 1))
    found["minutes"] = scale.minutes[data.name]
    found["max"] = experiment.row("max", 0.95)
    found["none"] = experiment.row("none", 0.95)
    found["sweep"] = sweep(experiment, scale)
    LOG.info(f"{data.name}: period, interval, time of a decision")
    short = Experiment(data.make(scale.sweep_minutes, 1))
    if data is not X4:
        found["period"] = sweep_period(short, scale)
    found["interval"] = sweep_interval(short, scale)
    found["seeds"] = other_seeds(data, scale) if data is not X2 else []  # the costly one
    timed = Experiment(data.make(scale.timed_minutes, 1))
    found["times"] = adaptation_times(timed, scale)
    return found


def figures(data: Results) -> Figures:
    """The numbers that the source work quotes, by name."""
    found: Figures = {}
    for name, one in data["sets"].items():
        for policy, label in (("none", "No-K"), ("max", "Max-K")):
            row = one["baselines"][policy]
            found[f"{name}/{label}/latency_s"] = row["latency_s"]
            found[f"{name}/{label}/mean recall"] = row["mean_recall"]
        found |= _sweep_figures(name, one)
        found |= _parameter_figures(name, one)
    if "ablations" in data:  # not in a quick run
        found |= ablations.figures(data["ablations"])
    return found


def _sweep_figures(name: str, one: Results) -> Figures:
    found = {}
    longest = one["max"]["latency_s"]
    for variant in sorted({row["variant"] for row in one["sweep"]}):
        rows = [row for row in one["sweep"] if row["variant"] == variant]
        found[f"{name}/{variant}/least Φ(.99Γ)"] = min(row["fulfilment_99"] for row in rows)
        found[f"{name}/{variant}/least Φ(Γ)"] = min(row["fulfilment"] for row in rows)
        for row in rows:
            where = f"{name}/{variant}/Γ={row['recall']:g}"
            found[f"{where}/latency_s"] = row["latency_s"]
            found[f"{where}/latency saved"] = 1 - row["latency_s"] / longest
            found[f"{where}/Φ(.99Γ)"] = row["fulfilment_99"]
    am = [row for row in one["sweep"] if row["variant"] == "AM"]
    eq = [row for row in one["sweep"] if row["variant"] == "AM EqSel"]
    found[f"{name}/AM/latency strictest over mildest"] = am[-1]["latency_s"] / am[0]["latency_s"]
    if eq:
        kept = mean(row["fulfilment"] for row in am) - mean(row["fulfilment"] for row in eq)
        waited = mean(row["latency_s"] for row in am) / mean(row["latency_s"] for row in eq)
        found[f"{name}/mean Φ(Γ), AM minus AM EqSel"] = kept
        found[f"{name}/mean latency, AM over AM EqSel"] = waited
    return found


def _parameter_figures(name: str, one: Results) -> Figures:
    found = {}
    for variant in sorted({row["variant"] for row in one["seeds"]}):
        kept = [row["fulfilment_99"] for row in one["seeds"] if row["variant"] == variant]
        found[f"{name}/other seeds/{variant}/least Φ(.99Γ)"] = min(kept)
    if "period" in one:
        found[f"{name}/P_meas/least Φ(.99Γ)"] = min(row["fulfilment_99"] for row in one["period"])
    for recall in (0.95, 0.99):
        rows = [row for row in one["interval"] if row["recall"] == recall]
        ratio = rows[-1]["latency_s"] / rows[0]["latency_s"]
        found[f"{name}/L/Γ={recall:g}/latency longest over shortest"] = ratio
    for method in ("AM", "AM by trial", "PD"):
        rows = [r for r in one["times"] if (r["method"], r["granularity_ms"]) == (method, 10)]
        if rows:
            found[f"{name}/time/{method} (us, strictest)"] = rows[-1]["median_us"]
            worst = max(row["p99_us"] for row in rows)
            found[f"{name}/time/{method} (us, p99 of the worst Γ)"] = worst
    return found


def run(scale: Scale) -> Results:
    part = [one for one in SETS if one.name in scale.minutes]
    data: Results = {"sets": {one.name: measure(one, scale) for one in part}}
    return data


def measure_all(is_quick: bool) -> Results:
    return run(QUICK) if is_quick else {**run(FULL), "ablations": ablations.run()}


PAPER = Paper(
    name="recall_ji2018",
    title="Slack by a recall asked of window joins",
    source="Ji 2018, ch. 4",
    minutes=18,
    folder=Path(__file__).parent,
    measure=measure_all,
    figures=figures,
    draw=draw_all,
)
