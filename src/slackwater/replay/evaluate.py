"""Expressions for the interpreter: evaluated by DuckDB, sketches replaced by exact answers."""

from __future__ import annotations

from typing import Any

import duckdb
import pyarrow as pa

from slackwater.plan.exact import Reading, read_off, value_of
from slackwater.plan.partial import Partial
from slackwater.plan.sql.windows import Writer
from slackwater.plan.stage import Stage
from slackwater.plan.state import State
from slackwater.query.expression import Expression
from slackwater.query.macros import teach
from slackwater.query.relation import Relation
from slackwater.query.schema import Column, Schema
from slackwater.zones import duckdb_setting

_EXACT = (
    "CREATE MACRO hll_sketch_agg(x, k) AS list(x)",
    "CREATE MACRO hll_sketch_estimate(l) AS len(list_distinct(l))",
    "CREATE MACRO kll_sketch_agg_double(x, k) AS list(x ORDER BY x) FILTER (WHERE x IS NOT NULL)",
    "CREATE MACRO kll_sketch_get_quantile_double(l, p) AS l[greatest(1, ceil(p * len(l))::BIGINT)]",
)


class Evaluator:
    """Runs the scalar and aggregate expressions of a plan over plain rows, without panes."""

    def __init__(self, zone: str = "UTC") -> None:
        self.writer = Writer()
        self._duck = duckdb.connect(":memory:")
        self._duck.execute(duckdb_setting(zone))
        teach(self._duck)
        for macro in _EXACT:
            self._duck.execute(macro)

    def close(self) -> None:
        self._duck.close()

    def prepare(self, table: pa.Table, state: State) -> pa.Table:
        """The input with its keys computed (``__key0``...) and whether each row passes."""
        source, writer = state.input, self.writer
        where = f"coalesce({writer.render(state.where, source)}, false)" if state.where else "true"
        keys = [
            f", {writer.render(value, source)} AS __key{number}"
            for number, (_, value) in enumerate(state.keys)
        ]
        numbered = table.append_column("__position", pa.array(range(table.num_rows), pa.int64()))
        text = f"SELECT *, {where} AS __passes{''.join(keys)} FROM numbered ORDER BY __position"
        return self._run(text, numbered=numbered)

    def totals(self, table: pa.Table, state: State) -> dict[str, float]:
        """Every partial over all rows that pass, as a number; what is not one counts as 0."""
        source = state.input
        where = f"WHERE {self.writer.render(state.where, source)}" if state.where else ""
        parts = [p for p in state.partials if p.merge in ("sum", "exact")]
        columns = [f"{self.writer.render(Expression(p.sql), source)} AS {p.name}" for p in parts]
        row = self._run(f"SELECT {', '.join(columns)} FROM plain {where}", plain=table).to_pylist()[
            0
        ]
        return {p.name: float(row[p.name] or 0) for p in parts}

    def aggregate(self, stage: Stage, members: pa.Table) -> list[dict[str, Any]]:
        """Answers per window and key of ``members`` (rows with ``__start`` and ``__key*``)."""
        if stage.relation is not None:
            return self._related(stage, stage.relation, members)
        state = stage.state
        keys = [f"__key{number}" for number in range(len(stage.keys))]
        group = ", ".join(["__start", *keys])
        parts = [
            f"{self._part(part, state)} AS {self.writer.name(part.name)}"
            for part in state.partials
            if not part.is_value
        ]
        readings, answers = read_off(stage.values, state.partials)
        parts += [f"{self._read(one, state)} AS {self.writer.name(one.name)}" for one in readings]
        known = Schema((*state.parts.columns, *(Column(one.name, one.kind) for one in readings)))
        values = [f"{self.writer.render(v, known)} AS {self.writer.name(n)}" for n, v in answers]
        named = [f"{k} AS {self.writer.name(n)}" for k, n in zip(keys, stage.keys, strict=True)]
        inner = f"SELECT {', '.join([group, *parts])} FROM members GROUP BY {group}"
        columns = ["__start", f"__start + {stage.window.size} AS __end", *named, *values]
        found = self._run(f"SELECT {', '.join(columns)} FROM ({inner})", members=members)
        rows: list[dict[str, Any]] = found.to_pylist()
        return rows

    def _related(self, stage: Stage, relation: Relation, members: pa.Table) -> list[dict[str, Any]]:
        """A relation asked of one window and key after the other."""
        name = self.writer.name
        group = ["__start", *(f"__key{number}" for number in range(len(stage.keys)))]
        distinct = f"SELECT DISTINCT {', '.join(group)} FROM members"
        same = " AND ".join(f"m.{key} IS NOT DISTINCT FROM g.{key}" for key in group)
        kept = [
            f"{self.writer.render(Expression(part.sql), stage.state.input)} AS {name(read)}"
            for read, part in zip(relation.reads, _kept(stage, relation), strict=True)
        ]
        mine = f"SELECT m.* FROM members AS m SEMI JOIN alone AS g ON {same}"
        text = relation.over(f"(SELECT {', '.join(kept) or '1 AS one'} FROM ({mine}))")
        found = []
        for one in self._run(distinct, members=members).to_batches(1):
            alone = pa.Table.from_batches([one])
            answer = self._run(text, members=members, alone=alone).to_pylist()[0]
            keys = dict(zip(("__start", *stage.keys), one.to_pylist()[0].values(), strict=True))
            found.append({**keys, "__end": keys["__start"] + stage.window.size, **answer})
        return found

    def _part(self, part: Partial, state: State) -> str:
        if part.is_timed:
            return self.writer.partial_of(part, state.input)
        return self.writer.render(Expression(part.sql), state.input)

    def _read(self, reading: Reading, state: State) -> str:
        """An exact aggregate over plain rows, in words of its own."""
        first = reading.parts[0]
        if first.is_timed:
            return f"struct_extract({self._part(first, state)}, 'v')"
        values = ", ".join(part.sql for part in reading.parts)
        text = {
            "percentile": f"percentile({values}, {reading.share})",
            "distinct": f"count(DISTINCT {values})",
            "set": f"collect_set({values})",
            "list": f"collect_list({values})",
        }[reading.how]
        return self.writer.render(Expression(text), state.input)

    def _run(self, text: str, **tables: pa.Table) -> pa.Table:
        for name, table in tables.items():
            self._duck.register(name, table)
        try:
            return _plain(self._duck.sql(text).to_arrow_table())
        finally:
            for name in tables:
                self._duck.unregister(name)


def _kept(stage: Stage, relation: Relation) -> list[Partial]:
    known = {part.name: part for part in stage.state.partials}
    return [known[value_of(name).name] for name in relation.reads]


def _plain(table: pa.Table) -> pa.Table:
    """Instants are told in DuckDB's zone: back to UTC, where no hour comes twice."""
    return table.cast(pa.schema([pa.field(f.name, _plain_type(f.type)) for f in table.schema]))


def _plain_type(kind: pa.DataType) -> pa.DataType:
    is_instant = pa.types.is_timestamp(kind) and kind.tz is not None
    return pa.timestamp(kind.unit, "UTC") if is_instant else kind
