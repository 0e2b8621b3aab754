"""A catalog without an engine: rows that are listed in the file, and places with a name; files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from slackwater.errors import SinkError, SourceError
from slackwater.frontends.catalog import Catalog, SinkKind, SinkTable, SourceKind, SourceTable
from slackwater.frontends.table import Table
from slackwater.frontends.toml.read import PipelineFile, read
from slackwater.frontends.values import Count, Located, Number, Text, TextTable
from slackwater.query.schema import Column, Schema
from slackwater.query.stream import Stream, StreamDef
from slackwater.query.table import TableDef


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


def _names(name: str, path: Path, **terms: Any) -> TableDef:
    if path.suffix != ".parquet":
        raise SourceError("TABLE_SOURCE", f"{path} is no table", "write one")
    schema = Schema.of(**terms.pop("schema", {"key": "bigint", "name": "string"}))
    return TableDef(name, schema, source=path, **terms)


CATALOG = Catalog(
    sources={"rows": SourceKind(RowsTable, _rows), "tape": SourceKind(TapeTable, _tape)},
    sinks={
        "folder": SinkKind(PlaceTable, lambda table: Place(table.path)),
        "paper": SinkKind(PaperTable, _paper),
    },
    table=_names,
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


QUERY = """
[[query]]
name = "q"
from = "readings"
window = "10 s"
aggregate = { n = "count(*)" }
"""


def load(folder: Path, text: str) -> PipelineFile:
    path = folder / "pipeline.toml"
    path.write_text(text, encoding="utf-8")
    return read(path, CATALOG)


def sound(folder: Path, text: str) -> PipelineFile:
    file = load(folder, text)
    assert file.problems == ()
    return file


def problems(folder: Path, text: str) -> dict[str, tuple[str, str]]:
    """Condition and message with hint of each problem, by where it is."""
    return {p.where: (p.condition, f"{p.message} {p.hint}") for p in load(folder, text).problems}


WINDOWS = (
    READINGS
    + """
arrival = "at"
max_ahead = "1 hour"
[[query]]
name = "q"
from = "readings"
costly = { budget = 9, aside = "3:1", starve = "1 min" }
where = "value > 1"
select = ["key AS sensor", "value"]
window = "10 s"
slide = "5 s"
start = "1 s"
group_by = "sensor"
aggregate = { n = "count(*)" }
max_error = 0.01
confidence = 0.9
of = "n"
at_least = "1 s"
at_most = 20
granularity = "100 ms"
method = "conformal"
per_key = true
late = "revise"
keep = "1 min"
idle = "5 s"
sink = { path = "out" }
side = { kind = "folder", path = "late" }
quality = { kind = "folder", path = "quality" }
[[query.then]]
where = ["n > 1", "n < 9"]
select = "n"
window = "1 min"
slide = "30 s"
start = "2 s"
group_by = ["n % 2 AS odd"]
aggregate = { n = "sum(n)" }
[[query.estimates]]
every = "5 s"
where = "n > 3"
[[query.estimates]]
accuracy = 0.9
of = "n"
band = 0.8
[[query.estimates]]
aggressiveness = 0.3
"""
)

JOIN = (
    READINGS
    + READINGS.replace("readings", "payments")
    + """
[[query]]
name = "paid"
join = ["readings", { from = "payments", as = "p", where = "value > 0", select = ["ts", "key"] }]
on = ["readings.key = p.key"]
within = { readings = "5 s", p = "9 s" }
emit = "ordered"
order = "adaptive"
resources = { memory = "512 MB", cpu = 0.8 }
rank = { criteria = ["readings.value > 9"], budget = "100 ms", precedence = "full" }
lifespan = "30 s"
cross = true
how = "inner"
select = ["readings.key AS key"]
min_recall = 0.9
confidence = 0.8
over = "20 s"
at_least = 1
at_most = "1 min"
granularity = 0.5
method = "feedback"
"""
)

RMS = """
[monoid.rms]
body = "sqrt(sum(x * x) / count(x))"
parameters = ["x"]
[monoid.share]
body = "sum(a) / sum(b)"
parameters = ["a", "b"]
"""
