"""The kinds of sources and sinks that there are, by the names that front ends know."""

from __future__ import annotations

from rich.console import Console

from slackwater.execute.sinks import ConsoleSink
from slackwater.execute.tables import table
from slackwater.frontends.catalog import Catalog, SinkKind, SourceKind
from slackwater.spark.catalog.generated import GeneratorTable, open_generator
from slackwater.spark.catalog.sinks import (
    ConsoleTable,
    MemoryTable,
    ParquetTable,
    open_memory,
    open_parquet,
)
from slackwater.spark.catalog.sources import (
    FilesTable,
    RecordingTable,
    open_files,
    open_recording,
)
from slackwater.spark.catalog.tables import (
    DeltaTable,
    IcebergTable,
    PostgresTable,
    open_delta,
    open_iceberg,
    open_postgres,
)
from slackwater.spark.catalog.topics import (
    KafkaSinkTable,
    KafkaTable,
    open_kafka,
    open_kafka_sink,
)

__all__ = ["catalog"]


def catalog(console: Console | None = None) -> Catalog:
    """All kinds there are; console sinks print to ``console``, standard output by default.

    A new source or sink is known to every front end by its line here.
    """
    shown = console or Console()
    return Catalog(
        sources={
            "files": SourceKind(FilesTable, open_files),
            "generator": SourceKind(GeneratorTable, open_generator),
            "kafka": SourceKind(KafkaTable, open_kafka),
            "recording": SourceKind(RecordingTable, open_recording),
        },
        sinks={
            "parquet": SinkKind(ParquetTable, open_parquet),
            "postgres": SinkKind(PostgresTable, open_postgres),
            "kafka": SinkKind(KafkaSinkTable, open_kafka_sink),
            "delta": SinkKind(DeltaTable, open_delta),
            "iceberg": SinkKind(IcebergTable, open_iceberg),
            "console": SinkKind(
                ConsoleTable, lambda table: ConsoleSink(**table.said("rows"), console=shown)
            ),
            "memory": SinkKind(MemoryTable, open_memory),
        },
        table=table,
    )
