"""Which machine gets which operator of a plan, from annotated costs.

Reference: Zhu 2006, ch. 26. First a plan is sought as if there were one machine with everything;
then it is laid out. With *few machines* everything is on one, and parts leave it while it has too
much; with an *even split* as many machines as there are, or so few that each has a load above a
factor, get as even parts as can be. An operator that can be partitioned lies on several machines.
What cannot be laid out is told, so that the plan can be searched again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Literal

Method = Literal["hash", "mixed", "nested"]
Predicate = Literal["one column", "several columns", "complex"]

METHODS: Mapping[Predicate, Method] = {
    "one column": "hash",  # one key for each state
    "several columns": "mixed",  # a hash for states that are met by one column, else in order
    "complex": "nested",
}


@dataclass(frozen=True, slots=True)
class Profile:
    """What an operator needs: units of the processor and rows; how it joins."""

    name: str
    cpu: float
    memory: float
    method: Method = "hash"

    @property
    def is_partitioned(self) -> bool:
        """Whether copies on several machines can share its work: only by hash of one key."""
        return self.method == "hash"


@dataclass(frozen=True, slots=True)
class Edge:
    """Rows go from one operator to another; across machines each end pays so many units."""

    lower: str
    upper: str
    network: float


@dataclass(frozen=True, slots=True)
class AnnotatedPlan:
    """Operators, lower ones first, and what lies between them."""

    operators: tuple[Profile, ...]
    edges: tuple[Edge, ...]

    def profile(self, name: str) -> Profile:
        return next(one for one in self.operators if one.name == name)


@dataclass(frozen=True, slots=True)
class Capacity:
    """What one machine has; all have the same."""

    cpu: float
    memory: float
    machines: int


@dataclass(frozen=True, slots=True)
class Allocation:
    """The machines of each operator; several if it is partitioned."""

    homes: Mapping[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Feedback:
    """Why a plan cannot be laid out; ``operator`` is the part that is too large, if it is one."""

    reason: Literal["operator too large", "cluster too small"]
    operator: str = ""


Answer = Allocation | Feedback


def loads(plan: AnnotatedPlan, allocation: Allocation) -> dict[int, tuple[float, float]]:
    """Units and rows of each machine. Operators that are apart pay for sending and receiving."""
    found: dict[int, list[float]] = {}
    for one in plan.operators:
        mine = allocation.homes[one.name]
        for machine in mine:
            cpu, memory = one.cpu / len(mine), one.memory / len(mine)
            known = found.setdefault(machine, [0.0, 0.0])
            known[0] += cpu
            known[1] += memory
    for edge in plan.edges:
        lower, upper = allocation.homes[edge.lower], allocation.homes[edge.upper]
        if lower != upper:
            for mine in (lower, upper):
                for machine in mine:
                    found[machine][0] += edge.network / len(mine)
    return {machine: (cpu, memory) for machine, (cpu, memory) in sorted(found.items())}


def is_valid(plan: AnnotatedPlan, allocation: Allocation, capacity: Capacity) -> bool:
    return all(
        cpu <= capacity.cpu and memory <= capacity.memory
        for cpu, memory in loads(plan, allocation).values()
    )


def few_machines(plan: AnnotatedPlan, capacity: Capacity) -> Answer:
    """Everything on one machine; while it has too much, operators leave it for another, or are
    divided. Little goes over the network, and the first machine stays the one with most.
    """
    if (refused := _refused(plan, capacity)) is not None:
        return refused
    homes: dict[str, tuple[int, ...]] = {one.name: (0,) for one in plan.operators}
    for machine in range(1, capacity.machines):
        while not is_valid(plan, Allocation(homes), capacity):
            better = _relieved(plan, homes, machine, capacity)
            if better is None:
                break
            homes = better
    found = Allocation(homes)
    return found if is_valid(plan, found, capacity) else even_split(plan, capacity)


def even_split(plan: AnnotatedPlan, capacity: Capacity, load_factor: float = 0.0) -> Answer:
    """Parts as even as can be, over so few machines that each is loaded above a factor."""
    if (refused := _refused(plan, capacity)) is not None:
        return refused
    total = sum(one.cpu / capacity.cpu for one in plan.operators)
    total = max(total, sum(one.memory / capacity.memory for one in plan.operators))
    wanted = max(1, int(total / load_factor)) if load_factor else capacity.machines
    for machines in range(min(wanted, capacity.machines), capacity.machines + 1):
        found = Allocation(_even(plan, capacity, machines))
        if is_valid(plan, found, capacity):
            return found
    everywhere = Allocation(_everywhere(plan, found.homes, capacity.machines))
    return everywhere if is_valid(plan, everywhere, capacity) else Feedback("cluster too small")


def _everywhere(
    plan: AnnotatedPlan, homes: Mapping[str, tuple[int, ...]], machines: int
) -> dict[str, tuple[int, ...]]:
    """All that can be divided on all machines: as even as can be, whatever it sends."""
    return {
        one.name: tuple(range(machines)) if one.is_partitioned else homes[one.name]
        for one in plan.operators
    }


def _refused(plan: AnnotatedPlan, capacity: Capacity) -> Feedback | None:
    for one in plan.operators:
        if not one.is_partitioned and (one.cpu > capacity.cpu or one.memory > capacity.memory):
            return Feedback("operator too large", one.name)
    cpu, memory = (sum(getattr(one, what) for one in plan.operators) for what in ("cpu", "memory"))
    if cpu > capacity.cpu * capacity.machines or memory > capacity.memory * capacity.machines:
        return Feedback("cluster too small")
    return None


def _relieved(
    plan: AnnotatedPlan, homes: Mapping[str, tuple[int, ...]], machine: int, capacity: Capacity
) -> dict[str, tuple[int, ...]] | None:
    """One operator of the first machine goes to another, the one after which least goes over the
    network, if the other has room for it.
    """
    before = _over(plan, homes, capacity)
    found: list[tuple[float, str, dict[str, tuple[int, ...]]]] = []
    for one in plan.operators:
        if homes[one.name] != (0,):
            continue
        moved = {**homes, one.name: (machine,)}
        if _over(plan, moved, capacity) < before and _fits(plan, moved, machine, capacity):
            found.append((_network(plan, moved), one.name, moved))
    return min(found)[2] if found else None


def _over(plan: AnnotatedPlan, homes: Mapping[str, tuple[int, ...]], capacity: Capacity) -> float:
    """By how much machines have too much."""
    return sum(
        max(0.0, cpu / capacity.cpu - 1) + max(0.0, memory / capacity.memory - 1)
        for cpu, memory in loads(plan, Allocation(homes)).values()
    )


def _fits(
    plan: AnnotatedPlan, homes: Mapping[str, tuple[int, ...]], machine: int, capacity: Capacity
) -> bool:
    cpu, memory = loads(plan, Allocation(homes))[machine]
    return cpu <= capacity.cpu and memory <= capacity.memory


def _network(plan: AnnotatedPlan, homes: Mapping[str, tuple[int, ...]]) -> float:
    return sum(edge.network for edge in plan.edges if homes[edge.lower] != homes[edge.upper])


def _even(plan: AnnotatedPlan, capacity: Capacity, machines: int) -> dict[str, tuple[int, ...]]:
    """Operators that may be divided are, as far as they are larger than a part; the largest first,
    each piece to the machine with the least.
    """

    def size(one: Profile) -> float:
        return max(one.cpu / capacity.cpu, one.memory / capacity.memory)

    part = sum(map(size, plan.operators)) / machines
    has = dict.fromkeys(range(machines), 0.0)
    homes: dict[str, tuple[int, ...]] = {}
    for one in sorted(plan.operators, key=lambda one: (-size(one), one.name)):
        pieces = min(machines, ceil(size(one) / part)) if one.is_partitioned and part else 1
        mine = tuple(sorted(sorted(has, key=lambda machine: (has[machine], machine))[:pieces]))
        for machine in mine:
            has[machine] += size(one) / pieces
        homes[one.name] = mine
    return homes


def smallest(plans: Sequence[AnnotatedPlan], capacity: Capacity) -> tuple[int, Answer]:
    """The feedback loop: plans in the order of their cost, until one can be laid out."""
    answer: Answer = Feedback("cluster too small")
    for number, plan in enumerate(plans):
        answer = few_machines(plan, capacity)
        if isinstance(answer, Allocation):
            return number, answer
    return len(plans) - 1, answer
