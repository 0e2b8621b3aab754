"""Where results go."""

from slackwater.spark.sinks.base import Results, Sink
from slackwater.spark.sinks.memory import CallbackSink, ConsoleSink, MemorySink
from slackwater.spark.sinks.parquet import ParquetSink

__all__ = ["CallbackSink", "ConsoleSink", "MemorySink", "ParquetSink", "Results", "Sink"]
