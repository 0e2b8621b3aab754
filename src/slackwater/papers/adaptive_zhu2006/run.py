"""Reproduce the experiments of Zhu (2006): plans that are searched, changed and spread."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from slackwater.papers.adaptive_zhu2006 import (
    adaptation,
    balancing,
    migrations,
    optimisers,
    resources,
)
from slackwater.papers.adaptive_zhu2006.draw import draw_all
from slackwater.papers.paper import (
    Experiments,
    Figures,
    Paper,
    Results,
    one_by_one,
    together,
)

EXPERIMENTS: Experiments = (
    ("resources", resources.under_limits),
    ("optimisers", optimisers.over_streams),
    ("migration over windows", migrations.over_windows),
    ("migration over rates", migrations.over_rates),
    ("crossover", migrations.crossover),
    ("output", migrations.output),
    ("output, low", migrations.output_low),
    ("no swap", adaptation.idle),
    ("one swap", adaptation.once),
    ("swaps", adaptation.often),
    ("six settings", balancing.settings),
    ("six settings, their rates", balancing.settings_literal),
    ("moves", balancing.grid),
    ("rates drop", balancing.dropped),
)


def lengths(data: Results) -> Figures:
    """How long migrations take (R7, R8, R9)."""
    rows = data["migration over windows"]
    windows = sorted({row["window"] for row in rows})
    units = [_mean(row["moving_units"] for row in rows if row["window"] == w) for w in windows]
    model = [_mean(row["model_units"] for row in rows if row["window"] == w) for w in windows]
    found = {
        "R7/T_PT over W, purge by newest, mean": _mean(row["track_max"] for row in rows),
        "R7/T_PT over W, purge by newest, least": min(row["track_max"] for row in rows),
        "R7/T_PT over W, purge by newest, most": max(row["track_max"] for row in rows),
        "R7/T_PT over W, tight purge, mean": _mean(row["track_tight"] for row in rows),
        "R8/degree of T_MS in W": _degree(windows, units),
        "R8/degree of the model in W": _degree(windows, model),
    }
    rates = data["migration over rates"]
    delays = sorted({row["delay_b"] for row in rates})
    by_rate = [_mean(row["moving_units"] for row in rates if row["delay_b"] == d) for d in delays]
    found["R8/degree of T_MS in the rate of B"] = -_degree(delays, by_rate)
    found["R8/T_PT over W at the highest rate"] = _mean(
        row["track_max"] for row in rates if row["delay_b"] == delays[0]
    )
    crossing = data["crossover"]
    ratios = [row["moving_ms"] / (2 * row["window"]) for row in crossing]
    found["R9/T_MS over 2 W, smallest window"] = ratios[0]
    found["R9/T_MS over 2 W, largest window"] = ratios[-1]
    return found


def outputs(data: Results) -> Figures:
    """What comes out and is kept meanwhile (R10)."""
    rows = {row["how"]: row for row in data["output"]}
    found = {f"R10/{how}/longest gap (ms)": rows[how]["gap_ms"] for how in ("moving", "parallel")}
    for how in ("new", "moving", "parallel"):
        found[f"R10/{how}/results over old"] = rows[how]["results"] / rows["old"]["results"]
    low = {row["how"]: row for row in data["output, low"]}
    kept = {how: row["late_intermediate"] for how, row in low.items()}
    found["16.5/intermediate rows, new over old"] = kept["new"] / kept["old"]
    for how in ("moving", "parallel"):
        found[f"16.5/{how}/rows as few as of new, after (ms)"] = low[how]["level_ms"]
        found[f"16.5/{how}/intermediate rows at last, over new"] = kept[how] / kept["new"]
        found[f"16.6/{how}/results over old"] = low[how]["results"] / low["old"]["results"]
    return found


def adaptations(data: Results) -> Figures:
    """What an optimiser at run time costs and wins (R11, R12, R13)."""
    found: Figures = {}
    for name, key in (("R11", "no swap"), ("R12", "one swap"), ("R13", "swaps")):
        without, with_it = data[key]
        found[f"{name}/migrations"] = len(with_it["migrations"])
        found[f"{name}/results, with over without"] = with_it["throughput_ratio"]
        found[f"{name}/rows, with over without"] = with_it["late_rows"] / without["late_rows"]
    without, with_it = data["no swap"]
    found["R11/work, with over without"] = with_it["busy_share"] / without["busy_share"]
    found["R11/share of the time spent looking"] = with_it["looked_share"]
    return found


figures = together(
    (
        lambda data: resources.figures_of(data["resources"]),
        lambda data: optimisers.figures_of(data["optimisers"]),
        lengths,
        outputs,
        adaptations,
        balancing.figures_of,
    )
)


def _degree(xs: list[int], ys: list[float]) -> float:
    """The exponent of the power that fits best."""
    return float(np.polyfit(np.log(xs), np.log(ys), 1)[0])


def _mean(values: Any) -> float:
    return float(np.mean(list(values)))


PAPER = Paper(
    name="adaptive_zhu2006",
    title="Plans that are searched and changed while they run",
    source="Zhu 2006",
    minutes=6,
    folder=Path(__file__).parent,
    measure=one_by_one(EXPERIMENTS),
    figures=figures,
    draw=draw_all,
)
