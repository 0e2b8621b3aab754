"""Placements compared: time, coverage, and how near to the best they come (P1 to P5)."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from random import Random
from statistics import mean, median
from typing import Any

from slackwater.papers.robust_lei2014.workload import uncertain
from slackwater.robust.erp import erp
from slackwater.robust.placement.cor_phy import cor_phy
from slackwater.robust.placement.demand import demand_of
from slackwater.robust.placement.exhaustive import exhaustive, stirling
from slackwater.robust.placement.greedy_phy import greedy_phy
from slackwater.robust.placement.opt_prune import opt_prune
from slackwater.robust.placement.placement import Demand, Placement, coverage_ratio, score_joint

SLACKS = (1.05, 1.15, 1.3, 1.5)  # capacity over the mean load of all plans
SECONDS = 1.0  # for searches that take long
Row = dict[str, Any]
Placer = Callable[[Demand], Placement | None]


def instance(operators: int, nodes: int, slack: float, seed: int, *, is_real: bool) -> Demand:
    """Six plans with loads at random, or the set that ERP finds for a query of that size."""
    draw = Random(f"{operators} {nodes} {slack} {seed}")
    if is_real:
        return _of_query(operators, nodes, slack, seed)
    loads = tuple(tuple(draw.uniform(1, 10) for _ in range(operators)) for _ in range(6))
    weights = [draw.random() for _ in range(6)]
    each = mean(map(sum, loads)) / nodes * slack
    return Demand(loads, tuple(w / sum(weights) for w in weights), (each,) * nodes)


def _of_query(operators: int, nodes: int, slack: float, seed: int) -> Demand:
    """The plans of the specification's query, level 5, three dimensions."""
    known, found = _plans(operators, seed)
    plain = demand_of(found, known.optimizer, (1.0,))
    each = mean(map(sum, plain.loads)) / nodes * slack
    # no node is smaller than the operator that is largest in some plan
    largest = min(max(row) for row in plain.loads)
    return Demand(plain.loads, plain.weights, (max(each, largest),) * nodes)


@cache
def _plans(operators: int, seed: int) -> tuple[Any, Any]:
    name = {10: "Q10", 15: "Q15", 20: "Q20"}[operators]
    known = uncertain(name, seed, 3, 5)
    return known, erp(known, 0.05)


def qualities(is_quick: bool) -> list[Row]:
    """P2 to P5: sizes at which all placements can be looked at."""
    count = 5 if is_quick else 40
    sizes = ((6, 2), (7, 3)) if is_quick else ((6, 2), (6, 3), (8, 2), (8, 3), (8, 4))
    found = []
    for operators, nodes in sizes:
        for slack in SLACKS:
            for seed in range(count):
                demand = instance(operators, nodes, slack, seed, is_real=False)
                every = exhaustive(demand)
                greedy = greedy_phy(demand).placement
                cor, aware = cor_phy(demand), cor_phy(demand, is_aware=True)
                best = every.placement
                found.append(
                    {
                        "operators": operators,
                        "nodes": nodes,
                        "slack": slack,
                        "best": every.score,
                        "pruned": opt_prune(demand).score,
                        "greedy": coverage_ratio(demand, greedy, best),
                        "cor": coverage_ratio(demand, cor, best),
                        "aware": coverage_ratio(demand, aware, best),
                    }
                )
    return found


def queries(is_quick: bool) -> list[Row]:
    """P2 and P3 with the plans of queries of ten to twenty streams; the best is OptPrune's."""
    sizes = ((10, 3),) if is_quick else ((10, 3), (10, 5), (15, 4), (20, 4))
    found = []
    for operators, nodes in sizes:
        for slack in SLACKS:
            for seed in range(3 if is_quick else 5):
                demand = instance(operators, nodes, slack, seed, is_real=True)
                best = opt_prune(demand, seconds=SECONDS)
                greedy = greedy_phy(demand).placement
                found.append(
                    {
                        "operators": operators,
                        "nodes": nodes,
                        "slack": slack,
                        "plans": len(demand.loads),
                        "best": best.score,
                        "is_finished": best.is_finished,
                        "greedy": coverage_ratio(demand, greedy, best.placement),
                        "cor": coverage_ratio(demand, cor_phy(demand), best.placement),
                    }
                )
    return found


