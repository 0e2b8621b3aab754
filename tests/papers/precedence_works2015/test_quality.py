"""What the searches give up against a search of all plans, in small situations."""

from __future__ import annotations

from dataclasses import replace

import pytest

from slackwater.papers.precedence_works2015.quality import ORACLE, keys, over_situations, small
from slackwater.precede.construction import PR, PR_PRUNE, Strategy, construct
from slackwater.precede.designated import designated, reduced
from slackwater.precede.shared import Shared
from tests.precede.stocks import DAY, PIPELINE, SHARED, situation

DEMAND = situation(DAY, 0.0).model().demand()


@pytest.mark.spec("precedence:PR-50", "precedence:PR-62")
def test_the_difference_to_the_best_plan_is_told() -> None:
    rows = {row["system"]: row for row in over_situations(is_quick=True)}
    assert rows["PR"]["as good"] >= 0.5
    assert all(row["critical rows expired over the oracle's"] >= 1.0 for row in rows.values())
    assert all(0.0 <= row["as good"] <= 1.0 for row in rows.values())


@pytest.mark.spec("precedence:PR-50")
@pytest.mark.parametrize("seed", range(10))
def test_no_search_finds_a_better_plan_than_all_plans(seed: int) -> None:
    found = keys(small(seed))
    assert found["oracle"] <= min(found["PR"], found["PR-Prune"])


@pytest.mark.spec("precedence:PR-54")
@pytest.mark.parametrize("share", [0.1, 0.3, 0.6])
def test_static_levels_are_placed_first_and_promises_follow_from_their_places(share: float) -> None:
    here = situation(DAY, share * DEMAND)
    plan = construct(here, PR).plan
    for rank in plan.active_ranks:
        found = designated(PIPELINE, plan, rank)
        assert {level.until for level, _ in plan.dynamic if level.rank == rank} <= found
        assert sum(level.rank == rank for level, _ in plan.static) == 1
    for seed in range(5):  # all levels of a rank in one loop, as the general form has it
        detailed, general = (construct(small(seed), one).plan for one in (PR, ORACLE))
        assert [level for level, _ in detailed.static] == [level for level, _ in general.static]


@pytest.mark.spec("precedence:PR-61")
def test_without_an_order_the_same_levels_are_looked_at() -> None:
    general: Strategy = replace(PR_PRUNE, ordered=False)
    rich = situation(DAY, 0.9 * DEMAND)
    plain, ordered = (construct(rich, one).plan for one in (general, PR_PRUNE))
    assert {level for level, _ in plain.dynamic} == {level for level, _ in ordered.dynamic}
    assert plain.dynamic != ordered.dynamic
    gains = [level.gain for level, _ in ordered.dynamic if level.rank == 1]
    assert gains == sorted(gains, reverse=True)
    assert reduced(SHARED, designated(PIPELINE, plain, 1)) == {2}
    assert Shared(PIPELINE).run("op1") == ("op1", "op2")
