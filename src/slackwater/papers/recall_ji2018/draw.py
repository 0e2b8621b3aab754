"""The pictures: figures 4.10, 4.13, 4.14, 4.18 and 4.20 of the source work, redrawn."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt

from slackwater.papers.picture import save

STYLES = {
    "AM": ("C0", "-"),
    "AM EqSel": ("C2", "-"),
    "PD": ("C1", "-"),
    "AM, calibration off": ("C0", ":"),
    "AM EqSel, calibration off": ("C2", ":"),
    "AM, damped": ("C0", "--"),
}
ROWS = (("latency_s", "mean latency (s)"), ("fulfilment", "Φ(Γ)"), ("fulfilment_99", "Φ(.99Γ)"))


def draw_all(data: dict[str, Any], folder: Path) -> list[Path]:
    pictures = {
        "recall_over_time.png": over_time,
        "gamma.png": gamma,
        "period.png": period,
        "interval.png": interval,
        "adaptation_time.png": times,
    }
    return [save(draw(data), folder / name) for name, draw in pictures.items()]


def over_time(data: dict[str, Any]) -> Any:
    figure, axis = plt.subplots(figsize=(7, 3.2))
    for name, found in data["sets"].items():
        series = found["baselines"]["none"]["series"]
        minutes = [1 + n / 6 for n in range(len(series))]
        axis.plot(minutes, series, label=name)
    axis.set(xlabel="minutes", ylabel="recall of the last minute", ylim=(0, 1.02))
    axis.set_title("no waiting")
    axis.grid(alpha=0.3)
    axis.legend(fontsize=8)
    return figure


def gamma(data: dict[str, Any]) -> Any:
    sets = data["sets"]
    figure, axes = plt.subplots(3, len(sets), figsize=(3.4 * len(sets), 7.6), squeeze=False)
    for column, (name, found) in enumerate(sets.items()):
        for row, (key, label) in enumerate(ROWS):
            axis = axes[row][column]
            for variant, (colour, line) in STYLES.items():
                points = [r for r in found["sweep"] if r["variant"] == variant]
                axis.plot(
                    [_strictness(r["recall"]) for r in points],
                    [r[key] for r in points],
                    "o" + line,
                    color=colour,
                    label=variant,
                    ms=3,
                )
            _ticks(axis, found)
            if column == 0:
                axis.set_ylabel(label)
        axes[0][column].axhline(found["max"]["latency_s"], color="grey", lw=1, label="Max-K")
        axes[0][column].set(title=name, yscale="log")
        for row in (1, 2):
            axes[row][column].set_ylim(0, 1.04)
        axes[2][column].set_xlabel("Γ")
    axes[0][0].legend(fontsize=6)
    return figure


def _strictness(recall: float) -> float:
    """Evenly spaced .9, .99, .999."""
    return -math.log10(1 - recall)


def _ticks(axis: Any, found: dict[str, Any]) -> None:
    recalls = sorted({row["recall"] for row in found["sweep"]})
    axis.set_xticks([_strictness(recall) for recall in recalls], [f"{r:g}" for r in recalls])
    axis.grid(alpha=0.3)


def period(data: dict[str, Any]) -> Any:
    return _parameter(data, "period", "period_s", "P_meas (s)")


def interval(data: dict[str, Any]) -> Any:
    return _parameter(data, "interval", "interval_s", "L (s)")


def _parameter(data: dict[str, Any], sweep: str, key: str, label: str) -> Any:
    figure, axes = plt.subplots(1, 3, figsize=(11, 3.2))
    for axis, (y, name) in zip(axes, ROWS, strict=True):
        for number, (one, found) in enumerate(data["sets"].items()):
            for recall, line in ((0.95, "-"), (0.99, ":")):
                points = [r for r in found.get(sweep, []) if r["recall"] == recall]
                if points:
                    axis.plot(
                        [r[key] for r in points],
                        [r[y] for r in points],
                        "o" + line,
                        color=f"C{number}",
                        label=f"{one}, Γ = {recall:g}",
                        ms=3,
                    )
        axis.set(xlabel=label, ylabel=name, xscale="log")
        axis.grid(alpha=0.3)
    axes[0].legend(fontsize=7)
    return figure


def times(data: dict[str, Any]) -> Any:
    sets = data["sets"]
    size = (3.6 * len(sets), 3.3)
    figure, (axes,) = plt.subplots(1, len(sets), figsize=size, sharey=True, squeeze=False)
    for axis, (name, found) in zip(axes, sets.items(), strict=True):
        for method, g in sorted({(r["method"], r["granularity_ms"]) for r in found["times"]}):
            rows = [r for r in found["times"] if (r["method"], r["granularity_ms"]) == (method, g)]
            label = method if method == "PD" else f"{method}, g = {g} ms"
            strict = [_strictness(r["recall"]) for r in rows]
            axis.semilogy(strict, [r["median_us"] for r in rows], "o-", label=label, ms=3)
        axis.axhline(5000, color="grey", lw=1)
        axis.set(title=name, xlabel="Γ")
        _ticks(axis, found)
    axes[0].set_ylabel("time of a decision (µs)")
    axes[-1].legend(fontsize=6)
    return figure
