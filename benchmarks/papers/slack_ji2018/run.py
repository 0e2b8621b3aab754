"""Reproduce the sliding-window experiments of Ji (2018) on the stand-in streams.

python -m benchmarks.papers.slack_ji2018.run [--quick] [--check] [--out FOLDER] [--reuse]
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks.papers.compare import compare
from benchmarks.papers.slack_ji2018.draw import draw_all
from benchmarks.papers.slack_ji2018.measure import (
    FULL,
    QUICK,
    Experiment,
    Scale,
    adaptation_times,
    baselines,
    disorder,
    say,
    sweep,
    sweep_granularity,
    sweep_retrospect,
)
from benchmarks.papers.slack_ji2018.workload import SET_1, SET_2, Soccer

HERE = Path(__file__).parent
STRICTEST = ("AM", "PD")


def measure(soccer: Soccer, scale: Scale) -> dict[str, Any]:
    if scale.share != 1:
        soccer = soccer.shortened(scale.share)
    experiment = Experiment(soccer)
    say(f"{soccer.name}: baselines")
    found: dict[str, Any] = {
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
    say(f"{soccer.name}: granularity, retrospect, time of a decision")
    found["granularity"] = sweep_granularity(experiment, scale)
    found["retrospect"] = sweep_retrospect(experiment, scale)
    found["times"] = adaptation_times(experiment, scale)
    return found


def figures(data: dict[str, Any]) -> dict[str, float]:
    """The numbers that the source work quotes, by name."""
    found: dict[str, float] = {}
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
    return found


def _sweep_figures(name: str, one: dict[str, Any]) -> dict[str, float]:
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


def _parameter_figures(name: str, one: dict[str, Any]) -> dict[str, float]:
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


def check(found: dict[str, float], *, is_quick: bool) -> bool:
    """Print paper, ours and verdict side by side; give whether all is as expected of this code."""
    return compare(found, HERE / "expected.json", is_quick=is_quick)


def run(scale: Scale) -> dict[str, Any]:
    began = perf_counter()
    data: dict[str, Any] = {"sets": {s.name: measure(s, scale) for s in (SET_1, SET_2)}}
    data["figures"] = figures(data)
    say(f"done after {perf_counter() - began:.0f} s")
    return data


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="minutes of the streams, few cases")
    parser.add_argument("--check", action="store_true", help="compare with expected.json")
    parser.add_argument("--out", type=Path, default=Path("artifacts/slack_ji2018"))
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
        print(f"{name:50} {value:12.5g}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
