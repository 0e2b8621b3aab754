"""What decides where our figures differ, and the steps of the slack (g) for joins.

PD-adt with late tuples counted as the mean productive one, where the default counts them as the
most productive: the estimate of the true results is then no longer pessimistic.
"""

from __future__ import annotations

import logging
from dataclasses import replace

from slackwater.papers.paper import Figures, Results
from slackwater.papers.recall_ji2018.measure import (
    AM,
    FULL,
    PD,
    SOME,
    Experiment,
    Row,
    Scale,
)
from slackwater.papers.recall_ji2018.workload import SETS, DataSet
from slackwater.units import MILLISECOND

LOG = logging.getLogger(__name__)
PD_MEAN = replace(PD, name="PD, late as the mean", policy=replace(PD.policy, late="mean"))
GRANULARITIES_MS = (1, 10, 100, 1000)


def feedback_by_the_mean(data: DataSet, scale: Scale) -> list[Row]:
    experiment = Experiment(data.make(scale.minutes[data.name], 1))
    LOG.info(f"{data.name}: {PD_MEAN.name}")
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
        LOG.info(f"{data.name}: g = {g} ms")
    return rows


def run() -> Results:
    return {
        "feedback by the mean": {one.name: feedback_by_the_mean(one, FULL) for one in SETS},
        "granularity": {one.name: sweep_granularity(one, FULL) for one in SETS},
    }


def figures(data: Results) -> Figures:
    found: Figures = {}
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
