"""What may be said of topics of Kafka, read or written."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import Field

from slackwater.execute.sinks import Sink, kafka_sink
from slackwater.frontends.catalog import SinkTable, SourceTable
from slackwater.frontends.secret import AddressTable
from slackwater.frontends.values import (
    Count,
    Duration,
    Located,
    Text,
    Texts,
    TextTable,
    Wanted,
    Words,
    one_of,
)
from slackwater.spark.catalog.tables import Kept
from slackwater.spark.sources.topics.kafka import LOSSES, VALUES, Kafka, kafka

Options = Annotated[dict[str, AddressTable], Words("a table of texts, or of tables with env")]
Start = Annotated[str | datetime, Wanted("earliest, latest or an instant with its zone")]


class KafkaTable(SourceTable):
    """``[source.NAME]`` with ``kind = "kafka"``: the messages of topics."""

    topic: Texts
    """the topic, or a list of topics whose messages are alike"""
    servers: AddressTable
    """`HOST:PORT` of some brokers, with commas between them"""
    value: Annotated[str, one_of(*VALUES)] | None = None
    """what a message is: one JSON object, or its bytes as they are (`json`)"""
    columns: TextTable | None = Field(None, alias="schema")
    """a table of field and type, for JSON; a message without the event time is malformed"""
    start: Start | None = None
    """where the first start begins (`earliest`)"""
    max_rows_per_batch: Count | None = None
    """most messages of a micro-batch"""
    on_data_loss: Annotated[str, one_of(*LOSSES)] | None = None
    """whether messages that Kafka removed unread stop the pipeline (`fail`)"""
    patience: Duration | None = None
    """how long brokers that do not answer are waited for at the start (one minute)"""
    options: Options | None = None
    """options of Kafka's client, of Spark's reader and of those for JSON"""


class KafkaSinkTable(SinkTable):
    """``sink`` with ``kind = "kafka"``: a topic, each batch in one transaction with its id."""

    topic: Text
    """a topic that is there; it belongs to one output of one checkpoint"""
    servers: AddressTable
    """`HOST:PORT` of some brokers, with commas between them"""
    mode: Kept | None = None
    """every answer, or the newest of each window and key under that key (`append`)"""
    key: Texts | None = None
    """columns that are the key of a message, in mode `append` (none)"""
    options: Options | None = None
    """options of Kafka's client, by the names of librdkafka"""
    outputs: Text | None = None
    """the topic in which the newest batch of each output stands (`slackwater_outputs`)"""
    waiting: Located | None = None
    """a folder where rows wait until their batch is done (in the checkpoint)"""
    patience: Duration | None = None
    """how long brokers that do not answer are waited for (one minute)"""


def open_kafka(table: KafkaTable) -> Kafka:
    said = table.own() | {"servers": table.servers.value(), "time": table.time}
    said["options"] = {name: one.value() for name, one in (table.options or {}).items()}
    return kafka(said.pop("topic"), **said)


def open_kafka_sink(table: KafkaSinkTable) -> Sink:
    options = {name: one.value() for name, one in (table.options or {}).items()}
    said = table.said("mode", "key", "outputs", "waiting", "patience")
    return kafka_sink(table.topic, table.servers.value(), options=options, **said)
