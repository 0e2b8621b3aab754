"""Slackwater: continuous queries on Apache Spark under a contract.

Build a query from streams, state what the answer must be worth, start it::

    import slackwater as sw

    readings = sw.stream("readings", df, time="ts")
    per_minute = readings.window("1 minute").group_by("sensor").aggregate(total="sum(v)")
    handle = sw.pipeline(per_minute.query("per_minute", sw.slack("10 seconds"))).start("checkpoint")
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from slackwater.errors import (
    CheckpointError,
    MachineError,
    Problem,
    QueryError,
    SinkError,
    SlackwaterError,
    SourceError,
    StorageError,
)

if TYPE_CHECKING:
    from slackwater.query.contract import max_error, min_recall, slack
    from slackwater.query.estimates import estimates
    from slackwater.query.join import join
    from slackwater.query.monoid import monoid
    from slackwater.query.schema import Column, Schema
    from slackwater.spark.answers import latest
    from slackwater.spark.asking import prod, read_estimates
    from slackwater.spark.handle import Handle
    from slackwater.spark.pipeline import Pipeline, pipeline, stream
    from slackwater.spark.session import local_session
    from slackwater.spark.sinks import callback, console, memory, parquet
    from slackwater.spark.sources import files, generator, recording

__version__ = "0.1.0"

__all__ = [
    "CheckpointError",
    "Column",
    "Handle",
    "MachineError",
    "Pipeline",
    "Problem",
    "QueryError",
    "Schema",
    "SinkError",
    "SlackwaterError",
    "SourceError",
    "StorageError",
    "callback",
    "console",
    "estimates",
    "files",
    "generator",
    "join",
    "latest",
    "local_session",
    "max_error",
    "memory",
    "min_recall",
    "monoid",
    "parquet",
    "pipeline",
    "prod",
    "read_estimates",
    "recording",
    "slack",
    "stream",
]


_WITHOUT_SPARK = {
    "Column": "slackwater.query.schema",
    "Schema": "slackwater.query.schema",
    "estimates": "slackwater.query.estimates",
    "join": "slackwater.query.join",
    "max_error": "slackwater.query.contract",
    "min_recall": "slackwater.query.contract",
    "monoid": "slackwater.query.monoid",
    "slack": "slackwater.query.contract",
}


def __getattr__(name: str) -> Any:
    """All but errors is loaded when it is asked for: reading events does without."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_WITHOUT_SPARK.get(name, "slackwater.spark.front")), name)
    globals()[name] = value
    return value
