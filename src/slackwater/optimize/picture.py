"""A picture of the plans of a join: work against rows held."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from pathlib import Path

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from slackwater.optimize.choose import Choice
from slackwater.optimize.cost import Cost
from slackwater.optimize.plan import Plan
from slackwater.plan.tree import show_tree

OURS, PLAIN, LIMIT = "#00796b", "#bdbdbd", "#b3261e"
NAMED = 8  # plans of the front that have room for their names


def draw(choice: Choice, others: Sequence[Plan], limits: Cost, path: Path) -> Path:
    """All plans that were looked at, those that none beats, the chosen one, and the limits."""
    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.add_subplot()
    axes.set_title("Plans of the join", loc="left", fontsize=11)
    axes.set_xlabel("rows held (logarithmic)")
    axes.set_ylabel("work in a second (logarithmic)")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    label = f"{len(others):,} plans"
    axes.scatter(*_places(others), s=12, color=PLAIN, label=label, zorder=1)
    axes.plot(*_places(choice.front), "o-", ms=5, lw=1, color=OURS, label="none is better in both")
    axes.plot(*_places([choice.plan]), "o", ms=12, mfc="none", mec=OURS, mew=2, label="chosen")
    for plan in choice.front if len(choice.front) <= NAMED else [choice.plan]:
        place = (plan.cost.memory, plan.cost.cpu)
        axes.annotate(show_tree(plan.tree), place, (6, 6), textcoords="offset points", fontsize=8)
    if isfinite(limits.memory):
        axes.axvline(limits.memory, color=LIMIT, lw=1, ls="--", label="limit")
    if isfinite(limits.cpu):
        axes.axhline(limits.cpu, color=LIMIT, lw=1, ls="--")
    axes.margins(0.12)
    axes.legend(frameon=False, fontsize=8)
    FigureCanvasAgg(figure)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
    return path


def _places(plans: Sequence[Plan]) -> tuple[list[float], list[float]]:
    return [plan.cost.memory for plan in plans], [plan.cost.cpu for plan in plans]
