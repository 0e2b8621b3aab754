"""What the log itself knows of an output: its newest batch and who writes it, in one transaction
with the rows.

A topic beside those of rows, compacted, with one message for each output. Its key says topic,
checkpoint and output; its value the batch and the *epoch*, which rises with every start.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass

from confluent_kafka import (
    Consumer,
    KafkaError,
    KafkaException,
    Message,
    Producer,
    TopicCollection,
    TopicPartition,
)
from confluent_kafka.admin import AdminClient, NewTopic, OffsetSpec

from slackwater.execute.sinks.topic.door import Door
from slackwater.execute.sinks.topic.failure import error_of
from slackwater.runs.checkpoint import Owner

NAME = "slackwater_outputs"
_SETTINGS = {  # small segments: reading begins at the oldest one
    "cleanup.policy": "compact",
    "min.cleanable.dirty.ratio": "0.1",
    "segment.bytes": str(16 * 2**20),
    "segment.ms": str(3_600_000),
}
_GONE = ("UNKNOWN_TOPIC_OR_PART", "_UNKNOWN_TOPIC", "_UNKNOWN_PARTITION")
_OPEN = 90.0  # seconds that a transaction of somebody else may hold the reader back


@dataclass(frozen=True, slots=True)
class Line:
    """What is written of one output. ``batch`` is -1 before the first."""

    epoch: int
    batch: int
    folder: str


@dataclass(slots=True)
class Ledger:
    """The topic of outputs, as the writer of one of them sees it."""

    door: Door
    name: str
    topic: str
    owner: Owner

    @property
    def key(self) -> bytes:
        """Which output of which checkpoint, into which topic."""
        told = {
            "topic": self.topic,
            "checkpoint": self.owner.id,
            "output": self.owner.output,
        }
        return json.dumps(told).encode()

    def make(self, admin: AdminClient) -> None:
        """Make the topic if it is not there."""
        if partitions(admin, self.name, self.door.short):
            return
        made = admin.create_topics([NewTopic(self.name, 1, config=_SETTINGS)])
        try:
            made[self.name].result(4 * self.door.short)
        except KafkaException as error:
            if error_of(error).code() != KafkaError.TOPIC_ALREADY_EXISTS:
                raise

    def lines(self, admin: AdminClient) -> dict[bytes, Line]:
        """What is committed of outputs into this topic, by their keys."""
        found: dict[bytes, Line] = {}
        end = self._end(admin)
        if end is None:
            return found
        for message in self._read(end):
            key, value = message.key(), message.value()
            if key is None or json.loads(key)["topic"] != self.topic:
                continue
            found.pop(key, None)
            if value is not None:
                told = json.loads(value)
                found[key] = Line(told["epoch"], told["batch"], told["folder"])
        return found

    def write(self, producer: Producer, line: Line | None) -> None:
        """Say in the transaction that is open how far the output is; ``None`` takes that back."""
        told = None
        if line is not None:
            told = json.dumps({"epoch": line.epoch, "batch": line.batch, "folder": line.folder})
        producer.produce(self.name, told, self.key, partition=0)

    def _end(self, admin: AdminClient) -> int | None:
        """Behind the last message, committed or not; ``None`` if there is no topic."""
        if not partitions(admin, self.name, self.door.short):
            return None
        place = TopicPartition(self.name, 0)
        newest = OffsetSpec.latest()  # type: ignore[no-untyped-call]
        asked = admin.list_offsets({place: newest}, request_timeout=self.door.short)
        return int(asked[place].result(2 * self.door.short).offset)

    def _read(self, end: int) -> Iterator[Message[bytes, bytes]]:
        """What is committed before ``end``; waits for transactions that are still open."""
        reader = self.door.reader()
        try:
            reader.assign([TopicPartition(self.name, 0, 0)])
            yield from _until(reader, end)
        finally:
            reader.close()


def _until(reader: Consumer, end: int) -> Iterator[Message[bytes, bytes]]:
    until = time.monotonic() + _OPEN
    at = 0
    while at < end:
        if time.monotonic() > until:
            raise KafkaException(
                KafkaError(KafkaError._TIMED_OUT, "the log is not read to its end")
            )
        message = reader.poll(1.0)
        if message is None:
            continue
        error = message.error()
        if error is None:
            yield message
        elif error.code() != KafkaError._PARTITION_EOF:
            raise KafkaException(error)
        at = max(at, int(message.offset() or 0) + (error is None))


def partitions(admin: AdminClient, topic: str, limit: float) -> int:
    """How many a topic has; 0 if it is not there. Asking makes none."""
    [asked] = admin.describe_topics(TopicCollection([topic]), request_timeout=limit).values()
    try:
        return len(asked.result(2 * limit).partitions)
    except KafkaException as error:
        if error_of(error).name() in _GONE:
            return 0
        raise
