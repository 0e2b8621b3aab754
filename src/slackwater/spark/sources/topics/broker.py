"""What brokers say when they are asked: by Kafka's own client, which comes with the connector."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.sql import SparkSession

from slackwater.errors import SourceError
from slackwater.units import MILLISECOND, SECOND

ASIDE = 10 * SECOND  # for a question that nothing waits for
# What Kafka calls it, the condition, what it means, and the way out; the first that fits.
_MEANINGS = (
    (
        ("UnknownTopicOrPartition", "InvalidTopic"),
        "SOURCE_TOPIC",
        "the topic is not there",
        "make it (kafka-topics.sh --create), or name another; topics are not made by reading",
    ),
    (
        ("Authentication", "SslHandshake", "LoginException"),
        "SOURCE_CREDENTIALS",
        "the broker refuses who asks",
        "look at kafka.security.protocol, kafka.sasl.* and kafka.ssl.*, and where the secrets are",
    ),
    (
        ("Authorization",),
        "SOURCE_RIGHTS",
        "the broker refuses what is asked",
        "ask for the right to describe and read the topics",
    ),
    (
        (
            "OffsetOutOfRange",
            "data may have been lost",
            "DATA_LOSS",
            "MISSING_KAFKA",
            "may be deleted",
        ),
        "SOURCE_DATA_LOST",
        "Kafka has removed messages that were not read yet",
        'on_data_loss="tell" goes on behind them; keep messages for longer (retention.ms)',
    ),
    (
        (
            "TimeoutException",
            "Cannot fetch record",
            "DisconnectException",
            "UnresolvedAddress",
            "No resolvable bootstrap",
            "ConnectException",
            "NetworkException",
        ),
        "SOURCE_UNREACHABLE",
        "no broker answers",
        "look at servers= and at the brokers; what was committed is safe, start again to go on",
    ),
    (
        ("ConfigException", "Failed to create new KafkaAdminClient", "Failed to construct kafka"),
        "SOURCE_INVALID",
        "Kafka's client refuses its options",
        "look at options=",
    ),
)


def meaning(story: str) -> tuple[str, str, str] | None:
    """Condition, meaning and way out of what Kafka or Spark tells of it; ``None`` if unknown."""
    for words, *told in _MEANINGS:
        if any(word in story for word in words):
            condition, text, hint = told
            return condition, text, hint
    return None


def check_topics(
    spark: SparkSession, client: Mapping[str, str], topics: Sequence[str], where: str, patience: int
) -> dict[str, int]:
    """The partitions of topics; raises :class:`SourceError` if they cannot be had.

    ``where`` is how the brokers are called, whose address may be a secret.
    """
    with _asking(spark, client, f"{', '.join(topics)} at {where}", patience) as admin:
        described = admin.describeTopics(_listed(spark, topics)).allTopicNames().get()
        return {name: described.get(name).partitions().size() for name in topics}


def first_offsets(
    spark: SparkSession, client: Mapping[str, str], partitions: Sequence[tuple[str, int]]
) -> dict[tuple[str, int], int]:
    """The oldest message that is there, by topic and partition."""
    jvm: Any = spark.sparkContext._jvm
    earliest = jvm.org.apache.kafka.clients.admin.OffsetSpec.earliest()
    wanted = {one: jvm.org.apache.kafka.common.TopicPartition(*one) for one in partitions}
    asked = jvm.java.util.HashMap()
    for partition in wanted.values():
        asked.put(partition, earliest)
    names = sorted({topic for topic, _ in partitions})
    with _asking(spark, client, ", ".join(names), ASIDE) as admin:
        told = admin.listOffsets(asked)
        return {
            one: int(told.partitionResult(partition).get().offset())
            for one, partition in wanted.items()
        }


@contextmanager
def _asking(
    spark: SparkSession, client: Mapping[str, str], what: str, patience: int
) -> Iterator[Any]:
    """A client that asks; what is refused is told in our words, without options or causes."""
    jvm: Any = spark.sparkContext._jvm
    asked = jvm.java.util.Properties()
    wait = str(max(patience // MILLISECOND, 1))
    for name, value in {**client, "default.api.timeout.ms": wait}.items():
        asked.put(name, value)
    asked.put("request.timeout.ms", str(min(int(wait), 30_000)))
    admin = None
    try:
        admin = jvm.org.apache.kafka.clients.admin.AdminClient.create(asked)
        yield admin
    except Py4JJavaError as error:
        raise _refusal(_story(error), what) from None
    finally:
        if admin is not None:
            _close(jvm, admin)


def _story(error: Py4JJavaError) -> str:
    """What went wrong, and what led to it."""
    told: list[str] = []
    one = error.java_exception
    while one is not None and len(told) < 10:
        told.append(str(one.toString()))
        one = one.getCause()
    return "\n".join(told)


def _close(jvm: Any, admin: Any) -> None:
    with suppress(Py4JError):  # a Spark that is gone
        admin.close(jvm.java.time.Duration.ofSeconds(1))


def _refusal(story: str, what: str) -> SourceError:
    found = meaning(story)
    if found is None:  # whatever else it says may have options in it
        kinds = ", ".join(line.partition(":")[0] for line in story.splitlines())
        return SourceError("SOURCE_FAILED", f"kafka: {what}: {kinds}", "look at options=")
    condition, text, hint = found
    return SourceError(condition, f"kafka: {what}: {text}", hint)


def _listed(spark: SparkSession, topics: Sequence[str]) -> Any:
    jvm: Any = spark.sparkContext._jvm
    found = jvm.java.util.ArrayList()
    for topic in topics:
        found.add(topic)
    return found
