"""The experiments of Ji 2018, ch. 6: numbers, no pictures."""

from __future__ import annotations

import logging
from collections import Counter
from dataclasses import dataclass
from functools import partial
from statistics import median
from time import thread_time
from typing import Any

import duckdb
import numpy as np

from slackwater.hybrid.algebra import Step, steps
from slackwater.hybrid.cost import Cost
from slackwater.hybrid.join_order import logical_plan
from slackwater.hybrid.optimizer import MODERATE, optimize
from slackwater.hybrid.placement import Placement, Rules, place, priced
from slackwater.hybrid.units import UnitCosts, Units
from slackwater.papers.hybrid_ji2018.calibration import calibrated
from slackwater.papers.hybrid_ji2018.correlated import measured as correlated
from slackwater.papers.hybrid_ji2018.operators.change import Row
from slackwater.papers.hybrid_ji2018.operators.execution import Execution
from slackwater.papers.hybrid_ji2018.workload import (
    MEANINGS,
    QUERIES,
    Pressed,
    m_way,
    m_way_query,
    query,
)

LOG = logging.getLogger(__name__)
Found = dict[str, Any]
SHAPES = {"2-way": (2,), "5-way": (2, 3), "8-way": (2, 3, 1, 1, 1)}


@dataclass(frozen=True, slots=True)
class Scale:
    """How much to run: by what factor time is pressed, at which rates, how many moves are timed."""

    factor: float
    rates: tuple[float, ...]
    moves: int
    calibrated_at: tuple[float, ...]
    rows: int
    times: int
    queries: tuple[str, ...] = tuple(QUERIES)
    unpruned: tuple[str, ...] = ("2-way", "5-way")


FULL = Scale(20, (1e3, 5e3, 1e4, 2e4, 4e4), 5, (2e3, 2e4), 5_000_000, 3)
QUICK = Scale(100, (1e3, 2e4), 4, (1e3, 8e3), 300_000, 2, ("Q1", "Q4", "Q5"), ("2-way",))


def headline(scale: Scale) -> Found:
    """R18."""
    return correlated(scale.rows, scale.times)


def times(units: Units, scale: Scale) -> dict[str, Found]:
    """R19: how long both phases take, and how many plans they look at."""
    pressed = Pressed(1, 2000)
    found: dict[str, Found] = {}
    for name, shape in SHAPES.items():
        found[name] = _m_way(name, shape, units, scale)
    for name in scale.queries:
        plan = query(name, pressed)
        found[name] = {
            "operators": len(steps(plan)),
            "plans": place(plan, UnitCosts(units)).plans,
            "phase_2_ms": _ms(partial(_placed, plan, units, Rules()), scale.times),
        }
    return found


def _m_way(name: str, shape: tuple[int, ...], units: Units, scale: Scale) -> Found:
    pressed, m = Pressed(1, 2000), sum(shape)
    plan, repeat = m_way(shape, pressed), 1 if m > 5 else scale.times
    asked, cut = m_way_query(m, pressed), Rules(at_most=MODERATE)
    best = _placed(plan, units, Rules())
    found: Found = {
        "operators": len(steps(plan)),
        "phase_1_ms": _ms(lambda: logical_plan(asked, UnitCosts(units)), repeat),
        "phase_2_ms": _ms(partial(_placed, plan, units, Rules()), repeat),
        "plans": best.plans,
        "unpruned": 2 ** len(steps(plan)),
        "cut_ms": _ms(partial(_placed, plan, units, cut), repeat),
        "cut_over_best": _placed(plan, units, cut).cost.total / best.cost.total,
    }
    if name in scale.unpruned:
        every = _placed(plan, units, Rules(prunes=False))
        found |= {"unpruned": every.plans, "as_good": best.cost.rank == every.cost.rank}
    return found


def _placed(plan: Step, units: Units, rules: Rules) -> Placement:
    return place(plan, UnitCosts(units), rules)


def _ms(run: Any, repeat: int) -> float:
    took = []
    for _ in range(repeat):
        began = thread_time()
        run()
        took.append(1000 * (thread_time() - began))
    return median(took)


