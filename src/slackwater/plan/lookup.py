"""Tables that rows look something up in: what is checked, and what is kept of it in a plan.

A lookup is done with raw rows, in the one pass over them. So whatever stands above it, windows,
joins, levels of levels, knows nothing of tables: their columns are columns of the stream.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlglot import exp

from slackwater.errors import Problem
from slackwater.plan.build_join import family
from slackwater.plan.graph import conjuncts
from slackwater.plan.names import check_different, check_input_name
from slackwater.plan.node import Filter, Lookup, Node, Scan
from slackwater.plan.report import Reporter
from slackwater.plan.terms import Terms
from slackwater.query.expression import Expression, column, type_of
from slackwater.query.names import bare_name
from slackwater.query.schema import Column, Schema
from slackwater.query.stream import JoinDef, LookUp, Query, Stream
from slackwater.query.table import TableDef

HOWS = ("left", "inner")


@dataclass(frozen=True, slots=True)
class TablePlan:
    """A table as the engine reads it: columns, sets of columns that are unique in it, and after how
    many microseconds it is read again (0: with every batch).
    """

    name: str
    schema: Schema
    keys: tuple[tuple[str, ...], ...]
    refresh: int | None = None


@dataclass(frozen=True, slots=True)
class Refreshing(Terms):
    """Tables that are read again by the clock of this query."""

    tables: tuple[TablePlan, ...]


def tables_of(stream: Stream) -> tuple[TableDef, ...]:
    """The tables that a stream looks something up in, also below joins."""
    below = stream.base.inputs if isinstance(stream.base, JoinDef) else ()
    found = [table for one in below for table in tables_of(one)]
    found += [step.table for step in stream.steps if isinstance(step, LookUp)]
    return tuple(found)


def sources_of(queries: Iterable[Query]) -> dict[str, Any]:
    """Where the tables of a pipeline are read, by name."""
    found = [table for query in queries for table in tables_of(query.stream)]
    return {table.name: table.source for table in found}


def check_tables(streams: Iterable[Stream], problems: list[Problem]) -> dict[str, TableDef]:
    """The tables of a pipeline by name; each name means one table."""
    found: dict[str, TableDef] = {}
    for table in (table for stream in streams for table in tables_of(stream)):
        known = found.setdefault(table.name, table)
        if not known.is_same(table):
            hint = "call sw.table once and use it in both queries, or rename one"
            at = f"table {table.name!r}"
            problems.append(Problem("TABLE_TWICE", at, "two different tables have this name", hint))
    for table in found.values():
        report = Reporter(f"table {table.name!r}", problems)
        report.positive(table.refresh, "refresh")
        if not table.name.replace("_", "").isalnum():
            report.problem("NAME_INVALID", "name", "names are letters, digits and '_'")
        check_input_name(table.name, report)
    return found


def looked_up(node: Node, step: LookUp, report: Reporter, at: str) -> Node:
    """The node with the columns of a table; the same with problems told."""
    scan = _scan(node)
    if scan is None:
        hint = 'look up first, then select; keys may be expressions: on="upper(code) = t.code"'
        report.problem("LOOKUP_PLACE", at, "a lookup comes before select and windows", hint)
        return node
    if step.how not in HOWS:
        text = f"{step.how!r} is not one of: {', '.join(HOWS)}"
        report.problem("LOOKUP_HOW", at, text, "left keeps rows that find nothing, inner does not")
    if any(one.table == step.table.name for one in scan.lookups):
        hint = "give the table another name for the second time"
        report.problem("LOOKUP_TWICE", at, f"{step.table.name!r} is looked up already", hint)
        return node
    schema = _together(scan, step.table)
    check_different(schema.names, report, at, "columns")
    pairs = _pairs(scan, step, schema, report, at)
    if not pairs:
        return node
    found = replace(scan, schema=schema, lookups=(*scan.lookups, Lookup(step.table.name, pairs)))
    raised = _over(node, found)
    if (
        step.how == "inner"
    ):  # keys that are null find nothing, so this is null where nothing is found
        raised = Filter(raised, Expression(f"{column(pairs[0][1]).sql} IS NOT NULL"))
    return raised


def _scan(node: Node) -> Scan | None:
    while isinstance(node, Filter):
        node = node.input
    return node if isinstance(node, Scan) else None


def _over(node: Node, scan: Scan) -> Node:
    """The same filters over another scan."""
    if isinstance(node, Filter):
        return Filter(_over(node.input, scan), node.predicate)
    return scan


def _together(scan: Scan, table: TableDef) -> Schema:
    """The columns of the stream, and those of the table as ``table_column``."""
    mine = (replace(c, of=c.of or (scan.stream, c.name)) for c in scan.schema.columns)
    theirs = (
        Column(f"{table.name}_{c.name}", c.type, (table.name, c.name)) for c in table.schema.columns
    )
    return Schema((*mine, *theirs))


def _pairs(
    scan: Scan, step: LookUp, schema: Schema, report: Reporter, at: str
) -> tuple[tuple[Expression, str], ...]:
    """What of a row is equal to which column of the table."""
    theirs = {f"{step.table.name}_{name}" for name in step.table.schema.names}
    found: list[tuple[Expression, str]] = []
    for text in step.on:
        plain = bare_name(text) if isinstance(text, str) else None
        shared = plain and schema.find(plain, step.table.name)
        if plain and shared and scan.schema.find(plain):
            text = f"{plain} = {step.table.name}.{plain}"
        parsed = report.parse(text, schema, f"{at}, on")
        for part in [] if parsed is None else conjuncts(parsed[1]):
            pair = _pair(part, theirs)
            if pair is None:
                text = f"{part.sql!r} does not say which column of the table a row looks for"
                hint = f'an equality with one column of it: "expr = {step.table.name}.column"'
                report.problem("LOOKUP_ON", f"{at}, on", text, hint)
            else:
                kinds = (type_of(pair[0], schema), schema.type_of(pair[1]))
                if len({family(kind) for kind in kinds} - {None}) > 1:
                    text = f"{part.sql} compares {kinds[0]} with {kinds[1]}"
                    report.problem(
                        "TYPE_MISMATCH", f"{at}, on", text, "cast the side of the stream"
                    )
                found.append(pair)
    if not step.on:
        hint = f'on="column", or on="expr = {step.table.name}.column"'
        report.problem("LOOKUP_ON", f"{at}, on", "a lookup needs a key", hint)
    return tuple(found)


def _pair(part: Expression, theirs: set[str]) -> tuple[Expression, str] | None:
    tree = part.tree
    if not isinstance(tree, exp.EQ):
        return None
    for mine, other in ((tree.this, tree.expression), (tree.expression, tree.this)):
        value = Expression(mine.sql("spark"))
        is_theirs = isinstance(other, exp.Column) and other.name in theirs
        if is_theirs and value.columns and not value.columns & theirs:
            return value, other.name
    return None


def plan_tables(tables: Iterable[TableDef], lookups: Sequence[Lookup]) -> tuple[TablePlan, ...]:
    """The tables of a pipeline as the engine reads them."""
    report = Reporter("", [])
    found = []
    for table in tables:
        keys = {
            tuple(sorted(name.removeprefix(f"{table.name}_") for _, name in one.on))
            for one in lookups
            if one.table == table.name
        }
        refresh = report.positive(table.refresh, "refresh")
        found.append(TablePlan(table.name, table.schema, tuple(sorted(keys)), refresh))
    return tuple(found)
