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
    from slackwater.execute.estimates.ask import prod, read_estimates
    from slackwater.execute.sinks import (
        callback,
        console,
        delta,
        iceberg,
        kafka_sink,
        memory,
        parquet,
        postgres,
    )
    from slackwater.execute.tables import table
    from slackwater.query.contract import max_error, min_recall, slack
    from slackwater.query.estimates import estimates
    from slackwater.query.join import join
    from slackwater.query.monoid import monoid
    from slackwater.query.rank import rank
    from slackwater.query.resources import resources
    from slackwater.query.schema import Column, Schema
    from slackwater.secrets import secret
    from slackwater.spark.examination import examine_session
    from slackwater.spark.handle import Handle
    from slackwater.spark.latest import latest
    from slackwater.spark.pipeline import Pipeline, pipeline, stream
    from slackwater.spark.session import local_session
    from slackwater.spark.sources import files, generator, kafka, recording

__version__ = "0.1.0"

# All but errors is loaded when it is asked for: reading events does without.
_HOMES = {
    "Column": "slackwater.query.schema",
    "Handle": "slackwater.spark.handle",
    "Pipeline": "slackwater.spark.pipeline",
    "Schema": "slackwater.query.schema",
    "callback": "slackwater.execute.sinks",
    "console": "slackwater.execute.sinks",
    "delta": "slackwater.execute.sinks",
    "estimates": "slackwater.query.estimates",
    "examine_session": "slackwater.spark.examination",
    "files": "slackwater.spark.sources",
    "generator": "slackwater.spark.sources",
    "iceberg": "slackwater.execute.sinks",
    "join": "slackwater.query.join",
    "kafka": "slackwater.spark.sources",
    "kafka_sink": "slackwater.execute.sinks",
    "latest": "slackwater.spark.latest",
    "local_session": "slackwater.spark.session",
    "max_error": "slackwater.query.contract",
    "memory": "slackwater.execute.sinks",
    "min_recall": "slackwater.query.contract",
    "monoid": "slackwater.query.monoid",
    "parquet": "slackwater.execute.sinks",
    "pipeline": "slackwater.spark.pipeline",
    "postgres": "slackwater.execute.sinks",
    "prod": "slackwater.execute.estimates.ask",
    "rank": "slackwater.query.rank",
    "read_estimates": "slackwater.execute.estimates.ask",
    "recording": "slackwater.spark.sources",
    "resources": "slackwater.query.resources",
    "secret": "slackwater.secrets",
    "slack": "slackwater.query.contract",
    "stream": "slackwater.spark.pipeline",
    "table": "slackwater.execute.tables",
}

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
    "delta",
    "estimates",
    "examine_session",
    "files",
    "generator",
    "iceberg",
    "join",
    "kafka",
    "kafka_sink",
    "latest",
    "local_session",
    "max_error",
    "memory",
    "min_recall",
    "monoid",
    "parquet",
    "pipeline",
    "postgres",
    "prod",
    "rank",
    "read_estimates",
    "recording",
    "resources",
    "secret",
    "slack",
    "stream",
    "table",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value
