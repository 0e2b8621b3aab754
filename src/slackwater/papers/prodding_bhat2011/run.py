"""Reproduce the experiments of Bhat (2011): estimates on demand, how good, how early."""

from __future__ import annotations

import logging
from pathlib import Path

from slackwater.papers.paper import Figures, Paper, Results
from slackwater.papers.prodding_bhat2011.alternatives import baselines, comparators, step_response
from slackwater.papers.prodding_bhat2011.bursts import burst_experiment, sidelining
from slackwater.papers.prodding_bhat2011.curves import aggressiveness_curves
from slackwater.papers.prodding_bhat2011.delays import (
    latency_gains,
    overheads,
    traffic_experiment,
    uniform_experiment,
)
from slackwater.papers.prodding_bhat2011.draw import draw_all
from slackwater.papers.prodding_bhat2011.scale import FULL, QUICK, Scale
from slackwater.papers.prodding_bhat2011.workload import SLIDING, TUMBLING

LOG = logging.getLogger(__name__)
LATE_PRODS = (0, 20)  # seconds by which the prods of the traffic experiment come earlier


def run(scale: Scale) -> Results:
    LOG.info("delays: traffic, uniform")
    data: Results = {
        "traffic": [traffic_experiment(scale, offset) for offset in LATE_PRODS],
        "uniform": [uniform_experiment(seconds) for seconds in scale.uniform_seconds],
        "gains": latency_gains(scale),
    }
    LOG.info("overhead")
    data["overhead"] = overheads(scale)
    LOG.info("bursts")
    data["bursts"] = [
        burst_experiment(n, cost, arrivals, scale.burst_seeds)
        for arrivals in scale.arrivals
        for cost in scale.costs_ms
        for n in scale.repetitions
    ]
    data["sidelining"] = {arrivals: sidelining(4.0, arrivals) for arrivals in scale.arrivals}
    LOG.info("why prods flow with the data")
    data["comparators"] = comparators(scale)
    data["baselines"] = baselines(scale)
    data["step response"] = step_response(scale)
    data["curves"] = []
    for values in scale.values:
        LOG.info(f"aggressiveness: {values}")
        data["curves"] += aggressiveness_curves(scale, values, SLIDING)
    LOG.info("aggressiveness: tumbling windows")
    data["tumbling"] = aggressiveness_curves(scale, "normal 400", TUMBLING)
    return data


def figures(data: Results) -> Figures:
    """The numbers that the source work quotes, and those that say why ours differ, by name."""
    return {
        **_delay_figures(data),
        **_burst_figures(data),
        **_curve_figures(data),
        **_design_figures(data),
    }


def _delay_figures(data: Results) -> Figures:
    found: Figures = {}
    for row in data["overhead"]:
        name = f"T4.1/{row['stream']}"
        found[f"{name}/final latency, window (s)"] = row["with_s"]
        found[f"{name}/final latency, slide (s)"] = row["with_slide_s"]
        found[f"{name}/difference (s)"] = row["with_s"] - row["without_s"]
        found[f"{name}/finals are the same"] = float(row["is_equal"])
        found[f"{name}/CPU with over without"] = row["cpu_ratio"]
        found[f"{name}/CPU without over without"] = row["cpu_same"]
    for row in data["traffic"]:
        name = f"E2/offset {row['offset']} s"
        found[f"{name}/final latency (s)"] = row["final_window_s"]
        found[f"{name}/early latency (s)"] = row["early_window_s"]
        found[f"{name}/gain (s)"] = row["gain_s"]
        found[f"{name}/accuracy"] = row["accuracy"]
        found[f"{name}/accuracy, scaled"] = row["scaled_accuracy"]
    for row in data["uniform"]:
        found[f"T4.2/Uniform_{row['seconds']}/accuracy"] = row["accuracy"]
        found[f"T4.2/Uniform_{row['seconds']}/gain (s)"] = row["gain_s"]
    for row in (data["gains"][0], data["gains"][-1]):
        where = f"E5/p={100 * row['p']:g}/latency gain"
        found[f"{where}, window (%)"] = row["gain_window_percent"]
        found[f"{where}, slide (%)"] = row["gain_slide_percent"]
    return found


def _burst_figures(data: Results) -> Figures:
    found: Figures = {}
    for row in data["bursts"]:
        name = f"T4.3/{row['arrivals']}/{row['cost_ms']:g} ms/Burst_{row['repetitions']:g}"
        found[f"{name}/accuracy"] = row["accuracy"]
        found[f"{name}/gain (s)"] = row["gain_s"]
        found[f"{name}/windows with an estimate"] = row["pairs"] / row["windows"]
    for arrivals, rows in data["sidelining"].items():
        for row in rows:
            name = f"E8/{arrivals}/{row['policy']}"
            found[f"{name}/mean final latency (s)"] = row["mean_s"]
            found[f"{name}/longest, touched (s)"] = row["touched_max_s"]
            found[f"{name}/longest, untouched (s)"] = row["untouched_max_s"]
            found[f"{name}/windows with an estimate"] = row["early_windows"]
            found[f"{name}/tuples dropped"] = row["dropped"]
            found[f"{name}/finals that are wrong"] = row["finals_off"]
    return found


def _curve_figures(data: Results) -> Figures:
    found: Figures = {}
    for row in data["curves"]:
        where = f"{row['function']}/p={100 * row['p']:g}/offset {row['offset']}"
        found[f"E5/{row['values']}/{where}"] = row["accuracy"]
        if row["values"] == "normal 400":
            found[f"E6/worst, sliding/{where}"] = row["worst_inner"]
            found[f"E6/worst, sliding, boundary windows too/{where}"] = row["worst"]
    for row in data["tumbling"]:
        where = f"{row['function']}/p={100 * row['p']:g}/offset {row['offset']}"
        found[f"E7/worst, tumbling/{where}"] = row["worst_inner"]
        found[f"E7/mean, tumbling/{where}"] = row["accuracy"]
    return found


def _design_figures(data: Results) -> Figures:
    found: Figures = {}
    for row in data["comparators"]:
        name = row["strategy"]
        if name == "staggered":
            name += f" by {row['delay_ms']} ms"
        found[f"A/{name}/rows in estimates"] = row["rows_share"]
        found[f"A/{name}/estimates per prod"] = row["estimates"] / row["asked"]
        found[f"A/{name}/finals are right"] = float(row["are_finals_right"])
    for row in data["baselines"]:
        found[f"B/{row['how']}/rows per window"] = row["rows_per_window"]
    found["loop/windows until settled"] = data["step response"]["settled_windows"]
    found["loop/accuracy in the end"] = data["step response"]["accuracy"]
    return found


def measure_all(is_quick: bool) -> Results:
    return run(QUICK if is_quick else FULL)


PAPER = Paper(
    name="prodding_bhat2011",
    title="Estimates on demand: prods that flow with the data",
    source="Bhat 2011, ch. 3, 4, 6",
    minutes=6,
    folder=Path(__file__).parent,
    measure=measure_all,
    figures=figures,
    draw=draw_all,
)
