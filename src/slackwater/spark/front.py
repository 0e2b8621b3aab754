"""The part of the public interface that needs Spark; ``slackwater`` gives it on demand."""

from __future__ import annotations

from slackwater.spark.answers import latest
from slackwater.spark.asking import prod, read_estimates
from slackwater.spark.handle import Handle
from slackwater.spark.pipeline import Pipeline, pipeline, stream
from slackwater.spark.session import local_session
from slackwater.spark.sinks import callback, console, memory, parquet
from slackwater.spark.sources import files, generator, recording

__all__ = [
    "Handle",
    "Pipeline",
    "callback",
    "console",
    "files",
    "generator",
    "latest",
    "local_session",
    "memory",
    "parquet",
    "pipeline",
    "prod",
    "read_estimates",
    "recording",
    "stream",
]
