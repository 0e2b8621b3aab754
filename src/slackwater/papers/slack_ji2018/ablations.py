"""What decides where our figures differ: the same streams without their episodes of spikes."""

from __future__ import annotations

from dataclasses import replace

from slackwater.papers.paper import Figures, Results
from slackwater.papers.slack_ji2018.measure import AM, FULL, PD, Experiment, Scale, baselines, sweep
from slackwater.papers.slack_ji2018.workload import SET_1, SET_2
from slackwater.papers.stream.soccer import Soccer

SCALE = replace(FULL, windows_s=(0.1, 0.5, 1, 5), variants=(AM, PD))


def without_spikes(soccer: Soccer, scale: Scale) -> Results:
    """AM and PD where no tuple is later than 100 ms."""
    experiment = Experiment(replace(soccer, spike_share=0.0))
    longest = baselines(experiment, [1])["max"][0]["latency_s"]
    return {"max_latency_s": longest, "sweep": sweep(experiment, scale)}


def run() -> Results:
    return {"without spikes": {one.name: without_spikes(one, SCALE) for one in (SET_1, SET_2)}}


def figures(data: Results) -> Figures:
    found: Figures = {}
    for name, one in data["without spikes"].items():
        where = f"{name} without spikes"
        found[f"{where}/Max-K/latency_s"] = one["max_latency_s"]
        for variant in sorted({row["variant"] for row in one["sweep"]}):
            kept = [row["fulfilment"] for row in one["sweep"] if row["variant"] == variant]
            found[f"{where}/{variant}/least fulfilment"] = min(kept)
            found[f"{where}/{variant}/cases below 95 %"] = sum(share < 0.95 for share in kept)
    return found
