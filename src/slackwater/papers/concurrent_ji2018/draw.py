"""The pictures: what each way holds, what it takes, and what each query gets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

from slackwater.papers.concurrent_ji2018.measure import REUSES
from slackwater.papers.picture import save

WAYS = ("unshared", "greedy", "opt", "naive")


def draw_all(data: dict[str, Any], folder: Path) -> list[Path]:
    pictures = {"memory.png": memory, "queries.png": queries, "updates.png": updates}
    return [save(draw(data["plans"]), folder / name) for name, draw in pictures.items()]


def memory(plans: dict[str, Any]) -> Any:
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.4))
    for axis, key, label in (
        (axes[0], "held", "tuples in all buffers, on average"),
        (axes[1], "computing_us", "computing a configuration (µs, median)"),
    ):
        for number, way in enumerate(WAYS):
            values = [one["strategies"][way][key] or np.nan for one in plans.values()]
            axis.bar(np.arange(len(plans)) + 0.2 * number, values, 0.18, label=way)
        axis.set_xticks(np.arange(len(plans)) + 0.3, list(plans))
        axis.set(ylabel=label)
        axis.grid(axis="y", alpha=0.3)
    axes[0].legend(fontsize=8)
    return figure


def queries(plans: dict[str, Any]) -> Any:
    shown = {
        "no waiting": ("baselines", "none"),
        "worst so far": ("baselines", "max"),
        "unshared": ("strategies", "unshared"),
        "opt": ("strategies", "opt"),
    }
    figure, axes = plt.subplots(2, len(plans), figsize=(4 * len(plans), 5.4), squeeze=False)
    for column, (name, one) in enumerate(plans.items()):
        for number, (label, (part, key)) in enumerate(shown.items()):
            rows = one[part][key]["queries"]
            places = np.arange(len(rows)) + 0.2 * number
            axes[0][column].bar(places, [row["latency_s"] for row in rows.values()], 0.18)
            kept = [row["fulfilment"] for row in rows.values()]
            axes[1][column].bar(places, kept, 0.18, label=label)
        for axis in axes[:, column]:
            axis.set_xticks(np.arange(len(rows)) + 0.3, list(rows))
        axes[0][column].set(title=name, yscale="log")
    axes[0][0].set_ylabel("mean latency (s)")
    axes[1][0].set_ylabel("fulfilment")
    axes[1][-1].legend(fontsize=7, loc="lower left", framealpha=0.9)
    return figure


def updates(plans: dict[str, Any]) -> Any:
    figure, axes = plt.subplots(1, len(plans), figsize=(4 * len(plans), 3.2), squeeze=False)
    for axis, (name, one) in zip(axes[0], plans.items(), strict=True):
        for number, reuse in enumerate(REUSES):
            values = [by_reuse[reuse]["applying_us"] or 0 for by_reuse in one["updates"].values()]
            axis.bar(np.arange(len(values)) + 0.3 * number, values, 0.28, label=reuse)
        axis.set_xticks(np.arange(len(values)) + 0.15, list(one["updates"]))
        axis.set(title=name, ylabel="applying a configuration (µs, median)")
    axes[0][0].legend(fontsize=8)
    return figure
