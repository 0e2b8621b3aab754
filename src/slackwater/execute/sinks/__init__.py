"""Where results go."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa

from slackwater.execute.sinks.memory import CallbackSink, ConsoleSink, MemorySink
from slackwater.execute.sinks.parquet import ParquetSink
from slackwater.execute.sinks.sink import Results, Sink, TableResults, Target
from slackwater.runs.checkpoint import Owner


def parquet(path: str | Path) -> ParquetSink:
    """Results as Parquet files under ``path``, one folder per micro-batch.

    The folder belongs to one output of one checkpoint: another is refused.
    """
    return ParquetSink(str(path))


def memory() -> MemorySink:
    """Results in the driver's memory; ``.table()`` gives them as an Arrow table."""
    return MemorySink()


def console(rows: int = 20) -> ConsoleSink:
    """Print the first rows of each batch."""
    return ConsoleSink(rows)


def callback(function: Callable[[int, pa.Table], object]) -> CallbackSink:
    """Call ``function(batch_id, table)`` with each batch of results."""
    return CallbackSink(function)


__all__ = [
    "CallbackSink",
    "ConsoleSink",
    "MemorySink",
    "Owner",
    "ParquetSink",
    "Results",
    "Sink",
    "TableResults",
    "Target",
    "callback",
    "console",
    "memory",
    "parquet",
]
