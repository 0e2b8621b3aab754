"""Plans under limits of work and memory, ch. 8.1: one m-way join, binary joins, and hybrids.

The sets of table 8.1. Plans are those that the optimisers of the engine find; what each of them
needs by the model decides whether it is qualified, a run shows whether that was true.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from slackwater.optimize.bjtree_init import bjtree_init
from slackwater.optimize.cost import Cost, Units
from slackwater.optimize.known import Known, pairwise
from slackwater.optimize.mjoin_init import mjoin_init
from slackwater.optimize.plan import Plan as Found
from slackwater.optimize.plan import Space, answer
from slackwater.papers.adaptive_zhu2006.operators.engine import Engine
from slackwater.papers.adaptive_zhu2006.operators.join import JoinParams
from slackwater.papers.adaptive_zhu2006.operators.plan import Join, Plan, Source
from slackwater.papers.adaptive_zhu2006.operators.state import Purge
from slackwater.papers.adaptive_zhu2006.timed import TimedRun, check_undisturbed, run_timed
from slackwater.papers.adaptive_zhu2006.workload import Load, arrivals, value_at
from slackwater.papers.paper import Figures
from slackwater.plan.tree import Tree, nodes_of, show_tree

Row = dict[str, Any]
POINTS = 60  # of every curve that is kept


@dataclass(frozen=True, slots=True)
class Setting:
    """A set of table 8.1, its window scaled where results would be too many.

    ``budget`` is C_a, units a millisecond; ``most_rows`` is M_a.
    """

    name: str
    load: Load
    budget: float
    most_rows: float
    until: int  # milliseconds
    until_quick: int

    @property
    def known(self) -> Known:
        """What the optimiser is told."""
        rates = {name: 1000 / value_at(steps, 0) for name, steps in self.load.delays.items()}
        names = tuple(rates)
        edges = {
            (names[n], names[n + 1]): value_at(steps, 0)
            for n, steps in enumerate(self.load.selectivities)
        }
        return pairwise(rates, edges, self.load.window / 1000)

    @property
    def limits(self) -> Cost:
        return Cost(self.budget * 1000, self.most_rows)


AMPLE = float("inf")
KINDS = ("mjoin", "bjtree", "hybrid")
SETS: tuple[Setting, ...] = (
    Setting("1", Load.steady(5000, (50, 50, 50), (0.05, 0.5)), 200.0, AMPLE, 15_000, 7_000),
    Setting("2", Load.steady(5000, (50, 50, 20), (0.02, 0.5)), 100.0, AMPLE, 20_000, 8_000),
    Setting("3", Load.steady(5000, (100,) * 4, (0.1, 0.15, 0.1)), 250.0, 500, 30_000, 8_000),
    Setting("4", Load.steady(5000, (50,) * 4, (0.02, 0.2, 0.05)), 260.0, 1050, 25_000, 6_000),
)


def under_limits(is_quick: bool) -> list[Row]:
    """Results, queues and states over time, for every set and its plans (8.2 to 8.9).

    Dead rows go at once, as the model has it; those of the last set also stay for a window more,
    as the source work purges them.
    """
    settings = [replace(one, until=one.until_quick) if is_quick else one for one in SETS]
    rows = [row for one in settings for row in run_set(one, "tight")]
    return [*rows, *run_set(settings[3], "max", only=("bjtree", "hybrid"))]


def run_set(setting: Setting, purge: Purge, only: tuple[str, ...] = KINDS) -> list[Row]:
    """Plans of one set over the same tuples; raises unless each gives what binary joins do."""
    until, found = setting.until, plans_of(setting)
    plans = {kind: found[kind] for kind in only if kind in found}
    stream = arrivals(setting.load, until, 2)
    runs = {
        kind: run_timed(
            _engine(setting, plan, purge),
            stream,
            setting.budget,
            lambda _: None,
            until=until,
            most_rows=setting.most_rows,
        )
        for kind, plan in plans.items()
    }
    check_undisturbed(runs.values(), _engine(setting, plans["bjtree"], "max"), stream)
    first = min((run.exhausted or until for run in runs.values()), default=until)
    return [
        {"purge": purge, "early_results": run.results_until(first)}
        | _told(setting, kind, plans[kind], run)
        for kind, run in runs.items()
    ]


def plans_of(setting: Setting) -> dict[str, Found]:
    """Where both strategies begin, and where they end if that is neither."""
    space = Space(setting.known, Units(pairs="inspected"))
    found = {
        "mjoin": next(mjoin_init(space, setting.limits)),
        "bjtree": next(bjtree_init(space, setting.limits)),
    }
    for strategy in (mjoin_init, bjtree_init):
        last = answer(strategy, space, setting.limits)
        if 1 < len(nodes_of(last.tree)) < len(space.known.names) - 1:
            found["hybrid"] = last
    return found


def planned(tree: Tree) -> Plan:
    """A tree of the engine's as a plan of the source work's operators, with its orders."""
    if isinstance(tree, str):
        return Source(tree)
    orders = tuple(tree.order(number) for number in range(len(tree.children)))
    return Join(tuple(planned(child) for child in tree.children), orders)


def _engine(setting: Setting, found: Found, purge: Purge) -> Engine:
    joins = JoinParams("hash", purge, charged="nested")
    return Engine(setting.load.query, planned(found.tree), joins=joins)


def _told(setting: Setting, kind: str, found: Found, run: TimedRun) -> Row:
    kept = [rows - wait for (_, rows), (_, wait) in zip(run.memory, run.queue, strict=True)]
    late = kept[len(kept) // 2 :]
    total, curve = 0, []
    for when, count in run.given:
        total += count
        curve.append((when, total))
    return {
        "set": setting.name,
        "plan": kind,
        "tree": show_tree(found.tree),
        "window": setting.load.window,
        "model_units": found.cost.cpu / 1000,
        "model_rows": found.cost.memory,
        "is_qualified": found.cost.within(setting.limits),
        "results": run.results_until(setting.until),
        "units": run.units / run.end,
        "exhausted": run.exhausted,
        "late_rows": sum(late) / len(late),
        "most_rows": max(rows for _, rows in run.memory) / setting.most_rows,
        "longest_queue": max(wait for _, wait in run.queue),
        "curve": _thinned(curve),
        "waiting": _thinned(run.queue),
        "rows": _thinned(run.memory),
    }


def _thinned(points: list[tuple[float, int]]) -> list[tuple[float, int]]:
    return points[:: max(len(points) // POINTS, 1)]


def figures_of(rows: list[Row]) -> Figures:
    """What the four sets show (R1 to R4)."""
    tight = {(row["set"], row["plan"]): row for row in rows if row["purge"] == "tight"}
    [stale] = [r for r in rows if r["purge"] == "max" and r["plan"] == "hybrid"]
    found = {
        **_ample({plan: tight["1", plan] for plan in KINDS[:2]}),
        **_little_work({plan: tight["2", plan] for plan in KINDS[:2]}),
        **_little_memory({plan: tight["3", plan] for plan in KINDS}),
        **_little_of_both({plan: tight["4", plan] for plan in KINDS}),
    }
    if stale["exhausted"] is not None:
        found["R4/hybrid, purge by newest: limit reached (W)"] = _ended(stale)
    return found


def _ample(rows: dict[str, Row]) -> Figures:
    return {
        "R1/results, bjtree over mjoin": rows["bjtree"]["results"] / rows["mjoin"]["results"],
        "R1/rows kept, bjtree over mjoin": rows["bjtree"]["late_rows"] / rows["mjoin"]["late_rows"],
        "R1/longest queue of both (tuples)": max(row["longest_queue"] for row in rows.values()),
    }


def _little_work(rows: dict[str, Row]) -> Figures:
    start = rows["mjoin"]["window"]
    line = [point for point in rows["mjoin"]["waiting"] if point[0] >= start]
    return {
        "R2/results, bjtree over mjoin": rows["bjtree"]["results"] / rows["mjoin"]["results"],
        "R2/queue of mjoin against a straight line, R²": float(
            np.corrcoef(np.transpose(line))[0, 1] ** 2
        ),
        "R2/longest queue, mjoin (tuples)": rows["mjoin"]["longest_queue"],
        "R2/longest queue, bjtree (tuples)": rows["bjtree"]["longest_queue"],
    }


def _little_memory(rows: dict[str, Row]) -> Figures:
    mjoin, bjtree = rows["mjoin"], rows["bjtree"]
    limit = next(one.most_rows for one in SETS if one.name == "3")
    found = {
        "R3/bjtree: limit reached (W)": _ended(bjtree),
        "R3/mjoin: rows kept over the limit": mjoin["late_rows"] / limit,
        "R3/early results, bjtree over mjoin": bjtree["early_results"] / mjoin["early_results"],
    }
    if rows["hybrid"]["exhausted"] is not None:
        found["R3/hybrid: limit reached (W)"] = _ended(rows["hybrid"])
    return found


def _little_of_both(rows: dict[str, Row]) -> Figures:
    early = {plan: row["early_results"] for plan, row in rows.items()}
    return {
        "R4/bjtree: limit reached (W)": _ended(rows["bjtree"]),
        "R4/early results, bjtree over hybrid": early["bjtree"] / early["hybrid"],
        "R4/early results, hybrid over mjoin": early["hybrid"] / early["mjoin"],
        "R4/results, hybrid over mjoin": rows["hybrid"]["results"] / rows["mjoin"]["results"],
        "R4/hybrid: most rows over the limit": rows["hybrid"]["most_rows"],
    }


def _ended(row: Row) -> float:
    return float(row["exhausted"] / row["window"])
