"""Reproduce the experiments of Lei and Rundensteiner (2014): plans, placements, simulated runs."""

from __future__ import annotations

from pathlib import Path

from slackwater.papers.paper import (
    Experiments,
    Figures,
    Paper,
    Results,
    one_by_one,
    together,
)
from slackwater.papers.robust_lei2014 import logical, physical, runtime, worked
from slackwater.papers.robust_lei2014.draw import draw_all

EXPERIMENTS: Experiments = (
    ("worked", worked.worked),
    ("calls", logical.calls),  # L1, L2
    ("budgets", logical.budgets),  # L2
    ("dimensions", logical.dimensions),  # L3
    ("qualities", physical.qualities),  # P2 to P5
    ("queries", physical.queries),
    ("times", physical.times),  # P1
    ("calm", runtime.calm),
    ("R1", runtime.fixed_rates),
    ("R2", runtime.stepped),
    ("R3", runtime.by_nodes),
    ("R4", runtime.by_period),
    ("R5", runtime.stock_rates),
    ("R6", runtime.stocks),  # and R7
    ("R8", runtime.drifting),  # and R9
)


def headlines(data: Results) -> Figures:
    """H1 to H5, which the source work computes by hand."""
    known = data["worked"]
    share, news = known["bounds"]
    return {
        "H1/probes without a new plan": known["probes"],
        "H2/calls of a full search of 16 cells": known["full"],
        "H2/calls of central cuts": known["central"],
        "H2/parts of central cuts": known["parts"],
        "H3/share of weights that are not worked out again": known["saved"],
        "H4/probability of an inner cell": known["cell"],
        "H4/weight of the plan": known["weight"],
        "H5/least share": share[0],
        "H5/most share": share[1],
        "H5/least rate": news[0],
        "H5/most rate": news[1],
        "4.9/plans supported by the printed placement": len(known["table"]["110"]["supported"]),
    }


figures = together(
    (
        headlines,
        logical.figures_of,
        physical.figures_of,
        runtime.figures_of,
    )
)


PAPER = Paper(
    name="robust_lei2014",
    title="A few robust plans, one placement for all of them (runs on a simulated cluster)",
    source="Lei 2014",
    minutes=5,
    folder=Path(__file__).parent,
    measure=one_by_one(EXPERIMENTS),
    figures=figures,
    draw=draw_all,
)
