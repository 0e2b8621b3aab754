"""Ranks ready to run: conditions over the raw rows of each input."""

from __future__ import annotations

from dataclasses import dataclass

from slackwater.plan.graph import conjuncts
from slackwater.plan.node import Joined, Node, Scan, chain, collapse
from slackwater.plan.report import Reporter
from slackwater.query.expression import Expression, column, is_boolean, type_of
from slackwater.query.rank import PRECEDENCES, Rank, clauses
from slackwater.query.schema import Column, Schema


@dataclass(frozen=True, slots=True)
class Level:
    """Rows of an input that meet the condition have the rank (*static monitoring level*)."""

    rank: int
    input: int
    condition: Expression


@dataclass(frozen=True, slots=True)
class Promised:
    """Rows of an input with one of these values in a join column (by number) have a rank.

    The best value comes first; together they promise so many critical results (``gain``).
    """

    input: int
    column: int
    rank: int
    values: tuple[str, ...]
    gain: float = 0.0


@dataclass(frozen=True, slots=True)
class Heavy:
    """Rows of an input with one of these values are each so much work."""

    input: int
    column: int
    weight: int
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ranking:
    """How the rows of an input are told apart when they arrive.

    ``levels`` are ranks with their conditions, ``values`` the join columns as text; of the rows a
    share ``kept`` is not drawn to be shed. ``is_relaying``: a row that is promised a rank by one
    join column has it for those that it meets by another.
    """

    levels: tuple[tuple[int, Expression], ...] = ()
    values: tuple[Expression, ...] = ()
    promised: tuple[Promised, ...] = ()
    heavy: tuple[Heavy, ...] = ()
    kept: float = 1.0
    is_relaying: bool = False


def levels_of(asked: Rank, root: Node, report: Reporter) -> tuple[Level, ...]:
    """The levels that a query asks for; problems are told by rank."""
    base = chain(root)[0]
    found = [
        _level(number, text, base, report) for number, text in numbered(asked.criteria, report)
    ]
    return tuple(one for one in found if one is not None)


def numbered(criteria: tuple[str, ...], report: Reporter) -> list[tuple[int, str]]:
    """Conditions with their ranks, which have no gaps."""
    if not criteria:
        text, hint = "no condition is given", "sw.rank(\"severity = 'high'\", ...)"
        report.problem("RANK_EMPTY", "rank", text, hint)
    strange = [one for one in criteria if not isinstance(one, str)]
    for one in strange:
        report.problem("SQL_EMPTY", "rank", f"expected an SQL expression, got {one!r}")
    if strange:
        return []
    said = [clauses(text) for text in criteria]
    if not any(said):
        return list(enumerate(criteria, start=1))
    if len(criteria) > 1:
        hint = "one text with all clauses, or the bare conditions in their order"
        report.problem("RANK_TEXTS", "rank", "RANK clauses in several texts", hint)
        return []
    ranks = {rank for rank, _ in said[0]}
    if 0 in ranks:
        report.problem("RANK_INVALID", "rank 0", "the most critical rank is 1")
    for rank in sorted({*range(1, max(ranks) + 1)} - ranks):
        report.problem("RANK_MISSING", f"rank {rank}", "ranks go from 1 up without gaps")
    return said[0]


def check_precedence(asked: Rank, report: Reporter) -> None:
    if asked.precedence not in PRECEDENCES:
        text = f"{asked.precedence!r} is not one of: {', '.join(PRECEDENCES)}"
        report.problem("RANK_PRECEDENCE", "rank, precedence", text)


def _level(rank: int, text: str, base: Node, report: Reporter) -> Level | None:
    at = f"rank {rank}"
    parsed = report.parse(text, _named(base), at)
    if parsed is None:
        return None
    condition = parsed[1]
    if is_boolean(type_of(condition, base.schema)) is False:
        kind = type_of(condition, base.schema)
        report.problem("TYPE_MISMATCH", at, f"{text!r} is {kind}, not a condition")
        return None
    if not isinstance(base, Joined):
        return Level(rank, 0, condition)
    owners = {_owner(name, base.schema) for name in condition.columns}
    if len(owners) != 1:
        hint = f"a condition is about one of {', '.join(base.names)}"
        report.problem("RANK_STREAMS", at, f"{text!r} is about {len(owners)} streams", hint)
        return None
    number = base.names.index(owners.pop())
    return Level(rank, number, _raw(condition, base.names[number], base.inputs[number]))


def _named(base: Node) -> Schema:
    """The columns of one stream may be written ``stream.column``, too, as those of a join."""
    if not isinstance(base, Scan):
        return base.schema
    columns = (Column(c.name, c.type, (base.stream, c.name)) for c in base.schema.columns)
    return Schema(tuple(columns))


def _owner(name: str, schema: Schema) -> str:
    return next(c.of[0] for c in schema.columns if c.name == name and c.of)


def _raw(condition: Expression, name: str, node: Node) -> Expression:
    """A condition on a joined column as one on rows as they arrive."""
    where, names, _ = collapse(node)
    own = {f"{name}_{c}": column(c) for c in node.schema.names}
    found = condition.substitute(own).substitute(names)
    parts = [] if where is None else [part.sql for part in conjuncts(where)]
    return Expression(" AND ".join(f"({part})" for part in (*parts, found.sql)))
