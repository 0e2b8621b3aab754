"""How near both searches come to the best plan, where all plans can be looked at (PR-50, PR-62)."""

from __future__ import annotations

import random
from dataclasses import replace
from statistics import fmean

from slackwater.papers.precedence_works2015.measuring import Row
from slackwater.papers.precedence_works2015.workload import STOCK_MARKET
from slackwater.precede.comparison import Key
from slackwater.precede.construction import PR, PR_PRUNE, Situation, construct
from slackwater.precede.flows import RowClass
from slackwater.precede.frequency import Frequencies
from slackwater.precede.level import NO_RANK
from slackwater.precede.placement import Examination, joint

ORACLE = replace(PR, name="oracle", search=joint)
STREAMS, VALUES = "SNB", "cd"


def small(seed: int) -> Situation:
    """One rank and two sectors, at random; everything counted, nothing yet lost."""
    draw = random.Random(seed)
    kinds = [
        RowClass(stream, rank, ((f"{stream}.icb", value),), draw.uniform(0.5, 9.0))
        for stream in STREAMS
        for value in VALUES
        for rank in ((1, NO_RANK) if stream == "S" else (NO_RANK,))
        if draw.random() < 0.9
    ]
    query = STOCK_MARKET.query
    significant = {
        (join, "S", 1, _value(one)): one.rate
        for join in ("op1", "op2")
        for one in kinds
        if one.rank == 1
    }
    arrived = {
        (join, one.stream, _value(one)): one.rate
        for join, streams in (("op1", "N"), ("op2", "NB"))
        for one in kinds
        if one.stream in streams
    }
    counted = Frequencies(significant, arrived)
    classes = tuple(kinds)
    here = Situation(query.pipeline, query.levels[:1], query.window, classes, counted, 0.0)
    return replace(here, capacity=draw.uniform(0.05, 0.9) * here.model().demand())


def _value(one: RowClass) -> object:
    return one.values[0][1]


def keys(here: Situation) -> dict[str, Key]:
    """How good the plans of the oracle, of PR and of PR-Prune are; the smaller the better."""
    look = Examination(here.model())
    return {one.name: look.key(construct(here, one).plan) for one in (ORACLE, PR, PR_PRUNE)}


def over_situations(is_quick: bool) -> list[Row]:
    """How often each finds a plan as good as the best, and how much more expires otherwise."""
    found = [keys(small(seed)) for seed in range(20 if is_quick else 200)]
    rows: list[Row] = []
    for name in ("PR", "PR-Prune"):
        same = [_without_overhead(one[name]) == _without_overhead(one["oracle"]) for one in found]
        lost = [one[name][1] / one["oracle"][1] for one in found if one["oracle"][1]]
        row: Row = {"system": name, "situations": len(found), "as good": fmean(same)}
        row["critical rows expired over the oracle's"] = fmean(lost)
        rows.append(row)
    return rows


def _without_overhead(key: Key) -> Key:
    return key[:-1]
