"""When a plan is good enough: three predicates, that are not the same (spec robust 1.6).

Definition 1 compares at the upper corner alone. The plan that is best there passes everywhere, and
a plan that passes may still be worse than (1 + ε) times the best inside. So it is said which one
was used: searches test two corners, coverage counts points.
"""

from __future__ import annotations

from slackwater.robust.box import Box, Lines
from slackwater.robust.optimizer import Counted, Plan

ROUNDING = 1e-12  # of the cost, by which plans that cost the same may differ


def is_within(cost: float, best: float, eps: float) -> bool:
    """Whether a cost is at most ε worse than the best."""
    return cost <= (1 + eps) * best * (1 + ROUNDING)


def is_corner_robust(known: Counted[Plan], plan: Plan, box: Box, eps: float) -> bool:
    """Definition 1: near the best at the upper corner, where every plan costs most."""
    return is_near_best(known, plan, box.hi, eps)


def is_two_corner_robust(known: Counted[Plan], box: Box, eps: float) -> bool:
    """Definition 1 of the plan that is best at the lower corner."""
    return is_corner_robust(known, known.at(box.lo), box, eps)


def is_near_best(known: Counted[Plan], plan: Plan, lines: Lines, eps: float) -> bool:
    """At this very point, at most ε worse than the best plan there."""
    return is_within(known.cost(plan, lines), known.best_cost(lines), eps)
