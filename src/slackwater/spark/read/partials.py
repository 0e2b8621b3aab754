"""Raw rows to pane partials: the one job over new rows."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from sqlglot import exp

from slackwater.plan.exact import moment, moment_text
from slackwater.plan.partial import Partial
from slackwater.plan.sql.dialect import SqlWriter
from slackwater.plan.state import State
from slackwater.query.expression import Expression
from slackwater.units import HOUR


@dataclass(frozen=True, slots=True)
class Observer:
    """Turns raw rows into pane partials; made once, so that no batch parses SQL again."""

    passes: Column | None
    groups: tuple[Column, ...]
    aggregates: tuple[Column, ...]

    @classmethod
    def of(cls, state: State, *, heartbeat: bool = False) -> Observer:
        text = partial_sql(state, heartbeat=heartbeat)
        return cls(
            None if text.passes is None else F.expr(text.passes),
            tuple(F.expr(group) for group in text.groups),
            tuple(F.expr(aggregate) for aggregate in text.aggregates),
        )

    def partials(self, rows: DataFrame) -> DataFrame:
        if self.passes is not None:
            rows = rows.withColumn("__passes", self.passes)
        return rows.groupBy(*self.groups).agg(*self.aggregates)


@dataclass(frozen=True, slots=True)
class PartialSql:
    """Spark SQL over raw rows with ``__ts``: what groups them, and what is kept of each group.

    Rows that fail the filter stay in as a group for each hour, without pane or keys: they still
    move the stream's clock. So do heartbeats (rows with ``__beat`` only), which count as no row at
    all. No literal changes from batch to batch, so Spark compiles this once. ``passes`` must be
    given to the rows as a column ``__passes`` first, unless all of them pass.
    """

    passes: str | None
    groups: tuple[str, ...]
    aggregates: tuple[str, ...]


def partial_sql(state: State, *, heartbeat: bool = False) -> PartialSql:
    """Pane partials of a state, and the batch's statistics beside them."""
    writer = SqlWriter("spark")
    some_fail = state.where is not None or heartbeat
    pane = writer.pane_of("__ts", state)
    keys = [(name, value.sql) for name, value in state.keys]
    keys += [(part.name, part.sql) for part in state.partials if part.is_value]
    parts = [(part.name, _sql(part)) for part in state.partials if not part.is_value]
    if some_fail:
        pane = f"CASE WHEN __passes THEN {pane} END"
        keys = [(name, f"CASE WHEN __passes THEN {sql} END") for name, sql in keys]
        parts = [(name, _guarded(sql)) for name, sql in parts]
    named = [f"{sql} AS {writer.name(name)}" for name, sql in keys]
    aggregates = [
        *(f"{sql} AS {writer.name(name)}" for name, sql in parts),
        f"count({'__one' if heartbeat else '*'}) AS __rows",
        "min(__ts) AS __low",
        "max(__ts) AS __high",
        f"{'max(__beat)' if heartbeat else 'CAST(NULL AS BIGINT)'} AS __beat",
    ]
    return PartialSql(
        passes(state, heartbeat=heartbeat) if some_fail else None,
        (
            f"{pane} AS pane",
            "__passes" if some_fail else "true AS __passes",
            f"{_hour_of_failing() if some_fail else 'CAST(NULL AS BIGINT)'} AS __hour",
            *named,
        ),
        tuple(aggregates),
    )


_FIELDS = {"t": "time", "n": "mark", "v": "value"}


def _sql(part: Partial) -> str:
    if not part.is_timed:
        return part.sql
    value, where = moment(part)
    # fields that may be null, whatever the columns are: rows that fail have no struct at all
    fields = [f"'{name}', if({{time}} IS NULL, NULL, {{{what}}})" for name, what in _FIELDS.items()]
    struct = f"named_struct({', '.join(fields)})"
    return moment_text(part, value.sql, None if where is None else where.sql, struct)


def _hour_of_failing() -> str:
    """Fine enough to tell a stream that moves on from a single row far ahead."""
    return f"CASE WHEN NOT __passes THEN __ts div {HOUR} END"


def passes(state: State, *, heartbeat: bool = False) -> str:
    """Spark SQL: does a row belong to this state at all?"""
    where = f"coalesce({state.where.sql}, false)" if state.where is not None else "true"
    return f"{where} AND __beat IS NULL" if heartbeat else where


_SKETCHES = ("hll_sketch_agg", "kll_sketch_agg_double")


def _guarded(sql: str) -> str:
    """Aggregate only rows that pass, so that a filter also guards what is computed behind it."""

    def guard(node: exp.Expr) -> exp.Expr:
        sketch = isinstance(node, exp.Anonymous) and node.name.lower() in _SKETCHES
        if sketch or isinstance(node, exp.AggFunc):
            return exp.Filter(this=node.copy(), expression=exp.Where(this=exp.column("__passes")))
        return node

    return Expression(sql).tree.transform(guard).sql("spark")
