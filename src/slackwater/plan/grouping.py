"""Joins over groups of rows: what meets the same is kept once, with partial aggregates.

Where aggregates follow a join (Zhu 2006, spec 4.7: group-by below a join), rows of an input that
have the same event time and the same values of all columns that predicates and group keys read meet
the same rows, take part in results of the same time, and are let go of together. So they may be one
row with their number and the partials that they come to; a combination of such rows has the product
of the numbers, and totals of one member are multiplied by the numbers of the others.

Event times stay exact: how far apart members may be is compared for each pair of them.
"""

from __future__ import annotations

from dataclasses import replace

from slackwater.plan.join import JoinInput, JoinPlan
from slackwater.plan.partial import Partial
from slackwater.plan.state import State
from slackwater.query.expression import Expression
from slackwater.units import fingerprint

ADDED = ("sum", "m2")  # merges whose partial grows with the number of rows
STEADY = ("min", "max", "bool_and", "bool_or", "bit_and", "bit_or", "mean")  # and does not
COUNTED = ("bigint", "double")  # types of totals that are multiplied; decimals get too long
_UNEQUAL = ("float", "double", "struct", "array", "map", "variant", "interval")


def with_groups(plan: JoinPlan, state: State | None) -> JoinPlan:
    """The plan of a join, knowing its form over groups of rows, or why there is none.

    ``state`` is that of the aggregates above it, if any.
    """
    if state is None:
        return replace(plan, ungrouped="nothing is aggregated above the join")
    problem = _problem(plan, state)
    return (
        replace(plan, ungrouped=problem) if problem else replace(plan, grouped=_form(plan, state))
    )


def _problem(plan: JoinPlan, state: State) -> str:
    """Why groups of rows could not stand for rows; nothing if they can."""
    if plan.is_outer:
        return "some of its inputs are optional"
    if plan.is_measured:
        return "its recall is measured, for which rows remember one by one when they came"
    for part in state.partials:
        several = sorted(_owners(plan, part))
        if part.merge not in (*ADDED, *STEADY):
            return f"{part.sql} cannot be put together from groups of rows"
        if part.merge in ADDED and part.kind not in COUNTED:
            return f"{part.sql} is {part.kind}, which is not multiplied exactly"
        if len(several) > 1:
            return f"{part.sql} is about {' and '.join(several)} together"
    for name in sorted(_met(plan) | _grouped_by(state)):
        kind = plan.joined.type_of(name) or "unknown"
        if kind.startswith(_UNEQUAL) or kind == "unknown":
            return f"{name} is {kind}, of which equal values may differ"
    taken = {part.name for part in state.partials} & set(plan.joined.names)
    return f"{', '.join(sorted(taken))} is the name of an aggregate in state" if taken else ""


def _form(plan: JoinPlan, state: State) -> JoinPlan:
    """The same join over groups: only what is met or grouped by is left of the columns."""
    by = _grouped_by(state)
    left = _met(plan) | by
    inputs = tuple(_grouped(plan, one, state, left) for one in plan.inputs)
    carried = tuple(name for name in plan.carried if name in by)
    return replace(plan, inputs=inputs, carried=carried, is_grouped=True)


def _grouped(plan: JoinPlan, one: JoinInput, state: State, left: set[str]) -> JoinInput:
    rows = one.state
    keys = tuple((name, value) for name, value in rows.keys if name in left)
    parts = tuple(part for part in state.partials if one.name in _owners(plan, part))
    meaning = [[name for name, _ in keys], [[p.name, p.sql, p.merge] for p in parts]]
    identity = fingerprint(["grouped", plan.query, rows.identity, meaning])
    groups = replace(rows, identity=identity, keys=keys, partials=parts, where=None)
    return JoinInput(one.name, one.stream, groups, rows)


def _owners(plan: JoinPlan, part: Partial) -> set[str]:
    """The inputs that a partial is about; what is about no column is counted with the first."""
    owner = {name: one.name for one in plan.inputs for name, _ in one.state.keys}
    return {owner[name] for name in Expression(part.sql).columns} or {plan.graph.names[0]}


def _met(plan: JoinPlan) -> set[str]:
    """Columns that decide what meets."""
    equal = {name for members in plan.graph.classes for _, name in members}
    return equal | {c for p in plan.graph.predicates for c in p.expression.columns}


def _grouped_by(state: State) -> set[str]:
    return {name for _, key in state.keys for name in key.columns}
