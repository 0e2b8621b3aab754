"""Where results go."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa

from slackwater.spark.checkpoint import Owner
from slackwater.spark.sinks.base import OwnedSink, Results, Sink
from slackwater.spark.sinks.memory import CallbackSink, ConsoleSink, MemorySink
from slackwater.spark.sinks.parquet import ParquetSink


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
    "OwnedSink",
    "Owner",
    "ParquetSink",
    "Results",
    "Sink",
    "callback",
    "console",
    "memory",
    "parquet",
]
