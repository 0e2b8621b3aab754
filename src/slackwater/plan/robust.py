"""Robust plans, as they are asked for: how uncertain which rates and selectivities are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite

from slackwater.plan.graph import JoinGraph
from slackwater.plan.report import Reporter
from slackwater.query.stream import JoinDef

ROBUST = "robust"  # the order of a join
LEVELS = range(6)  # of uncertainty: 0 is certain, 5 is known by nobody
TOLERANCE = 0.2  # how much worse than the best a plan may be, if nobody says


@dataclass(frozen=True, slots=True)
class RobustPlan:
    """``uncertainty`` for all or by name of a rate or selectivity; learned if it is ``None``.

    A plan may be ``tolerance`` worse than the best.
    """

    uncertainty: int | tuple[tuple[str, int], ...] | None = None
    tolerance: float = TOLERANCE


def rate_of(name: str) -> str:
    """The name of the dimension that is the rate of an input."""
    return f"{name}.rate"


def share_of(pair: frozenset[str]) -> str:
    """The name of the dimension that is the selectivity of two inputs."""
    return "-".join(sorted(pair))


def dimensions(graph: JoinGraph) -> tuple[str, ...]:
    """All that may be uncertain of a join: rates, then selectivities."""
    return (*map(rate_of, graph.names), *map(share_of, graph.pairs()))


def robust_plan(base: JoinDef) -> RobustPlan | None:
    """What a join asks for, if it asks for robust plans."""
    if base.order != ROBUST:
        return None
    asked = base.uncertainty
    levels = asked if asked is None or isinstance(asked, int) else tuple(sorted(asked.items()))
    return RobustPlan(levels, TOLERANCE if base.tolerance is None else float(base.tolerance))


def check_robust(base: JoinDef, report: Reporter) -> None:
    """Tell what is wrong with the terms of a join, whatever its inputs are."""
    given = {"uncertainty": base.uncertainty, "tolerance": base.tolerance}
    if base.order != ROBUST:
        for name in (name for name, value in given.items() if value is not None):
            text, hint = f"{name} is about robust plans", f'ask for them with order="{ROBUST}"'
            report.problem("ROBUST_ORDER", f"join, {name}", text, hint)
        return
    if len(base.inputs) == 2:
        text = "two streams probe each other in one way only, so that there is no plan to choose"
        report.problem("ROBUST_SPACE", "join, order", text, 'use order="adaptive" for two streams')
    at = "join, uncertainty"
    levels = _levels(base)
    for where, level in levels:
        if isinstance(level, bool) or not isinstance(level, int) or level not in LEVELS:
            text = f"{where}{level!r} is not one of: {', '.join(map(str, LEVELS))}"
            hint = "0 is certain, 2 is a fifth to both sides, 5 is a half"
            report.problem("ROBUST_UNCERTAINTY", at, text, hint)
    if base.uncertainty is not None and not any(level for _, level in levels):
        text = "nothing is uncertain, so that one plan is the best everywhere"
        hint = 'say what is uncertain, leave it out to have it learned, or use order="adaptive"'
        report.problem("ROBUST_SPACE", at, text, hint)
    allowed, number = base.tolerance, isinstance(base.tolerance, int | float)
    is_number = number and not isinstance(allowed, bool)
    if allowed is not None and not (is_number and isfinite(allowed) and 0 <= allowed <= 1):
        text = f"{allowed!r} is not between 0 and 1"
        report.problem("ROBUST_TOLERANCE", "join, tolerance", text, "0.2 is a fifth worse")


def _levels(base: JoinDef) -> list[tuple[str, object]]:
    """Levels of uncertainty, each with how a message begins."""
    asked = base.uncertainty
    if asked is None:
        return []
    if isinstance(asked, dict):
        return [(f"that of {name!r}, ", level) for name, level in asked.items()]
    return [("", asked)]


def check_dimensions(asked: RobustPlan, graph: JoinGraph, report: Reporter) -> None:
    """Tell which rates and selectivities there are not."""
    known = dimensions(graph)
    for name in _unknown(asked, known):
        text, hint = f"there is no {name!r}", f"there are: {', '.join(known)}"
        report.problem("ROBUST_DIMENSION", "join, uncertainty", text, hint)


def _unknown(asked: RobustPlan, known: tuple[str, ...]) -> Iterator[str]:
    if isinstance(asked.uncertainty, tuple):
        yield from (name for name, _ in asked.uncertainty if name not in known)
