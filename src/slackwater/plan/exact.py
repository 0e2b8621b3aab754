"""Exact aggregates that do not merge: state keeps the distinct values they are about.

A median, a percentile, a count of distinct values, a set or a list is read off the values of a
window and how often each was there. So state has a row for each of them in each pane (a partial
with the merge ``value``), which merges like any other by adding numbers of rows. A first or last
value merges once its event time stands beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from slackwater.errors import Problem
from slackwater.plan.partial import Partial, Split, partial_of
from slackwater.query.expression import Expression, column, is_numeric, of_tree, type_of
from slackwater.query.kinds import normal
from slackwater.query.relation import Relation
from slackwater.query.schema import Schema
from slackwater.units import fingerprint

FIRST = (exp.First, exp.FirstValue, exp.AnyValue)
LAST = (exp.Last, exp.LastValue)
NUMBERS = (exp.Median, exp.Quantile)
EXACT = (*FIRST, *LAST, *NUMBERS, exp.ArrayAgg, exp.ArrayUniqueAgg)
SUPPORTED_EXACT = "median, percentile, count(DISTINCT), collect_list, collect_set, first, last"
_UNEQUAL = ("map", "variant", "interval", "void", "unknown")


def value_of(name: str) -> Partial:
    """A column of rows that are kept."""
    return partial_of("value", column(name).sql, "value")


def kept_columns(relation: Relation, schema: Schema, where: str) -> tuple[Partial, ...] | Problem:
    """What state keeps of the rows that a relation is asked of."""
    kinds = {name: normal(schema.type_of(name) or "unknown") for name in relation.reads}
    for name, kind in kinds.items():
        if kind.startswith(_UNEQUAL) or "map<" in kind:
            text = f"{name} is {kind}, of which equal values cannot be told"
            return Problem("TYPE_MISMATCH", where, text, "select its parts first")
    return tuple(replace(value_of(name), kind=kind) for name, kind in kinds.items())


def is_exact(call: exp.Expr) -> bool:
    """Whether an aggregate is read off all values of a window."""
    return type(call) in EXACT or (
        isinstance(call, exp.Count) and isinstance(call.this, exp.Distinct)
    )


def split_exact(
    call: exp.Expr, guard: Callable[[str], str], schema: Schema, where: str
) -> Split | Problem:
    """What is kept for an exact aggregate; ``guard`` puts its ``FILTER`` around an argument."""
    problem = _problem(call, schema, where)
    if problem is not None:
        return problem
    if isinstance(call, (*FIRST, *LAST)):
        return _split_moment(call)
    values = [partial_of("value", guard(one.sql("spark")), "value") for one in _arguments(call)]
    return Split(tuple(values), _final(call, ", ".join(value.name for value in values)))


def _arguments(call: exp.Expr) -> list[exp.Expr]:
    return call.this.expressions if isinstance(call.this, exp.Distinct) else [call.this]


def _final(call: exp.Expr, names: str) -> str:
    if isinstance(call, exp.Median):
        return f"median({names})"
    if isinstance(call, exp.Quantile):
        return f"percentile({names}, {call.args['quantile'].sql('spark')})"
    if isinstance(call, exp.Count):
        return f"count(DISTINCT {names})"
    is_set = isinstance(call, exp.ArrayUniqueAgg) or isinstance(call.this, exp.Distinct)
    return f"{'collect_set' if is_set else 'collect_list'}({names})"


def _split_moment(call: exp.Expr) -> Split:
    """The filter of a first or last value stays what it is: a null may be the answer."""
    word = "first" if isinstance(call, FIRST) else "last"
    text = f"{word}({call.this.sql('spark')})"
    if isinstance(call.parent, exp.Filter):
        text += f" FILTER (WHERE {call.parent.expression.this.sql('spark')})"
    part = partial_of(word, text, word)
    return Split((part,), f"{word}({part.name})")


def _problem(call: exp.Expr, schema: Schema, where: str) -> Problem | None:
    for one in _arguments(call):
        if not isinstance(one, exp.Expr) or isinstance(one, exp.Order):
            text = f"{call.sql('spark')}: ORDER BY is not offered; lists are in order of values"
            return Problem("SQL_UNSUPPORTED", where, text, "write collect_list(x)")
        kind = normal(type_of(of_tree(one), schema) or "unknown")
        if kind.startswith(_UNEQUAL) or "map<" in kind:
            text = f"{call.sql('spark')}: values of type {kind} cannot be told apart"
            return Problem("TYPE_MISMATCH", where, text, "take its parts, or cast it")
        if isinstance(call, NUMBERS) and is_numeric(kind) is False:
            text = f"{call.sql('spark')} needs a number, {one.sql('spark')} is {kind}"
            hint = f"cast it, e.g. CAST({one.sql('spark')} AS DOUBLE)"
            return Problem("TYPE_MISMATCH", where, text, hint)
    return _share_problem(call, where) if isinstance(call, exp.Quantile) else None


def _share_problem(call: exp.Quantile, where: str) -> Problem | None:
    share = call.args.get("quantile")
    value = share.name if isinstance(share, exp.Literal) and not share.is_string else ""
    if value and 0 <= float(value) <= 1:
        return None
    text = f"{call.sql('spark')}: the percentile must be one number between 0 and 1"
    hint = "for several percentiles write several aggregates; they share their values"
    return Problem("PERCENTILE_INVALID", where, text, hint)


def moment(part: Partial) -> tuple[Expression, Expression | None]:
    """What a first or last value is of, and which rows count."""
    tree = Expression(part.sql).tree
    if isinstance(tree, exp.Filter):
        return of_tree(tree.this.this), of_tree(tree.expression.this)
    return of_tree(tree.this), None


def moment_text(part: Partial, value: str, where: str | None, struct: str) -> str:
    """The value of the smallest or largest event time, as SQL.

    ``struct`` is how a dialect writes time, mark and value together. Rows of one time are told
    apart by their values: the smallest is first, the largest last, and null is neither if it can
    be helped.
    """
    function, test = ("min", "IS NULL") if part.merge == "first" else ("max", "IS NOT NULL")
    made = struct.format(time="__ts", mark=f"({value}) {test}", value=value)
    return f"{function}({made if where is None else f'CASE WHEN {where} THEN {made} END'})"


def moment_kind(part: Partial, schema: Schema) -> str:
    """The type of a value with its event time."""
    kind = type_of(moment(part)[0], schema) or "unknown"
    return f"struct<t:bigint,n:boolean,v:{kind}>"


@dataclass(frozen=True, slots=True)
class Reading:
    """An aggregate over what a window kept, computed when it is answered.

    ``parts`` are the values it is about; ``share`` is p of a percentile.
    """

    name: str
    how: str
    parts: tuple[Partial, ...]
    kind: str
    share: str = ""


def read_off(
    values: Sequence[tuple[str, Expression]], partials: Sequence[Partial]
) -> tuple[tuple[Reading, ...], tuple[tuple[str, Expression], ...]]:
    """The readings inside answers, and the answers over readings and merged partials."""
    known = {part.name: part for part in partials}
    found: dict[str, Reading] = {}
    answers = []
    for name, value in values:
        holder = exp.Paren(this=value.tree)
        for call in [node for node in holder.walk() if is_exact(node)]:
            reading = _reading(call, known)
            found[reading.name] = reading
            call.replace(exp.column(reading.name))
        answers.append((name, of_tree(holder.this)))
    return tuple(found.values()), tuple(answers)


def _reading(call: exp.Expr, known: dict[str, Partial]) -> Reading:
    parts = tuple(known[one.name] for one in _arguments(call))
    name = f"read_{fingerprint([call.sql('spark')])[:8]}"
    if isinstance(call, NUMBERS):
        share = "0.5" if isinstance(call, exp.Median) else call.args["quantile"].name
        return Reading(name, "percentile", parts, "double", share)
    if isinstance(call, exp.Count):
        return Reading(name, "distinct", parts, "bigint")
    if isinstance(call, (*FIRST, *LAST)):
        kind = parts[0].kind.removeprefix("struct<t:bigint,n:boolean,v:").removesuffix(">")
        return Reading(name, parts[0].merge, parts, kind)
    how = "set" if isinstance(call, exp.ArrayUniqueAgg) else "list"
    return Reading(name, how, parts, f"array<{parts[0].kind}>")
