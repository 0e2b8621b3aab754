"""Both phases: a logical plan for the row engine, then an engine for each of its operators."""

from __future__ import annotations

from dataclasses import dataclass

from slackwater.hybrid.algebra import Relation, check
from slackwater.hybrid.cost import Cost, CostModel
from slackwater.hybrid.join_order import JoinQuery, logical_plan
from slackwater.hybrid.placement import Placement, Rules, place, pure

MODERATE = 15  # operators looked at together


@dataclass(frozen=True, slots=True)
class HybridPlan:
    """A logical plan, who does what, and what either engine alone would cost."""

    logical: Relation
    placement: Placement
    rows_only: Cost
    columns_only: Cost

    @property
    def is_known_feasible(self) -> bool:
        return self.rows_only.is_feasible or self.columns_only.is_feasible


def optimize(
    query: JoinQuery | Relation, costs: CostModel, *, minds_feasibility: bool = True
) -> HybridPlan:
    """The best plan that two phases find; a logical plan that is given is kept.

    Without ``minds_feasibility`` the least use wins, feasible or not: for comparison.
    """
    logical = logical_plan(query, costs) if isinstance(query, JoinQuery) else query
    check(logical)
    rows, whole = pure(logical, costs)
    is_feasible = rows.is_feasible or whole.is_feasible
    rules = Rules(
        drops_infeasible=minds_feasibility and is_feasible,
        minds_feasibility=minds_feasibility,
        at_most=MODERATE,
    )
    return HybridPlan(logical, place(logical, costs, rules), rows, whole)
