"""Columns of a recording as instants: what is allowed for time and arrival."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import duckdb

from slackwater.errors import Problem, QueryError, SourceError
from slackwater.query.schema import Schema
from slackwater.replay.advise.files import Files

_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER")
_NUMBERS = (*_WHOLE, "UBIGINT", "HUGEINT", "FLOAT", "DOUBLE")


class Unit(StrEnum):
    """What one stands for, if instants are numbers since the epoch."""

    seconds = "s"
    milliseconds = "ms"
    microseconds = "us"
    nanoseconds = "ns"


_MICROS = {
    Unit.seconds: "{0} * 1000000",
    Unit.milliseconds: "{0} * 1000",
    Unit.microseconds: "{0}",
    Unit.nanoseconds: "{0} / 1000",
}


def quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def check_columns(schema: Schema, time: str, arrival: str | None, by: Sequence[str]) -> None:
    """All columns that are missing, at once."""
    wanted = [("--time", time), *(("--by", name) for name in by)]
    if arrival is not None:
        wanted.insert(1, ("--arrival", arrival))
    listed = ", ".join(f"{column.name} ({column.type.lower()})" for column in schema.columns)
    problems = [
        Problem("COLUMN_UNKNOWN", where, f"there is no column {name!r}", f"columns: {listed}")
        for where, name in wanted
        if schema.type_of(name) is None
    ]
    if problems:
        raise QueryError(problems)


def time_sql(
    connection: duckdb.DuckDBPyConnection,
    files: Files,
    schema: Schema,
    name: str,
    unit: Unit | None,
) -> str:
    """Event time in microseconds since the epoch, as SQL."""
    kind = schema.type_of(name) or ""
    if _is_number(kind):
        if unit is None:
            raise SourceError(
                "TIME_UNIT_MISSING",
                f"the time column {name!r} holds numbers ({kind.lower()})",
                "say what one stands for: --time-unit s, ms, us or ns",
            )
        return f"CAST(floor({_MICROS[unit].format(quote(name))}) AS BIGINT)"
    return _instant_sql(connection, files, name, kind, "time")


def arrival_sql(
    connection: duckdb.DuckDBPyConnection, files: Files, schema: Schema, name: str
) -> str:
    """Something that orders rows as they came, as SQL: an instant or a number."""
    kind = schema.type_of(name) or ""
    if _is_number(kind):
        return quote(name) if kind in _WHOLE else f"CAST({quote(name)} AS DOUBLE)"
    return _instant_sql(connection, files, name, kind, "arrival")


def _is_number(kind: str) -> bool:
    return kind in _NUMBERS or kind.startswith("DECIMAL")


def _instant_sql(
    connection: duckdb.DuckDBPyConnection, files: Files, name: str, kind: str, role: str
) -> str:
    if kind.startswith("TIMESTAMP") or kind == "DATE":
        return f"epoch_us({quote(name)})"
    if kind != "VARCHAR":
        raise _not_an_instant(role, name, kind.lower(), "")
    cast = f"TRY_CAST({quote(name)} AS TIMESTAMPTZ)"
    wrong = connection.execute(
        f"SELECT {quote(name)} FROM {files.relation} "
        f"WHERE {quote(name)} IS NOT NULL AND {cast} IS NULL LIMIT 1"
    ).fetchall()
    if wrong:
        raise _not_an_instant(role, name, "text", f", e.g. {wrong[0][0]!r}")
    return f"epoch_us({cast})"


def _not_an_instant(role: str, name: str, kind: str, example: str) -> SourceError:
    return SourceError(
        f"{role.upper()}_NOT_AN_INSTANT",
        f"the {role} column {name!r} is {kind}{example}",
        "give a column of timestamps (ISO 8601 if text) or numbers",
    )
