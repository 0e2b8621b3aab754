"""Joins, selections and projections in a row, as far as ranks care (spec precedence 1.9).

In front of every input of every operator there is a place for a rank classifier: the edge. A plan
for ranks only fills these places; it never changes which operators there are.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import Literal

from slackwater.errors import SlackwaterError

Kind = Literal["join", "select", "project"]


@dataclass(frozen=True, slots=True)
class Edge:
    """An input of an operator: what comes from ``source``, a stream or another operator."""

    operator: str
    source: str


@dataclass(frozen=True, slots=True)
class Operator:
    """One step. ``keys`` are what the inputs of a join are joined on, as ``stream.name``.

    ``drops`` are attributes that a projection leaves out, ``share`` is what a selection passes.
    """

    name: str
    inputs: tuple[str, ...]
    kind: Kind = "join"
    keys: tuple[str, ...] = ()
    drops: frozenset[str] = frozenset()
    share: float = 1.0

    @property
    def edges(self) -> tuple[Edge, ...]:
        return tuple(Edge(self.name, source) for source in self.inputs)


def stream_of(attribute: str) -> str:
    return attribute.partition(".")[0]


@dataclass(frozen=True)
class Pipeline:
    """Operators, each behind those it reads; the last one gives the results.

    >>> op1 = Operator("op1", ("S", "N"), keys=("S.sector", "N.sector"))
    >>> op2 = Operator("op2", ("op1", "B"), keys=("S.sector", "B.sector"))
    >>> [edge.source for edge in Pipeline((op1, op2)).route("N")]
    ['N', 'op1']
    """

    operators: tuple[Operator, ...]

    def __post_init__(self) -> None:
        problem = _problem(self.operators)
        if problem is not None:
            raise SlackwaterError("PIPELINE_INVALID", problem)

    @cached_property
    def by_name(self) -> dict[str, Operator]:
        return {operator.name: operator for operator in self.operators}

    @cached_property
    def positions(self) -> dict[str, int]:
        """How far along an operator is, from 1 (``pos`` of the specification)."""
        return {operator.name: number for number, operator in enumerate(self.operators, start=1)}

    @cached_property
    def joins(self) -> tuple[Operator, ...]:
        return tuple(operator for operator in self.operators if operator.kind == "join")

    @cached_property
    def edges(self) -> tuple[Edge, ...]:
        return tuple(edge for operator in self.operators for edge in operator.edges)

    @cached_property
    def streams(self) -> tuple[str, ...]:
        return tuple(edge.source for edge in self.edges if edge.source not in self.by_name)

    @cached_property
    def _out(self) -> dict[str, Edge]:
        return {edge.source: edge for edge in self.edges}

    @cached_property
    def _routes(self) -> dict[str, tuple[Edge, ...]]:
        return {stream: tuple(self._walk(stream)) for stream in self.streams}

    def _walk(self, source: str) -> list[Edge]:
        edge = self._out.get(source)
        return [] if edge is None else [edge, *self._walk(edge.operator)]

    def route(self, stream: str) -> tuple[Edge, ...]:
        """The edges on the way of a stream, from its leaf to the end."""
        return self._routes[stream]

    def behind(self, edge: Edge) -> tuple[Operator, ...]:
        """The operators that what passes an edge comes to."""
        return tuple(self.by_name[one.operator] for one in (edge, *self._walk(edge.operator)))

    @cached_property
    def _streams_of(self) -> dict[str, frozenset[str]]:
        found = {stream: frozenset((stream,)) for stream in self.streams}
        for operator in self.operators:
            found[operator.name] = frozenset().union(*(found[i] for i in operator.inputs))
        return found

    def constituents(self, source: str) -> frozenset[str]:
        """The streams of which the rows from a stream or an operator are made."""
        return self._streams_of[source]

    def has(self, edge: Edge, attribute: str) -> bool:
        """Whether rows on an edge still have an attribute."""
        stream = stream_of(attribute)
        if stream not in self.constituents(edge.source):
            return False
        passed = takewhile(lambda one: one != edge, self.route(stream))
        return all(attribute not in self.by_name[one.operator].drops for one in passed)


def _problem(operators: tuple[Operator, ...]) -> str | None:
    """What is wrong with a pipeline, if anything."""
    names = [operator.name for operator in operators]
    sources = [source for operator in operators for source in operator.inputs]
    if not operators or len({*names}) < len(names) or len({*sources}) < len(sources):
        return "every operator has a name of its own, and everything is read once"
    for number, operator in enumerate(operators):
        wanted = 2 if operator.kind == "join" else 1
        if len(operator.inputs) != wanted or len(operator.keys) not in (0, wanted):
            return f"{operator.name}: a {operator.kind} has {wanted} inputs, and a key for each"
        if {*names[number:]} & {*operator.inputs}:
            return f"{operator.name} reads what comes behind it"
        if number < len(operators) - 1 and operator.name not in sources:
            return f"nobody reads {operator.name}"
    unkeyed = [one.name for one in operators if (one.kind == "join") != bool(one.keys)]
    return f"{unkeyed[0]}: joins have keys, others have none" if unkeyed else None
