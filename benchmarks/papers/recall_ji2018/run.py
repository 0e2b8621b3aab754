"""Reproduce the join experiments of Ji (2018): recall asked for, slack chosen.

python -m benchmarks.papers.recall_ji2018.run [--quick] [--check] [--out FOLDER] [--reuse]
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from statistics import mean
from time import perf_counter
from typing import Any

from benchmarks.papers.compare import compare
from benchmarks.papers.recall_ji2018.draw import draw_all
from benchmarks.papers.recall_ji2018.measure import (
    FULL,
    QUICK,
    Experiment,
    Scale,
    adaptation_times,
    baselines,
    other_seeds,
    say,
    sweep,
    sweep_interval,
    sweep_period,
)
from benchmarks.papers.recall_ji2018.workload import SETS, X2, X4, DataSet

HERE = Path(__file__).parent


def measure(data: DataSet, scale: Scale) -> dict[str, Any]:
    say(f"{data.name}: baselines")
    found: dict[str, Any] = {"baselines": baselines(data, scale.baseline_minutes[data.name])}
    experiment = Experiment(data.make(scale.minutes[data.name], 1))
    found["minutes"] = scale.minutes[data.name]
    found["max"] = experiment.row("max", 0.95)
    found["none"] = experiment.row("none", 0.95)
    found["sweep"] = sweep(experiment, scale)
    say(f"{data.name}: period, interval, time of a decision")
    short = Experiment(data.make(scale.sweep_minutes, 1))
    if data is not X4:
        found["period"] = sweep_period(short, scale)
    found["interval"] = sweep_interval(short, scale)
    found["seeds"] = other_seeds(data, scale) if data is not X2 else []  # the costly one
    timed = Experiment(data.make(scale.timed_minutes, 1))
    found["times"] = adaptation_times(timed, scale)
    return found


def figures(data: dict[str, Any]) -> dict[str, float]:
    """The numbers that the source work quotes, by name."""
    found: dict[str, float] = {}
    for name, one in data["sets"].items():
        for policy, label in (("none", "No-K"), ("max", "Max-K")):
            row = one["baselines"][policy]
            found[f"{name}/{label}/latency_s"] = row["latency_s"]
            found[f"{name}/{label}/mean recall"] = row["mean_recall"]
        found |= _sweep_figures(name, one)
        found |= _parameter_figures(name, one)
    return found


def _sweep_figures(name: str, one: dict[str, Any]) -> dict[str, float]:
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


def _parameter_figures(name: str, one: dict[str, Any]) -> dict[str, float]:
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


def check(found: dict[str, float], *, is_quick: bool) -> bool:
    """Print paper, ours and verdict side by side; give whether all is as expected of this code."""
    return compare(found, HERE / "expected.json", is_quick=is_quick)


def run(scale: Scale) -> dict[str, Any]:
    began = perf_counter()
    part = [one for one in SETS if one.name in scale.minutes]
    data: dict[str, Any] = {"sets": {one.name: measure(one, scale) for one in part}}
    data["figures"] = figures(data)
    say(f"done after {perf_counter() - began:.0f} s")
    return data


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="minutes of the streams, few cases")
    parser.add_argument("--check", action="store_true", help="compare with expected.json")
    parser.add_argument("--out", type=Path, default=Path("artifacts/recall_ji2018"))
    parser.add_argument("--reuse", action="store_true", help="read the results that are in --out")
    options = parser.parse_args()
    path = options.out / "results.json"
    if options.reuse:
        data = json.loads(path.read_text(encoding="utf-8"))
        data["figures"] = figures(data)
    else:
        data = run(QUICK if options.quick else FULL)
        options.out.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    draw_all(data, options.out)
    if options.check:
        return 0 if check(data["figures"], is_quick=options.quick) else 1
    for name, value in data["figures"].items():
        print(f"{name:60} {value:12.5g}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
