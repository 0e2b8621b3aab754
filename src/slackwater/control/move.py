"""What it takes to go from one plan of a join to another, and how to go there.

Zhu 2006, spec adaptive 4.9 and 4.10, in seconds that were learned.
"""

from __future__ import annotations

from dataclasses import dataclass

from slackwater.migrate.choose import Chosen, How, Situation, choose
from slackwater.optimize.cost import Units
from slackwater.optimize.facts import Facts
from slackwater.optimize.known import Known
from slackwater.optimize.plan import Plan, Space
from slackwater.optimize.trigger import is_cheaper_later
from slackwater.plan.join import JoinPlan
from slackwater.plan.tree import nodes_of


@dataclass(frozen=True, slots=True)
class Move:
    """From one plan to another: seconds saved in a batch, seconds to make the states that only the
    new one keeps, now and a batch later, and seconds if both run side by side instead.

    Such changes were ``dear``: they took so many times what was thought.
    """

    gain: float
    seconds: float
    later: float
    beside: float

    @classmethod
    def of(
        cls, join: JoinPlan, facts: Facts, space: Space, now: Plan, best: Plan, *, dear: float = 1.0
    ) -> Move:
        held, rates = facts.held, facts.rates
        window = max(held[name] / rates[name] for name in join.graph.names)
        return cls(
            now.cost.cpu - best.cost.cpu,
            dear * _making(facts.stock(join.graph), space.units, now, best),
            dear * _making(facts.aged(rates).stock(join.graph), space.units, now, best),
            window * now.cost.cpu,
        )

    @property
    def is_cheaper_later(self) -> bool:
        return self.how == "moving" and is_cheaper_later(self.gain, self.seconds, self.later)

    @property
    def how(self) -> How:
        """The way that takes less (spec adaptive 4.10)."""
        return self._chosen.how

    @property
    def cost(self) -> float:
        return self._chosen.seconds

    @property
    def _chosen(self) -> Chosen:
        # side by side, the old plan may become as dear as the reason to leave it: twice as much
        return choose(Situation(self.seconds, self.beside, load=2.0))


def _making(known: Known, units: Units, now: Plan, best: Plan) -> float:
    """Seconds to make the states that only the new plan has (spec adaptive 4.9)."""
    total = 0.0
    kept = {known.set_of(node) for node in nodes_of(now.tree)}
    for node in nodes_of(best.tree)[:-1]:
        some = known.set_of(node)
        if some not in kept:
            below = sum(known.size(known.set_of(child)) for child in node.children)
            total += known.size(some) * (units.insert + units.pair) + below * units.scan
    return total
