"""Plans: trees of joins, binary or m-way, with selects, projects and group-bys among them.

Reference: Zhu 2006, ch. 3 (hybrid trees), 13 (select, project), 14 (group-by).
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from slackwater.errors import SlackwaterError
from slackwater.papers.adaptive_zhu2006.operators.query import Column, Query
from slackwater.papers.adaptive_zhu2006.operators.row import Row

COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "<": operator.lt,
    ">": operator.gt,
}


@dataclass(frozen=True, slots=True)
class Condition:
    """What a select asks of a column."""

    column: Column
    comparison: str
    value: Any

    def holds(self, row: Row) -> bool:
        return COMPARISONS[self.comparison](self.column.of(row), self.value)


@dataclass(frozen=True, slots=True)
class Source:
    """A stream as it arrives."""

    stream: str


@dataclass(frozen=True, slots=True)
class Join:
    """A window join of two or more inputs. ``orders``: per input, in which order others are met."""

    inputs: tuple[Plan, ...]
    orders: tuple[tuple[int, ...], ...] | None = None


@dataclass(frozen=True, slots=True)
class Select:
    """The rows for which a condition holds."""

    input: Plan
    condition: Condition


@dataclass(frozen=True, slots=True)
class Project:
    """Every row without some columns."""

    input: Plan
    drop: frozenset[Column]


@dataclass(frozen=True, slots=True)
class Group:
    """Rows by some columns: an aggregate over the window, or partial ones for a join above.

    Partial ones are of every time *unit*, or, whenever a unit is over, of the *sliding* window. A
    combined row counts for a window from its newest tuple on, or while its oldest is in the window.
    """

    input: Plan
    by: tuple[Column, ...]
    value: Column
    aggregate: str = "sum"
    stage: Literal["window", "unit", "sliding"] = "window"
    counts: Literal["newest", "oldest"] = "newest"


@dataclass(frozen=True, slots=True)
class KeyJoin:
    """A stream joined by its key with a sliding group-by by that key: a group has one partner."""

    inputs: tuple[Plan, Group]

    @property
    def group(self) -> Group:
        return self.inputs[1]


GROUPS = "="  # what a result of a group-by has as its stream
Plan = Source | Join | Select | Project | Group | KeyJoin
Schema = dict[str, tuple[str, ...]]


def inputs_of(plan: Plan) -> tuple[Plan, ...]:
    if isinstance(plan, Source):
        return ()
    return plan.inputs if isinstance(plan, Join | KeyJoin) else (plan.input,)


def nodes_of(plan: Plan) -> Iterator[Plan]:
    """All nodes, lower ones first."""
    for one in inputs_of(plan):
        yield from nodes_of(one)
    yield plan


def streams_of(plan: Plan) -> frozenset[str]:
    return frozenset(node.stream for node in nodes_of(plan) if isinstance(node, Source))


def height_of(plan: Plan) -> int:
    """How many joins lie on the longest way from a leaf to the root."""
    below = max((height_of(one) for one in inputs_of(plan)), default=0)
    return below + isinstance(plan, Join)


def schema_of(plan: Plan, query: Query) -> Schema:
    """The columns of every stream that a row of this plan still has."""
    if isinstance(plan, Source):
        return {plan.stream: query.columns[plan.stream]}
    schema: Schema = {}
    for one in inputs_of(plan):
        schema |= schema_of(one, query)
    if isinstance(plan, Project):
        dropped = plan.drop
        return {
            stream: tuple(name for name in names if Column(stream, name) not in dropped)
            for stream, names in schema.items()
        }
    if isinstance(plan, KeyJoin):
        return _given(plan.group)
    if isinstance(plan, Group):
        if plan.stage == "window":
            return _given(plan)
        names = (*(one.name for one in plan.by), plan.value.name)
        return dict.fromkeys(schema, names)
    return schema


def _given(group: Group) -> Schema:
    return {GROUPS: (*map(str, group.by), f"{group.aggregate}({group.value})")}


def tree(text: str) -> Plan:
    """A join tree from a text; a bracket is a join.

    >>> height_of(tree("((A B) C) D"))
    3
    """
    tokens = re.findall(r"[()]|[^\s()]+", f"({text})")
    plan, rest = _read(tokens)
    if rest:
        raise SlackwaterError("JOIN_TREE_INVALID", f"{text!r} goes on after its end", "")
    return plan


def _read(tokens: list[str]) -> tuple[Plan, list[str]]:
    head, rest = tokens[0], tokens[1:]
    if head != "(":
        return Source(head), rest
    inputs: list[Plan] = []
    while rest and rest[0] != ")":
        one, rest = _read(rest)
        inputs.append(one)
    if not rest:
        raise SlackwaterError("JOIN_TREE_INVALID", "a bracket is not closed", "close it")
    return (inputs[0] if len(inputs) == 1 else Join(tuple(inputs))), rest[1:]


def show(plan: Plan) -> str:
    """A plan as a text.

    >>> show(tree("(A (B C)) D"))
    '((A (B C)) D)'
    """
    if isinstance(plan, Source):
        return plan.stream
    inner = " ".join(show(one) for one in inputs_of(plan))
    if isinstance(plan, Join | KeyJoin):
        return f"({inner})"
    if isinstance(plan, Select):
        one = plan.condition
        return f"select[{one.column}{one.comparison}{one.value}]{inner}"
    if isinstance(plan, Group):
        by = ",".join(map(str, plan.by))
        return f"{plan.aggregate}[{plan.value} by {by}, {plan.stage}]{inner}"
    return f"project[-{','.join(sorted(map(str, plan.drop)))}]{inner}"
