"""When a search may stop, and what it may have missed then."""

from __future__ import annotations

import random
from math import sqrt

import pytest

from slackwater.robust.guarantee import Guarantee, upper_root


@pytest.mark.spec("robust:F062")
@pytest.mark.parametrize(
    ("alpha", "missing", "threshold"),
    [
        (0.05, 0.05, 109.4427),
        (0.01, 0.05, 220.0),
        (0.1, 0.05, 83.2456),
        (0.05, 0.1, 54.7214),
        (0.05, 0.01, 547.2136),
        (0.2, 0.1, 32.3607),
        (0.1, 0.1, 41.6228),
        (0.2, 0.05, 64.7214),
    ],
)
def test_so_many_probes_are_enough(alpha: float, missing: float, threshold: float) -> None:
    assert Guarantee(alpha, missing).threshold == pytest.approx(threshold, abs=1e-3)
    assert Guarantee(0.05, 0.05).probes == 110


@pytest.mark.spec("robust:F065")
def test_a_large_plan_is_hardly_missed() -> None:
    usual = Guarantee()
    expected = {1.0: 0.004202, 2.0: 1.766e-5, 0.5: 0.06482, 0.25: 0.2546, 0.1: 0.5786}
    for gamma, bound in expected.items():
        assert usual.miss_bound(gamma) == pytest.approx(bound, rel=1e-3)


def test_the_root_of_the_proof_lies_below_what_may_be_missing() -> None:
    for alpha in (0.01, 0.05, 0.2):
        for missing in (0.01, 0.05, 0.2):
            probes = Guarantee(alpha, missing).probes
            k = 1 / sqrt(alpha)
            assert upper_root(probes, alpha) < (1 + k) / probes <= missing


def simulated(draw: random.Random, areas: list[float], guarantee: Guarantee) -> set[int]:
    """Uniform probes of plans with some areas; those found when there are enough misses."""
    found: set[int] = set()
    missed = 0
    while missed < guarantee.probes:
        plan = draw.choices(range(len(areas)), areas)[0]
        missed = missed + 1 if plan in found else 0
        found.add(plan)
    return found


@pytest.mark.spec("robust:F065")
def test_plans_are_missed_no_more_often_than_the_bound_says() -> None:
    draw, usual, runs = random.Random(5), Guarantee(0.05, 0.05), 400
    for gamma in (0.1, 0.25, 0.5, 1.0):
        area = gamma * usual.missing
        others = [(1 - area) / 3] * 3
        missed = sum(0 not in simulated(draw, [area, *others], usual) for _ in range(runs))
        bound = usual.miss_bound(gamma)
        assert missed / runs <= bound + 3 * sqrt(bound * (1 - bound) / runs)
    assert missed < runs  # of the last, nearly none


@pytest.mark.spec("robust:F066")
def test_what_is_missing_together_is_little_nearly_always() -> None:
    draw, runs = random.Random(6), 200
    for alpha, missing in ((0.05, 0.05), (0.2, 0.1)):
        guarantee, failed = Guarantee(alpha, missing), 0
        for _ in range(runs):
            areas = [draw.random() ** 4 for _ in range(30)]
            found = simulated(draw, areas, guarantee)
            lost = sum(area for n, area in enumerate(areas) if n not in found)
            failed += lost > missing * sum(areas)
        assert failed / runs <= alpha
