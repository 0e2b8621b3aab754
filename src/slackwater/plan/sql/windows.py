"""The SQL of a stage, as DuckDB runs it wherever state is.

``__start`` and ``__end`` bound a window, ``pane`` starts a pane; all in microseconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from slackwater.plan.exact import Reading, moment, moment_text, read_off
from slackwater.plan.partial import Partial
from slackwater.plan.sql.statement import Statement
from slackwater.plan.sql.whole import WholeWriter
from slackwater.plan.stage import Stage
from slackwater.plan.state import State
from slackwater.query.expression import Dialect, Expression, sketched
from slackwater.query.schema import Column, Schema
from slackwater.query.totals import summed

MANY = 8  # windows that hold a row, from which on spans are cheaper
SPAN = 4  # parts that a span has
_SKETCH_MERGE = {"hll": "hll_union_list(list({0}))", "kll": "kll_merge_list(list({0}))"}


@dataclass(frozen=True, slots=True)
class Writer(WholeWriter):
    """Writes the statements of stages."""

    dialect: Dialect = "duckdb"

    def parameter(self, text: str) -> str:
        # DuckDB takes a number for 32 bits if it fits, and what is computed with it overflows there
        return f"${text}::BIGINT"

    def repeated(self, source: str, times: int) -> str:
        """``source`` as ``p``, each row so many times, numbered ``o.i``."""
        return f"{source} AS p CROSS JOIN range(0, {times}) AS o(i)"

    def partial(self, state: State, *, joined: bool = False) -> Statement:
        """Pane partials of ``input``: results of the level below, or those of a join."""
        source = state.input
        keys = [f"{self.render(value, source)} AS {self.name(name)}" for name, value in state.keys]
        where = f"WHERE {self.render(state.where, source)}" if state.where else ""
        parts = [f"{self.partial_of(p, source)} AS {self.name(p.name)}" for p in state.partials]
        inner = self._timed(state, joined=joined)
        pane = self.pane_of("__ts", state)
        values = [number for number, part in enumerate(state.partials) if part.is_value]
        leads = [*range(1, len(keys) + 2), *(len(keys) + 2 + number for number in values)]
        text = (
            f"SELECT {', '.join([f'{pane} AS pane', *keys, *parts, 'count(*) AS __rows'])} "
            f"FROM (SELECT {inner} FROM input) {where} GROUP BY {', '.join(map(str, leads))}"
        )
        return Statement(text, ("input",))

    def partial_of_groups(self, state: State) -> Statement:
        """Pane partials of ``input``: results of a join over groups of rows."""
        keys = [
            f"{self.render(value, state.input)} AS {self.name(name)}" for name, value in state.keys
        ]
        parts = [self.name(part.name) for part in state.partials]
        pane = self.pane_of("__ts", state)
        columns = ", ".join([f"{pane} AS pane", *keys, *parts, "__rows"])
        text = self._merge(state, f"SELECT {columns} FROM input", "pane", "sum(__rows) AS __rows")
        return Statement(text, ("input",))

    def keys(self, state: State, names: Sequence[str], *, joined: bool = False) -> Statement:
        """Keys that the rows of ``input`` will have in this state, row by row."""
        keys = dict(state.keys)
        values = [f"{self.render(keys[n], state.input)} AS {self.name(n)}" for n in names]
        inner = self._timed(state, joined=joined)
        return Statement(f"SELECT {', '.join(values)} FROM (SELECT {inner} FROM input)", ("input",))

    def _timed(self, state: State, *, joined: bool) -> str:
        """All columns of results, and the times that expressions of a level above may read."""
        if joined:
            return "*"
        start, end = (self.micros(name, state.stamp) for name in ("__start", "__end"))
        return f"*, __end - 1 AS __ts, {start} AS window_start, {end} AS window_end"

    def partial_of(self, part: Partial, schema: Schema) -> str:
        """One partial over plain rows; DuckDB builds sketches from lists of values."""
        if part.is_timed:
            value, where = moment(part)
            texts = [None if one is None else self.render(one, schema) for one in (value, where)]
            struct = "{{'t': {time}, 'n': {mark}, 'v': {value}}}"
            return moment_text(part, str(texts[0]), texts[1], struct)
        if not part.is_sketch:
            return self.render(Expression(part.sql), schema)
        argument = sketched(Expression(part.sql), schema)
        kind = f"any_value(typeof({argument}))"
        return f"{part.merge}_of_list(list(CAST({argument} AS VARCHAR)), {kind})"

    def merge(self, state: State) -> Statement:
        """Merge the partials of ``panes`` per pane and key (compaction)."""
        text = self._merge(state, "SELECT * FROM panes", "pane", "sum(__rows) AS __rows")
        return Statement(text, ("panes",))

    def _merge(self, state: State, source: str, lead: str, *extra: str) -> str:
        values = [part.name for part in state.partials if part.is_value]
        group = ", ".join([lead, *map(self.name, (*(name for name, _ in state.keys), *values))])
        merging = [part for part in state.partials if not part.is_value]
        source = self._with_means(state, source, group)
        merges = [f"{self._merge_one(part)} AS {self.name(part.name)}" for part in merging]
        columns = ", ".join([group, *merges, *extra])
        return f"SELECT {columns} FROM ({source}) GROUP BY {group}"

    def _with_means(self, state: State, source: str, group: str) -> str:
        means = [p for p in state.partials if p.merge == "mean"]
        if not means:
            return source
        shared = [self._group_mean(p, group) for p in means]
        return f"SELECT *, {', '.join(shared)} FROM ({source})"

    def _gathered(self, state: State, source: str, readings: Sequence[Reading], *extra: str) -> str:
        """Totals by window and key where state keeps values one by one, or with their times."""
        group = self.names("__start", *(name for name, _ in state.keys))
        source = self._with_means(state, self.with_places(source, readings, group), group)
        merges = [
            f"{self._merge_one(part)} AS {self.name(part.name)}"
            for part in state.partials
            if not part.is_value
        ]
        reads = [f"{self.read(one)} AS {self.name(one.name)}" for one in readings]
        columns = ", ".join([group, *merges, *reads, *extra])
        return f"SELECT {columns} FROM ({source}) GROUP BY {group}"

    def _group_mean(self, mean: Partial, group: str) -> str:
        over = f"OVER (PARTITION BY {group})"
        count, value = self.name(mean.count), self.name(mean.name)
        total = f"nullif(sum({count}) {over}, 0)"
        return f"sum({count} * {value}) {over} / {total} AS {self.name(f'__{mean.name}')}"

    def _merge_one(self, part: Partial) -> str:
        column = self.name(part.name)
        if part.is_sketch:
            return _SKETCH_MERGE[part.merge].format(column)
        if part.merge == "mean":
            return f"max({self.name(f'__{part.name}')})"
        if part.is_timed:
            return f"{'min' if part.merge == 'first' else 'max'}({column})"
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
                f"FROM {self.repeated(source, window.overlap)}"
            )
        return f"SELECT * FROM ({rows}) WHERE __start + {window.size} > pane AND {where}"

    def close(self, stage: Stage, windows: int | None = None, *more: str) -> Statement:
        """Results of the windows that end in ``(after, upto]``, read from ``panes``.

        ``windows`` says how many they are, if known: few windows are spread over the panes, many
        are found from the panes, whichever makes fewer rows; where many overlap they are put
        together from spans. ``first`` is where they start. ``more`` names columns of the panes
        whose totals are wanted as well.
        """
        after, upto = self.parameter("after"), self.parameter("upto")
        window = stage.window
        near = f"pane > {after} - {window.size} AND pane < {upto}"
        panes = f"(SELECT * FROM panes WHERE {near})"
        if windows is not None and windows < window.overlap:
            start = f"{self.parameter('first')} + o.i * {window.slide}"
            rows = f"SELECT p.*, {start} AS __start FROM {self.repeated(panes, windows)}"
            inside = f"pane >= __start AND pane < __start + {window.size}"
            text = self._results(stage, f"SELECT * FROM ({rows}) WHERE {inside}", *more)
            return Statement(text, ("panes",), ("after", "upto", "first"))
        ends = f"__start + {window.size} > {after} AND __start + {window.size} <= {upto}"
        text = self._from_panes(stage, panes, ends, *more)
        return Statement(text, ("panes",), ("after", "upto"))

    def _from_panes(self, stage: Stage, panes: str, where: str, *more: str) -> str:
        """Results of all windows over some panes for which a condition holds."""
        window = stage.window
        is_merged = stage.relation is None  # rows are no fewer for having been put together
        if is_merged and window.overlap >= MANY and window.size % window.slide == 0:
            return self._from_spans(stage, panes, where, *more)
        return self._results(stage, self._expand(stage, panes, where), *more)

    def _from_spans(self, stage: Stage, panes: str, where: str, *more: str) -> str:
        """Results of windows that are put together from spans of 1, 4, 16, ... slides: a pane is
        merged a few times, not once for each window that holds it.
        """
        window, state = stage.window, stage.state
        told = more
        if state.is_exact and "__rows" not in more:  # values count as often as they were there
            more = (*more, "__rows")
        kept = self.names(*stage.keys, *(part.name for part in state.partials), *more)
        totals = [f"sum({column}) AS {column}" for column in more]
        start = f"pane - {self.modulo(f'pane - {window.offset}', window.slide)}"
        sources = {1: f"(SELECT {kept}, {start} AS __start FROM {panes})"}
        spans, length = [], 1
        while SPAN * length <= window.overlap:
            wider = self._shifted(sources[length], kept, (0, length * window.slide), SPAN)
            length *= SPAN
            merged = self._merge(state, wider, "__start", *totals)
            spans.append(f"w{length} AS MATERIALIZED ({merged})")
            sources[length] = f"w{length}"
        parts, done = [], 0
        for length, source in reversed(sources.items()):
            times = (window.overlap - done) // length
            if times:
                steps = (done * window.slide, length * window.slide)
                parts.append(self._shifted(source, kept, steps, times))
                done += times * length
        rows = f"SELECT * FROM ({' UNION ALL '.join(parts)}) WHERE {where}"
        return f"WITH {', '.join(spans)} {self._results(stage, rows, *told)}"

    def _shifted(self, source: str, kept: str, steps: tuple[int, int], times: int) -> str:
        """Rows as parts of windows that began earlier: by the first step, then by one more each."""
        first, each = steps
        start = f"p.__start - {first} - o.i * {each} AS __start"
        return f"SELECT {kept}, {start} FROM {self.repeated(source, times)}"

    def measure(
        self, stage: Stage, bounds: dict[str, float], windows: int | None = None
    ) -> Statement:
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
        text = (
            f"SELECT {', '.join(columns)} FROM ({true.text}) AS t "
            f"LEFT JOIN answers AS a ON {self.same('t', 'a', keys)}"
        )
        return Statement(text, (*true.reads, "answers"), true.parameters)

    def changed(self, stage: Stage) -> Statement:
        """Windows and keys closed before (``after``) that rows of ``delta`` still reach."""
        after, horizon = self.parameter("after"), self.parameter("horizon")
        size = stage.window.size
        ends = f"__start + {size} <= {after} AND __start + {size} > {horizon}"
        columns = self.names("__start", *stage.keys)
        delta = "(SELECT * FROM delta)"
        text = f"SELECT DISTINCT {columns} FROM ({self._expand(stage, delta, ends)})"
        return Statement(text, ("delta",), ("after", "horizon"))

    def revise(self, stage: Stage) -> Statement:
        """Fresh results of the windows and keys in ``changed``, with the next revision number.

        A group that lost all its rows (its input was revised away) keeps its keys and gets
        nulls for values; its revision is negative, so that the level above knows it is no row.
        """
        keys = ["__start", *stage.keys]
        same, again = self.same("p", "c", keys), self.same("r", "c", keys)
        rows = self._expand(stage, "panes", "true")
        only = f"SELECT p.* FROM ({rows}) AS p SEMI JOIN changed AS c ON {same}"
        fresh = self._results(stage, only, *_counted(stage))
        group = self.names(*keys)
        told = f"SELECT {group}, max(abs(revision)) AS __seen FROM told GROUP BY {group}"
        names = [*(self.name(name) for name, _ in stage.values), *_counted(stage)]
        values = ", ".join(f"p.{name}" for name in names)
        columns = ", ".join(f"c.{self.name(k)}" for k in keys)
        sign = "CASE WHEN p.__start IS NULL THEN -1 ELSE 1 END"
        text = (
            f"SELECT {columns}, c.__start + {stage.window.size} AS __end, {values}, "
            f"CAST((coalesce(r.__seen, 0) + 1) * {sign} AS INT) AS revision "
            f"FROM changed AS c LEFT JOIN ({fresh}) AS p ON {same} "
            f"LEFT JOIN ({told}) AS r ON {again}"
        )
        return Statement(text, ("panes", "changed", "told"))

    def _results(self, stage: Stage, source: str, *more: str) -> str:
        if stage.relation is not None:
            return self.related(stage, stage.relation, source, *more)
        parts, values = stage.state.parts, stage.values
        totals = [f"sum({m}) AS {m}" for m in more]
        if stage.state.is_exact:
            readings, values = read_off(values, stage.state.partials)
            merged = self._gathered(stage.state, source, readings, *totals)
            parts = Schema((*parts.columns, *(Column(one.name, one.kind) for one in readings)))
        else:
            merged = self._merge(stage.state, source, "__start", *totals)
        columns = [
            "__start",
            f"__start + {stage.window.size} AS __end",
            *(self.name(key) for key in stage.keys),
            *(f"{self.render(value, parts)} AS {self.name(name)}" for name, value in values),
            *more,
        ]
        return f"SELECT {', '.join(columns)} FROM ({merged})"

    def finals(self, stage: Stage, windows: int | None = None) -> Statement:
        """Results of closing windows as revision 0."""
        closed = self.close(stage, windows, *_counted(stage))
        text = f"SELECT *, CAST(0 AS INT) AS revision FROM ({closed.text})"
        return Statement(text, closed.reads, closed.parameters)

    def shown(self, stage: Stage, windows: int | None = None) -> Statement:
        """Results of closing windows as people see them: two statements in one."""
        finals = self.finals(stage, windows)
        text = self._present(stage, f"({finals.text})")
        return Statement(text, finals.reads, (*finals.parameters, "origin", "emitted_at"))

    def open(self, stage: Stage, *more: str) -> Statement:
        """What windows that are not closed would say now: they end after ``after`` and begin at
        ``last`` at the latest. Read from ``panes``; ``more`` as for closing.
        """
        after, last = self.parameter("after"), self.parameter("last")
        size = stage.window.size
        panes = f"(SELECT * FROM panes WHERE pane > {after} - {size})"
        ends = f"__start + {size} > {after} AND __start <= {last}"
        text = self._from_panes(stage, panes, ends, *more)
        return Statement(text, ("panes",), ("after", "last"))

    def present(self, stage: Stage) -> Statement:
        """``results`` as people see them: every row says what it is."""
        return Statement(self._present(stage, "results"), ("results",), ("origin", "emitted_at"))

    def _present(self, stage: Stage, results: str) -> str:
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
        return f"SELECT {', '.join(columns)} FROM {results}"

    def _no_estimate(self, stage: Stage) -> list[str]:
        """The columns of estimates, as finals and revisions have them."""
        if stage.estimated is None:
            return []
        tuples, prod, *rest = stage.estimated.names
        empty = [f"CAST(NULL AS DOUBLE) AS {self.name(name)}" for name in rest]
        return [f"__rows AS {tuples}", f"CAST(NULL AS STRING) AS {prod}", *empty]

    def latest(self, stage_below: Stage) -> Statement:
        """The newest revision of each row of ``rows``, results of the level below.

        An answer that was withdrawn is none.
        """
        ranked = self._ranked(stage_below, "rows")
        text = f"SELECT * FROM ({ranked}) WHERE __rank = 1 AND revision >= 0"
        return Statement(text, ("rows",))

    def versions(self, stage_below: Stage) -> Statement:
        """Those ``rows`` that are new, in ``delta``, and those they take the place of.

        Both may belong to other groups above; older versions no longer do. A withdrawal is no row.
        """
        same = self.same("r", "d", ["__start", *stage_below.keys])
        touched = f"(SELECT r.* FROM rows AS r SEMI JOIN delta AS d ON {same})"
        ranked = self._ranked(stage_below, touched)
        text = f"SELECT * FROM ({ranked}) WHERE __rank <= 2 AND revision >= 0"
        return Statement(text, ("rows", "delta"))

    def _ranked(self, stage_below: Stage, rows: str) -> str:
        """Versions of rows, numbered from the newest one back."""
        keys = self.names("__start", *stage_below.keys)
        rank = f"row_number() OVER (PARTITION BY {keys} ORDER BY abs(revision) DESC) AS __rank"
        return f"SELECT *, {rank} FROM {rows}"


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
