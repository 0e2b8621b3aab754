"""What decides where our figures differ: the same streams without their episodes of spikes.

python -m benchmarks.papers.slack_ji2018.ablate [--out FOLDER]     # 4 minutes of one core
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.papers.slack_ji2018.measure import AM, FULL, PD, Experiment, Scale, baselines, sweep
from benchmarks.papers.slack_ji2018.workload import SET_1, SET_2, Soccer

NAME = "ablations.json"
SCALE = replace(FULL, windows_s=(0.1, 0.5, 1, 5), variants=(AM, PD))


def without_spikes(soccer: Soccer, scale: Scale) -> dict[str, Any]:
    """AM and PD where no tuple is later than 100 ms."""
    experiment = Experiment(replace(soccer, spike_share=0.0))
    longest = baselines(experiment, [1])["max"][0]["latency_s"]
    return {"max_latency_s": longest, "sweep": sweep(experiment, scale)}


def figures(data: dict[str, Any]) -> dict[str, float]:
    found: dict[str, float] = {}
    for name, one in data["without spikes"].items():
        where = f"{name} without spikes"
        found[f"{where}/Max-K/latency_s"] = one["max_latency_s"]
        for variant in sorted({row["variant"] for row in one["sweep"]}):
            kept = [row["fulfilment"] for row in one["sweep"] if row["variant"] == variant]
            found[f"{where}/{variant}/least fulfilment"] = min(kept)
            found[f"{where}/{variant}/cases below 95 %"] = sum(share < 0.95 for share in kept)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("artifacts/slack_ji2018"))
    folder = parser.parse_args().out
    data: dict[str, Any] = {
        "without spikes": {one.name: without_spikes(one, SCALE) for one in (SET_1, SET_2)}
    }
    data["figures"] = figures(data)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / NAME).write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    for name, value in data["figures"].items():
        print(f"{name:60} {value:12.5g}")


if __name__ == "__main__":
    main()
