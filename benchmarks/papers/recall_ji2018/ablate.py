"""What decides where our figures differ, and the steps of the slack (g) for joins.

python -m benchmarks.papers.recall_ji2018.ablate [--out FOLDER]     # 5 minutes of one core

PD-adt with late tuples counted as the mean productive one, where the default counts them as the
most productive: the estimate of the true results is then no longer pessimistic.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.papers.recall_ji2018.measure import (
    AM,
    FULL,
    PD,
    SOME,
    Experiment,
    Row,
    Scale,
    say,
)
from benchmarks.papers.recall_ji2018.workload import SETS, DataSet

from slackwater.units import MILLISECOND

NAME = "ablations.json"
PD_MEAN = replace(PD, name="PD, late as the mean", policy=replace(PD.policy, late="mean"))
GRANULARITIES_MS = (1, 10, 100, 1000)


def feedback_by_the_mean(data: DataSet, scale: Scale) -> list[Row]:
    experiment = Experiment(data.make(scale.minutes[data.name], 1))
    say(f"{data.name}: {PD_MEAN.name}")
    return [
        {"variant": PD_MEAN.name, **experiment.row(PD_MEAN.asked(recall), recall)}
        for recall in SOME
    ]


def sweep_granularity(data: DataSet, scale: Scale) -> list[Row]:
    """Latency and fulfilment against g: AM."""
    experiment = Experiment(data.make(scale.sweep_minutes, 1))
    rows = []
    for g in GRANULARITIES_MS:
        for recall in SOME:
            run = experiment.run(AM.asked(recall), g * MILLISECOND)
            rows.append({"granularity_ms": g, **experiment.summary(run, recall)})
        say(f"{data.name}: g = {g} ms")
    return rows


def figures(data: dict[str, Any]) -> dict[str, float]:
    found: dict[str, float] = {}
    for name, rows in data["feedback by the mean"].items():
        for row in rows:
            where = f"{name}/{row['variant']}/Γ={row['recall']:g}"
            found[f"{where}/Φ(.99Γ)"] = row["fulfilment_99"]
            found[f"{where}/latency_s"] = row["latency_s"]
    for name, rows in data["granularity"].items():
        for recall in SOME:
            latency = {r["granularity_ms"]: r["latency_s"] for r in rows if r["recall"] == recall}
            ratio = latency[1000] / latency[10]
            found[f"{name}/g/Γ={recall:g}/latency 1000 ms over 10 ms"] = ratio
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("artifacts/recall_ji2018"))
    folder = parser.parse_args().out
    data: dict[str, Any] = {
        "feedback by the mean": {one.name: feedback_by_the_mean(one, FULL) for one in SETS},
        "granularity": {one.name: sweep_granularity(one, FULL) for one in SETS},
    }
    data["figures"] = figures(data)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / NAME).write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    for name, value in data["figures"].items():
        print(f"{name:60} {value:12.5g}")


if __name__ == "__main__":
    main()
