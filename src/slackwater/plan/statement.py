"""The SQL of a stage, one text for both engines.

Spark and DuckDB run the same statements; only quoting, parameters and sketch functions differ.
Times are BIGINT microseconds: ``__start`` and ``__end`` bound a window, ``pane`` starts a pane.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from slackwater.plan.aggregate import Partial
from slackwater.plan.node import Stamp
from slackwater.plan.stage import Stage
from slackwater.plan.state import State
from slackwater.query.expression import Dialect, Expression, sketched
from slackwater.query.kinds import is_decimal
from slackwater.query.names import quoted
from slackwater.query.schema import Schema
from slackwater.query.totals import summed
from slackwater.units import HOUR

_MICROS: dict[tuple[Dialect, Stamp], str] = {
    ("spark", "timestamp"): "timestamp_micros({0})",
    ("duckdb", "timestamp"): "make_timestamptz({0})",
    ("spark", "timestamp_ntz"): (
        "(TIMESTAMP_NTZ '1970-01-01 00:00:00' + INTERVAL '0.000001' SECOND * {0})"
    ),
    ("duckdb", "timestamp_ntz"): "make_timestamp({0})",
}
_MODULO = {"spark": "pmod({0}, {1})", "duckdb": "((({0}) % {1} + {1}) % {1})"}
_SKETCH_MERGE = {
    ("spark", "hll"): "hll_union_agg({0})",
    ("spark", "kll"): "kll_merge_agg_double({0})",
    ("duckdb", "hll"): "hll_union_list(list({0}))",
    ("duckdb", "kll"): "kll_merge_list(list({0}))",
}


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes statements in one dialect."""

    dialect: Dialect

    def name(self, text: str) -> str:
        if self.dialect == "spark":
            return quoted(text)
        doubled = text.replace('"', '""')
        return f'"{doubled}"'

    def names(self, *texts: str) -> str:
        return ", ".join(self.name(text) for text in texts)

    def parameter(self, text: str) -> str:
        return f"__{text}" if self.dialect == "spark" else f"${text}"

    def told(self, source: str, *parameters: str) -> str:
        """``source`` with parameters at hand: in Spark as columns made from a list of one row.

        Spark compiles plain parameters into its code, and so would compile anew in each batch; a
        list is handed to the compiled code as an object. (A table of one row would be, too, but
        has to be sent to all executors by a job of its own.)
        """
        if self.dialect == "duckdb":
            return source
        values = ", ".join(f"CAST(:{name} AS BIGINT)" for name in parameters)
        columns = ", ".join(self.parameter(name) for name in parameters)
        row = f"inline(array(struct({values})))"
        return f"(SELECT * FROM {source} LATERAL VIEW {row} __told AS {columns})"

    def _repeated(self, source: str, times: int) -> str:
        """``source`` as ``p``, each row so many times, numbered ``o.i``; in Spark without a job."""
        if self.dialect == "duckdb":
            return f"{source} AS p CROSS JOIN range(0, {times}) AS o(i)"
        # sequence(0, -1) has two members, not none
        numbers = f"slice(sequence(0L, {times}L), 1, {times})"
        return f"{source} AS p LATERAL VIEW explode({numbers}) o AS i"

    def render(self, expression: Expression, schema: Schema) -> str:
        return expression.render(self.dialect, schema)

    def micros(self, value: str, stamp: Stamp = "timestamp") -> str:
        """Microseconds as a time of this type; no zone of a session plays a part."""
        return _MICROS[self.dialect, stamp].format(value)

    def modulo(self, value: str, width: int) -> str:
        """``value mod width``, never negative."""
        return _MODULO[self.dialect].format(value, width)

    def quotient(self, value: str, width: int) -> str:
        """Whole part of a division of numbers that are not negative."""
        return f"(({value}) div {width})" if self.dialect == "spark" else f"(({value}) // {width})"

    def pane_of(self, time: str, state: State) -> str:
        return f"{time} - {self.modulo(f'{time} - {state.offset}', state.pane)}"

    def partial(self, state: State, *, joined: bool = False) -> str:
        """Pane partials of ``input``: results of the level below, or those of a join."""
        source = state.input
        keys = [f"{self.render(value, source)} AS {self.name(name)}" for name, value in state.keys]
        where = f"WHERE {self.render(state.where, source)}" if state.where else ""
        parts = [f"{self._partial_of(p, source)} AS {self.name(p.name)}" for p in state.partials]
        times = [
            "__end - 1 AS __ts",
            f"{self.micros('__start', state.stamp)} AS window_start",
            f"{self.micros('__end', state.stamp)} AS window_end",
        ]
        inner = ", ".join(["*"] if joined else ["*", *times])
        pane = self.pane_of("__ts", state)
        positions = ", ".join(str(n) for n in range(1, len(keys) + 2))
        return (
            f"SELECT {', '.join([f'{pane} AS pane', *keys, *parts, 'count(*) AS __rows'])} "
            f"FROM (SELECT {inner} FROM input) {where} GROUP BY {positions}"
        )

    def _partial_of(self, part: Partial, schema: Schema) -> str:
        """One partial over plain rows; DuckDB builds sketches from lists of values."""
        if not part.is_sketch or self.dialect == "spark":
            return self.render(Expression(part.sql), schema)
        argument = sketched(Expression(part.sql), schema)
        kind = f"any_value(typeof({argument}))"
        return f"{part.merge}_of_list(list(CAST({argument} AS VARCHAR)), {kind})"

    def merge(self, state: State) -> str:
        """Merge the partials of ``panes`` per pane and key (compaction)."""
        return self._merge(state, "SELECT * FROM panes", "pane", "sum(__rows) AS __rows")

    def _merge(self, state: State, source: str, lead: str, *extra: str) -> str:
        keys = [self.name(name) for name, _ in state.keys]
        group = ", ".join([lead, *keys])
        means = [p for p in state.partials if p.merge == "mean"]
        if means:
            shared = [self._group_mean(p, group) for p in means]
            source = f"SELECT *, {', '.join(shared)} FROM ({source})"
        merges = [f"{self._merge_one(p)} AS {self.name(p.name)}" for p in state.partials]
        columns = ", ".join([group, *merges, *extra])
        return f"SELECT {columns} FROM ({source}) GROUP BY {group}"

    def _group_mean(self, mean: Partial, group: str) -> str:
        over = f"OVER (PARTITION BY {group})"
        count, value = self.name(mean.count), self.name(mean.name)
        total = f"nullif(sum({count}) {over}, 0)"
        return f"sum({count} * {value}) {over} / {total} AS {self.name(f'__{mean.name}')}"

    def _merge_one(self, part: Partial) -> str:
        column = self.name(part.name)
        if part.is_sketch:
            return _SKETCH_MERGE[self.dialect, part.merge].format(column)
        if part.merge == "mean":
            return f"max({self.name(f'__{part.name}')})"
        if part.merge == "m2":
            away = f"({self.name(part.mean)} - {self.name(f'__{part.mean}')})"
            between = f"coalesce({self.name(part.count)} * {away} * {away}, 0)"
            return f"sum({column} + {between})"
        if part.merge == "exact":  # a sum of decimals that was too long once stays null
            some = f"count({column}) = count_if({self.name(part.count)} > 0)"
            return f"CASE WHEN {some} THEN {self._sum(part)} END"
        return self._sum(part) if part.merge == "sum" else f"{part.merge}({column})"

    def _sum(self, part: Partial) -> str:
        column = self.name(part.name)
        if self.dialect == "spark":  # where a sum of sums of decimals would be ten digits longer
            text = f"sum({column})"
            return f"CAST({text} AS {part.kind})" if is_decimal(part.kind) else text
        plain = not (part.wraps or part.merge == "exact")
        return f"sum({column})" if plain else summed(column, part.kind)

    def _expand(self, stage: Stage, source: str, where: str) -> str:
        """Every pane once for each window that holds it, as ``__start``."""
        window = stage.window
        if window.is_tumbling:
            rows = f"SELECT *, pane AS __start FROM {source}"
        else:
            last = f"pane - {self.modulo(f'pane - {window.offset}', window.slide)}"
            rows = (
                f"SELECT p.*, {last} - o.i * {window.slide} AS __start "
                f"FROM {self._repeated(source, window.overlap)}"
            )
        return f"SELECT * FROM ({rows}) WHERE __start + {window.size} > pane AND {where}"

    def close(self, stage: Stage, windows: int | None = None, *more: str) -> str:
        """Results of the windows that end in ``(after, upto]``, read from ``panes``.

        ``windows`` says how many they are, if known: few windows are spread over the panes, many
        are found from the panes, whichever makes fewer rows. ``first`` is where they start.
        ``more`` names columns of the panes whose totals are wanted as well.
        """
        after, upto = self.parameter("after"), self.parameter("upto")
        window = stage.window
        near = f"pane > {after} - {window.size} AND pane < {upto}"
        source = self.told("panes", "after", "upto", "first")
        panes = f"(SELECT * FROM {source} WHERE {near})"
        if windows is not None and windows < window.overlap:
            start = f"{self.parameter('first')} + o.i * {window.slide}"
            rows = f"SELECT p.*, {start} AS __start FROM {self._repeated(panes, windows)}"
            inside = f"pane >= __start AND pane < __start + {window.size}"
            return self._results(stage, f"SELECT * FROM ({rows}) WHERE {inside}", *more)
        ends = f"__start + {window.size} > {after} AND __start + {window.size} <= {upto}"
        return self._results(stage, self._expand(stage, panes, ends), *more)

    def measure(self, stage: Stage, bounds: dict[str, float], windows: int | None = None) -> str:
        """What ``answers`` should have said, now that stragglers are in ``panes``.

        For each window in ``(after, upto]`` and key: rows, and for each bounded column what was
        said, what is true, and the relative error as ``stats.relative_error`` defines it.
        """
        keys = ["__start", *stage.keys]
        true = self.close(stage, windows, "__rows")
        columns = [f"t.{self.name(key)}" for key in keys]
        columns += ["t.__end", "t.__rows"]
        within = []
        for name, epsilon in bounds.items():
            said, fact = (f"CAST({side}.{self.name(name)} AS DOUBLE)" for side in ("a", "t"))
            error = _relative_error(fact, said, "a.__start IS NOT NULL")
            columns += [
                f"{said} AS {self.name(name)}",
                f"{fact} AS {self.name(f'{name}_true')}",
                f"{error} AS {self.name(f'{name}_error')}",
            ]
            within.append(f"({error}) <= {epsilon!r}")
        columns.append(f"({' AND '.join(within)}) AS within")
        return (
            f"SELECT {', '.join(columns)} FROM ({true}) AS t "
            f"LEFT JOIN answers AS a ON {self._same('t', 'a', keys)}"
        )

    def changed(self, stage: Stage) -> str:
        """Windows and keys closed before (``after``) that rows of ``delta`` still reach."""
        after, horizon = self.parameter("after"), self.parameter("horizon")
        size = stage.window.size
        ends = f"__start + {size} <= {after} AND __start + {size} > {horizon}"
        columns = self.names("__start", *stage.keys)
        delta = f"(SELECT * FROM {self.told('delta', 'after', 'horizon')})"
        return f"SELECT DISTINCT {columns} FROM ({self._expand(stage, delta, ends)})"

    def revise(self, stage: Stage) -> str:
        """Fresh results of the windows and keys in ``changed``, with the next revision number.

        A group that lost all its rows (its input was revised away) keeps its keys and gets
        nulls for values; its revision is negative, so that the level above knows it is no row.
        """
        keys = ["__start", *stage.keys]
        same, again = self._same("p", "c", keys), self._same("r", "c", keys)
        rows = self._expand(stage, "panes", "true")
        only = f"SELECT p.* FROM ({rows}) AS p SEMI JOIN changed AS c ON {same}"
        fresh = self._results(stage, only, *_counted(stage))
        group = self.names(*keys)
        told = f"SELECT {group}, max(abs(revision)) AS __seen FROM told GROUP BY {group}"
        names = [*(self.name(name) for name, _ in stage.values), *_counted(stage)]
        values = ", ".join(f"p.{name}" for name in names)
        columns = ", ".join(f"c.{self.name(k)}" for k in keys)
        sign = "CASE WHEN p.__start IS NULL THEN -1 ELSE 1 END"
        return (
            f"SELECT {columns}, c.__start + {stage.window.size} AS __end, {values}, "
            f"CAST((coalesce(r.__seen, 0) + 1) * {sign} AS INT) AS revision "
            f"FROM changed AS c LEFT JOIN ({fresh}) AS p ON {same} "
            f"LEFT JOIN ({told}) AS r ON {again}"
        )

    def _same(self, left: str, right: str, names: Sequence[str]) -> str:
        """Equality of columns in which nulls are equal too."""
        columns = [self.name(name) for name in names]
        return " AND ".join(f"{left}.{c} IS NOT DISTINCT FROM {right}.{c}" for c in columns)

    def _results(self, stage: Stage, source: str, *more: str) -> str:
        merged = self._merge(stage.state, source, "__start", *(f"sum({m}) AS {m}" for m in more))
        parts = stage.state.parts
        columns = [
            "__start",
            f"__start + {stage.window.size} AS __end",
            *(self.name(key) for key in stage.keys),
            *(f"{self.render(value, parts)} AS {self.name(name)}" for name, value in stage.values),
            *more,
        ]
        return f"SELECT {', '.join(columns)} FROM ({merged})"

    def finals(self, stage: Stage, windows: int | None = None) -> str:
        """Results of closing windows as revision 0."""
        closed = self.close(stage, windows, *_counted(stage))
        return f"SELECT *, CAST(0 AS INT) AS revision FROM ({closed})"

    def open(self, stage: Stage, *more: str) -> str:
        """What windows that are not closed would say now: they end after ``after`` and begin at
        ``last`` at the latest. Read from ``panes``; ``more`` as for closing.
        """
        after, last = self.parameter("after"), self.parameter("last")
        size = stage.window.size
        source = self.told("panes", "after", "last")
        panes = f"(SELECT * FROM {source} WHERE pane > {after} - {size})"
        ends = f"__start + {size} > {after} AND __start <= {last}"
        return self._results(stage, self._expand(stage, panes, ends), *more)

    def present(self, stage: Stage, results: str = "results") -> str:
        """``results`` as people see them: every row says what it is."""
        origin, emitted = self.parameter("origin"), self.parameter("emitted_at")
        columns = [
            f"{self.micros('__start', stage.state.stamp)} AS window_start",
            f"{self.micros('__end', stage.state.stamp)} AS window_end",
            *(self.name(key) for key in stage.keys),
            *(self.name(name) for name, _ in stage.values),
            "CASE WHEN revision = 0 THEN 'final' ELSE 'revision' END AS kind",
            "abs(revision) AS revision",
            "CAST(NULL AS DOUBLE) AS coverage",
            f"__start < {origin} AS boundary",
            f"{self.micros(emitted)} AS emitted_at",
            *self._no_estimate(stage),
        ]
        return f"SELECT {', '.join(columns)} FROM {self.told(results, 'origin', 'emitted_at')}"

    def _no_estimate(self, stage: Stage) -> list[str]:
        """The columns of estimates, as finals and revisions have them."""
        if stage.estimated is None:
            return []
        tuples, prod, *rest = stage.estimated.names
        empty = [f"CAST(NULL AS DOUBLE) AS {self.name(name)}" for name in rest]
        return [f"__rows AS {tuples}", f"CAST(NULL AS STRING) AS {prod}", *empty]

    def latest(self, stage_below: Stage) -> str:
        """The newest revision of each row of ``rows``, results of the level below.

        An answer that was withdrawn is none.
        """
        keys = self.names("__start", *stage_below.keys)
        rank = f"row_number() OVER (PARTITION BY {keys} ORDER BY abs(revision) DESC) AS __rank"
        return f"SELECT * FROM (SELECT *, {rank} FROM rows) WHERE __rank = 1 AND revision >= 0"

    def versions(self, stage_below: Stage) -> str:
        """All revisions of those ``rows`` that also occur in ``delta``, but for withdrawals."""
        keys = ["__start", *stage_below.keys]
        same = self._same("r", "d", keys)
        return f"SELECT r.* FROM rows AS r SEMI JOIN delta AS d ON {same} WHERE r.revision >= 0"


