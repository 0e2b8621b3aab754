"""Fewer plans for the same parts, each as good as before at the corners that were looked at."""

from __future__ import annotations

import random
import time

import pytest

from slackwater.robust.coverage import coverage, grid
from slackwater.robust.erp import erp
from slackwater.robust.merge import merged
from slackwater.robust.robustness import is_corner_robust, is_near_best
from tests.robust.instances import drawn, example

SEED = time.time_ns()


@pytest.mark.spec("robust:F052")
def test_fewer_plans_are_still_robust_in_their_parts() -> None:
    draw, saved = random.Random(SEED), 0
    for eps in (0.02, 0.1, 0.3):
        known = drawn(draw, 10, dimensions=3, level=5, units=40)
        found = erp(known, eps)
        fewer = merged(known, found)
        assert known.calls == fewer.calls
        assert [leaf.box for leaf in fewer.leaves] == [leaf.box for leaf in found.leaves]
        assert set(fewer.plans) <= set(found.plans)
        for before, after in zip(found.leaves, fewer.leaves, strict=True):
            plan = fewer.plans[after.plan]
            if plan != found.plans[before.plan]:
                assert is_corner_robust(known, plan, after.box, eps), SEED
                assert is_near_best(known, plan, after.box.lo, eps), SEED
                assert is_near_best(known, plan, after.box.center, eps), SEED
        saved += len(found.plans) - len(fewer.plans)
    assert saved > 0, SEED


def test_what_nobody_looked_at_keeps_its_plan() -> None:
    known = drawn(random.Random(7), 10, dimensions=3, level=5, units=100)
    found = erp(known, 0.0, budget=20)
    fewer = merged(known, found)
    for before, after in zip(found.leaves, fewer.leaves, strict=True):
        if before.is_fallback:
            assert fewer.plans[after.plan] == found.plans[before.plan]


def test_the_plans_of_the_known_space_are_enough() -> None:
    known = example(16)
    fewer = merged(known, erp(known, 0.1))
    assert len(fewer.plans) <= 4
    assert coverage(known.optimizer, fewer.plans, grid(known.space, 16), 0.1) > 0.95
