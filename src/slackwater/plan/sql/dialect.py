"""What differs between DuckDB and Spark: quoting, times, modulo.

Times are BIGINT microseconds in every statement.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from slackwater.plan.node import Stamp
from slackwater.plan.state import State
from slackwater.query.expression import Dialect, Expression
from slackwater.query.names import quoted
from slackwater.query.schema import Schema

_MICROS: dict[tuple[Dialect, Stamp], str] = {
    ("spark", "timestamp"): "timestamp_micros({0})",
    ("duckdb", "timestamp"): "make_timestamptz({0})",
    ("spark", "timestamp_ntz"): (
        "(TIMESTAMP_NTZ '1970-01-01 00:00:00' + INTERVAL '0.000001' SECOND * {0})"
    ),
    ("duckdb", "timestamp_ntz"): "make_timestamp({0})",
}
_MODULO = {"spark": "pmod({0}, {1})", "duckdb": "((({0}) % {1} + {1}) % {1})"}


@dataclass(frozen=True, slots=True)
class SqlWriter:
    """Writes pieces of SQL in one dialect."""

    dialect: Dialect

    def name(self, text: str) -> str:
        if self.dialect == "spark":
            return quoted(text)
        doubled = text.replace('"', '""')
        return f'"{doubled}"'

    def text(self, value: str) -> str:
        """A text as a literal, whatever is in it."""
        return exp.Literal.string(value).sql(self.dialect)

    def names(self, *texts: str) -> str:
        return ", ".join(self.name(text) for text in texts)

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
