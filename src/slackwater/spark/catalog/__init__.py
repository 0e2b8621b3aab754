"""The kinds of sources and sinks that there are, by the names that front ends know."""

from __future__ import annotations

from rich.console import Console

from slackwater.execute.sinks import ConsoleSink
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
            "recording": SourceKind(RecordingTable, open_recording),
        },
        sinks={
            "parquet": SinkKind(ParquetTable, open_parquet),
            "console": SinkKind(
                ConsoleTable, lambda table: ConsoleSink(**table.said("rows"), console=shown)
            ),
            "memory": SinkKind(MemoryTable, open_memory),
        },
    )
