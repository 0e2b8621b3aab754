"""Aggregates: what to keep per pane, how panes merge, how the answer is read off.

An aggregate is split into *partials* (computed once per pane), a *merge* for each partial, and a
*final* expression over merged partials. Exact ones keep distinct values instead
(:mod:`slackwater.plan.exact`); what has neither is refused with an alternative.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sqlglot import exp

from slackwater.errors import Problem
from slackwater.plan.exact import (
    SUPPORTED_EXACT,
    is_exact,
    moment_kind,
    split_exact,
)
from slackwater.plan.partial import Partial, Split, partial_of
from slackwater.query.expression import Expression, is_numeric, of_tree, type_of
from slackwater.query.kinds import decimal_of, is_decimal
from slackwater.query.schema import Schema
from slackwater.query.totals import EXACT_DIGITS, mean_of

HLL_LOG_K = 12
KLL_K = 200


def _count(argument: str) -> Partial:
    return partial_of("count", f"count({argument})", "sum")


def _simple(function: str) -> Callable[[str], Split]:
    def split(argument: str) -> Split:
        part = partial_of(function, f"{function}({argument})", function)
        return Split((part,), part.name)

    return split


def _split_sum(argument: str) -> Split:
    part = partial_of("sum", f"sum({argument})", "sum")
    return Split((part,), part.name)


def _split_long_sum(argument: str) -> Split:
    """A sum of long decimals: null because there was no value, or because it was too long?"""
    count = _count(argument)
    part = partial_of("sum", f"sum({argument})", "exact", count=count.name)
    return Split((part, count), part.name)


def _split_count(argument: str) -> Split:
    part = _count(argument)
    return Split((part,), part.name)


def _split_count_if(argument: str) -> Split:
    part = partial_of("countif", f"count(CASE WHEN {argument} THEN 1 END)", "sum")
    return Split((part,), part.name)


def _split_avg(argument: str) -> Split:
    count = _count(argument)
    total = partial_of("dsum", f"sum(CAST({argument} AS DOUBLE))", "sum")
    return Split((total, count), _mean(total.name, count.name))


def _split_decimal_avg(argument: str, kind: str) -> Split:
    count, total = _count(argument), partial_of("sum", f"sum({argument})", "sum")
    return Split((total, count), mean_of(total.name, count.name, kind)[0])


def _mean(total: str, count: str) -> str:
    return f"CASE WHEN {count} > 0 THEN {total} / {count} END"


def _moments(argument: str) -> tuple[Partial, Partial, Partial]:
    """Count, mean and sum of squared deviations: the split that merges without cancellation."""
    value = f"CAST({argument} AS DOUBLE)"
    count = _count(argument)
    mean = partial_of("mean", f"avg({value})", "mean", count=count.name)
    squares = partial_of(
        "m2",
        f"coalesce(var_pop({value}), 0) * count({argument})",
        "m2",
        count=count.name,
        mean=mean.name,
    )
    return count, mean, squares


def _variance(ddof: int, root: bool) -> Callable[[str], Split]:
    def split(argument: str) -> Split:
        count, mean, squares = _moments(argument)
        value = f"{squares.name} / ({count.name} - {ddof})"
        value = f"sqrt({value})" if root else value
        final = f"CASE WHEN {count.name} > {ddof} THEN {value} END"
        return Split((count, mean, squares), final)

    return split


def _split_distinct(argument: str) -> Split:
    sketch = partial_of("hll", f"hll_sketch_agg({argument}, {HLL_LOG_K})", "hll")
    return Split((sketch,), f"hll_sketch_estimate({sketch.name})")


def _split_percentile(argument: str, fraction: str) -> Split:
    value = f"CAST({argument} AS DOUBLE)"
    count = _count(argument)
    sketch = partial_of("kll", f"kll_sketch_agg_double({value}, {KLL_K})", "kll")
    quantile = f"kll_sketch_get_quantile_double({sketch.name}, {fraction})"
    return Split((count, sketch), f"CASE WHEN {count.name} > 0 THEN {quantile} END")


_SPLITS: dict[type[exp.Expr], Callable[[str], Split]] = {
    exp.Sum: _split_sum,
    exp.Min: _simple("min"),
    exp.Max: _simple("max"),
    exp.Avg: _split_avg,
    exp.CountIf: _split_count_if,
    exp.LogicalAnd: _simple("bool_and"),
    exp.LogicalOr: _simple("bool_or"),
    exp.BitwiseAndAgg: _simple("bit_and"),
    exp.BitwiseOrAgg: _simple("bit_or"),
    exp.BitwiseXorAgg: _simple("bit_xor"),
    exp.Variance: _variance(1, root=False),
    exp.VariancePop: _variance(0, root=False),
    exp.Stddev: _variance(1, root=True),
    exp.StddevSamp: _variance(1, root=True),
    exp.StddevPop: _variance(0, root=True),
}
_NEEDS_NUMBER = (
    *(exp.Sum, exp.Avg, exp.Variance, exp.VariancePop),
    *(exp.Stddev, exp.StddevSamp, exp.StddevPop, exp.ApproxQuantile),
)
SUPPORTED = (
    "count, count_if, sum, avg, min, max, var_samp, var_pop, stddev_samp, stddev_pop, bool_and, "
    f"bool_or, bit_and, bit_or, bit_xor, approx_count_distinct, "
    f"approx_percentile, {SUPPORTED_EXACT}"
)
_ALTERNATIVES: dict[type[exp.Expr], tuple[str, str]] = {
    exp.GroupConcat: ("joined text grows with the rows", "collect_list({0})"),
}
_ALIASES: dict[str, type[exp.Expr]] = {
    "mean": exp.Avg,
    "every": exp.LogicalAnd,
    "some": exp.LogicalOr,
}


def take_apart(
    expression: Expression, schema: Schema, where: str
) -> tuple[tuple[Partial, ...], Expression] | Problem:
    """Split an expression over aggregates into partials and a final expression over them.

    >>> parts, final = take_apart(Expression("sum(`v`) / count(*)"), Schema.of(v="int"), "q")
    >>> [p.merge for p in parts]
    ['sum', 'sum']
    """
    tree = rename_aliases(expression.tree)
    calls = [node for node in tree.walk() if _is_aggregate(node)]
    if not calls:
        return Problem(
            "NOT_AN_AGGREGATE",
            where,
            f"{expression.sql!r} holds no aggregate",
            f"supported: {SUPPORTED}; to group by a value use group_by",
        )
    partials: dict[str, Partial] = {}
    holder = exp.Paren(this=tree)
    for call in calls:
        split = _split(call, schema, where)
        if isinstance(split, Problem):
            return split
        partials.update((part.name, _typed(part, schema)) for part in split.partials)
        node = call.parent if isinstance(call.parent, exp.Filter) else call
        node.replace(exp.paren(Expression(split.final).tree))
    final = of_tree(holder.this)
    loose = final.columns - partials.keys()
    if loose:
        return Problem(
            "COLUMN_OUTSIDE_AGGREGATE",
            where,
            f"{', '.join(sorted(loose))} is neither aggregated nor a group key",
            "wrap it in an aggregate such as max(...), or add it to group_by",
        )
    return tuple(partials.values()), final


def _typed(part: Partial, schema: Schema) -> Partial:
    if part.is_timed:
        return replace(part, kind=moment_kind(part, schema))
    tree = Expression(part.sql).tree
    of_longs = isinstance(tree, exp.Sum) and type_of(of_tree(tree.this), schema) == "bigint"
    kind = type_of(Expression(part.sql), schema) or "unknown"
    return replace(part, kind=kind, wraps=of_longs)


def plain_parts(final: Expression) -> tuple[str, ...] | None:
    """The one partial that a final expression is, or total and count if it is their mean.

    >>> partials, final = take_apart(Expression("avg(`v`)"), Schema.of(v="int"), "q")
    >>> plain_parts(final) == tuple(part.name for part in partials)
    True
    """
    tree = final.tree.unnest()
    if isinstance(tree, exp.Column):
        return (tree.name,)
    halves = tree.find(exp.Div)
    parts = [] if halves is None else [halves.this, halves.expression]
    if not parts or not all(isinstance(part, exp.Column) for part in parts):
        return None
    total, count = (part.name for part in parts)
    return (total, count) if tree == Expression(_mean(total, count)).tree else None


def calls_of(tree: exp.Expr) -> list[exp.Expr]:
    """The aggregate calls inside an expression."""
    return [node for node in rename_aliases(tree).walk() if _is_aggregate(node)]


def value_sums(call: exp.Expr) -> tuple[Partial, Partial, Partial]:
    """Count, sum and sum of squares of the values that a call aggregates."""
    argument = _filtered_argument(call)
    value = f"CAST({argument} AS DOUBLE)"
    return (
        replace(_count(argument), kind="bigint"),
        replace(partial_of("dsum", f"sum({value})", "sum"), kind="double"),
        replace(partial_of("dsquare", f"sum({value} * {value})", "sum"), kind="double"),
    )


def rename_aliases(tree: exp.Expr) -> exp.Expr:
    """An expression with each aggregate under the one name it has here."""

    def rename(node: exp.Expr) -> exp.Expr:
        known = node.this if isinstance(node, exp.Filter) else node
        if isinstance(known, exp.IgnoreNulls):
            return _known_only(known.this, node)
        if isinstance(node, exp.Anonymous) and node.name.lower() in _ALIASES:
            return _ALIASES[node.name.lower()](this=node.expressions[0])
        return node

    return tree.transform(rename)


def _known_only(call: exp.Expr, node: exp.Expr) -> exp.Expr:
    """``IGNORE NULLS`` as a filter."""
    where: exp.Expr = exp.Not(this=exp.Is(this=exp.paren(call.this.copy()), expression=exp.Null()))
    if isinstance(node, exp.Filter):
        where = exp.and_(node.expression.this.copy(), where)
    return exp.Filter(this=call.copy(), expression=exp.Where(this=where))


def _is_aggregate(node: exp.Expr) -> bool:
    return isinstance(node, exp.AggFunc) and not isinstance(node, exp.Filter)


def _split(call: exp.Expr, schema: Schema, where: str) -> Split | Problem:
    if call.find_ancestor(exp.Window):
        return Problem("WINDOW_FUNCTION", where, f"{call.sql('spark')!r}: OVER is not supported")
    if isinstance(call.this, exp.Distinct) and not is_exact(call):
        return _refuse_distinct(call, where)
    if any(_is_aggregate(inner) for inner in call.walk() if inner is not call):
        return Problem("AGGREGATE_NESTED", where, f"{call.sql('spark')!r} nests aggregates")
    number = _check_number(call, schema, where)
    return number or _split_known(call, schema, where)


def _check_number(call: exp.Expr, schema: Schema, where: str) -> Problem | None:
    if not isinstance(call, _NEEDS_NUMBER):
        return None
    kind = type_of(of_tree(call.this), schema)
    if is_numeric(kind) is False and "interval" not in str(kind):
        return Problem(
            "TYPE_MISMATCH",
            where,
            f"{call.sql('spark')} needs a number, {call.this.sql('spark')} is {kind}",
            f"cast it, e.g. CAST({call.this.sql('spark')} AS DOUBLE)",
        )
    return None


def _split_known(call: exp.Expr, schema: Schema, where: str) -> Split | Problem:
    if is_exact(call):
        return split_exact(call, lambda text: _guarded(call, text), schema, where)
    argument = _filtered_argument(call)
    if isinstance(call, exp.Count):
        return _split_count(argument)
    kind = _decimal(call, schema)
    if kind and isinstance(call, exp.Sum) and decimal_of(kind).precision > EXACT_DIGITS:
        return _split_long_sum(argument)
    if kind and isinstance(call, exp.Avg):
        return _split_decimal_avg(argument, kind)
    if isinstance(call, exp.ApproxDistinct):
        return _split_distinct(_hashable(argument, call, schema))
    if isinstance(call, exp.ApproxQuantile):
        return _split_quantile(call, argument, where)
    splitter = _SPLITS.get(type(call))
    return splitter(argument) if splitter else _refuse(call, where)


def _decimal(call: exp.Expr, schema: Schema) -> str | None:
    """The type of what is aggregated, if it is a decimal."""
    kind = type_of(of_tree(call.this), schema) or ""
    return kind if is_decimal(kind) else None


def _filtered_argument(call: exp.Expr) -> str:
    """The argument; ``FILTER (WHERE p)`` becomes ``CASE WHEN p THEN argument END``."""
    star = isinstance(call, exp.Count) and isinstance(call.this, exp.Star)
    argument = "1" if star else call.this.sql("spark")
    if not isinstance(call.parent, exp.Filter):
        return "*" if star else argument
    return _guarded(call, argument)


def _guarded(call: exp.Expr, argument: str) -> str:
    if not isinstance(call.parent, exp.Filter):
        return argument
    predicate = call.parent.expression.this.sql("spark")
    return f"CASE WHEN {predicate} THEN {argument} END"


def _hashable(argument: str, call: exp.Expr, schema: Schema) -> str:
    kind = type_of(of_tree(call.this), schema)
    if kind in ("timestamp", "timestamp_ltz"):  # as text, the hour that a clock repeats is one
        return f"unix_micros({argument})"
    return argument if kind in ("int", "bigint", "string") else f"CAST({argument} AS STRING)"


def _split_quantile(call: exp.Expr, argument: str, where: str) -> Split | Problem:
    fraction = call.args.get("quantile")
    value = fraction.sql("spark") if isinstance(fraction, exp.Literal) else ""
    if not value or not 0 <= float(value) <= 1:
        return Problem(
            "PERCENTILE_INVALID",
            where,
            f"{call.sql('spark')}: the percentile must be one number between 0 and 1",
            "for several percentiles write several aggregates; they share one sketch",
        )
    return _split_percentile(argument, value)


def _refuse_distinct(call: exp.Expr, where: str) -> Problem:
    inner = ", ".join(e.sql("spark") for e in call.this.expressions)
    return Problem(
        "NOT_MERGEABLE",
        where,
        f"{call.sql('spark')} cannot be merged from panes: equal values may lie in several panes",
        f"aggregate twice, first by {inner}",
    )


def _refuse(call: exp.Expr, where: str) -> Problem:
    argument = call.this.sql("spark") if isinstance(call.this, exp.Expr) else "x"
    reason, instead = _ALTERNATIVES.get(type(call), ("it has no merge", f"one of: {SUPPORTED}"))
    return Problem(
        "NOT_MERGEABLE",
        where,
        f"{call.sql('spark')} cannot be merged from panes: {reason}",
        f"use {instead.format(argument)}",
    )
