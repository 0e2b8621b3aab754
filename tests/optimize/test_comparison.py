"""Searches compared over many joins: how often they find a plan, and how long that takes."""

from __future__ import annotations

import random
import time

import pytest

from slackwater.optimize.bjtree_init import bjtree_init
from slackwater.optimize.choose import choose
from slackwater.optimize.comparison import Setting, compare, limits_between, searched
from slackwater.optimize.cost import Cost
from slackwater.optimize.exhaustive import exhaustive
from slackwater.optimize.fronts import best_plans
from slackwater.optimize.mjoin_init import mjoin_init
from slackwater.optimize.plan import Plan, Space
from tests.optimize.graphs import drawn

SEED = time.time_ns()
HEURISTICS = {"mjoin": searched(mjoin_init), "bjtree": searched(bjtree_init)}


def settings(count: int, streams: int) -> list[Setting]:
    draw = random.Random(SEED)
    found = []
    for _ in range(count):
        known = drawn(draw, streams, draw.choice(("chain", "star", "tree", "cyclic")))
        found.append(Setting(known, limits_between(draw, Space(known))))
    return found


def chosen(space: Space, limits: Cost) -> Plan:
    """What the engine takes, from the whole space."""
    return choose(space, limits).plan


@pytest.mark.spec("adaptive:MET-13")
def test_the_qualified_share_is_that_of_settings_with_a_plan_within_their_limits() -> None:
    asked = settings(40, 4)
    searches = {**HEURISTICS, "all": exhaustive_without_filter, "engine": chosen}
    found = compare(searches, asked)
    there = [
        any(plan.cost.within(one.limits) for plan in best_plans(Space(one.known))) for one in asked
    ]
    assert 0 < sum(there) < 40, SEED
    for name in ("all", "engine"):
        assert found[name].qualified_share == sum(there) / 40, SEED
    for name in HEURISTICS:  # no plan where there is none; some are missed
        tally = found[name]
        assert all(
            is_there or plan is None for plan, is_there in zip(tally.plans, there, strict=True)
        )
        assert 0 < tally.qualified_share <= sum(there) / 40, SEED


def exhaustive_without_filter(space: Space, limits: Cost) -> Plan | None:
    return exhaustive(space, limits, early=False)


@pytest.mark.spec("adaptive:MET-13")
def test_a_plan_beyond_the_limits_is_none() -> None:
    asked = [Setting(one.known, Cost(0.0, 0.0)) for one in settings(3, 3)]
    found = compare({**HEURISTICS, "all": exhaustive}, asked)
    assert [tally.qualified_share for tally in found.values()] == [0, 0, 0]
    free = [Setting(one.known, Cost(1e300, 1e300)) for one in asked]
    assert compare(HEURISTICS, free)["mjoin"].qualified_share == 1


@pytest.mark.spec("adaptive:MET-14")
def test_the_average_time_is_that_of_the_searches_alone() -> None:
    now = [0.0]

    def slow(space: Space, limits: Cost) -> Plan | None:
        assert not space._orders  # nothing was worked out before: every search pays for itself
        now[0] += len(space.known.names)
        return None

    def slower(space: Space, limits: Cost) -> Plan | None:
        now[0] += 10
        return None

    asked = [*settings(2, 3), *settings(2, 5)]
    found = compare({"slow": slow, "slower": slower}, asked, clock=lambda: now[0])
    assert found["slow"].seconds == (3, 3, 5, 5)
    assert found["slow"].mean_seconds == 4
    assert found["slower"].mean_seconds == 10


@pytest.mark.spec("adaptive:MET-14")
def test_looking_at_all_plans_takes_longer_than_the_strategies_and_more_so_with_streams() -> None:
    """A few times at most where it is some hundred: clocks on a busy machine prove little."""
    ratios = []
    for streams in (3, 5):
        asked = [Setting(one.known, Cost(0.0, 1e300)) for one in settings(5, streams)]
        found = compare({**HEURISTICS, "all": exhaustive}, asked)
        slowest = max(found[name].mean_seconds for name in HEURISTICS)
        ratios.append(found["all"].mean_seconds / slowest)
    assert ratios[1] > 2 * ratios[0], SEED
    assert ratios[1] > 2, SEED
