"""The pictures: figures 8 to 13 of the source work, and what hangs on the capacity."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt

from slackwater.papers.picture import save

SYSTEMS = ("Trad", "Rand", "Sem", "PP", "PR", "PR-Prune")
LEVELS = (1, 2, 3)
Data = dict[str, Any]


def effectiveness(data: Data) -> Any:
    """Figure 8: results so far, by level."""
    figure, axes = plt.subplots(1, 3, figsize=(13, 3.6))
    for row in (row for row in data["effectiveness"] if row["mix"] == "DS1"):
        for axis, level in zip(axes, LEVELS, strict=True):
            counts = [*accumulate(moment[level - 1] for moment in row["series"])]
            axis.plot([10 * n for n in range(1, len(counts) + 1)], counts, label=row["system"])
            axis.set(title=f"level {level}", xlabel="s", ylabel="results so far, first seed")
    for axis in axes:
        _finish(axis)
    return figure


def mixes(data: Data) -> Any:
    """Figure 9: results by level and data set."""
    names = [*dict.fromkeys(row["mix"] for row in data["effectiveness"])]
    figure, axes = plt.subplots(1, len(names), figsize=(3 * len(names) + 1, 3.6), squeeze=False)
    for axis, mix in zip(axes[0], names, strict=True):
        rows = [row for row in data["effectiveness"] if row["mix"] == mix]
        _bars(axis, rows, [f"level {level}" for level in LEVELS])
        axis.set(title=mix, ylabel="results")
    return figure


def complexity(data: Data) -> Any:
    """Figures 10 and 11: results of level 1 by joins and paths."""
    figure, axis = plt.subplots(figsize=(8, 3.6))
    cases = [*dict.fromkeys((row["joins"], row["paths"]) for row in data["complexity"])]
    for number, name in enumerate(("PP", "PR", "PR-Prune")):
        rows = [row for row in data["complexity"] if row["system"] == name]
        heights = [max(row["levels"][0], 0.5) for row in rows]
        places = [at + 0.27 * (number - 1) for at in range(len(rows))]
        axis.bar(places, heights, 0.25, label=name)
    axis.set_xticks(range(len(cases)), [f"{j} joins\n{p} paths" for j, p in cases])
    axis.set(ylabel="results of level 1", yscale="log")
    _finish(axis)
    return figure


def searching(data: Data) -> Any:
    """Figure 12: what a search takes."""
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.4))
    for axis, key in zip(axes, ("examined", "seconds"), strict=True):
        for name in ("PR", "PR-Prune"):
            rows = [row for row in data["searching"] if row["system"] == name]
            axis.plot([row["paths"] for row in rows], [row[key] for row in rows], "o-", label=name)
        axis.set(xlabel="paths", ylabel=key, ylim=(0, None))
        _finish(axis)
    return figure


def overhead(data: Data) -> Any:
    """Figure 13: results, and rows kept and waiting, nothing being ranked."""
    figure, axes = plt.subplots(1, 3, figsize=(11, 3.4))
    rows = data["overhead"]
    labels = {"all": "results", "state": "rows in the last state", "queues": "rows in its queues"}
    for axis, (key, label) in zip(axes, labels.items(), strict=True):
        axis.bar([row["system"] for row in rows], [row[key] for row in rows])
        axis.set(ylabel=label)
        axis.tick_params(axis="x", labelsize=8)
    return figure


def capacity(data: Data) -> Any:
    """Results of level 1 by the share of the work that can be done."""
    figure, axis = plt.subplots(figsize=(7, 3.6))
    for name in SYSTEMS:
        rows = [row for row in data["capacity"] if row["system"] == name]
        shares = [100 * row["share"] for row in rows]
        axis.semilogy(shares, [max(row["levels"][0], 1) for row in rows], "o-", label=name)
    axis.set(xlabel="capacity, % of the demand", ylabel="results of level 1 in 300 s")
    _finish(axis)
    return figure


def _bars(axis: Any, rows: list[Data], labels: list[str]) -> None:
    width = 0.8 / len(rows)
    for number, row in enumerate(rows):
        places = [at + width * (number - len(rows) / 2 + 0.5) for at in range(len(labels))]
        axis.bar(places, row["levels"], width, label=row["system"])
    axis.set_xticks(range(len(labels)), labels)
    _finish(axis)


def _finish(axis: Any) -> None:
    axis.grid(alpha=0.3)
    if axis.get_legend_handles_labels()[0]:
        axis.legend(fontsize=7)


PICTURES: dict[str, Callable[[Data], Any]] = {
    "effectiveness.png": effectiveness,
    "mixes.png": mixes,
    "complexity.png": complexity,
    "searching.png": searching,
    "overhead.png": overhead,
    "capacity.png": capacity,
}


def draw_all(data: Data, folder: Path) -> list[Path]:
    """What was measured; a quick run leaves some out."""
    known = {
        name: draw for name, draw in PICTURES.items() if data.get(name.removesuffix(".png"), 1)
    }
    return [save(draw(data), folder / name) for name, draw in known.items()]
