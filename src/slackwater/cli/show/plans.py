"""Plans of a join as people read them: a table of the best ones, and a verdict."""

from __future__ import annotations

from math import isfinite

from rich.box import HEAVY_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from slackwater.optimize.choose import Choice, excess
from slackwater.optimize.cost import Cost
from slackwater.plan.tree import show_tree


def tell(query: str, choice: Choice, count: int, limits: Cost, console: Console) -> None:
    """Those that no other one beats in both resources, and which is chosen and why."""
    among = f"all {count:,} plans" if choice.is_exact else "the plans on the ways of two searches"
    console.print(Text(f"query {query}: the best of {among}"), soft_wrap=True)
    table = Table(box=HEAVY_HEAD)
    for title in ("plan", "work in a second", "rows held", ""):
        table.add_column(title, justify="left" if title in ("plan", "") else "right")
    for plan in choice.front:
        mark = "chosen" if plan is choice.plan else ""
        mark += "" if plan.cost.within(limits) else " beyond the limits" if mark else "beyond"
        figures = (f"{plan.cost.cpu:,.0f}", f"{plan.cost.memory:,.0f}")
        table.add_row(show_tree(plan.tree), *figures, mark)
    console.print(table)
    console.print(Text(_verdict(choice, limits)), soft_wrap=True)


def _verdict(choice: Choice, limits: Cost) -> str:
    tree, cost = show_tree(choice.plan.tree), choice.plan.cost
    if not choice.is_within:
        return (
            f"no plan is within the limits: {tree} comes nearest, at {excess(cost, limits):.2f} "
            f"times of what is allowed; it needs {cost.cpu:,.0f} of work in a second and "
            f"{cost.memory:,.0f} rows"
        )
    if not isfinite(limits.cpu) and not isfinite(limits.memory):
        return f"chosen: {tree}, the least work; no limits were given"
    return f"chosen: {tree}, the least work within the limits; {choice.scarce} is scarcer"
