"""Searches of robust plans compared: calls of the optimizer and coverage (L1 to L3)."""

from __future__ import annotations

from collections.abc import Callable
from statistics import mean, stdev
from typing import Any

from slackwater.papers.robust_lei2014.workload import uncertain
from slackwater.robust.coverage import coverage, sampled
from slackwater.robust.erp import erp
from slackwater.robust.es import es_central
from slackwater.robust.optimizer import Counted
from slackwater.robust.pipeline import Order
from slackwater.robust.plan_set import PlanSet
from slackwater.robust.rs import rs

TOLERANCES, LEVELS = (0.1, 0.15, 0.2, 0.25, 0.3), (1, 2, 3, 4, 5)
SETTINGS = ((0.1, 2), (0.2, 3), (0.3, 5))  # ε and U of L3
BUDGETS = (4, 8, 16, 32, 64, 128)
Row = dict[str, Any]
Search = Callable[[Counted[Order], float], PlanSet[Order]]
SEARCHES: tuple[tuple[str, Search], ...] = (("erp", erp), ("rs", rs), ("es_central", es_central))


def calls(is_quick: bool) -> list[Row]:
    """L1, and L2 at the ends: Q10 in two dimensions, where a full search takes 100^2 calls."""
    instances = 3 if is_quick else 10
    tolerances = TOLERANCES[::2] if is_quick else TOLERANCES
    levels = LEVELS[1::2] if is_quick else LEVELS
    return [
        {"eps": eps, "level": level, "search": name}
        | _measured(("Q10", 2, level, eps), search, instances)
        for eps in tolerances
        for level in levels
        for name, search in SEARCHES
    ]


def budgets(is_quick: bool) -> list[Row]:
    """L2: coverage by calls, where many plans are needed (ε = 0.02, U = 5)."""
    instances = 3 if is_quick else 10
    found = []
    for budget in BUDGETS:
        for name, search in (
            ("erp", lambda known, eps: erp(known, eps, budget=budget)),  # noqa: B023
            ("rs", lambda known, eps: rs(known, eps, budget=budget)),  # noqa: B023
            ("es_central", lambda known, eps: es_central(known, eps, budget=budget)),  # noqa: B023
        ):
            measured = _measured(("Q10", 2, 5, 0.02), search, instances)
            found.append({"budget": budget, "search": name} | measured)
    return found


def dimensions(is_quick: bool) -> list[Row]:
    """L3: Q15, one to ten dimensions."""
    instances = 2 if is_quick else 5
    most = 4 if is_quick else 10
    found = []
    for eps, level in SETTINGS:
        for size in range(1, most + 1):
            for name, search in (SEARCHES[0], SEARCHES[2]):
                if name == "erp" or size <= 3:
                    row = _measured(("Q15", size, level, eps), search, instances, points=100)
                    found.append({"d": size, "eps": eps, "level": level, "search": name} | row)
    return found


def _measured(
    asked: tuple[str, int, int, float],
    search: Search,
    instances: int,
    *,
    points: int = 200,
) -> Row:
    """Means over instances; coverage is looked at points of their own, two thousand over all."""
    name, size, level, eps = asked
    counts, covered, plans = [], [], []
    for seed in range(instances):
        known = uncertain(name, seed, size, level)
        found = search(known, eps)
        probes = sampled(known.space, points, seed)
        counts.append(found.calls)
        plans.append(len(found.plans))
        covered.append(coverage(known.optimizer, found.plans, probes, eps))
    return {
        "calls": mean(counts),
        "deviation": stdev(counts),
        "coverage": mean(covered),
        "least": min(covered),
        "plans": mean(plans),
    }


def figures_of(data: dict[str, Any]) -> dict[str, float]:
    """L1, L2 and L3 (H18) as figures."""
    rows, by_budget, by_size = data["calls"], data["budgets"], data["dimensions"]

    def average(search: str, key: str, **fixed: float) -> float:
        mine = (row for row in rows if row["search"] == search)
        return float(mean(r[key] for r in mine if all(r[k] == v for k, v in fixed.items())))

    tolerances = sorted({row["eps"] for row in rows})
    levels = sorted({row["level"] for row in rows})
    found = {
        f"L1/calls, {search}": average(search, "calls") for search in ("erp", "rs", "es_central")
    }
    found["L1/calls of erp, largest ε over smallest"] = average(
        "erp", "calls", eps=tolerances[-1]
    ) / average("erp", "calls", eps=tolerances[0])
    found["L1/calls of erp, most uncertain over least"] = average(
        "erp", "calls", level=levels[-1]
    ) / average("erp", "calls", level=levels[0])
    found["L1/calls of erp over rs"] = found["L1/calls, erp"] / found["L1/calls, rs"]
    found["L1/calls of erp over a full search"] = found["L1/calls, erp"] / 100**2
    for search in ("erp", "rs", "es_central"):
        found[f"L2/coverage at the end, {search}"] = average(search, "coverage")
        found[f"L2/coverage by 16 calls, {search}"] = next(
            row["coverage"] for row in by_budget if row["search"] == search and row["budget"] == 16
        )
    found["L2/least coverage at the end, erp"] = min(
        row["least"] for row in rows if row["search"] == "erp"
    )
    for eps, level in SETTINGS:
        mine = [
            row
            for row in by_size
            if row["search"] == "erp" and (row["eps"], row["level"]) == (eps, level)
        ]
        last, half = mine[-1], mine[len(mine) // 2 - 1]
        key = f"ε = {eps}, U = {level}"
        found[f"L3/calls of erp at the most dimensions, {key}"] = last["calls"]
        found[f"L3/growth of calls from half the dimensions on, {key}"] = (
            last["calls"] / half["calls"]
        )
        found[f"L3/coverage at the most dimensions, {key}"] = last["coverage"]
    return found
