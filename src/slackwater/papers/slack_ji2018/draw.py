"""The pictures: figures 4.9, 4.11, 4.12, 4.15 to 4.17 and 4.19 of the source work, redrawn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt

from slackwater.papers.picture import save
from slackwater.papers.slack_ji2018.measure import BOUNDS

STYLES = {
    "AM": ("C0", "-"),
    "PD": ("C1", "-"),
    "AM calibrated": ("C0", ":"),
    "AM fixed 10 s": ("C0", "--"),
    "PD re-tuned": ("C1", ":"),
}


def draw_all(data: dict[str, Any], folder: Path) -> list[Path]:
    pictures = {
        "no_slack_errors.png": errors,
        "adaptation_time.png": times,
        "parameters.png": parameters,
    }
    paths = []
    for name, draw in pictures.items():
        paths.append(save(draw(data), folder / name))
    for number, found in enumerate(data["sets"].values(), start=1):
        paths.append(save(epsilon(found), folder / f"epsilon_set_{number}.png"))
    return paths


def errors(data: dict[str, Any]) -> Any:
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), sharey=True)
    for axis, (name, found) in zip(axes, data["sets"].items(), strict=True):
        for row in found["baselines"]["none"]:
            axis.semilogx(100 * BOUNDS, row["cdf"], label=f"W = {row['window_s']:g} s")
        axis.set(title=f"{name}: no waiting", xlabel="relative error (%)")
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("share of results within")
    axes[1].legend(fontsize=8)
    return figure


def epsilon(found: dict[str, Any]) -> Any:
    windows = sorted({row["window_s"] for row in found["sweep"]})
    figure, axes = plt.subplots(
        2, len(windows), figsize=(3 * len(windows), 5.4), squeeze=False, sharex=True
    )
    for column, window_s in enumerate(windows):
        above, below = axes[0][column], axes[1][column]
        for variant, (colour, line) in STYLES.items():
            rows = [
                row
                for row in found["sweep"]
                if row["variant"] == variant and row["window_s"] == window_s
            ]
            bounds = [100 * row["epsilon"] for row in rows]
            above.plot(
                bounds, [row["latency_s"] for row in rows], line, color=colour, label=variant
            )
            below.plot(bounds, [row["fulfilment"] for row in rows], line, color=colour)
        _references(found, window_s, above, below)
        above.set(title=f"W = {window_s:g} s", xscale="log", yscale="log")
        below.set(xlabel="epsilon (%)", ylim=(0, 1.03))
    axes[0][0].set_ylabel("mean latency (s)")
    axes[1][0].set_ylabel("fulfilment")
    axes[0][0].legend(fontsize=7)
    return figure


def _references(found: dict[str, Any], window_s: float, above: Any, below: Any) -> None:
    waiting = next(row for row in found["baselines"]["max"] if row["window_s"] == window_s)
    none = next(row for row in found["baselines"]["none"] if row["window_s"] == window_s)
    above.axhline(waiting["latency_s"], color="grey", lw=1, label="Max-K")
    below.plot(100 * BOUNDS, none["cdf"], color="grey", lw=1)
    below.axhline(0.95, color="black", lw=0.6, ls=":")
    below.set_xlim(0.008, 12)


def parameters(data: dict[str, Any]) -> Any:
    figure, axes = plt.subplots(1, 4, figsize=(13, 3.2))
    plots = (
        ("granularity", "granularity_ms", "latency_s"),
        ("granularity", "granularity_ms", "fulfilment"),
        ("retrospect", "retrospect", "coverage_error"),
        ("retrospect", "retrospect", "fulfilment"),
    )
    for axis, (sweep, x, y) in zip(axes, plots, strict=True):
        for name, found in data["sets"].items():
            axis.plot([r[x] for r in found[sweep]], [r[y] for r in found[sweep]], "o-", label=name)
        axis.set(xlabel=x, ylabel=y, xscale="log" if x == "granularity_ms" else "linear")
        axis.grid(alpha=0.3)
    axes[0].legend(fontsize=8)
    return figure


def times(data: dict[str, Any]) -> Any:
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), sharey=True)
    for axis, (name, found) in zip(axes, data["sets"].items(), strict=True):
        for method, g in sorted({(r["method"], r["granularity_ms"]) for r in found["times"]}):
            rows = [r for r in found["times"] if (r["method"], r["granularity_ms"]) == (method, g)]
            label = method if method == "PD" else f"{method}, g = {g} ms"
            axis.loglog(
                [100 * r["epsilon"] for r in rows],
                [r["median_us"] for r in rows],
                "o-",
                label=label,
            )
        axis.set(title=name, xlabel="epsilon (%)")
        axis.axhline(1000, color="grey", lw=1)
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("time of a decision (µs)")
    axes[1].legend(fontsize=7)
    return figure
