"""Budgets that are measured: what can be worked on between two triggers.

How much time that is depends on how a pipeline is started, so it is said then.
"""

from __future__ import annotations

from dataclasses import replace

from slackwater.errors import Problem, QueryError
from slackwater.plan.costly import CostPlan
from slackwater.plan.stage import PipelinePlan, QueryPlan
from slackwater.plan.terms import Terms
from slackwater.units import SECOND


def paced(plan: PipelinePlan, interval: int | None) -> PipelinePlan:
    """The plan with the time between two triggers (microseconds) in budgets that are measured.

    Raises
    ------
    QueryError
        For each query with such a budget, if there is none: batches follow each other at once.
    """
    found = [query.name for query in plan.queries if query.costly and query.costly.measured]
    if found and not interval:
        raise QueryError([_without_end(name) for name in found])
    seconds = None if interval is None else interval / SECOND
    return replace(plan, queries=tuple(_paced(query, seconds) for query in plan.queries))


def _paced(query: QueryPlan, seconds: float | None) -> QueryPlan:
    return replace(query, terms=tuple(_with(one, seconds) for one in query.terms))


def _with(terms: Terms, seconds: float | None) -> Terms:
    if not isinstance(terms, CostPlan) or not terms.measured:
        return terms
    return replace(terms, interval=seconds)


def _without_end(name: str) -> Problem:
    return Problem(
        "RANK_TRIGGER",
        f"query {name}, rank, budget",
        "a measured budget is what can be done between two triggers, and no interval is given",
        'start with trigger="1 second", or say how much: budget=1000 (rows), budget="500 ms"',
    )
