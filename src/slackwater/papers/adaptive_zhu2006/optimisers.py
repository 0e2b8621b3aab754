"""The optimisers against each other, ch. 8.2: how often they find a plan, how fast, and which one.

Joins at random: rates uniform over 1 to 100 tuples a second, predicates at random, selectivities
uniform. The source work gives neither the window nor the limits: here a second, and limits for each
join at random between what one m-way join and what binary joins need, or, as a machine has, one
for all joins of so many streams, the medians of those. The searches are those of the engine.
"""

from __future__ import annotations

from random import Random
from statistics import median
from string import ascii_uppercase
from typing import Any

import numpy as np

from slackwater.optimize.bjtree_init import bjtree_init
from slackwater.optimize.comparison import Search, Setting, Tally, compare, limits_between, searched
from slackwater.optimize.cost import Cost
from slackwater.optimize.exhaustive import exhaustive
from slackwater.optimize.known import pairwise
from slackwater.optimize.mjoin_init import mjoin_init
from slackwater.optimize.plan import Plan, Space
from slackwater.papers.adaptive_zhu2006.graphs import graph
from slackwater.papers.paper import Figures

Row = dict[str, Any]
WINDOW = 1.0  # seconds
# how many joins of so many streams; the exhaustive search ends where minutes are not enough
JOINS = {n: 100 if n <= 10 else 30 for n in (*range(3, 11), *range(12, 21, 2))}
JOINS_QUICK = {3: 40, 4: 40, 5: 20, 10: 10}
EXHAUSTIVE = {3: 100, 4: 100, 5: 100, 6: 30, 7: 5}
EXHAUSTIVE_QUICK = {3: 40, 4: 40, 5: 10}
CLOUDS = (3, 5, 10)
FEWEST = 20  # joins for a percentage to be compared
HEURISTICS: dict[str, Search] = {"mjoin": searched(mjoin_init), "bjtree": searched(bjtree_init)}


def _exhaustive(space: Space, limits: Cost) -> Plan | None:
    return exhaustive(space, limits)


def over_streams(is_quick: bool) -> list[Row]:
    """Share of joins with a qualified plan, and mean seconds, by streams (8.10 to 8.15)."""
    joins, all_of = (JOINS_QUICK, EXHAUSTIVE_QUICK) if is_quick else (JOINS, EXHAUSTIVE)
    rows = []
    for streams, count in joins.items():
        each = [setting(streams, seed) for seed in range(count)]
        for limits, settings in (("each", each), ("one", with_one_limit(each))):
            rows.append({"limits": limits, **_row(streams, settings, all_of.get(streams, 0))})
    return rows


def with_one_limit(settings: list[Setting]) -> list[Setting]:
    """The same joins, all with the medians of their limits."""
    cpu = median(one.limits.cpu for one in settings)
    memory = median(one.limits.memory for one in settings)
    return [Setting(one.known, Cost(cpu, memory)) for one in settings]


def setting(streams: int, seed: int) -> Setting:
    """One join at random, and its limits."""
    draw = Random(f"{streams} {seed}")
    names = ascii_uppercase[:streams]
    rates = {name: draw.uniform(1, 100) for name in names}
    pairs = graph("random", names, draw.randrange(10**9))
    known = pairwise(rates, {pair: draw.random() for pair in pairs}, WINDOW)
    return Setting(known, limits_between(draw, Space(known)))


def _row(streams: int, settings: list[Setting], exhaustively: int) -> Row:
    found = compare(HEURISTICS, settings)
    row: Row = {"streams": streams, "joins": len(settings), "exhaustively": exhaustively}
    for name, tally in found.items():
        row[name] = {"share": tally.qualified_share, "seconds": tally.mean_seconds}
        # the same joins that the exhaustive search had time for
        row[name]["share_there"] = _share(tally, exhaustively)
        if streams in CLOUDS:
            row[name]["cloud"] = [_needs(plan) for plan in tally.plans]
    if exhaustively:
        [tally] = compare({"all": _exhaustive}, settings[:exhaustively]).values()
        row["all"] = {"share": tally.qualified_share, "seconds": tally.mean_seconds}
    return row


def _share(tally: Tally, count: int) -> float | None:
    return sum(plan is not None for plan in tally.plans[:count]) / count if count else None


def _needs(plan: Plan | None) -> tuple[float, float] | None:
    return None if plan is None else (plan.cost.memory, plan.cost.cpu)


def figures_of(rows: list[Row]) -> Figures:
    """How the searches compare (R5, R6)."""
    by_limits = {
        name: [row for row in rows if row["limits"] == limits]
        for limits, name in (("one", "one limit"), ("each", "limits between plans"))
    }
    found: Figures = {}
    for name, some in by_limits.items():
        found |= {f"R5/{name}: {figure}": value for figure, value in _shares(some).items()}
    found |= {f"R5/{figure}": value for figure, value in _times(by_limits["one limit"]).items()}
    for row in (row for row in by_limits["one limit"] if row["streams"] in CLOUDS):
        clouds = zip(row["mjoin"]["cloud"], row["bjtree"]["cloud"], strict=True)
        both = [(one, other) for one, other in clouds if one and other]
        for number, resource in enumerate(("memory", "work")):
            ratio = median(one[number] / other[number] for one, other in both)
            found[f"R6/{row['streams']} streams: {resource}, mjoin-init over bjtree-init"] = ratio
    return found


def _shares(rows: list[Row]) -> Figures:
    """How far qualified percentages lie apart, where there are joins enough to tell."""
    return {
        "most points apart from all plans": 100
        * max(
            abs(row["all"]["share"] - row[one]["share_there"])
            for row in rows
            if row["exhaustively"] >= FEWEST
            for one in HEURISTICS
        ),
        "most points between both": 100
        * max(abs(row["mjoin"]["share"] - row["bjtree"]["share"]) for row in rows),
    }


def _times(rows: list[Row]) -> Figures:
    """How the time grows with the streams: by a factor for each, or like a power."""
    known = [row for row in rows if "all" in row]
    seconds = [row["all"]["seconds"] for row in known]
    ratios = [row["all"]["seconds"] / row["bjtree"]["seconds"] for row in known]
    found = {
        "time/all plans, growth per stream": _growth(seconds),
        "time/all plans over bjtree-init, growth per stream": _growth(ratios),
    }
    streams = np.log([row["streams"] for row in rows])
    for one in HEURISTICS:
        logs = np.log([row[one]["seconds"] for row in rows])
        found[f"{one}-init: degree of the time"] = float(np.polyfit(streams, logs, 1)[0])
    return found


def _growth(values: list[float]) -> float:
    return float((values[-1] / values[0]) ** (1 / (len(values) - 1)))
