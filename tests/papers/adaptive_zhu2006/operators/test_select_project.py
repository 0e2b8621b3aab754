"""Selects and projects move through joins while the plan runs, both ways and by both strategies."""

from __future__ import annotations

from random import Random

import pytest

from slackwater.papers.adaptive_zhu2006.operators.box import Box
from slackwater.papers.adaptive_zhu2006.operators.engine import Engine
from slackwater.papers.adaptive_zhu2006.operators.moving import move_state
from slackwater.papers.adaptive_zhu2006.operators.oracle import expected
from slackwater.papers.adaptive_zhu2006.operators.parallel import ParallelTrack
from slackwater.papers.adaptive_zhu2006.operators.plan import (
    Condition,
    Join,
    Plan,
    Project,
    Select,
    Source,
    tree,
)
from slackwater.papers.adaptive_zhu2006.operators.query import Column
from tests.papers.adaptive_zhu2006.operators.random_plans import chain, random_arrivals

ON_C = Condition(Column("C", "v"), "=", 1)
DROP = frozenset((Column("B", "v"),))
UP: Plan = Project(Select(tree("(A B) C"), ON_C), DROP)
DOWN: Plan = Join(
    (Source("A"), Join((Project(Source("B"), DROP), Select(Source("C"), ON_C)))),
)


@pytest.mark.spec("adaptive:MIG-14", "adaptive:MIG-16", "adaptive:MIG-17", "adaptive:SUB-13")
@pytest.mark.parametrize("addressing", ["position", "id"])
@pytest.mark.parametrize("strategy", ["moving", "parallel"])
@pytest.mark.parametrize("plans", [(UP, DOWN), (DOWN, UP)], ids=["down", "up"])
def test_select_and_project_are_pushed_down_and_pulled_up_in_the_run(
    plans: tuple[Plan, Plan], strategy: str, addressing: str
) -> None:
    query = chain(names="ABC")
    for seed in range(5):
        arrivals = random_arrivals(Random(seed), query, 80)
        engine = Engine(query, plans[0], addressing=addressing)
        engine.run(arrivals[:30])
        if strategy == "moving":
            move_state(engine, Box((plans[1],)))
            engine.run(arrivals[30:])
        else:
            track = ParallelTrack(engine, Box((plans[1],)))
            for one in arrivals[30:]:
                engine.push(one)
                track.poll()
            if not track.is_over:
                track.end()
        assert engine.records() == expected(query, arrivals, [ON_C], DROP)
