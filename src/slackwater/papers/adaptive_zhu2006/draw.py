"""The pictures: figures of chapters 8 (8.2 to 8.15), 16 (but 16.9) and 23 (23.1 to 23.11)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt

from slackwater.papers.adaptive_zhu2006.optimisers import FEWEST
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
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(12, 3.4))
    for row in data["output"]:
        left.plot(row["series"], label=row["how"])
        middle.plot(*_in_seconds(row["rows"]))
    for row in data["output, low"]:
        right.plot(*_in_seconds(row["intermediate"]), lw=0.8)
    left.set(xlabel="s", ylabel="results a second", title="high rates")
    middle.set(xlabel="s", ylabel="rows kept or waiting", title="high rates")
    right.set(xlabel="s", ylabel="intermediate rows", title="low rates")
    left.legend(fontsize=8)
    return figure


def resources(data: dict[str, Any]) -> Any:
    figure, axes = plt.subplots(3, 4, figsize=(13, 7), sharex="col")
    kinds = (
        ("curve", "results"),
        ("waiting", "tuples that wait"),
        ("rows", "rows kept or waiting"),
    )
    for row in (row for row in data["resources"] if row["purge"] == "tight"):
        column = axes[:, int(row["set"]) - 1]
        for axis, (key, label) in zip(column, kinds, strict=True):
            axis.plot(*_in_seconds(row[key]), label=row["plan"], lw=1)
            axis.set(ylabel=label if row["set"] == "1" else None)
            axis.grid(alpha=0.3)
            if row["exhausted"] is not None:  # the limit of rows is reached
                axis.plot(*_in_seconds(row[key][-1:]), "x", color=axis.lines[-1].get_color())
        column[0].set(title=f"set {row['set']}")
        column[0].legend(fontsize=8)
        column[-1].set(xlabel="s")
    return figure


def optimisers(data: dict[str, Any]) -> Any:
    figure, axes = plt.subplots(1, 4, figsize=(15, 3.4))
    names = {"mjoin": "mjoin-init", "bjtree": "bjtree-init", "all": "all plans"}
    for axis, limits in zip(axes, ("one", "each"), strict=False):
        rows = [row for row in data["optimisers"] if row["limits"] == limits]
        for key, label in names.items():
            known = [r for r in rows if key in r and (key != "all" or r["exhaustively"] >= FEWEST)]
            shares = [100 * row[key]["share"] for row in known]
            axis.plot([row["streams"] for row in known], shares, "o-", ms=3, label=label)
        title = "one limit for all joins" if limits == "one" else "limits between plans"
        axis.set(xlabel="streams", ylabel="qualified, %", ylim=(0, 105), title=title)
    rows = [row for row in data["optimisers"] if row["limits"] == "one"]
    for key, label in names.items():
        known = [row for row in rows if key in row]
        times = [row[key]["seconds"] for row in known]
        axes[2].semilogy([row["streams"] for row in known], times, "o-", ms=3, label=label)
    axes[2].set(xlabel="streams", ylabel="seconds a search")
    [most] = [row for row in rows if row["streams"] == 10]
    for key in ("mjoin", "bjtree"):
        cloud = [point for point in most[key]["cloud"] if point]
        axes[3].loglog([m for m, _ in cloud], [c for _, c in cloud], "o", ms=3, label=names[key])
    axes[3].set(xlabel="memory (rows)", ylabel="work (pairs a second)", title="10 streams")
    for axis in axes:
        axis.grid(alpha=0.3)
        axis.legend(fontsize=8)
    return figure


def _in_seconds(points: list[tuple[float, int]]) -> tuple[list[float], list[int]]:
    return [at / 1000 for at, _ in points], [count for _, count in points]


def adaptation(data: dict[str, Any]) -> Any:
    figure, axes = plt.subplots(2, 1, figsize=(8, 5))
    for axis, key in zip(axes, ("one swap", "swaps"), strict=True):
        for row in data[key]:
            label = "with an optimiser" if row["adapts"] else "without"
            axis.plot(*_in_seconds(row["rows"]), label=label)
            for at, _ in row["migrations"]:
                axis.axvline(at / 1000, color="C3", lw=0.8)
        axis.set(xlabel="s", ylabel="rows kept or waiting", title=key)
        axis.legend(fontsize=8)
    return figure


def balancing(data: dict[str, Any]) -> Any:
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(13, 3.6))
    for row in data["six settings"]:
        left.plot(*_in_seconds(row["given"]), label=row["setting"])
        middle.plot(*_in_seconds(row["total"]), label=row["setting"])
    left.set(xlabel="s", ylabel="results")
    middle.set(xlabel="s", ylabel="rows kept or waiting")
    rows = data["moves"]
    labels = [f"{row['rate']}/s\n{row['window'] // 1000} s" for row in rows]
    for shift, name in ((-0.2, "PTLB"), (0.2, "MSLB")):
        places = [number + shift for number in range(len(rows))]
        right.bar(places, [row[name] / row["No-Adapt"] for row in rows], 0.36, label=name)
    right.axhline(1, color="C7", lw=0.8)
    right.set(ylabel="results over those without a move", xlabel="rate and window")
    right.set_xticks(range(len(rows)), labels, fontsize=7)
    for axis in (left, middle, right):
        axis.grid(alpha=0.3)
        axis.legend(fontsize=8)
    return figure


PICTURES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "resources.png": resources,
    "optimisers.png": optimisers,
    "lengths.png": lengths,
    "output.png": output,
    "adaptation.png": adaptation,
    "balancing.png": balancing,
}


def draw_all(data: dict[str, Any], folder: Path) -> list[Path]:
    return [save(draw(data), folder / name) for name, draw in PICTURES.items()]
