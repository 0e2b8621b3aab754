"""Where operators run, and which plans fit there (spec robust 1.7 and 1.9, Definition 3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from slackwater.errors import SlackwaterError

Placement = tuple[int, ...]
"""The node of each operator: a physical plan."""
ROUNDING = 1e-9  # of a capacity, by which a sum may be above it


@dataclass(frozen=True, slots=True)
class Demand:
    """What is to be placed: ``loads[plan][operator]``, weights of plans, capacities of nodes.

    Loads and capacities are work in a unit of time.
    """

    loads: tuple[tuple[float, ...], ...]
    weights: tuple[float, ...]
    capacities: tuple[float, ...]

    def __post_init__(self) -> None:
        sizes = {len(row) for row in self.loads}
        found = []
        if not self.loads or len(sizes) != 1:
            found.append("every plan has a load for every operator, and there is one plan at least")
        if len(self.weights) != len(self.loads):
            found.append(f"{len(self.weights)} weights for {len(self.loads)} plans")
        if not self.capacities or min(self.capacities) <= 0:
            found.append("every node has a capacity above 0, and there is one node at least")
        if found:
            hint = "loads are numbers by plan and operator, one weight a plan, one capacity a node"
            raise SlackwaterError("DEMAND_INVALID", "; ".join(found), hint)

    @property
    def operators(self) -> int:
        return len(self.loads[0])

    @property
    def is_even(self) -> bool:
        """Whether all nodes are alike."""
        return len(set(self.capacities)) == 1

    def load(self, plan: int, operators: Iterable[int]) -> float:
        """What some operators need together under a plan."""
        return sum(self.loads[plan][operator] for operator in operators)


def fits(load: float, capacity: float) -> bool:
    return load <= capacity * (1 + ROUNDING)


def operators_on(placement: Placement, node: int) -> list[int]:
    return [operator for operator, at in enumerate(placement) if at == node]


def carries(demand: Demand, node: int, operators: Sequence[int], plan: int) -> bool:
    """Whether a node with some operators (a configuration) supports a plan."""
    return fits(demand.load(plan, operators), demand.capacities[node])


def supports(demand: Demand, placement: Placement, plan: int) -> bool:
    """Definition 3 for one plan: no node is overloaded. Every operator has one node by its type."""
    nodes = range(len(demand.capacities))
    return all(carries(demand, node, operators_on(placement, node), plan) for node in nodes)


def supported(demand: Demand, placement: Placement) -> tuple[int, ...]:
    """The plans that a placement supports."""
    return tuple(p for p in range(len(demand.loads)) if supports(demand, placement, p))


def overloads(demand: Demand, placement: Placement, plan: int) -> list[tuple[int, float, float]]:
    """What stands in the way: each overloaded node, its load under a plan, and its capacity."""
    found = []
    for node, capacity in enumerate(demand.capacities):
        load = demand.load(plan, operators_on(placement, node))
        if not fits(load, capacity):
            found.append((node, load, capacity))
    return found


def configuration_score(demand: Demand, node: int, operators: Sequence[int]) -> float:
    """The weight of the plans that one node with its operators supports."""
    able = (p for p in range(len(demand.loads)) if carries(demand, node, operators, p))
    return sum(demand.weights[plan] for plan in able)


def score_min(demand: Demand, placement: Placement) -> float:
    """The least score of its configurations, as the source work has it: an upper bound only, since
    one node may fail for one plan and another for another.
    """
    nodes = range(len(demand.capacities))
    return min(configuration_score(demand, n, operators_on(placement, n)) for n in nodes)


def score_joint(demand: Demand, placement: Placement) -> float:
    """The weight of the plans that all nodes support: the space coverage that is reported."""
    return sum(demand.weights[plan] for plan in supported(demand, placement))


def coverage_ratio(demand: Demand, placement: Placement | None, best: Placement) -> float:
    """rt: what a placement covers as a part of what the best one does."""
    reached = 0.0 if placement is None else score_joint(demand, placement)
    most = score_joint(demand, best)
    return reached / most if most else 1.0
