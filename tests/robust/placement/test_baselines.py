"""The placements that robust ones are compared with: ROD and DYN."""

from __future__ import annotations

import random
from itertools import product
from statistics import mean

import pytest

from slackwater.robust.placement.correlation import correlation
from slackwater.robust.placement.dyn import Move, dyn, first_placement, moved
from slackwater.robust.placement.rod import rod


def feasible(
    linear: list[list[float]],
    placement: tuple[int, ...],
    capacities: list[float],
    draw: random.Random,
) -> float:
    """The share of combinations of rates, up to what all nodes could bear, that no node rejects."""
    totals = [sum(column) for column in zip(*linear, strict=True)]
    inside = 0
    for _ in range(400):
        rates = [draw.random() * sum(capacities) / total for total in totals]
        loads = [0.0] * len(capacities)
        for operator, node in enumerate(placement):
            loads[node] += sum(a * x for a, x in zip(linear[operator], rates, strict=True))
        inside += all(load <= c for load, c in zip(loads, capacities, strict=True))
    return inside / 400


@pytest.mark.spec("robust:F180")
def test_heavy_operators_first_and_streams_spread_over_nodes() -> None:
    """Two streams with two operators each: every node gets one of each stream."""
    linear = [[4.0, 0.0], [4.0, 0.0], [0.0, 3.0], [0.0, 3.0]]
    found = rod(linear, [10.0, 10.0])
    assert found[0] != found[1]
    assert found[2] != found[3]
    # one operator is heavier than the others together: it has a node of its own, the farther plane
    assert rod([[9.0], [1.0], [1.0]], [5.0, 5.0]) == (0, 1, 1)
    # a node that is larger bears more
    assert rod([[3.0], [1.0]], [9.0, 3.0]) == (0, 1)


@pytest.mark.spec("robust:F180")
def test_more_rates_are_borne_than_by_chance() -> None:
    draw = random.Random(1)
    better = []
    for _ in range(15):
        linear = [[draw.random() * (draw.random() < 0.6) for _ in range(3)] for _ in range(8)]
        linear += [[0.3, 0.3, 0.3]]
        capacities = [1.0, 1.0, 1.0]
        mine = feasible(linear, rod(linear, capacities), capacities, random.Random(2))
        other = tuple(draw.randrange(3) for _ in range(9))
        better.append(mine - feasible(linear, other, capacities, random.Random(2)))
    assert mean(better) > 0.05


@pytest.mark.spec("robust:F181")
def test_the_busiest_node_gives_to_the_idlest() -> None:
    steady = [[0.4] * 4, [0.3] * 4, [0.2] * 4, [0.1] * 4]
    moves = dyn(steady, (0, 0, 0, 1), 2)
    assert moves
    assert {(move.source, move.target) for move in moves} == {(0, 1)}
    after = moved((0, 0, 0, 1), moves)
    loads = [sum(s[0] for s, at in zip(steady, after, strict=True) if at == n) for n in (0, 1)]
    assert abs(loads[0] - loads[1]) < 0.8
    assert dyn(steady, (0, 1, 1, 0), 2) == []


@pytest.mark.spec("robust:F181")
def test_what_rises_with_its_node_is_moved_first() -> None:
    """Of two that fit, the one that has its peaks where the rest of its node has them."""
    rising, falling = [0.1, 0.2, 0.3, 0.4], [0.4, 0.3, 0.2, 0.1]
    series = [[0.4, 0.8, 1.2, 1.6], rising, falling, [0.05, 0.04, 0.03, 0.02]]
    moves = dyn(series, (0, 0, 0, 1), 2)
    assert moves[0] == Move(1, 0, 1)
    assert correlation(series[0], rising) == pytest.approx(1.0)


@pytest.mark.spec("robust:F181")
def test_nothing_moves_where_loads_lie_near() -> None:
    near = [[0.3], [0.25]]
    assert dyn(near, (0, 1), 2, threshold=0.1) == []
    assert dyn(near, (0, 1), 2, threshold=0.01) == []  # nothing fits into half of the gap
    assert dyn([[0.3], [0.01]], (0, 0), 2, threshold=0.1) == [Move(1, 0, 1)]


@pytest.mark.spec("robust:F181")
def test_the_first_placement_puts_apart_what_rises_together() -> None:
    together, against = [1.0, 2.0, 3.0], [3.0, 2.0, 1.0]
    found = first_placement([together, together, against, against], 2)
    assert found[0] != found[1]
    assert found[2] != found[3]
    for placement in product(range(2), repeat=2):
        assert moved(placement, [Move(0, placement[0], 1)])[0] == 1
