"""CorPhy: operators together whose loads change in opposite directions (robust 2.8, Alg. 5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from slackwater.robust.placement.correlation import deviation, joint_deviation, mean
from slackwater.robust.placement.placement import Demand, Placement, fits

Combine = Literal["mega", "pairsum"]


def cor_phy(demand: Demand, combine: Combine = "mega", *, is_aware: bool = False) -> Placement:
    """A placement in any case; what it supports is another question.

    ``combine`` says how an operator is compared with those of a node: with their sum, as the text
    of the source work has it, or with each of them (its example). ``is_aware``: first of all as few
    plans as possible shall overload the node, which the source work does not look at.
    """
    loads = [[row[operator] for row in demand.loads] for operator in range(demand.operators)]
    means = [mean(vector) for vector in loads]
    rest = sorted(range(len(loads)), key=lambda number: (-means[number], number))
    nodes: list[list[int]] = [[] for _ in demand.capacities]
    while rest:
        node = _least_loaded(demand.capacities, nodes, means)
        mine = [loads[operator] for operator in nodes[node]]
        chosen = rest[0]
        if mine:
            ranked = [
                (
                    _overflows(mine, loads[one], demand.capacities[node]) if is_aware else 0,
                    _spread(mine, loads[one], combine),
                    place,  # they are in the order of their means
                )
                for place, one in enumerate(rest)
            ]
            chosen = rest[min(ranked)[-1]]
        nodes[node].append(chosen)
        rest.remove(chosen)
    at = {operator: node for node, mine in enumerate(nodes) for operator in mine}
    return tuple(at[operator] for operator in range(demand.operators))


def _least_loaded(
    capacities: Sequence[float], nodes: Sequence[Sequence[int]], means: Sequence[float]
) -> int:
    """By mean load as a part of the capacity."""
    used = [sum(means[o] for o in mine) / c for mine, c in zip(nodes, capacities, strict=True)]
    return used.index(min(used))


def _spread(mine: Sequence[Sequence[float]], vector: Sequence[float], combine: Combine) -> float:
    """How much the load of a node changes with one operator more; rounded, for ties are ties."""
    if combine == "pairsum":
        return round(sum(joint_deviation(one, vector) for one in mine), 9)
    return round(deviation([sum(column) for column in zip(*mine, vector, strict=True)]), 9)


def _overflows(mine: Sequence[Sequence[float]], vector: Sequence[float], capacity: float) -> int:
    """Plans under which the node is overloaded with one operator more."""
    return sum(not fits(sum(column), capacity) for column in zip(*mine, vector, strict=True))
