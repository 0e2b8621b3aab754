"""The picture of an advice: latency against quality, and the delays behind it."""

from __future__ import annotations

from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from slackwater.replay.advise.advice import Advice, Line
from slackwater.units import DAY, HOUR, MILLISECOND, MINUTE, SECOND

OURS, PLAIN, OTHER, BAD = "#00796b", "#9e9e9e", "#e08e0b", "#b3261e"
_UNITS = ((DAY, "days"), (HOUR, "hours"), (MINUTE, "minutes"), (SECOND, "seconds"))


def draw(advice: Advice, path: Path) -> Path:
    """Draw an advice into a PNG, SVG or PDF file."""
    figure = Figure(figsize=(8, 6), layout="constrained")
    upper, lower = figure.subplots(2, 1, height_ratios=[3, 1])
    _curve(upper, advice)
    _delays(lower, advice)
    FigureCanvasAgg(figure)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
    return path


def _unit(micros: float) -> tuple[int, str]:
    fitting = ((size, name) for size, name in _UNITS if micros >= 3 * size)
    return next(fitting, (MILLISECOND, "milliseconds"))


def _plain(axes: Axes, title: str, x: str, y: str) -> None:
    axes.set_title(title, loc="left", fontsize=11)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)


def _curve(axes: Axes, advice: Advice) -> None:
    shown = [line for line in advice.curve if line.quality.latency is not None]
    size, name = _unit(max((line.quality.latency or 0 for line in shown), default=0))
    target = advice.target
    _plain(
        axes,
        f"{advice.measure.sql}: what waiting gives",
        f"mean latency of results, {name} of event time (logarithmic)",
        f"results within {100 * target.error:g} %, percent",
    )
    points = [_place(line, size) for line in shown] or [(1.0, 100.0)]
    axes.plot(*zip(*points, strict=True), ".-", color=PLAIN, label="fixed slack, from 0 up")
    axes.axhline(100 * target.confidence, color=BAD, lw=1, ls="--", label="target")
    for label, line, mark, colour in (
        ("No-K: no waiting", advice.none, "s", BAD),
        ("smallest fixed slack that meets the target", advice.chosen, "o", OTHER),
        ("Max-K: largest delay so far", advice.largest, "^", "black"),
        ("quality-driven slack", advice.driven, "*", OURS),
    ):
        _mark(axes, line, (mark, colour, size), label)
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 3.0)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.legend(frameon=False, fontsize=8, loc="lower right")


def _place(line: Line, size: int) -> tuple[float, float]:
    """A point of the curve; a logarithmic axis has no 0, a millisecond stands for it."""
    return max(line.quality.latency or 0, MILLISECOND) / size, 100 * line.quality.within


def _mark(axes: Axes, line: Line, look: tuple[str, str, int], label: str) -> None:
    mark, colour, size = look
    if line.quality.latency is None:
        return
    x, y = _place(line, size)
    text = f"{label} ({x:.3g}, {y:.1f} %)"
    area = 13 if mark == "*" else 8
    axes.plot([x], [y], mark, color=colour, markersize=area, label=text, linestyle="none", zorder=3)


def _delays(axes: Axes, advice: Advice) -> None:
    report = advice.disorder
    late = [(bucket, rows) for bucket, rows in report.histogram if bucket > 0]
    size, name = _unit(report.max_delay or 0)
    width = report.granularity / size
    share = 100 * (report.share_late or 0)
    title = f"delays of the {share:.1f} % of {report.rows:,} rows that came out of order"
    _plain(axes, title, f"delay, {name} of event time", "rows (logarithmic)")
    if late:
        axes.bar(
            [(bucket - 0.5) * width for bucket, _ in late],
            [rows for _, rows in late],
            width,
            color=OURS,
        )
        axes.set_yscale("log")
        axes.axvline(advice.setting / size, color=OTHER, lw=1.5)
