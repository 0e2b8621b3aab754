"""The pictures: figures 4.2, 4.5, 4.6–4.11 and 6.3 of the source work, and why prods flow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt

from slackwater.papers.picture import save

FUNCTIONS = {"Avg": "C0", "Max": "C1", "Sum": "C2", "Count": "C3"}
# Numbers stated by the source work: percent of aggressiveness, accuracy.
QUOTED = {
    "uniform": {
        "Avg": [(10, 99.53), (50, 99.03)],
        "Max": [(10, 99.96), (50, 99.93)],
        "Sum": [(50, 79.5)],
        "Count": [(50, 79.87)],
    }
}


def draw_all(data: dict[str, Any], folder: Path) -> list[Path]:
    pictures = {
        "traffic.png": traffic,
        "bursts.png": bursts,
        "aggressiveness.png": aggressiveness,
        "worst.png": worst,
        "sidelining.png": sidelining,
        "alternatives.png": alternatives,
    }
    return [save(draw(data), folder / name) for name, draw in pictures.items()]


def traffic(data: dict[str, Any]) -> Any:
    figure, axis = plt.subplots(figsize=(7, 3.2))
    series = data["traffic"][0]["series"]
    minutes = [row[0] / 60 for row in series]
    axis.plot(minutes, [row[2] for row in series], label="final")
    axis.plot(minutes, [row[1] for row in series], "o", ms=2, label="early (prod 30 s before)")
    axis.set(xlabel="end of window (minutes)", ylabel="vehicles in ten minutes", ylim=(0, None))
    axis.grid(alpha=0.3)
    axis.legend(fontsize=8)
    return figure


def bursts(data: dict[str, Any]) -> Any:
    cost = min(row["cost_ms"] for row in data["bursts"])
    runs = [row for row in data["bursts"] if (row["repetitions"], row["cost_ms"]) == (1, cost)]
    figure, axes = plt.subplots(1, len(runs), figsize=(4.6 * len(runs), 3.4), squeeze=False)
    for axis, row in zip(axes[0], runs, strict=True):
        for kind, style in (("final", "C0-"), ("early", "C1.")):
            points = [one for one in row["series"] if one[1] == kind]
            axis.plot([one[0] for one in points], [one[2] for one in points], style, label=kind)
        title = f"arrivals {row['arrivals']}: gain {row['gain_s']:.2f} s"
        axis.set(title=title, xlabel="window", ylabel="produced after its end (s)")
        axis.grid(alpha=0.3)
        axis.legend(fontsize=8)
    return figure


def aggressiveness(data: dict[str, Any]) -> Any:
    names = list(dict.fromkeys(row["values"] for row in data["curves"]))
    figure, axes = plt.subplots(1, len(names), figsize=(3.4 * len(names), 3.6), squeeze=False)
    for axis, name in zip(axes[0], names, strict=True):
        rows = [row for row in data["curves"] if row["values"] == name]
        _curves(axis, rows, "accuracy")
        for function, points in QUOTED.get(name, {}).items():
            axis.plot(
                [p for p, _ in points],
                [a for _, a in points],
                "x",
                color=FUNCTIONS[function],
                ms=8,
            )
        axis.set(title=name, xlabel="aggressiveness (%)", ylim=(76, 100.5))
    axes[0][0].set_ylabel("mean accuracy (%)")
    axes[0][0].legend(fontsize=7, title="– offset 0, ·· offset 1 s, × paper", title_fontsize=6)
    return figure


def _curves(axis: Any, rows: list[dict[str, Any]], key: str) -> None:
    for offset, line in ((0, "-"), (1, ":")):
        for function, colour in FUNCTIONS.items():
            some = [r for r in rows if (r["offset"], r["function"]) == (offset, function)]
            axis.plot(
                [100 * r["p"] for r in some],
                [r[key] for r in some],
                line,
                color=colour,
                label=function if offset == 0 else None,
            )
    axis.grid(alpha=0.3)


def worst(data: dict[str, Any]) -> Any:
    figure, axes = plt.subplots(1, 2, figsize=(7.5, 3.6), sharey=True)
    sliding = [row for row in data["curves"] if row["values"] == "normal 400"]
    for axis, rows, name in (
        (axes[0], sliding, "sliding 30 s / 10 s"),
        (axes[1], data["tumbling"], "tumbling 30 s"),
    ):
        _curves(axis, rows, "worst_inner")
        axis.set(title=name, xlabel="aggressiveness (%)", ylim=(0, 101))
    axes[1].plot([10, 50], [87.13, 65.96], "x", color=FUNCTIONS["Avg"], ms=8)
    axes[0].set_ylabel("accuracy of the worst window (%)")
    axes[0].legend(fontsize=7, title="normal 400; × paper", title_fontsize=6)
    return figure


def sidelining(data: dict[str, Any]) -> Any:
    runs = data["sidelining"]
    figure, axes = plt.subplots(1, len(runs), figsize=(4.6 * len(runs), 3.6), squeeze=False)
    for axis, (arrivals, rows) in zip(axes[0], runs.items(), strict=True):
        for row in rows:
            series = row["series"]
            axis.plot([w for w, _ in series], [s for _, s in series], label=row["policy"], lw=1)
        axis.set(title=f"arrivals {arrivals}", xlabel="window", ylabel="final latency (s)")
        axis.grid(alpha=0.3)
    axes[0][0].legend(fontsize=6)
    return figure


def alternatives(data: dict[str, Any]) -> Any:
    figure, axis = plt.subplots(figsize=(7, 3.2))
    rows = data["comparators"]
    names = [
        row["strategy"] + (f"\n{row['delay_ms']} ms" if row["strategy"] == "staggered" else "")
        for row in rows
    ]
    axis.bar(names, [100 * row["rows_share"] for row in rows])
    axis.set_ylabel("rows in the estimate,\n% of those the engine holds")
    axis.tick_params(axis="x", labelsize=6)
    axis.grid(alpha=0.3, axis="y")
    return figure
