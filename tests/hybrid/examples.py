"""Plans over plugs, and cost models: by unit costs, and any at all."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from slackwater.hybrid.algebra import Aggregate, Join, Project, Relation, Select, Step, Window
from slackwater.hybrid.cost import Composite
from slackwater.hybrid.units import Units

UNITS = Units.of(
    select=1e-6, project=1e-6, join=1e-6, match=1e-6, increment=2e-6, insert=1e-6, scan=1e-7,
    emit=1e-6, ship_in=3e-6, start=1e-3, column_select=1e-9, column_project=1e-9, column_join=5e-9,
    column_aggregate=2e-9, ship_back=1e-6,
)  # fmt: skip


def plugs(name: str, minutes: float = 5, rate: float = 1000) -> Window:
    return Window(name, ("plug", "load", "kind"), rate, 60 * minutes, 1)


def branch(number: int, minutes: float, function: str = "avg", rate: float = 1000) -> Aggregate:
    loads = Select(f"load {number}", plugs(f"w{number}", minutes, rate), "kind = 1", 0.5)
    values = ((f"value{number}", function, "load"),)
    return Aggregate(f"per plug {number}", loads, ("plug",), values, 100)


def joined(left: Relation, right: Relation, number: int) -> Join:
    return Join(f"join {number}", left, right, (("plug", "plug"),), 0.01)


def shown(plan: Relation) -> Project:
    return Project("shown", plan, (("plug", "plug"),))


def m_way(*shape: int, rate: float = 1000) -> Project:
    """Averages of several windows compared: a bushy join of two and three of them, the rest
    one after the other.
    """
    branches = [branch(n, 2 * n + 1, rate=rate) for n in range(sum(shape))]
    parts: list[Relation] = []
    for size in shape:
        part: Relation = branches.pop(0)
        for _ in range(size - 1):
            part = joined(part, branches.pop(0), len(branches))
        parts.append(part)
    whole = parts[0]
    for number, part in enumerate(parts[1:]):
        whole = joined(whole, part, 100 + number)
    return shown(whole)


@dataclass
class AnyCosts:
    """Costs at random: of a row operator by itself, of a composite by what is in it."""

    seed: int
    most: float = 1.0
    asked: dict[str, float] = field(default_factory=dict)

    def row(self, step: Step) -> float:
        return self._cost(f"row {step.name}")

    def column(self, composite: Composite) -> float:
        members = ",".join(sorted(step.name for step in composite.members))
        return self._cost(f"column {members}")

    def _cost(self, what: str) -> float:
        if what not in self.asked:
            self.asked[what] = Random(f"{self.seed} {what}").random() * self.most
        return self.asked[what]