def _relative_error(true: str, said: str, given: str) -> str:
    """``stats.relative_error`` in SQL."""
    void, unknown = (f"({value} IS NULL OR isnan({value}))" for value in (true, said))
    infinity = "CAST('Infinity' AS DOUBLE)"
    return (
        f"CASE WHEN NOT ({given}) THEN 1.0 WHEN {void} AND {unknown} THEN 0.0 "
        f"WHEN {void} OR {unknown} THEN 1.0 WHEN {said} = {true} THEN 0.0 "
        f"WHEN {true} = 0 OR abs({true}) = {infinity} THEN {infinity} "
        f"ELSE abs({said} - {true}) / abs({true}) END"
    )


def _counted(stage: Stage) -> tuple[str, ...]:
    """Rows per result are told where estimates are."""
    return () if stage.estimated is None else ("__rows",)


@dataclass(frozen=True, slots=True)
class Observing:
    """Spark SQL over raw rows with ``__ts``: what groups them, and what is kept of each group.

    Rows that fail the filter stay in as a group for each hour, without pane or keys: they still
    move the stream's clock. So do heartbeats (rows with ``__beat`` only), which count as no row at
    all. No literal changes from batch to batch, so Spark compiles this once. ``passes`` must be
    given to the rows as a column ``__passes`` first, unless all of them pass.
    """

    passes: str | None
    groups: tuple[str, ...]
    aggregates: tuple[str, ...]


def observing(state: State, *, heartbeat: bool = False) -> Observing:
    """Pane partials of a state, and the batch's statistics beside them."""
    writer = Writer("spark")
    some_fail = state.where is not None or heartbeat
    pane = writer.pane_of("__ts", state)
    keys = [(name, value.sql) for name, value in state.keys]
    parts = [(p.name, p.sql) for p in state.partials]
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
    return Observing(
        passes(state, heartbeat=heartbeat) if some_fail else None,
        (
            f"{pane} AS pane",
            "__passes" if some_fail else "true AS __passes",
            f"{_hour_of_failing() if some_fail else 'CAST(NULL AS BIGINT)'} AS __hour",
            *named,
        ),
        tuple(aggregates),
    )


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
