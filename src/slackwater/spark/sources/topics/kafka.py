"""Topics of Kafka, read by Spark's own connector."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from slackwater.errors import SourceError
from slackwater.query.schema import Column, Schema
from slackwater.secrets import Secret, readable, revealed
from slackwater.spark import connector
from slackwater.spark.sources.topics import messages
from slackwater.spark.sources.topics.broker import check_topics
from slackwater.units import MILLISECOND, DurationLike, duration

VALUES = ("json", "raw")
LOSSES = ("fail", "tell")
STARTS = ("earliest", "latest")
_OURS = {
    "kafka.bootstrap.servers": "servers",
    "subscribe": "topic",
    "subscribepattern": "topic",
    "assign": "topic",
    "startingoffsets": "start",
    "startingtimestamp": "start",
    "startingoffsetsbytimestamp": "start",
    "startingoffsetsbytimestampstrategy": "start",
    "maxoffsetspertrigger": "max_rows_per_batch",
    "failondataloss": "on_data_loss",
    "includeheaders": "value",
}
_SECRET = (".password", "sasl.jaas.config", "ssl.keystore.key")
_WHOLE = {"kafka.isolation.level": "read_committed"}  # what a transaction gave up never was
_AVRO = "read it into a DataFrame with Spark's from_avro, and give that to sw.stream; or send JSON"


@dataclass(frozen=True, slots=True)
class Kafka:
    """The source made by `kafka`."""

    topics: tuple[str, ...]
    servers: str | Secret
    value: str
    columns: Schema
    time: str | None = None
    start: str = "earliest"
    max_rows_per_batch: int | None = None
    on_data_loss: str = "fail"
    patience: int = 60_000_000
    options: tuple[tuple[str, str | Secret], ...] = ()

    def schema(self) -> Schema:
        return Schema((*self.columns.columns, *messages.BESIDE.columns))

    def open(self, spark: SparkSession) -> DataFrame:
        connector.require(spark)
        client, reader, parser = self._told()
        check_topics(spark, client, self.topics, str(self.servers), self.patience)
        given = {f"kafka.{name}": value for name, value in client.items()} | reader
        read = spark.readStream.format("kafka").options(**given).load()
        return messages.rows(read, self.columns, self.value, self.time, parser)

    def check(self, spark: SparkSession) -> str:
        """Whether the topics can be read; nothing is."""
        found = check_topics(spark, self.client(), self.topics, str(self.servers), self.patience)
        return ", ".join(f"topic {name}, partitions: {count}" for name, count in found.items())

    def client(self) -> dict[str, str]:
        """What a client of Kafka is told, secrets read now."""
        return self._told()[0]

    def hidden(self) -> list[str]:
        """The secrets, as far as they can be read."""
        return readable([self.servers, *(value for _, value in self.options)])

    def _told(self) -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
        """Options of Kafka's client, of Spark's reader, and of whoever reads JSON."""
        given = _WHOLE | {name: revealed(value) for name, value in self.options}
        parser = {name: given.pop(name) for name in list(given) if messages.is_of_json(name)}
        client = {name.removeprefix("kafka."): given.pop(name) for name in list(given) if _is(name)}
        client["bootstrap.servers"] = revealed(self.servers)
        reader = {
            "subscribe": ",".join(self.topics),
            "failOnDataLoss": str(self.on_data_loss == "fail").lower(),
            **_starting(self.start),
            **given,
        }
        if self.max_rows_per_batch is not None:
            reader["maxOffsetsPerTrigger"] = str(self.max_rows_per_batch)
        return client, reader, parser

    def describe(self) -> dict[str, Any]:
        return {
            "kind": "kafka",
            "topics": list(self.topics),
            "value": self.value,
            "schema": self.columns.to_json(),
            "time": self.time,
            "parser": {n: v for n, v in self.options if messages.is_of_json(n)},
            "pace": {"max_rows_per_batch": self.max_rows_per_batch},
        }


def kafka(
    topic: str | Sequence[str],
    *,
    servers: str | Sequence[str] | Secret,
    value: str = "json",
    schema: Schema | Mapping[str, str] | None = None,
    time: str | None = None,
    start: str | datetime = "earliest",
    max_rows_per_batch: int | None = None,
    on_data_loss: str = "fail",
    patience: DurationLike = "1 minute",
    options: Mapping[str, str | int | bool | Secret] | None = None,
) -> Kafka:
    """A stream of the messages of topics of Kafka, read by Spark's own connector.

    The session needs the connector: ``sw.local_session(kafka=True)``. A message that is not as the
    schema says is counted and set aside, with its bytes and its place, in the checkpoint under
    ``malformed``. Beside the columns of ``value`` each row has ``_key``, ``_topic``,
    ``_partition``, ``_offset`` and ``_arrival``: the time that the log gives the message, which is
    that of its arrival if the topic has ``message.timestamp.type=LogAppendTime``.

    Parameters
    ----------
    topic : str or sequence of str
        One topic, or several whose messages are alike.
    servers : str, sequence of str or Secret
        ``HOST:PORT`` of some brokers.
    value : str
        ``json``: each message is one object. ``raw``: its bytes, in a column ``value``.
    schema : Schema or mapping of column to type
        The fields of the objects and their types, in Spark's names; those not named are left out.
    time : str, optional
        A column that no message may lack; those that do are malformed. Left out, a row without an
        event time is set aside by each query.
    start : str or datetime
        Where the first start begins: ``earliest``, ``latest``, or the first message that is not
        before an instant. Later starts go on where the checkpoint is.
    max_rows_per_batch : int, optional
        Most messages of a micro-batch, of all topics and partitions together.
    on_data_loss : str
        Messages that Kafka removed before they could be read: ``fail`` stops the pipeline,
        ``tell`` goes on behind them, with a notice.
    patience : duration
        How long brokers that do not answer are waited for at the start.
    options : mapping, optional
        Of Kafka's client (``kafka.security.protocol``), of Spark's reader (``minPartitions``), and
        of those for JSON (``timestampFormat``). What is secret is given by ``sw.secret``.

    Raises
    ------
    SourceError
        Something said is wrong. At the start: the connector is missing, no broker answers, one
        refuses, or a topic is not there.

    Examples
    --------
    >>> import slackwater as sw
    >>> columns = {"ts": "timestamp", "sensor": "int"}
    >>> source = sw.kafka("readings", servers="127.0.0.1:9092", schema=columns)
    >>> source.schema().names
    ('ts', 'sensor', '_key', '_topic', '_partition', '_offset', '_arrival')
    """
    topics = (topic,) if isinstance(topic, str) else tuple(topic)
    given = {name: _text(one) for name, one in (options or {}).items()}
    columns, problems = _columns(value, schema, time)
    problems += _problems(topics, start, max_rows_per_batch, on_data_loss, given)
    if problems:
        raise SourceError("SOURCE_INVALID", f"kafka: {'; '.join(problems)}", _hint(value))
    for name, one in given.items():
        if name.lower().endswith(_SECRET) and not isinstance(one, Secret):
            text, hint = (
                f"kafka: {name} is a secret",
                "give sw.secret(env=...) or sw.secret(file=...)",
            )
            raise SourceError("SECRET_IN_TEXT", text, hint)
    joined = servers if isinstance(servers, str | Secret) else ",".join(servers)
    begin = start.isoformat() if isinstance(start, datetime) else start
    return Kafka(
        topics=tuple(dict.fromkeys(topics)),
        servers=joined,
        value=value,
        columns=columns,
        time=time,
        start=begin,
        max_rows_per_batch=max_rows_per_batch,
        on_data_loss=on_data_loss,
        patience=duration(patience),
        options=tuple(sorted(given.items())),
    )


def _columns(
    value: str, schema: Schema | Mapping[str, str] | None, time: str | None
) -> tuple[Schema, list[str]]:
    """The columns that messages give, and what is wrong with them."""
    if value not in VALUES:
        return Schema(()), [f"value is {value!r}, not one of {', '.join(VALUES)}"]
    if value == "raw":
        found = Schema((Column("value", "binary"),))
        problems = [] if schema is None else ["raw messages have no schema"]
    elif schema is None:
        return Schema(()), ["JSON needs a schema, e.g. {'ts': 'timestamp', 'sensor': 'int'}"]
    else:
        found = schema if isinstance(schema, Schema) else Schema.of(**schema)
        taken = [name for name in found.names if name in messages.BESIDE.names]
        problems = [f"the column {name} is there already" for name in taken]
    if time is not None and time not in (*found.names, *messages.BESIDE.names):
        problems.append(f"time is {time!r}, but the columns are {', '.join(found.names)}")
    return found, problems


def _problems(
    topics: tuple[str, ...],
    start: str | datetime,
    most: int | None,
    loss: str,
    options: Mapping[str, str | Secret],
) -> list[str]:
    found = []
    if not topics or not all(isinstance(one, str) and one and "," not in one for one in topics):
        found.append("topic is a name, or several")
    if most is not None and most < 1:
        found.append(f"max_rows_per_batch is {most}")
    if loss not in LOSSES:
        found.append(f"on_data_loss is {loss!r}, not one of {', '.join(LOSSES)}")
    if _instant(start) is None and start not in STARTS:
        found.append(f"start is {start!r}, not {', '.join(STARTS)} or an instant with its zone")
    return found + [
        f"{name} is said by {_OURS[name.lower()]}=" for name in options if name.lower() in _OURS
    ]


def _hint(value: str) -> str:
    return f"value='avro' is not there yet: {_AVRO}" if value == "avro" else ""


def _instant(start: str | datetime) -> datetime | None:
    """The instant that is meant; none without a zone."""
    try:
        found = start if isinstance(start, datetime) else datetime.fromisoformat(start)
    except (TypeError, ValueError):
        return None
    return None if found.tzinfo is None else found


def _starting(start: str) -> dict[str, str]:
    instant = _instant(start)
    if instant is None:
        return {"startingOffsets": start}
    return {
        "startingTimestamp": str(round(instant.timestamp() * 1_000_000) // MILLISECOND),
        "startingOffsetsByTimestampStrategy": "latest",
    }


def _is(name: str) -> bool:
    return name.startswith("kafka.")


def _text(value: object) -> str | Secret:
    if isinstance(value, Secret):
        return value
    return str(value).lower() if isinstance(value, bool) else str(value)
