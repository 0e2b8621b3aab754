"""A catalog without an engine: rows that are listed in the file, and places with a name."""

from __future__ import annotations

from dataclasses import dataclass

from slackwater.errors import SinkError, SourceError
from slackwater.frontends.catalog import Catalog, SinkKind, SinkTable, SourceKind, SourceTable
from slackwater.frontends.table import Table
from slackwater.frontends.values import Count, Located, Number, Text, TextTable
from slackwater.query.schema import Column, Schema
from slackwater.query.stream import Stream, StreamDef


@dataclass(frozen=True)
class Rows:
    columns: tuple[tuple[str, str], ...]

    def schema(self) -> Schema:
        return Schema(tuple(Column(name, kind) for name, kind in self.columns))


@dataclass(frozen=True)
class Place:
    path: str


class SpreadTable(Table):
    mean: Number


class RowsTable(SourceTable):
    columns: TextTable
    count: Count | None = None
    spreads: list[SpreadTable] | None = None


class TapeTable(SourceTable):
    path: Located


class PlaceTable(SinkTable):
    path: Located


class PaperTable(SinkTable):
    rows: Count | None = None
    title: Text


def _rows(table: RowsTable) -> Rows:
    return Rows(tuple(table.columns.items()))


def _tape(table: TapeTable) -> Rows:
    raise SourceError("SOURCE_MISSING", f"{table.path} does not exist", "record it first")


def _paper(table: PaperTable) -> Place:
    raise SinkError("SINK_EMPTY", f"no paper for {table.title}", "buy some")


CATALOG = Catalog(
    sources={"rows": SourceKind(RowsTable, _rows), "tape": SourceKind(TapeTable, _tape)},
    sinks={
        "folder": SinkKind(PlaceTable, lambda table: Place(table.path)),
        "paper": SinkKind(PaperTable, _paper),
    },
    folder="folder",
)

READINGS = """
[source.readings]
kind = "rows"
time = "ts"
columns = { ts = "timestamp", key = "bigint", value = "double" }
"""
ROWS = Rows((("ts", "timestamp"), ("key", "bigint"), ("value", "double")))


def stream(name: str = "readings", **terms: object) -> Stream:
    return Stream(StreamDef(name, ROWS.schema(), "ts", source=ROWS, **terms))  # type: ignore[arg-type]
