"""Python functions among the steps of a stream: where they run, on which rows, and what they mean.

A function makes columns: a filter one that says whether a row passed, others what they compute.
They are added to the rows of a stream where these are read, so that all that follows reads columns
and knows of no function. What is planned is a `Link`: a function, or several filters that commute.
The functions themselves are no part of a plan, which is data.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from slackwater.plan.names import check_different
from slackwater.plan.node import Computed, Filter, Named, Node, Project, Scan, collapse
from slackwater.plan.report import Reporter
from slackwater.plan.terms import Terms
from slackwater.query.expression import Expression, column
from slackwater.query.function import BATCH, FILTER_ORDERS, Function, Reads, reads_of
from slackwater.query.kinds import DUCK, is_decimal, normal
from slackwater.query.names import OURS, folded, why_not
from slackwater.query.schema import Column, Schema
from slackwater.query.stream import Apply, Step, Where, WhereFunction
from slackwater.units import fingerprint

MOST_FILTERS = 12  # that commute
_NO_ARRAYS = ("unknown", "variant", "interval")  # types that no array has
PASSED, COMPUTED = f"{OURS}passed", f"{OURS}computed"


@dataclass(frozen=True, slots=True)
class Call:
    """A function that is called: its name, and the columns that it is given, with their types."""

    name: str
    inputs: tuple[Named, ...]
    types: tuple[str, ...]
    is_batch: bool = False


@dataclass(frozen=True, slots=True)
class Link:
    """Functions over the rows of a stream for which ``guard`` is true.

    One that computes ``returns``, the columns ``outputs`` of the rows; or filters, by name, with
    one output. ``written`` is the order in which they were written, ``order`` how it is chosen.
    ``schema`` has the columns that guard and inputs read.
    """

    identity: str
    stream: str
    guard: Expression | None
    calls: tuple[Call, ...]
    outputs: tuple[Column, ...]
    returns: tuple[str, ...]
    written: tuple[int, ...]
    order: str
    effects: bool
    schema: Schema

    @property
    def is_filter(self) -> bool:
        return not self.returns

    @property
    def is_open(self) -> bool:
        """Whether there is an order to choose."""
        return len(self.calls) > 1

    @property
    def columns(self) -> frozenset[str]:
        """What it reads, of the stream or of links before it."""
        inputs = (value.columns for call in self.calls for _, value in call.inputs)
        return frozenset().union(*inputs, self.guard.columns if self.guard else ())

    def key(self, call: Call) -> str:
        """What the function of a call is found by."""
        return f"{self.identity}/{call.name}"


@dataclass(frozen=True, slots=True)
class FunctionPlan(Terms):
    """The functions of a query."""

    links: tuple[Link, ...]


def is_call(step: Step) -> bool:
    return isinstance(step, WhereFunction | Apply)


def arranged(steps: Sequence[Step]) -> Iterator[tuple[int, tuple[Step, ...]]]:
    """Steps with their numbers, those that are one link together.

    Filters that commute are one link, after the SQL predicates written between them.
    """
    left = list(enumerate(steps, start=1))
    while left:
        group = _group(left)
        if not group:
            number, step = left.pop(0)
            yield number, (step,)
            continue
        last = left.index(group[-1])
        yield from ((n, (one,)) for n, one in left[:last] if isinstance(one, Where))
        yield group[0][0], tuple(one for _, one in group)
        left = left[last + 1 :]


def _group(steps: Sequence[tuple[int, Step]]) -> list[tuple[int, Step]]:
    """The filters at the beginning that commute, if there are any."""
    found: list[tuple[int, Step]] = []
    for number, step in steps:
        if isinstance(step, WhereFunction) and step.function.commutes:
            first = found[0][1] if found else step
            assert isinstance(first, WhereFunction)
            if step.function.order != first.function.order:
                break
            found.append((number, step))
        elif not isinstance(step, Where):
            break
    return found


@dataclass(slots=True)
class CallBuilder:
    """Makes links of the functions over one stream, and collects what is wrong with them."""

    report: Reporter
    links: dict[str, Link] = field(default_factory=dict)
    functions: dict[str, Any] = field(default_factory=dict)

    def add(self, node: Node, steps: Sequence[Step], at: str) -> Node:
        """The rows after one link, or as they were if something is wrong with it."""
        before = len(self.report.problems)
        functions = [s.function for s in steps if isinstance(s, WhereFunction | Apply)]
        is_filter = isinstance(steps[0], WhereFunction)
        calls = [self._call(node, one, at) for one in functions]
        returns = () if is_filter else self._returns(functions[0], node, at)
        self._check_filters(functions, is_filter=is_filter, at=at)
        if len(self.report.problems) > before:
            return node
        found = dict(zip((call.name for call in calls if call), functions, strict=True))
        named = sorted((call for call in calls if call is not None), key=lambda call: call.name)
        names = [call.name for call in named]
        guard, _, scan = collapse(node)
        assert isinstance(scan, Scan)
        first = functions[0]
        link = Link(
            identity="",
            stream=scan.stream,
            guard=guard,
            calls=tuple(named),
            outputs=(),
            returns=tuple(one.name for one in returns),
            written=tuple(names.index(call.name) for call in calls if call is not None),
            order=first.order or FILTER_ORDERS[0],
            effects=first.effects,
            schema=scan.schema,
        )
        link = _identified(link, returns)
        link = self.links.setdefault(link.identity, link)
        self._keep(link, found, at)
        return _grown(node, link, returns)

    def _keep(self, link: Link, found: dict[str, Function], at: str) -> None:
        for call in link.calls:
            function = found[call.name].call
            if self.functions.setdefault(link.key(call), function) is not function:
                text = f"two different functions over the same rows are called {call.name!r}"
                hint = "give one another name: where(function, name=...)"
                self.report.problem("FUNCTION_TWICE", at, text, hint)

    def _call(self, node: Node, function: Function, at: str) -> Call | None:
        """What a function is given; ``None`` with problems told."""
        problem, shown = self.report.problem, function.shown
        if not callable(function.call):
            text = f"name, order and effects are about Python functions, not about {shown}"
            problem("FUNCTION_KIND", at, text, "give a function, or SQL without them")
            return None
        name = function.name
        if name is None or why_not(name):
            text = f"{shown} has no name by which a checkpoint could know it"
            problem("FUNCTION_NAME", at, text, 'give it one: name="is_risky"')
            return None
        try:
            reads = reads_of(function.call)
        except ValueError as error:
            hint = f"its parameters are names of columns, or one that is annotated pa.{BATCH}"
            problem("FUNCTION_PARAMETERS", at, f"{name}: {error}", hint)
            return None
        return self._inputs(node, name, reads, at)

    def _inputs(self, node: Node, name: str, reads: Reads, at: str) -> Call | None:
        """The columns that a function reads; ``None`` with problems told."""
        problem, schema = self.report.problem, node.schema
        known = {folded(one): one for one in schema.names}
        columns = list(schema.names) if reads.is_batch else [*reads.needed]
        columns += [one for one in reads.optional if folded(one) in known]
        if not columns:
            text = f"{name} reads no column: each of its parameters has a default and is none"
            problem("FUNCTION_PARAMETERS", at, text, f"columns here: {', '.join(schema.names)}")
            return None
        missing = [one for one in columns if folded(one) not in known]
        if missing:
            text = f"{name} has a parameter {missing[0]!r}, and there is no such column"
            hint = f"columns here: {', '.join(schema.names)}; others need a default"
            problem("COLUMN_UNKNOWN", at, text, hint)
            return None
        _, names, _ = collapse(node)
        types = {one: schema.type_of(known[folded(one)]) or "unknown" for one in columns}
        for one in (one for one, kind in types.items() if kind.startswith(_NO_ARRAYS)):
            text = f"{name} reads {one!r}, whose type is {types[one]}"
            problem("FUNCTION_PARAMETERS", at, text, "cast it, or leave it out, in a select before")
        inputs = tuple((one, names[known[folded(one)]]) for one in columns)
        return Call(name, inputs, tuple(types.values()), reads.is_batch)

    def _returns(self, function: Function, node: Node, at: str) -> tuple[Column, ...]:
        """The columns that a function computes."""
        problem, found = self.report.problem, []
        if not function.columns:
            hint = 'e.g. returns="double", or returns={"score": "double"}'
            problem("FUNCTION_RETURNS", at, f"{function.shown} returns no column", hint)
        for name, kind in function.columns.items():
            plain = normal(kind) if isinstance(kind, str) else ""
            if not (plain in DUCK or is_decimal(plain)) or plain == "void":
                text = f"{function.shown}: {kind!r} is not a type that a function can return"
                hint = f"one of {', '.join(one for one in DUCK if one != 'void')}, decimal(p,s)"
                problem("FUNCTION_RETURNS", at, text, hint)
            elif name and (reason := why_not(name)):
                problem("NAME_RESERVED", at, reason, 'name it: returns={"score": "double"}')
            elif name:
                found.append(Column(name, plain))
        names = [*node.schema.names, *(one.name for one in found)]
        check_different(names, self.report, at, "columns")
        return tuple(found)

    def _check_filters(self, functions: Sequence[Function], *, is_filter: bool, at: str) -> None:
        problem = self.report.problem
        for one in functions:
            if is_filter and one.order not in (None, *FILTER_ORDERS):
                text = f"{one.order!r} is not one of: {', '.join(FILTER_ORDERS)}"
                problem("FUNCTION_ORDER", at, text)
            if one.effects and one.order not in (None, "written"):
                text = f"{one.shown} has effects, and with them it keeps its place"
                problem("FUNCTION_ORDER", at, text, "leave out order, or effects")
        names = [one.name for one in functions]
        for name in sorted({n for n in names if n is not None and names.count(n) > 1}):
            text = f"two filters that commute are called {name!r}"
            problem("FUNCTION_TWICE", at, text, "give one another name: where(function, name=...)")
        if len(functions) > MOST_FILTERS:
            text = f"{len(functions)} filters commute, at most {MOST_FILTERS} may"
            problem("FUNCTION_MANY", at, text, 'give some of them order="written"')


def _identified(link: Link, returns: Sequence[Column]) -> Link:
    """With the name that follows from what it means, and that of its columns."""
    identity = fingerprint(
        [
            link.stream,
            None if link.guard is None else link.guard.sql,
            [[call.name, [[n, v.sql] for n, v in call.inputs], call.types] for call in link.calls],
            [[one.name, one.type] for one in returns],
        ]
    )
    outputs = [Column(f"{COMPUTED}_{identity}_{n}", one.type) for n, one in enumerate(returns)]
    if not returns:
        outputs = [Column(f"{PASSED}_{identity}", "boolean")]
    return replace(link, identity=identity, outputs=tuple(outputs))


def _grown(node: Node, link: Link, returns: Sequence[Column]) -> Node:
    """The rows with what a link made of them, which the scan has from now."""
    node = _widened(node, link.outputs)
    if link.is_filter:
        return Filter(node, column(link.outputs[0].name))
    names = (one.name for one in link.outputs)
    return Computed(node, tuple(zip(returns, names, strict=True)))


def _widened(node: Node, columns: Sequence[Column]) -> Node:
    if isinstance(node, Scan):
        return replace(node, schema=Schema((*node.schema.columns, *columns)))
    assert not hasattr(node, "inputs")
    return replace(node, input=_widened(node.input, columns))


def plain_rows(scan: Scan) -> Node:
    """The columns of a stream, and none that are added to its rows."""
    return Project(scan, tuple((name, column(name)) for name in scan.schema.names))


def computed(links: Iterable[Link]) -> tuple[Column, ...]:
    """The columns that are added to the rows of a stream."""
    return tuple(one for link in links for one in link.outputs)
