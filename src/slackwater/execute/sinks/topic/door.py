"""The way to the brokers: addresses, options and secrets of Kafka's own client, and patience."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer
from confluent_kafka.admin import AdminClient

from slackwater.errors import SinkError
from slackwater.execute.sinks.topic.failure import error_of, is_final, told
from slackwater.secrets import Secret, readable, revealed

LOG = logging.getLogger("slackwater.kafka")
_SHORT = 5.0  # seconds for one question, at most
MOST = "message.max.bytes"
_PAUSES = (0.2, 3.0)  # seconds: the first, and the longest, between two tries
_OURS = {
    "bootstrap.servers": "servers=",
    "metadata.broker.list": "servers=",
    "transactional.id": "the checkpoint and the output",
    "enable.idempotence": "the sink",
    "isolation.level": "the sink",
    "group.id": "the sink",
}
_SECRET = (".password", "client.secret", "sasl.oauthbearer.config", "ssl.key.pem")

T = TypeVar("T")


@dataclass(slots=True)
class Door:
    """Makes clients that know address and secrets, and repeats what may go well later."""

    servers: str | Secret
    options: Mapping[str, str | Secret]
    place: str
    patience: float
    heard: list[KafkaError] = field(default_factory=list, repr=False)

    def __post_init__(self) -> None:
        self.options = {n.removeprefix("kafka."): one for n, one in self.options.items()}
        for name, value in self.options.items():
            if name in _OURS:
                text = f"{self.place}: {name} is said by {_OURS[name]}"
                raise SinkError("SINK_OPTIONS", text, "leave it out of options=")
            if name == "sasl.jaas.config":
                text = f"{self.place}: {name} is of clients in Java"
                hint = "give sasl.username and, as a secret, sasl.password"
                raise SinkError("SINK_OPTIONS", text, hint)
            if name.endswith(_SECRET) and not isinstance(value, Secret):
                text = f"{self.place}: {name} is a secret"
                hint = "give sw.secret(env=...) or sw.secret(file=...)"
                raise SinkError("SECRET_IN_TEXT", text, hint)

    @property
    def short(self) -> float:
        """Seconds for one question, so that it can be asked again."""
        return min(_SHORT, max(self.patience / 2, 0.1))

    @property
    def largest(self) -> int:
        """Most bytes of a message that the client sends."""
        return int(revealed(self.options.get(MOST, "1000000")))

    def producer(self, name: str) -> Producer:
        """One that writes in transactions, under a name by which it fences earlier ones."""
        own = {
            "transactional.id": name,
            "partitioner": "murmur2_random",  # a key goes where clients in Java would send it
            "queue.buffering.max.messages": "1000000",
            "delivery.report.only.error": True,
            "on_delivery": self._undelivered,
        }
        return Producer({**own, **self._told()})

    def reader(self) -> Consumer:
        """One that reads what is committed, and belongs to no group."""
        own = {"group.id": "slackwater", "enable.auto.commit": "false"}
        own |= {"isolation.level": "read_committed", "enable.partition.eof": "true"}
        own |= {"auto.offset.reset": "earliest", "fetch.wait.max.ms": "20"}
        return Consumer({**self._told(sending=False), **own})

    def admin(self) -> AdminClient:
        return AdminClient(self._told(sending=False))

    def again(self, work: Callable[[], T], undo: Callable[[], None]) -> T:
        """Do what may be repeated until it is done, as long as brokers may be away."""
        until, pause = time.monotonic() + self.patience, _PAUSES[0]
        while True:
            found: list[T] = []
            with self._telling(until, undo):
                found.append(work())
            if found:
                return found[0]
            time.sleep(pause)
            pause = min(2 * pause, _PAUSES[1])

    def finish(self, producer: Producer) -> None:
        """End the transaction that is open; the client waits for brokers, and that is told."""
        until = time.monotonic() + self.patience
        while True:
            try:
                producer.commit_transaction(_SHORT)
                return
            except KafkaException as error:
                if not error_of(error).retriable() or time.monotonic() >= until:
                    raise
                failed = told([error_of(error)], self.place, self._secrets())
                LOG.warning("%s; waiting", failed.message)

    @contextmanager
    def _telling(self, until: float, undo: Callable[[], None]) -> Iterator[None]:
        """Failures as errors of ours; before ``until`` those that may pass are only logged."""
        self.heard.clear()
        try:
            yield
        except KafkaException as error:
            undo()
            errors = [error_of(error), *self.heard]
            failed = told(errors, self.place, self._secrets())
            if is_final(errors) or time.monotonic() >= until:
                raise failed from None
            LOG.warning("%s; trying again", failed.message)
        except BaseException:
            undo()
            raise

    def _told(self, *, sending: bool = True) -> dict[str, Any]:
        """Settings of a client, secrets read now; those that only a producer knows left out."""
        given = {name: revealed(one) for name, one in self.options.items()}
        if not sending:
            given = {name: one for name, one in given.items() if name not in _SENDING}
        own = {"log_level": 0, "error_cb": self.heard.append, "client.id": "slackwater"}
        return {**own, **given, "bootstrap.servers": revealed(self.servers)}

    def _undelivered(self, error: KafkaError | None, _: object) -> None:
        if error is not None:
            self.heard.append(error)

    def _secrets(self) -> list[str]:
        """What no error may repeat."""
        return readable([self.servers, *self.options.values()])


_SENDING = {
    "acks",
    "batch.num.messages",
    "batch.size",
    "compression.codec",
    "compression.level",
    "compression.type",
    "delivery.timeout.ms",
    "linger.ms",
    "message.timeout.ms",
    "partitioner",
    "queue.buffering.max.kbytes",
    "queue.buffering.max.messages",
    "queue.buffering.max.ms",
    "request.required.acks",
    "retries",
    "sticky.partitioning.linger.ms",
    "transaction.timeout.ms",
}
