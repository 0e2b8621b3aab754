"""Checking a join: its inputs, predicates, windows and order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from slackwater.plan.graph import UNBOUND, conjuncts, equality_columns, per_pair, per_stream
from slackwater.plan.join import OPEN, OUTER_TREE, with_graph
from slackwater.plan.names import check_different, check_input_name
from slackwater.plan.node import (
    Joined,
    Node,
    WindowAggregate,
    chain,
    collapse,
    joined_schema,
    stamp_of,
)
from slackwater.plan.outer import (
    check_conditions,
    check_outer,
    check_windows,
    needs,
    outer_pairs,
    over_required,
)
from slackwater.plan.report import Reporter
from slackwater.plan.robust import check_dimensions, check_robust, robust_plan
from slackwater.plan.tree import nodes_of, tree_over
from slackwater.query.expression import Expression, column, is_boolean, is_numeric, type_of
from slackwater.query.join import EMITS, MOST_INPUTS
from slackwater.query.names import bare_name, same_names
from slackwater.query.schema import Schema
from slackwater.query.stream import JoinDef, Stream

OUTER_HINT = "leave it out, or name all streams in one pair of parentheses"
Below = Callable[[Stream, str], Node | None]


_INCOMPARABLE = ("map", "variant")


def check_join(base: JoinDef, below: Below, report: Reporter) -> Joined | None:
    """The join as a node; ``None`` with problems told. ``below`` checks one input."""
    before = len(report.problems)
    names = tuple(stream.name for stream in base.inputs)
    _check_shape(base, names, report)
    if len(report.problems) > before:
        return None
    nodes = [below(stream, f"join, {stream.name}") for stream in base.inputs]
    reach = _reach(base.within, names, base.optional, report)
    inputs = tuple(node for node in nodes if node is not None)
    if len(report.problems) > before or reach is None:
        return None
    _check_times(names, inputs, report)
    schema = joined_schema(names, inputs)
    check_different(schema.names, report, "join", "columns")
    predicates = tuple(
        predicate
        for number, text in enumerate(base.on, start=1)
        for predicate in _predicates(text, schema, names, (report, f"join, on {number}"))
    )
    if base.optional:
        owner = {c.name: c.of[0] for c in schema.columns if c.of}
        parts = [(part, equality_columns(part)) for part in predicates]
        check_conditions(parts, owner, base.optional, report)
    asked = robust_plan(base)
    terms = (base.emit, base.order, base.cross, asked, base.optional)
    return Joined(names, inputs, predicates, reach, *terms)


def _check_shape(base: JoinDef, names: Sequence[str], report: Reporter) -> None:
    if not 2 <= len(names) <= MOST_INPUTS:
        text = f"got {len(names)} streams, a join takes 2 to {MOST_INPUTS}"
        report.problem("JOIN_SIZE", "join", text)
    for name in sorted({n for n in names if names.count(n) > 1}):
        hint = f"join a stream with itself as {name}.named('other')"
        report.problem("JOIN_NAMES", "join", f"two inputs are called {name!r}", hint)
    for first, other in same_names(names):
        text = f"inputs {first!r} and {other!r} differ in upper and lower case only"
        report.problem("JOIN_NAMES", "join", text, "rename one with .named(...)")
    for name in names:
        check_input_name(name, report)
    check_outer(base, report)
    if base.emit not in EMITS:
        text = f"{base.emit!r} is not one of: {', '.join(EMITS)}"
        report.problem("JOIN_EMIT", "join, emit", text)
    if base.order not in (*OPEN, "written"):
        _check_order(base.order, names, report, is_outer=bool(base.optional))
    check_robust(base, report)


def _check_times(names: Sequence[str], inputs: Sequence[Node], report: Reporter) -> None:
    """Instants and wall clocks have no distance that would not change with the zone."""
    stamps = {name: stamp_of(node) for name, node in zip(names, inputs, strict=True)}
    if len(set(stamps.values())) > 1:
        text = ", ".join(f"that of {name} is {stamp}" for name, stamp in stamps.items())
        hint = "make them one type before, e.g. CAST(time AS TIMESTAMP) in the session's time zone"
        report.problem("JOIN_TIMES", "join", f"event times of two types: {text}", hint)


def _check_order(order: str, names: Sequence[str], report: Reporter, *, is_outer: bool) -> None:
    hint = f'"adaptive", "robust", "written", or a tree such as "(({names[0]} {names[1]}) ...)"'
    try:
        tree = tree_over(order, names)
    except (ValueError, TypeError) as error:
        report.problem("JOIN_ORDER", "join, order", f"{order!r}: {error}", hint)
        return
    if is_outer and (tree.is_grouped or len(nodes_of(tree)) > 1):
        report.problem("JOIN_ORDER", "join, order", f"{order!r}: {OUTER_TREE}", OUTER_HINT)


def _reach(
    within: Any, names: tuple[str, ...], optional: frozenset[str], report: Reporter
) -> tuple[tuple[int, ...], ...] | None:
    """How much older the member of each input may be than that of each other."""
    at = "join, within"
    if within is None:
        hint = 'e.g. within="10 minutes": how far apart in event time members may be'
        report.problem("JOIN_WINDOW", at, "a join of streams needs a window", hint)
        return None
    if not isinstance(within, Mapping):
        window = report.positive(within, at)
        same = None if window is None else per_stream([window] * len(names))
        return same and over_required(names, optional, same)
    found = {key: report.positive(value, f"{at} {key!r}") for key, value in within.items()}
    windows = {key: value for key, value in found.items() if value is not None}
    if len(windows) < len(found):
        return None
    if all(isinstance(key, str) for key in windows):
        found_by_stream = _stream_windows(windows, names, report)
        return found_by_stream and over_required(names, optional, found_by_stream)
    return _pair_windows(windows, names, optional, report)


def _stream_windows(
    windows: Mapping[Any, int], names: tuple[str, ...], report: Reporter
) -> tuple[tuple[int, ...], ...] | None:
    if set(windows) != set(names):
        text = f"given for {', '.join(sorted(windows))}, wanted for {', '.join(names)}"
        report.problem("JOIN_WINDOW", "join, within", text)
        return None
    return per_stream([windows[name] for name in names])


def _pair_windows(
    windows: Mapping[Any, int], names: tuple[str, ...], optional: frozenset[str], report: Reporter
) -> tuple[tuple[int, ...], ...] | None:
    for key in windows:
        is_pair = isinstance(key, tuple) and len(key) == 2 and key[0] != key[1]
        if not is_pair or not set(key) <= set(names):
            text = f"{key!r} is not a pair of {', '.join(names)}"
            report.problem("JOIN_WINDOW", "join, within", text)
            return None
    check_windows(windows, optional, report)
    reach = outer_pairs(names, optional, windows) if optional else per_pair(names, windows)
    if any(value >= UNBOUND for row in reach for value in row):
        hint = "give windows that connect all streams"
        report.problem("JOIN_WINDOW", "join, within", "some streams have no window", hint)
        return None
    return reach


def _predicates(
    text: str, schema: Schema, names: tuple[str, ...], told: tuple[Reporter, str]
) -> list[Expression]:
    """The predicates a text stands for: itself, or equality of a column that all inputs have."""
    report, at = told
    plain = bare_name(text) if isinstance(text, str) else None
    shared = [] if plain is None else [schema.find(plain, name) for name in names]
    if shared and all(len(found) == 1 for found in shared):
        columns = [column(found[0]).sql for found in shared]
        predicates = [Expression(f"{one} = {other}") for one, other in pairwise(columns)]
    else:
        parsed = report.parse(text, schema, at)
        predicates = [] if parsed is None else conjuncts(parsed[1])
    for predicate in predicates:
        _check_types(predicate, schema, report, at)
    return predicates


def _check_types(predicate: Expression, schema: Schema, report: Reporter, at: str) -> None:
    kind = type_of(predicate, schema)
    if is_boolean(kind) is False:
        report.problem("TYPE_MISMATCH", at, f"{predicate.sql!r} is {kind}, not a condition")
    pair = equality_columns(predicate)
    if pair is None:
        return
    kinds = [schema.type_of(name) for name in pair]
    for name, kind in zip(pair, kinds, strict=True):
        if kind is not None and kind.startswith(_INCOMPARABLE):
            hint = "join on what is inside: select(\"x['a'] AS a\", ...) below the join"
            report.problem("TYPE_MISMATCH", at, f"{name} is {kind}, which nothing equals", hint)
            return
    families = {family(kind) for kind in kinds} - {None}
    if len(families) > 1:
        text = f"{predicate.sql} compares {kinds[0]} with {kinds[1]}"
        report.problem("TYPE_MISMATCH", at, text, "cast one side")


def family(kind: str | None) -> str | None:
    """Which types can be equal to each other without a cast."""
    if kind is None or kind == "unknown":
        return None
    if is_numeric(kind):
        return "number"
    return "time" if kind.startswith(("timestamp", "date")) else kind.split("(")[0]


def check_connected(root: Node, report: Reporter) -> None:
    """Refuse a cartesian product nobody asked for, and what is uncertain of inputs that nothing
    connects; filters above the join count as predicates.
    """
    first = next((node for node in chain(root) if isinstance(node, WindowAggregate)), None)
    where, _, joined = collapse(root if first is None else first.input)
    if not isinstance(joined, Joined):
        return
    graph = with_graph(joined, where)[0]
    if joined.robust is not None:
        check_dimensions(joined.robust, graph, report)
    for part in graph.above:
        _check_above(part, joined, report)
    parts = graph.parts()
    if graph.optional and len(parts) == 1:
        parts = graph.parts(graph.required)
    if len(parts) > 1 and not joined.cross:
        shown = " and ".join(sorted("{" + ", ".join(sorted(part)) + "}" for part in parts))
        hint = "add a predicate to on=, or cross=True if every combination is wanted"
        report.problem("JOIN_CARTESIAN", "join, on", f"nothing connects {shown}", hint)


def _check_above(part: Expression, joined: Joined, report: Reporter) -> None:
    """Refuse a filter above that rows without partner never pass."""
    columns = {c.name: c.of[0] for c in joined.schema.columns if c.of}
    optional = {name for name, owner in columns.items() if owner in joined.optional}
    if needs(part, optional):
        names = sorted({columns[name] for name in part.columns & optional})
        text = f"{part.sql!r} is never true where there is no row of {' and '.join(names)}"
        hint = "filter that stream before the join, or write an inner join"
        report.problem("JOIN_OUTER", "where above the join", text, hint)
