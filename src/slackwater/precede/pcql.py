"""P-CQL: a continuous query, and who comes first in it (spec precedence 1.4, A1).

``SELECT ... FROM Stock S, News N WHERE contains(S.sector, N.sector) WINDOW 30 sec`` and then
``RANK 1 CRITERIA (S.owned = TRUE) AND (S.aggressive = TRUE) RANK 2 CRITERIA ...``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.tokens import Tokenizer

from slackwater.errors import Problem, QueryError, SlackwaterError
from slackwater.precede.level import StaticLevel
from slackwater.precede.predicate import Predicate, UnknownConditionError, evaluation
from slackwater.query.rank import starts, written
from slackwater.units import duration

_COUNTED = ("tuple", "tuples", "row", "rows")


@dataclass(frozen=True, slots=True)
class Window:
    """How long rows meet each other: ``micros`` of time, or the last ``rows`` of a stream."""

    micros: int | None = None
    rows: int | None = None


@dataclass(frozen=True, slots=True)
class RankedQuery:
    """A query with its static levels. ``streams`` are names by alias, ``conditions`` its WHERE."""

    streams: tuple[tuple[str, str], ...]
    outputs: tuple[str, ...]
    conditions: tuple[str, ...]
    window: Window
    levels: tuple[StaticLevel, ...]

    @property
    def ranks(self) -> int:
        """How many ranks there are (NumRnks)."""
        return max((level.rank for level in self.levels), default=0)


def parse(text: str) -> RankedQuery:
    """Read a query; all that is wrong with it is told at once, in a :class:`QueryError`."""
    try:
        tokens = Tokenizer().tokenize(text)
    except SqlglotError as error:
        raise QueryError([Problem("SQL_UNPARSABLE", "query", str(error))]) from None
    begun = [*starts(tokens), (len(tokens), 0)]
    head, window, problems = _window(text, tokens[: begun[0][0]])
    tree = _tree(head, problems)
    aliases = {} if tree is None else {t.alias_or_name: t.name for t in tree.find_all(exp.Table)}
    bounds = pairwise(begun)
    cut = [(rank, written(text, tokens[at + 3 : end])) for (at, rank), (end, _) in bounds]
    levels = [_level(rank, criteria, tuple(aliases), problems) for rank, criteria in cut]
    problems += _gaps([rank for rank, _ in cut])
    if problems or tree is None:
        raise QueryError(problems)
    where = tree.args.get("where")
    conditions = _conjuncts(where.this) if where else ()
    outputs = tuple(one.sql("spark", comments=False) for one in tree.expressions)
    known = tuple(level for level in levels if level is not None)
    return RankedQuery(tuple(aliases.items()), outputs, conditions, window, known)


def _conjuncts(tree: exp.Expr) -> tuple[str, ...]:
    """What is connected by AND, one by one."""
    parts = tree.flatten() if isinstance(tree, exp.And) else (tree,)
    return tuple(one.sql("spark", comments=False) for one in parts)


def _window(text: str, tokens: Sequence[Any]) -> tuple[str, Window, list[Problem]]:
    """The query in front of its window, and the window."""
    at = next((n for n, one in enumerate(tokens) if one.text.upper() == "WINDOW"), None)
    if at is None:
        hint = "end the query with WINDOW 30 sec, or WINDOW 1000 tuples"
        return written(text, tokens), Window(), [Problem("WINDOW_MISSING", "WINDOW", "none", hint)]
    size = written(text, tokens[at + 1 :])
    number, _, unit = size.partition(" ")
    head = written(text, tokens[:at])
    if unit.strip().lower() in _COUNTED and number.isdecimal():
        return head, Window(rows=int(number)), []
    try:
        return head, Window(micros=duration(size)), []
    except SlackwaterError as error:
        return head, Window(), [Problem("WINDOW_INVALID", "WINDOW", f"{size!r}: {error}")]


def _tree(head: str, problems: list[Problem]) -> exp.Select | None:
    try:
        tree = sqlglot.parse_one(head, read="spark")
    except SqlglotError as error:
        problems.append(Problem("SQL_UNPARSABLE", "query", str(error).splitlines()[0]))
        return None
    if not isinstance(tree, exp.Select) or tree.args.get("from_") is None:
        problems.append(Problem("SQL_UNPARSABLE", "query", "expected SELECT ... FROM ..."))
        return None
    return tree


def _level(
    rank: int, criteria: str, aliases: tuple[str, ...], problems: list[Problem]
) -> StaticLevel | None:
    """One clause, its columns written with their stream."""
    where = f"RANK {rank}"
    try:
        tree = sqlglot.parse_one(criteria, read="spark")
        for column in tree.find_all(exp.Column):
            if not column.table and len(aliases) == 1:
                column.set("table", exp.to_identifier(aliases[0]))
        condition = Predicate(tree.sql("spark", comments=False))
        evaluation(condition.sql)
    except SqlglotError as error:
        problems.append(Problem("SQL_UNPARSABLE", where, str(error).splitlines()[0]))
        return None
    except UnknownConditionError as error:
        allowed = "AND, OR, NOT, =, <>, <, <=, >, >=, IN, BETWEEN and IS are"
        problems.append(Problem("CRITERIA_UNSUPPORTED", where, f"{error} is not offered", allowed))
        return None
    owners = {column.table for column in tree.find_all(exp.Column)}
    if len(owners) != 1 or not owners <= {*aliases}:
        text = f"{criteria!r} must test columns of one stream of {', '.join(aliases)}"
        problems.append(Problem("CRITERIA_STREAM", where, text, "write stream.column"))
        return None
    return StaticLevel(rank, condition, owners.pop())


def _gaps(ranks: Sequence[int]) -> list[Problem]:
    missing = sorted({*range(1, max(ranks, default=0) + 1)} - {*ranks})
    found = [Problem("RANK_MISSING", f"RANK {rank}", "ranks go from 1 up without gaps")
             for rank in missing]  # fmt: skip
    if 0 in ranks:
        found.append(Problem("RANK_INVALID", "RANK 0", "the most critical rank is 1"))
    return found
