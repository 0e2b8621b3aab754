"""Pictures of benchmark results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

OURS, PLAIN, OTHER = "#00796b", "#9e9e9e", "#e08e0b"
_BLOCK = 10


def draw(report: dict[str, Any], folder: Path) -> list[Path]:
    """Draw every picture that a report has data for; give the files."""
    folder.mkdir(parents=True, exist_ok=True)
    if report["bench"] == "precedence":
        found = report.get("waits")
        return [_waits(found, folder / "bench-precedence.png")] if found else []
    if report["bench"] == "windows":
        return [_windows(report["cases"], folder / "bench-windows.png")]
    if report["bench"] == "adapt":
        return [_adapt(case, folder) for case in report["cases"]]
    return [
        picture(report[name], folder / f"bench-{name}.png")
        for name, picture in _PICTURES.items()
        if name in report
    ]


def _save(figure: Figure, path: Path) -> Path:
    FigureCanvasAgg(figure)
    figure.savefig(path, dpi=110)
    return path


def _axes(title: str, x: str, y: str, height: float = 3.6) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(7, height), layout="constrained")
    axes = figure.add_subplot()
    axes.set_title(title, loc="left", fontsize=11)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def _windows(cases: Sequence[dict[str, Any]], path: Path) -> Path:
    title = "Median micro-batch, same files, same results"
    figure, axes = _axes(title, "seconds (logarithmic)", "", 0.6 * len(cases) + 1.4)
    for number, case in enumerate(reversed(cases)):
        plain, mine = case["native_s"], case["slackwater_s"]
        axes.barh(number + 0.2, plain, 0.38, color=PLAIN, label="plain Spark" if not number else "")
        axes.barh(number - 0.2, mine, 0.38, color=OURS, label="Slackwater" if not number else "")
        axes.text(max(plain, mine) * 1.05, number, f"{case['ratio']:.1f}×", va="center", fontsize=9)
    axes.set_yticks(range(len(cases)), [_label(case) for case in reversed(cases)], fontsize=8)
    axes.set_xscale("log")
    axes.margins(x=0.15)
    axes.xaxis.set_major_formatter("{x:g}")
    axes.xaxis.set_minor_formatter(NullFormatter())
    figure.legend(frameon=False, loc="outside lower center", ncols=2, fontsize=8)
    return _save(figure, path)


def _adapt(case: dict[str, Any], folder: Path) -> Path:
    figure, axes = _axes(
        f"Every plan, and the one that follows: {case['case']}", "batch", "seconds"
    )
    for name, seconds in case["batches"].items():
        mine = name == "adaptive"
        style = {"color": OURS, "lw": 2, "zorder": 3} if mine else {"lw": 1, "alpha": 0.8}
        axes.plot(seconds[:-1], label=name, **style)
    trees = case["trees"]
    for batch in (n for n in range(1, len(trees)) if trees[n] != trees[n - 1]):
        axes.axvline(batch, color=OURS, lw=0.8, ls=":")
        axes.annotate(trees[batch] or "", (batch, axes.get_ylim()[1]), fontsize=7, va="top")
    axes.set_ylim(0, None)
    axes.legend(frameon=False, fontsize=8)
    return _save(
        figure, folder / f"bench-adapt-{case['case'].replace(' ', '-').replace(',', '')}.png"
    )


def _waits(found: dict[str, dict[str, Any]], path: Path) -> Path:
    title = "Four times the load: how long a level-1 result waits"
    figure, axes = _axes(title, "batch in which its last row came", "batches until it was given")
    colours = {"prune": OURS}
    for name, one in found.items():
        colour = colours.get(name, PLAIN)
        axes.plot(one["came"], one["median"], color=colour, lw=2, label=f"{name}: median")
        axes.plot(one["came"], one["slowest"], ".", color=colour, ms=3, label=f"{name}: slowest")
    axes.set_ylim(0, None)
    axes.legend(frameon=False, fontsize=8)
    return _save(figure, path)


def _label(case: dict[str, Any]) -> str:
    return f"{case['case']}, {case['rows_per_batch']:,} rows\n{case['keys']:,} keys, {case['tier']}"


def _overlap(points: Sequence[dict[str, Any]], path: Path) -> Path:
    figure, axes = _axes(
        "Cost of overlapping windows", "window size / slide", "µs per row (logarithmic)"
    )
    _lines(axes, points, "overlap", {"native_us": "plain Spark", "slackwater_us": "Slackwater"})
    axes.set_xscale("log")
    axes.set_yscale("log")
    return _save(figure, path)


def _keys(points: Sequence[dict[str, Any]], path: Path) -> Path:
    figure, axes = _axes("Cost of keys", "keys", "µs per row (logarithmic)")
    names = {
        "native_us": "plain Spark",
        "columnar_us": "Slackwater, columnar tier",
        "spark_us": "Slackwater, spark tier",
    }
    _lines(axes, points, "keys", names)
    axes.set_xscale("log")
    axes.set_yscale("log")
    return _save(figure, path)


def _lines(axes: Axes, points: Sequence[dict[str, Any]], x: str, names: dict[str, str]) -> None:
    colours = {"native_us": PLAIN, "spark_us": OTHER}
    for key, label in names.items():
        had = [point for point in points if key in point]
        values = [point[key] for point in had]
        axes.plot([p[x] for p in had], values, "o-", color=colours.get(key, OURS), label=label)
    axes.legend(frameon=False, fontsize=8)


def _history(found: dict[str, Any], path: Path) -> Path:
    seconds = found["seconds"]
    figure, axes = _axes("Cost of history", "micro-batches so far", "milliseconds per batch")
    axes.plot([s * 1000 for s in seconds], ".", color=PLAIN, markersize=3, label="batch")
    blocks = range(0, len(seconds) - _BLOCK + 1, _BLOCK)
    medians = [median(seconds[at : at + _BLOCK]) * 1000 for at in blocks]
    axes.plot([at + _BLOCK / 2 for at in blocks], medians, color=OURS, label=f"median of {_BLOCK}")
    axes.axvspan(0, found["warmup"], color=PLAIN, alpha=0.15, label="warm-up")
    axes.set_ylim(0, 3 * median(seconds) * 1000)
    axes.legend(frameon=False, fontsize=8)
    return _save(figure, path)


def _panes(points: Sequence[dict[str, Any]], path: Path) -> Path:
    figure, axes = _axes("State of open panes", "open panes (size + slack)", "state rows")
    panes = [point["open_panes"] for point in points]
    axes.plot(panes, [point["state_rows"] for point in points], "o-", color=OURS, label="rows")
    other = axes.twinx()
    stored = [point["state_bytes"] / 1e6 for point in points]
    other.plot(panes, stored, "s--", color=OTHER, label="MB on disk")
    other.set_ylabel("MB on disk")
    other.set_ylim(bottom=0)
    other.spines[["top"]].set_visible(False)
    axes.set_ylim(bottom=0)
    axes.legend(frameon=False, loc="upper left", fontsize=8)
    other.legend(frameon=False, loc="lower right", fontsize=8)
    return _save(figure, path)


_PICTURES: dict[str, Callable[[Any, Path], Path]] = {
    "overlap": _overlap,
    "keys": _keys,
    "history": _history,
    "panes": _panes,
}
