"""Where results go."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pyarrow as pa

from slackwater.execute.sinks.extra import load
from slackwater.execute.sinks.memory import CallbackSink, ConsoleSink, MemorySink
from slackwater.execute.sinks.mode import Mode
from slackwater.execute.sinks.parquet import ParquetSink
from slackwater.execute.sinks.parquet_objects import ParquetObjectsSink
from slackwater.execute.sinks.sink import (
    Checkable,
    Closeable,
    Results,
    Sink,
    TableResults,
    Target,
)
from slackwater.runs.checkpoint import Owner
from slackwater.runs.objects.address import is_store
from slackwater.secrets import Secret
from slackwater.units import DurationLike


def parquet(path: str | Path) -> ParquetSink | ParquetObjectsSink:
    """Results as Parquet files under ``path``, one folder per micro-batch.

    The folder belongs to one output of one checkpoint: another is refused. An address in an object
    store (``s3://``, ``gs://``, ``az://``) needs the extra ``objects``.
    """
    return ParquetObjectsSink(str(path)) if is_store(str(path)) else ParquetSink(str(path))


def memory() -> MemorySink:
    """Results in the driver's memory; ``.table()`` gives them as an Arrow table."""
    return MemorySink()


def console(rows: int = 20) -> ConsoleSink:
    """Print the first rows of each batch."""
    return ConsoleSink(rows)


def callback(function: Callable[[int, pa.Table], object]) -> CallbackSink:
    """Call ``function(batch_id, table)`` with each batch of results."""
    return CallbackSink(function)


def postgres(
    table: str,
    server: str | Secret,
    *,
    password: Secret | None = None,
    mode: Mode = "append",
    patience: DurationLike = "1 minute",
) -> Sink:
    """A table of PostgreSQL, each batch in one transaction with its id. Extra ``postgres``.

    Parameters
    ----------
    table
        ``"table"`` or ``"schema.table"``; it is made if it is not there. It belongs to one output
        of one checkpoint. Beside it stand ``TABLE__waiting`` and ``slackwater_outputs``.
    server
        ``postgresql://USER@HOST:PORT/DATABASE``, or a secret with all of it. What is left out is
        found as ``psql`` finds it (``PGHOST``, ``~/.pgpass``, a service file).
    password
        Where it is: ``sw.secret(env=...)`` or ``sw.secret(file=...)``.
    mode
        ``append`` keeps every answer, ``latest`` one row for each window and key, replaced by
        revisions (PostgreSQL 15 or later).
    patience
        How long a server that is away is waited for before the pipeline stops.
    """
    kind = load("slackwater.execute.sinks.postgresql.sink", "PostgresSink", "postgres")
    sink: Sink = kind(table, server, password, mode, patience)
    return sink


def kafka_sink(
    topic: str,
    servers: str | Sequence[str] | Secret,
    *,
    mode: Mode = "append",
    key: str | Sequence[str] = (),
    options: Mapping[str, str | int | bool | Secret] | None = None,
    outputs: str = "slackwater_outputs",
    waiting: str | Path | None = None,
    patience: DurationLike = "1 minute",
) -> Sink:
    """A topic of Kafka, each batch in one transaction with its id. Extra ``kafka``.

    Each row is a message, one object of JSON. Whoever reads with
    ``isolation.level=read_committed`` sees each exactly once.

    Parameters
    ----------
    topic
        It must be there, and belongs to one output of one checkpoint.
    servers
        ``HOST:PORT`` of some brokers, or a secret with all of it.
    mode
        ``append`` sends every answer. ``latest`` sends them under window and groups as key, never
        one that counts less after one that counts more, and removes a key whose answer was
        withdrawn: for topics that are compacted.
    key
        Columns that are the key of a message, in mode ``append``; none by default.
    options
        Of Kafka's client (librdkafka), by its own names: ``security.protocol``,
        ``sasl.username``, ``ssl.ca.location``, ``compression.type``. What is secret is given by
        ``sw.secret``.
    outputs
        The topic in which the newest batch of each output stands; it is made if it is not there.
    waiting
        A folder where rows wait until their batch is done; in the checkpoint by default.
    patience
        How long brokers that do not answer are waited for before the pipeline stops.
    """
    kind = load("slackwater.execute.sinks.topic.sink", "TopicSink", "kafka")
    sink: Sink = kind(
        topic,
        servers if isinstance(servers, str | Secret) else ",".join(servers),
        mode,
        (key,) if isinstance(key, str) else tuple(key),
        {name: _text(one) for name, one in (options or {}).items()},
        outputs,
        None if waiting is None else str(waiting),
        patience,
    )
    return sink


def _text(one: str | float | Secret) -> str | Secret:
    """An option as clients of Kafka take it."""
    if isinstance(one, str | Secret):
        return one
    return str(one).lower() if isinstance(one, bool) else str(one)


def delta(path: str | Path, *, mode: Mode = "append") -> Sink:
    """A table of Delta Lake, the id of each batch in the same commit. Extra ``delta``.

    Parameters
    ----------
    path
        The folder of the table; it is made if it is not there. It belongs to one output of one
        checkpoint.
    mode
        ``append`` keeps every answer, ``latest`` one row for each window and key.
    """
    sink: Sink = load("slackwater.execute.sinks.delta_lake", "DeltaSink", "delta")(str(path), mode)
    return sink


def iceberg(
    table: str,
    catalog: str | Secret,
    *,
    warehouse: str | Path | None = None,
    properties: Mapping[str, str | Secret] | None = None,
    mode: Mode = "append",
    name: str = "default",
) -> Sink:
    """A table of Iceberg, the id of each batch in its snapshot. Extra ``iceberg``.

    Parameters
    ----------
    table
        ``"namespace.table"``; both are made if they are not there. It belongs to one output of one
        checkpoint.
    catalog
        Its address, such as ``sqlite:////path/catalog.db``, or a secret with all of it.
    warehouse
        The folder for data of tables that are made; some catalogs know it themselves.
    properties
        What else the catalog wants to know, by its own names.
    mode
        ``append`` keeps every answer, ``latest`` one row for each window and key.
    name
        The catalog's own name; those in SQL keep their tables apart by it.
    """
    kind = load("slackwater.execute.sinks.iceberg_table", "IcebergSink", "iceberg")
    folder = None if warehouse is None else str(warehouse)
    sink: Sink = kind(table, catalog, folder, dict(properties or {}), mode, name)
    return sink


__all__ = [
    "CallbackSink",
    "Checkable",
    "Closeable",
    "ConsoleSink",
    "MemorySink",
    "Owner",
    "ParquetObjectsSink",
    "ParquetSink",
    "Results",
    "Sink",
    "TableResults",
    "Target",
    "callback",
    "console",
    "delta",
    "iceberg",
    "kafka_sink",
    "memory",
    "parquet",
    "postgres",
]
