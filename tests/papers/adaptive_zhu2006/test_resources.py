"""Plans under limits of work and memory: which are qualified, and what a run makes of it."""

from __future__ import annotations

from dataclasses import replace
from time import time_ns

import pytest

from slackwater.papers.adaptive_zhu2006.operators.engine import Engine
from slackwater.papers.adaptive_zhu2006.operators.oracle import expected
from slackwater.papers.adaptive_zhu2006.operators.plan import show
from slackwater.papers.adaptive_zhu2006.optimisers import setting, with_one_limit
from slackwater.papers.adaptive_zhu2006.resources import SETS, planned, plans_of, run_set
from slackwater.papers.adaptive_zhu2006.workload import Load, arrivals

SEED = time_ns() % 10**9


@pytest.mark.parametrize(
    ("number", "qualified", "not_qualified"),
    [
        (0, {"mjoin", "bjtree"}, set()),
        (1, {"bjtree"}, {"mjoin"}),
        (2, {"mjoin", "hybrid"}, {"bjtree"}),
        (3, {"hybrid"}, {"mjoin", "bjtree"}),
    ],
)
def test_the_sets_keep_the_regime_of_the_source_work(
    number: int, qualified: set[str], not_qualified: set[str]
) -> None:
    one = SETS[number]
    found = plans_of(one)
    assert {kind for kind, plan in found.items() if plan.cost.within(one.limits)} == qualified
    assert found.keys() - qualified == not_qualified


def test_plans_that_the_optimiser_finds_give_the_results_of_the_query() -> None:
    one = replace(SETS[3], load=Load.steady(300, (50,) * 4, (0.1, 0.4, 0.2)))
    stream = arrivals(one.load, 1_000, SEED)
    wanted = expected(one.load.query, stream)
    for found in plans_of(one).values():
        plan = planned(found.tree)
        assert show(plan).count("(") == str(found.tree).count("JoinNode")
        engine = Engine(one.load.query, plan)
        engine.run(stream)
        assert engine.records() == wanted, SEED


def test_a_run_ends_when_there_are_more_rows_than_allowed() -> None:
    load = Load.steady(500, (20,) * 4, (0.2, 0.05, 0.2))
    tight = replace(SETS[3], load=load, budget=1e6, most_rows=150, until=1_500)
    rows = {row["plan"]: row for row in run_set(tight, "tight")}
    assert rows["bjtree"]["exhausted"] is not None
    assert 150 < rows["bjtree"]["most_rows"] * 150 < 250
    assert rows["mjoin"]["exhausted"] is None
    assert rows["mjoin"]["most_rows"] <= 1
    assert rows["mjoin"]["results"] > rows["bjtree"]["results"]
    assert rows["mjoin"]["early_results"] == rows["bjtree"]["early_results"]


def test_joins_at_random_differ_by_seed_and_can_share_a_limit() -> None:
    some = [setting(4, seed) for seed in (SEED, SEED, SEED + 1)]
    assert some[0].limits == some[1].limits != some[2].limits
    assert some[0].known.arriving == some[1].known.arriving
    assert all(1 <= rate <= 100 for rate in some[0].known.arriving)
    shared = with_one_limit(some)
    assert len({one.limits for one in shared}) == 1
    assert shared[2].known is some[2].known
