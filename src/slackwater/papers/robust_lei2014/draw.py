"""The pictures: figures 11 to 19 of the source work, as far as there is something to draw."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from statistics import mean
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

from slackwater.papers.picture import save
from slackwater.papers.robust_lei2014.runtime import interval

COLOURS = {"rld": "C0", "arld": "C4", "rod": "C1", "dyn": "C2", "static": "C7"}
SIMULATED = "simulation"


def logical(data: dict[str, Any]) -> Any:
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(12, 3.6))
    searches = ("erp", "rs", "es_central")
    for search in searches:
        mine = [row for row in data["calls"] if row["search"] == search]
        tolerances = sorted({row["eps"] for row in mine})
        calls = [mean(r["calls"] for r in mine if r["eps"] == eps) for eps in tolerances]
        left.semilogy(tolerances, calls, "o-", label=search)
        by_budget = [row for row in data["budgets"] if row["search"] == search]
        middle.semilogx(
            [row["calls"] for row in by_budget], [row["coverage"] for row in by_budget], "o-"
        )
    left.axhline(100**2, color="C3", ls=":", label="full")
    left.set(xlabel="ε", ylabel="calls of the optimizer", title="Q10, all U")
    middle.set(xlabel="calls", ylabel="coverage", title="ε = 0.02, U = 5")
    rows = [row for row in data["dimensions"] if row["search"] == "erp"]
    for eps, level in dict.fromkeys((row["eps"], row["level"]) for row in rows):
        mine = [row for row in rows if (row["eps"], row["level"]) == (eps, level)]
        right.semilogy(
            [r["d"] for r in mine], [r["calls"] for r in mine], "o-", label=f"ε {eps}, U {level}"
        )
    right.set(xlabel="dimensions", ylabel="calls of erp", title="Q15")
    for axis in (left, right):
        axis.legend(fontsize=8)
    return figure


def physical(data: dict[str, Any]) -> Any:
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.6))
    rows = data["qualities"]
    slacks = sorted({row["slack"] for row in rows})
    for key in ("greedy", "cor", "aware"):
        left.plot(
            slacks, [mean(r[key] for r in rows if r["slack"] == s) for s in slacks], "o-", label=key
        )
    best = [mean(r["best"] for r in rows if r["slack"] == s) for s in slacks]
    left.plot(slacks, best, "k:", label="coverage of the best")
    left.set(xlabel="capacity over mean load", ylabel="part of the best (rt)")
    clock = data["times"]
    for placer in dict.fromkeys(row["placer"] for row in clock):
        mine = [row for row in clock if row["placer"] == placer]
        sizes = sorted({row["operators"] for row in mine})
        took = [mean(r["seconds"] for r in mine if r["operators"] == size) for size in sizes]
        right.semilogy(sizes, took, "o-", label=placer)
    right.set(xlabel="operators", ylabel="s")
    for axis in (left, right):
        axis.legend(fontsize=8)
    return figure


def _curves(axis: Any, rows: list[dict[str, Any]], key: str, label: str) -> None:
    """Latency by something, with intervals of confidence."""
    places = sorted({row[key] for row in rows})
    for name in dict.fromkeys(row["how"] for row in rows):
        ends = [interval(rows, "seconds", **{key: place})[name] for place in places]
        axis.errorbar(
            places,
            [middle for middle, _ in ends],
            [half for _, half in ends],
            marker="o",
            ms=3,
            color=COLOURS[name],
            label=name,
        )
    axis.set(xlabel=label, ylabel="s for a row", yscale="log", title=SIMULATED)


def _totals(axis: Any, rows: list[dict[str, Any]]) -> None:
    """Results so far, minute by minute."""
    for name in dict.fromkeys(row["how"] for row in rows):
        each = [np.cumsum(row["minutes"]) for row in rows if row["how"] == name]
        axis.plot(np.mean(each, axis=0), color=COLOURS[name], label=name)
    axis.set(xlabel="min", ylabel="results", title=SIMULATED)


def rates(data: dict[str, Any]) -> Any:
    figure, axes = plt.subplots(1, 4, figsize=(16, 3.6))
    _curves(axes[0], data["R1"], "factor", "rate over the estimate")
    _totals(axes[1], data["R2"])
    _curves(axes[2], data["R3"], "nodes", "nodes")
    _curves(axes[3], data["R4"], "period", "period (s)")
    axes[0].legend(fontsize=8)
    return figure


def stocks(data: dict[str, Any]) -> Any:
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(12, 3.6))
    left.plot([n / 2 for n in range(len(data["R5"]))], data["R5"])
    left.set(xlabel="min", ylabel="rate over the estimate", title="stand-in of a day of stocks")
    _curves(middle, data["R6"], "nodes", "nodes")
    _totals(right, [row for row in data["R6"] if row["nodes"] == 5])
    middle.legend(fontsize=8)
    return figure


def drift(data: dict[str, Any]) -> Any:
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.6))
    rows = data["R8"]
    names = list(dict.fromkeys(row["how"] for row in rows))
    took = interval(rows, "seconds")
    left.bar(
        names,
        [took[n][0] for n in names],
        yerr=[took[n][1] for n in names],
        color=[COLOURS[n] for n in names],
    )
    left.set(ylabel="s for a row", yscale="log", title=SIMULATED)
    _totals(right, rows)
    right.legend(fontsize=8)
    return figure


PICTURES: tuple[tuple[str, Callable[[dict[str, Any]], Any]], ...] = (
    ("logical", logical),
    ("physical", physical),
    ("rates", rates),
    ("stocks", stocks),
    ("drift", drift),
)


def draw_all(data: dict[str, Any], folder: Path) -> list[Path]:
    return [save(picture(data), folder / f"{name}.png") for name, picture in PICTURES]
