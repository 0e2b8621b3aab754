"""What differs between the engines: quoting, parameters, times, modulo.

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

    def parameter(self, text: str) -> str:
        # DuckDB takes a number for 32 bits if it fits, and what is computed with it overflows there
        return f"__{text}" if self.dialect == "spark" else f"${text}::BIGINT"

    def told(self, source: str, *parameters: str) -> str:
        """``source`` with parameters at hand: in Spark as columns made from a list of one row.

        Spark compiles plain parameters into its code, and so would compile anew in each batch; a
        list is handed to the compiled code as an object. (A table of one row would be, too, but
        has to be sent to all executors by a job of its own; design note 5.)
        """
        if self.dialect == "duckdb":
            return source
        values = ", ".join(f"CAST(:{name} AS BIGINT)" for name in parameters)
        columns = ", ".join(self.parameter(name) for name in parameters)
        row = f"inline(array(struct({values})))"
        return f"(SELECT * FROM {source} LATERAL VIEW {row} __told AS {columns})"

    def taken(self, used: tuple[str, ...], *told: str) -> tuple[str, ...]:
        """The parameters of a statement: those it uses; in Spark also others that are told."""
        return used if self.dialect == "duckdb" else (*used, *told)

    def repeated(self, source: str, times: int) -> str:
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
