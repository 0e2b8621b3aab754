"""The pictures: throughput and use by rate, and how long it takes to find a plan."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

from slackwater.papers.hybrid_ji2018.measure import SHAPES
from slackwater.papers.picture import save

WAYS = {"rows": "C0", "columns": "C1", "chosen": "C2"}


def draw_all(data: dict[str, Any], folder: Path) -> list[Path]:
    pictures = {"throughput.png": throughput, "use.png": use, "search.png": search}
    return [save(draw(data), folder / name) for name, draw in pictures.items()]


def throughput(data: dict[str, Any]) -> Any:
    """What is measured as dots, what the cost model expects as lines."""
    figure, axes, names = _panels(data["rates"])
    for name, axis in zip(names, axes.flat, strict=False):
        expected = [row for row in data["predicted"] if row["query"] == name]
        measured = [row for row in data["rates"] if row["query"] == name]
        for way, colour in {**WAYS, "free": "C3"}.items():
            line = [row["rate"] / max(1.0, row[way]) for row in expected]
            style = {"chosen": "--", "free": ":"}.get(way, "-")
            label = "without the check" if way == "free" else way
            axis.loglog([r["rate"] for r in expected], line, style, color=colour, label=label)
            if way != "free":
                dots = [row[way]["throughput"] for row in measured]
                axis.loglog([row["rate"] for row in measured], dots, "o", ms=3, color=colour)
    _labelled(axes, "rows/s that get through")
    return figure


def use(data: dict[str, Any]) -> Any:
    figure, axes, names = _panels(data["rates"])
    for name, axis in zip(names, axes.flat, strict=False):
        mine = [row for row in data["rates"] if row["query"] == name]
        for way, colour in WAYS.items():
            dashes = "--" if way == "chosen" else "-"
            values = [row[way]["total"] for row in mine]
            axis.loglog([r["rate"] for r in mine], values, "o" + dashes, color=colour, label=way)
    _labelled(axes, "cores in use")
    return figure


def _panels(rows: list[dict[str, Any]]) -> tuple[Any, Any, list[str]]:
    """A panel for each query."""
    names = list(dict.fromkeys(row["query"] for row in rows))
    columns = min(3, len(names))
    lines = -(-len(names) // columns)
    figure, axes = plt.subplots(lines, columns, figsize=(3.4 * columns, 2.8 * lines), squeeze=False)
    for name, axis in zip(names, axes.flat, strict=False):
        axis.set(title=name, xlabel="rows/s that come")
        axis.grid(alpha=0.3)
    return figure, axes, names


def _labelled(axes: Any, label: str) -> None:
    for axis in axes[:, 0]:
        axis.set_ylabel(label)
    axes[0][0].legend(fontsize=7)


def search(data: dict[str, Any]) -> Any:
    figure, axes = plt.subplots(1, 2, figsize=(8, 3.2))
    names = list(SHAPES)
    places = np.arange(len(names))
    known = [data["times"][name] for name in names]
    for number, (key, label) in enumerate(
        (("phase_1_ms", "phase one"), ("phase_2_ms", "phase two"), ("cut_ms", "phase two, cut"))
    ):
        axes[0].bar(places + 0.25 * number, [one[key] for one in known], 0.23, label=label)
    for number, (key, label) in enumerate((("unpruned", "all"), ("plans", "after pruning"))):
        axes[1].bar(places + 0.35 * number, [one[key] for one in known], 0.33, label=label)
    for axis, label in zip(axes, ("ms", "plans"), strict=True):
        axis.set(yscale="log", ylabel=label)
        axis.set_xticks(places + 0.2, names)
        axis.legend(fontsize=8)
    return figure
