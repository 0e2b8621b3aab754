"""Expressions for the interpreter: evaluated by DuckDB, sketches replaced by exact answers."""

from __future__ import annotations

from typing import Any

import duckdb
import pyarrow as pa

from slackwater.plan.sql.windows import Writer
from slackwater.plan.stage import Stage
from slackwater.plan.state import State
from slackwater.query.expression import Expression
from slackwater.query.macros import teach
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
        state = stage.state
        keys = [f"__key{number}" for number in range(len(stage.keys))]
        group = ", ".join(["__start", *keys])
        parts = [
            f"{self.writer.render(Expression(p.sql), state.input)} AS {self.writer.name(p.name)}"
            for p in state.partials
        ]
        values = [
            f"{self.writer.render(v, state.parts)} AS {self.writer.name(n)}"
            for n, v in stage.values
        ]
        named = [f"{k} AS {self.writer.name(n)}" for k, n in zip(keys, stage.keys, strict=True)]
        inner = f"SELECT {', '.join([group, *parts])} FROM members GROUP BY {group}"
        columns = ["__start", f"__start + {stage.window.size} AS __end", *named, *values]
        found = self._run(f"SELECT {', '.join(columns)} FROM ({inner})", members=members)
        rows: list[dict[str, Any]] = found.to_pylist()
        return rows

    def _run(self, text: str, **tables: pa.Table) -> pa.Table:
        for name, table in tables.items():
            self._duck.register(name, table)
        try:
            return _plain(self._duck.sql(text).to_arrow_table())
        finally:
            for name in tables:
                self._duck.unregister(name)


def _plain(table: pa.Table) -> pa.Table:
    """Instants are told in DuckDB's zone: back to UTC, where no hour comes twice."""
    return table.cast(pa.schema([pa.field(f.name, _plain_type(f.type)) for f in table.schema]))


def _plain_type(kind: pa.DataType) -> pa.DataType:
    is_instant = pa.types.is_timestamp(kind) and kind.tz is not None
    return pa.timestamp(kind.unit, "UTC") if is_instant else kind