def times(is_quick: bool) -> list[Row]:
    """P1: processor time by size; an exhaustive search ends at sizes that take minutes."""
    placers: tuple[tuple[str, Placer], ...] = (
        ("greedy", lambda demand: greedy_phy(demand).placement),
        ("cor", cor_phy),
        ("opt_prune", lambda demand: opt_prune(demand, seconds=SECONDS).placement),
        ("exhaustive", lambda demand: exhaustive(demand, seconds=SECONDS).placement),
    )
    sizes = ((6, 3), (8, 3)) if is_quick else ((6, 3), (8, 3), (10, 3), (15, 4), (20, 4))
    found = []
    for operators, nodes in sizes:
        for seed in range(3 if is_quick else 6):
            demand = instance(operators, nodes, 1.3, seed, is_real=False)
            for name, placer in placers:
                if name == "exhaustive" and stirling(operators, nodes) > 20_000:
                    continue
                began = time.process_time()
                placement = placer(demand)
                row = {"operators": operators, "nodes": nodes, "placer": name, "seed": seed}
                row["seconds"] = time.process_time() - began
                row["score"] = 0.0 if placement is None else score_joint(demand, placement)
                found.append(row)
    return found


def figures_of(data: dict[str, Any]) -> dict[str, float]:
    """P1 (H6, H7), P2 (H11), P3 (H8), P4 (H9), P5 (H10, H19) as figures."""
    rows, real, clock = data["qualities"], data["queries"], data["times"]
    moderate = [row for row in rows if row["slack"] == 1.3]
    settings = {(row["operators"], row["nodes"], row["slack"]) for row in rows}
    by_setting = [
        mean(r["greedy"] for r in rows if (r["operators"], r["nodes"], r["slack"]) == one)
        for one in sorted(settings)
    ]
    gains = [row["best"] * (row["cor"] - row["greedy"]) for row in moderate]
    found = {
        "P2/most that OptPrune is below all placements": max(
            abs(row["pruned"] - row["best"]) for row in rows
        ),
        "P2/coverage of the best, least slack": mean(
            row["best"] for row in rows if row["slack"] == SLACKS[0]
        ),
        "P2/coverage of the best, most slack": mean(
            row["best"] for row in rows if row["slack"] == SLACKS[-1]
        ),
        "P2/queries: coverage of the best": mean(row["best"] for row in real),
        "P3/rt of GreedyPhy, least": min(by_setting),
        "P3/rt of GreedyPhy, most": max(by_setting),
        "P3/queries: rt of GreedyPhy": mean(row["greedy"] for row in real),
        "P4/points that CorPhy covers more, slack 1.3": 100 * mean(gains),
        "P4/points that CorPhy covers more, all": 100
        * mean(row["best"] * (row["cor"] - row["greedy"]) for row in rows),
        "P4/share of instances where CorPhy covers less": mean(
            row["cor"] < row["greedy"] - 1e-9 for row in rows
        ),
        "P4/queries: points that CorPhy covers more": 100
        * mean(row["best"] * (row["cor"] - row["greedy"]) for row in real),
        "P5/share of optima that CorPhy finds, slack 1.3": mean(
            row["cor"] > 1 - 1e-9 for row in moderate
        ),
        "P5/share of optima that CorPhy finds, all": mean(row["cor"] > 1 - 1e-9 for row in rows),
        "P5/share of optima, CorPhy that looks at capacities": mean(
            row["aware"] > 1 - 1e-9 for row in rows
        ),
    }
    return found | _clock_figures(clock)


def _clock_figures(rows: list[Row]) -> dict[str, float]:
    def each(name: str) -> dict[tuple[int, int, int], float]:
        mine = (row for row in rows if row["placer"] == name)
        return {(r["operators"], r["nodes"], r["seed"]): max(r["seconds"], 1e-6) for r in mine}

    greedy, cor, pruned, every = map(each, ("greedy", "cor", "opt_prune", "exhaustive"))
    return {
        "P1/time/CorPhy over GreedyPhy": median(cor[key] / greedy[key] for key in cor),
        "P1/time/OptPrune over CorPhy, median": median(pruned[k] / cor[k] for k in pruned),
        "P1/time/OptPrune over GreedyPhy, most": max(pruned[k] / greedy[k] for k in pruned),
        "P1/time/all placements over OptPrune": median(every[k] / pruned[k] for k in every),
    }