class Bench:
    """One query at one rate: plans, run and timed."""

    def __init__(
        self, name: str, pressed: Pressed, units: Units, engine: duckdb.DuckDBPyConnection
    ) -> None:
        self.root, self.pressed, self._engine = query(name, pressed), pressed, engine
        self._costs = UnitCosts(units)
        self.results: list[Counter[Row]] = []

    def chosen(self, *, minds_feasibility: bool) -> Placement:
        return optimize(self.root, self._costs, minds_feasibility=minds_feasibility).placement

    def run(self, column: frozenset[str], moves: int) -> Found:
        """What a placement takes, measured and expected; the throughput that it sustains."""
        run = Execution(self.root, column, MEANINGS, self._engine)
        given: Counter[Row] = Counter()
        for result in run.run(self.pressed.feed(), moves):
            given = result
        self.results.append(given)
        cost = run.cost(moves * self.pressed.slide)
        expected = priced(self.root, self._costs, column)
        return {
            "column": sorted(column),
            "bottleneck": cost.bottleneck,
            "total": cost.total,
            "expected_bottleneck": expected.bottleneck,
            "expected_total": expected.total,
            "throughput": sustained(self.pressed.rate, cost),
        }


def sustained(rate: float, cost: Cost) -> float:
    """Rows in a second that get through when so many are asked for."""
    return rate / max(1.0, cost.bottleneck)


def rates(units: Units, scale: Scale, engine: duckdb.DuckDBPyConnection) -> list[Found]:
    """R20, R21: for every query and rate either engine alone, the chosen plan, and the one that
    would be chosen without minding feasibility.
    """
    found = []
    for name in scale.queries:
        for rate in scale.rates:
            bench = Bench(name, Pressed(scale.factor, rate), units, engine)
            every = frozenset(step.name for step in steps(bench.root))
            chosen = bench.chosen(minds_feasibility=True).column
            free = bench.chosen(minds_feasibility=False).column
            ran: dict[frozenset[str], Found] = {}
            for column in (frozenset[str](), every, chosen, free):
                if column not in ran:
                    ran[column] = bench.run(column, scale.moves)
            found.append(
                {
                    "query": name,
                    "rate": rate,
                    "rows": ran[frozenset()],
                    "columns": ran[every],
                    "chosen": ran[chosen],
                    "free": ran[free],
                    "equal": all(agree(bench.results[0], other) for other in bench.results),
                }
            )
            LOG.info(f"  {name} at {rate:g} rows/s")
    return found


def predicted(units: Units, scale: Scale) -> list[Found]:
    """R21, and how far R20 would go: what the cost model says of rates beyond those run."""
    found = []
    for name in scale.queries:
        for rate in np.geomspace(1e3, 4e6, 49).tolist():
            root, costs = query(name, Pressed(scale.factor, rate)), UnitCosts(units)
            minded = optimize(root, costs)
            free = optimize(root, costs, minds_feasibility=False)
            found.append(
                {
                    "query": name,
                    "rate": rate,
                    "rows": minded.rows_only.bottleneck,
                    "columns": minded.columns_only.bottleneck,
                    "chosen": minded.placement.cost.bottleneck,
                    "chosen_total": minded.placement.cost.total,
                    "column": sorted(minded.placement.column),
                    "free": free.placement.cost.bottleneck,
                    "free_total": free.placement.cost.total,
                    "is_same": minded.placement.column == free.placement.column,
                }
            )
    return found


def agree(one: Counter[Row], other: Counter[Row]) -> bool:
    """The same rows, but for the last digits of means."""

    def rounded(rows: Counter[Row]) -> Counter[Row]:
        return Counter(tuple(round(v, 6) for v in row) for row in rows.elements())

    return rounded(one) == rounded(other)


def everything(scale: Scale) -> Found:
    with duckdb.connect() as engine:
        engine.execute("SET threads = 1")  # one core for each engine
        LOG.info("correlated aggregate")
        found: Found = {"headline": headline(scale)}
        LOG.info("unit costs")
        units, off = calibrated(engine, scale.factor, scale.calibrated_at, scale.moves)
        found["units"] = {what: units[what] for what in sorted(units.measured)}
        found["off"] = off
        LOG.info("optimisation times")
        found["times"] = times(units, scale)
        found["predicted"] = predicted(units, scale)
        LOG.info("queries")
        found["rates"] = rates(units, scale, engine)
    return found
