"""The pictures: figures 16.1 to 16.4, 16.7, 16.8 and 16.10 to 16.13 of the source work."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt

from slackwater.papers.picture import save


def lengths(data: dict[str, Any]) -> Any:
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(11, 3.4))
    rows = data["migration over windows"]
    for key, label in (("track_max", "purge by newest"), ("track_tight", "tight purge")):
        left.plot([r["window"] for r in rows], [r[key] for r in rows], "o", ms=3, label=label)
    left.set(xlabel="W (ms)", ylabel="T_PT / W", ylim=(0, 2.3))
    for key, style in (("moving_units", "o"), ("model_units", "-")):
        middle.loglog([r["window"] for r in rows], [r[key] for r in rows], style, label=key)
    middle.set(xlabel="W (ms)", ylabel="T_MS (units)")
    cross = data["crossover"]
    windows = [row["window"] for row in cross]
    right.plot(windows, [row["moving_ms"] for row in cross], "o-", label="T_MS")
    right.plot(windows, [2 * w for w in windows], "-", label="2 W")
    known = [row for row in cross if row["track_ms"] is not None]
    right.plot([r["window"] for r in known], [r["track_ms"] for r in known], "s", label="T_PT")
    right.set(xlabel="W (ms)", ylabel="ms (a unit is 0.01 ms)")
    for axis in (left, middle, right):
        axis.grid(alpha=0.3)
        axis.legend(fontsize=8)
    return figure


def output(data: dict[str, Any]) -> Any:
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.4))
    for row in data["output"]:
        left.plot(row["series"], label=row["how"])
        right.plot([at / 1000 for at, _ in row["rows"]], [n for _, n in row["rows"]])
    left.set(xlabel="s", ylabel="results a second")
    right.set(xlabel="s", ylabel="rows kept or waiting")
    left.legend(fontsize=8)
    return figure


def adaptation(data: dict[str, Any]) -> Any:
    figure, axes = plt.subplots(2, 1, figsize=(8, 5))
    for axis, key in zip(axes, ("one swap", "swaps"), strict=True):
        for row in data[key]:
            label = "with an optimiser" if row["adapts"] else "without"
            axis.plot(
                [at / 1000 for at, _ in row["rows"]], [n for _, n in row["rows"]], label=label
            )
            for at, _ in row["migrations"]:
                axis.axvline(at / 1000, color="C3", lw=0.8)
        axis.set(xlabel="s", ylabel="rows kept or waiting", title=key)
        axis.legend(fontsize=8)
    return figure


PICTURES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "lengths.png": lengths,
    "output.png": output,
    "adaptation.png": adaptation,
}


def draw_all(data: dict[str, Any], folder: Path) -> list[Path]:
    return [save(draw(data), folder / name) for name, draw in PICTURES.items()]
