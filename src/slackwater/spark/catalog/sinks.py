"""What may be said of the sinks there are."""

from __future__ import annotations

from slackwater.execute.sinks import MemorySink, Sink, memory, parquet
from slackwater.frontends.catalog import SinkTable
from slackwater.frontends.values import Count, Located


class ParquetTable(SinkTable):
    """``sink`` with ``kind = "parquet"``: files, one folder per micro-batch."""

    path: Located
    """the folder; it belongs to one output of one checkpoint"""


class ConsoleTable(SinkTable):
    """``sink`` with ``kind = "console"``: the first rows of each batch, printed."""

    rows: Count | None = None
    """rows that are shown (20)"""


class MemoryTable(SinkTable):
    """``sink`` with ``kind = "memory"``: in the driver's memory."""


def open_parquet(table: ParquetTable) -> Sink:
    return parquet(table.path)


def open_memory(_: MemoryTable) -> MemorySink:
    return memory()
