"""How probable parts of a space are, and what plans are worth by that."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.robust.box import Box
from slackwater.robust.coverage import coverage, grid, sampled
from slackwater.robust.distribution import (
    Empirical,
    Normal,
    Tails,
    Uniform,
    normals,
    probability,
)
from slackwater.robust.erp import erp
from slackwater.robust.plan_set import Leaf, PlanSet
from slackwater.robust.space import ParameterSpace, parameter_space
from slackwater.robust.weight import by_weight, weights_of
from tests.robust.instances import drawn

# the example of the source work: [0.1, 0.9] in both dimensions, mean 0.5, deviation 0.2
SPACE: ParameterSpace = parameter_space(
    {"x": 0.5, "y": 0.5}, 0, bounds={"x": (0.1, 0.9), "y": (0.1, 0.9)}, units=4
)


def cell(x: int, y: int) -> Box:
    return Box((x, y), (x + 1, y + 1))


@pytest.mark.spec("robust:F080")
def test_the_cells_of_the_example() -> None:
    known = normals(SPACE)
    assert known == (Normal(0.5, pytest.approx(0.2)),) * 2
    inner = probability(SPACE, cell(1, 1), known, "raw")
    assert inner == pytest.approx(0.11652, abs=1e-5)
    assert known[0].below(0.5) - known[0].below(0.3) == pytest.approx(0.34134, abs=1e-5)
    assert known[0].below(0.3) - known[0].below(0.1) == pytest.approx(0.13591, abs=1e-5)
    assert probability(SPACE, cell(0, 0), known, "raw") == pytest.approx(0.01847, abs=1e-5)
    assert probability(SPACE, cell(0, 0), known, "fold") == pytest.approx(0.02517, abs=1e-5)


@pytest.mark.spec("robust:F082")
@pytest.mark.parametrize(
    ("tails", "weight"), [("raw", 0.26997), ("fold", 0.28338), ("truncate", 0.2963)]
)
def test_the_plan_of_the_example_owns_four_cells(tails: Tails, weight: float) -> None:
    mine = {cell(n, n) for n in range(4)}
    leaves = tuple(
        Leaf(cell(x, y), 0 if cell(x, y) in mine else 1) for x in range(4) for y in range(4)
    )
    found = PlanSet(SPACE, 0.1, ("mine", "other"), leaves, 0, 0, "exhausted")
    weights = weights_of(found, tails=tails)
    assert weights[0] == pytest.approx(weight, abs=1e-4)
    assert by_weight(weights) == [1, 0]
    assert by_weight((0.2, 0.5, 0.2, 0.1)) == [1, 0, 2, 3]
    assert found.size(0) == 0.25


@pytest.mark.spec("robust:F081")
@given(st.integers(0, 2**32), st.sampled_from(["fold", "truncate"]))
def test_weights_are_one_together(seed: int, tails: Tails) -> None:
    known = drawn(random.Random(seed), 6, level=4, units=10)
    found = erp(known, 0.05)
    assert sum(weights_of(found, tails=tails)) == pytest.approx(1.0)
    assert sum(weights_of(found, tails="raw")) == pytest.approx(0.9545**2, abs=1e-3)


@pytest.mark.spec("robust:F083")
def test_other_distributions_do_as_well() -> None:
    even = (Uniform(0.1, 0.9), Uniform(0.1, 0.9))
    assert probability(SPACE, cell(2, 3), even, "raw") == pytest.approx(1 / 16)
    seen = Empirical((0.2, 0.35, 0.4, 0.95))
    assert probability(SPACE, cell(0, 0), (seen, Uniform(0.1, 0.9)), "raw") == pytest.approx(1 / 16)
    assert probability(SPACE, cell(3, 0), (seen, Uniform(0.1, 0.9)), "fold") == pytest.approx(
        1 / 16
    )
    assert probability(SPACE, cell(1, 0), (seen, Uniform(0.1, 0.9)), "truncate") == pytest.approx(
        2 / 3 / 4
    )


@pytest.mark.spec("robust:F045")
def test_coverage_may_count_points_as_they_are_probable() -> None:
    known = drawn(random.Random(11), 10, level=5, units=50)
    plans, likely = [known.at((25, 25))], normals(known.space)
    plain = coverage(known.optimizer, plans, grid(known.space, 25), 0.01)
    weighted = coverage(known.optimizer, plans, grid(known.space, 25, likely), 0.01)
    by_chance = coverage(known.optimizer, plans, sampled(known.space, 3000, 2, likely), 0.01)
    assert weighted > plain  # the plan of the estimate is good near the estimate
    assert by_chance == pytest.approx(weighted, abs=0.06)
