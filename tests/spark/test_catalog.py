"""Whatever Python can say, a pipeline file can say: a new parameter needs a key.

Each function of the public interface stands here beside the table of a file that is its
counterpart. A parameter has a key of its name there, or another one, or a reason to have none.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

import slackwater as sw
from slackwater.frontends.catalog import SourceTable
from slackwater.frontends.secret import SecretTable
from slackwater.frontends.table import Table, keys_of, tables_in, words_of
from slackwater.frontends.toml import model
from slackwater.query.stream import Query, Stream, Windowed
from slackwater.spark import live, pipeline
from slackwater.spark.catalog import catalog, generated, sinks, sources, tables, topics
from slackwater.stats.workload import Burst, Disorder, Gap, Values

NAME = ""  # the name of the table itself, as in [source.NAME]


@dataclass(frozen=True)
class Counterpart:
    """A function, the table that stands for it, and what is called otherwise or left out."""

    function: Callable[..., Any]
    table: type[Table]
    called: dict[str, str] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)


QUERY, JOIN = model.SourceQueryTable, model.JoinQueryTable
COUNTERPARTS = (
    Counterpart(
        pipeline.stream,
        SourceTable,
        {"name": NAME, "source": "kind"},
    ),
    Counterpart(sw.files, sources.FilesTable),
    Counterpart(sw.recording, sources.RecordingTable),
    Counterpart(sw.generator, generated.GeneratorTable),
    Counterpart(Values, generated.ValuesTable),
    Counterpart(Disorder.of, generated.DisorderTable),
    Counterpart(Burst.of, generated.BurstTable),
    Counterpart(Gap.of, generated.GapTable),
    Counterpart(sw.kafka, topics.KafkaTable),
    Counterpart(sw.parquet, sinks.ParquetTable),
    Counterpart(sw.postgres, tables.PostgresTable),
    Counterpart(sw.kafka_sink, topics.KafkaSinkTable),
    Counterpart(sw.delta, tables.DeltaTable),
    Counterpart(sw.iceberg, tables.IcebergTable),
    Counterpart(sw.secret, SecretTable),
    Counterpart(sw.console, sinks.ConsoleTable),
    Counterpart(sw.memory, sinks.MemoryTable),
    Counterpart(Stream.named, model.InputTable, {"name": "as"}),
    Counterpart(Stream.costly, model.CostlyTable),
    Counterpart(Stream.where, model.FilterTable, {"predicate": "function"}),
    Counterpart(Stream.apply, model.ApplyTable),
    Counterpart(Stream.select, QUERY, {"columns": "select"}),
    Counterpart(Stream.window, QUERY, {"size": "window"}),
    Counterpart(Windowed.group_by, QUERY, {"keys": "group_by"}),
    Counterpart(Windowed.aggregate, QUERY, {"values": "aggregate"}),
    Counterpart(Windowed.relate, QUERY, {"sql": "relate"}),
    Counterpart(Stream.query, QUERY, {"contract": "max_error"}),
    Counterpart(sw.join, JOIN, {"streams": "join"}),
    Counterpart(sw.slack, QUERY, {"wait": "slack"}),
    Counterpart(sw.max_error, QUERY, {"epsilon": "max_error"}),
    Counterpart(sw.max_error, model.ErrorTable),
    Counterpart(sw.min_recall, JOIN, {"gamma": "min_recall"}),
    Counterpart(
        sw.estimates,
        model.EstimatesTable,
        left_out={"quality": "a function"},
    ),
    Counterpart(sw.monoid, model.MonoidTable),
    Counterpart(sw.resources, model.ResourcesTable),
    Counterpart(sw.rank, model.RankTable),
    Counterpart(sw.table, model.TableTable, {"name": NAME, "source": "path"}),
    Counterpart(Stream.lookup, model.LookupTable),
    Counterpart(Stream.optional, model.InputTable),
    Counterpart(pipeline.pipeline, model.FileTable, {"queries": "query"}),
    Counterpart(
        pipeline.Pipeline.start,
        model.StartTable,
        left_out={
            "on_batch": "a function",
            "prods": "a DataFrame; `slackwater prod` asks a running pipeline",
            "spark": "a session; the command makes it",
        },
    ),
)
# What has no counterpart at all.
NOT_IN_A_FILE = {
    "callback": "calls a function",
    "local_session": "a session; the command makes it",
    "examine_session": "looks at a session, as `slackwater doctor --session`",
    "latest": "reads answers that were given",
    "prod": "asks a running pipeline, as the command of that name",
    "read_estimates": "asks a running pipeline, as the command `estimate`",
    "Handle": "is a running pipeline",
    "Pipeline": "is what a file gives",
    "Column": "is part of a schema",
    "Schema": "is a table of column and type",
}
METHODS_NOT_IN_A_FILE = {
    Stream: {"name"},
    Windowed: set(),
    pipeline.Pipeline: {
        "meaning",
        "explain",  # a command
        "launch",  # start, with its options in one record
        "run",  # start with trigger = "available-now"
        "loop",
        "sources",
        "reads_kafka",
        "beat",
        "open",
        "known_as",
        "edited",
        "forecast",  # the command `diff`
    },
}


def parameters(function: Callable[..., Any]) -> list[str]:
    return [name for name in inspect.signature(function).parameters if name != "self"]


@pytest.mark.parametrize("pair", COUNTERPARTS, ids=lambda pair: pair.function.__qualname__)
def test_every_parameter_has_a_key_or_a_reason(pair: Counterpart) -> None:
    names = parameters(pair.function)
    keys = {NAME, *keys_of(pair.table)}
    missing = [n for n in names if n not in pair.left_out and pair.called.get(n, n) not in keys]
    assert missing == []
    assert {*pair.called, *pair.left_out} <= set(names), "a parameter that is not there"


def test_every_function_has_a_counterpart_or_a_reason() -> None:
    public = {name for name in sw.__all__ if not name.endswith("Error") and name != "Problem"}
    paired = {pair.function.__name__ for pair in COUNTERPARTS}
    assert public - paired - set(NOT_IN_A_FILE) == set()
    assert set(NOT_IN_A_FILE) <= public - paired


@pytest.mark.parametrize("kind", METHODS_NOT_IN_A_FILE)
def test_every_step_has_a_counterpart_or_a_reason(kind: type) -> None:
    paired = {pair.function for pair in COUNTERPARTS}
    steps = {
        name
        for name, value in vars(kind).items()
        if not name.startswith("_") and (callable(value) or isinstance(value, property))
    }
    named = {name for name in steps if vars(kind)[name] in paired}
    assert steps - named - METHODS_NOT_IN_A_FILE[kind] == set()


def test_a_parameter_that_has_no_key_is_found() -> None:
    def files(path: str, encryption: str) -> None: ...

    with pytest.raises(AssertionError, match="encryption"):
        test_every_parameter_has_a_key_or_a_reason(Counterpart(files, sources.FilesTable))


def test_fields_of_a_query_are_keys() -> None:
    keys = {*keys_of(QUERY)}
    fields = set(Query.__dataclass_fields__) - {"stream", "contract"}
    assert fields <= keys


def test_every_kind_of_source_and_sink_is_in_the_catalog() -> None:
    known = catalog()
    paired = {pair.table: pair.function.__name__ for pair in COUNTERPARTS}
    kinds = [*known.sources.items(), *known.sinks.items()]
    called = {paired[kind.table]: name for name, kind in kinds}
    assert len(called) == len(kinds)
    assert {function: name for function, name in called.items() if function != name} == {
        "kafka_sink": "kafka"  # a topic is read or written: in a file its place says which
    }


def test_words_of_a_file_are_those_of_the_engine() -> None:
    assert model.TIERS == pipeline.TIERS
    assert model.AVAILABLE_NOW == live.AVAILABLE_NOW


def every_table() -> list[type[Table]]:
    known = catalog()
    todo: list[type[Table]] = [model.FileTable, model.StartTable, model.MonoidTable, QUERY, JOIN]
    todo += [kind.table for kind in (*known.sources.values(), *known.sinks.values())]
    found: list[type[Table]] = []
    while todo:
        table = todo.pop()
        found.append(table)
        todo += [t for f in keys_of(table).values() for t in tables_in(f) if t not in found]
    return found


def test_every_key_says_what_it_is_and_what_it_means() -> None:
    for table in every_table():
        for key, one in keys_of(table).items():
            assert words_of(one), key
            assert one.description, f"{table.__name__}.{key}"
