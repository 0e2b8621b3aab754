"""Topics of Kafka as far as no broker is needed: what may be said, refused and read."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pyspark
import pytest
from pyspark.errors import PySparkException

import slackwater as sw
from slackwater.query.schema import Schema
from slackwater.runs.offsets import SparkLog
from slackwater.spark import connector
from slackwater.spark.read.malformed import Sieve
from slackwater.spark.read.streams import Intake
from slackwater.spark.sources.topics import broker, messages, watch
from slackwater.spark.sources.topics.watch import Topics

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SCHEMA = {"k": "bigint", "ts": "timestamp", "s": "string"}


def source(**options: Any) -> Any:
    return sw.kafka("t", **{"servers": "h:9092", "schema": SCHEMA, **options})


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"value": "xml"}, "value is 'xml'"),
        ({"schema": None}, "JSON needs a schema"),
        ({"value": "raw"}, "raw messages have no schema"),
        ({"schema": {"_key": "int"}}, "the column _key is there already"),
        ({"time": "at"}, "time is 'at', but the columns are k, ts, s"),
        ({"start": "yesterday"}, "start is 'yesterday'"),
        ({"start": datetime(2026, 1, 1)}, "an instant with its zone"),  # noqa: DTZ001
        ({"max_rows_per_batch": 0}, "max_rows_per_batch is 0"),
        ({"on_data_loss": "ignore"}, "on_data_loss is 'ignore'"),
        ({"options": {"startingOffsets": "latest"}}, "startingOffsets is said by start="),
    ],
)
def test_what_is_wrong_is_told_before_anything_starts(said: dict[str, Any], told: str) -> None:
    with pytest.raises(sw.SourceError, match="SOURCE_INVALID") as caught:
        source(**said)
    assert told in caught.value.message


def test_avro_is_refused_with_a_way_out() -> None:
    with pytest.raises(sw.SourceError) as caught:
        source(value="avro")
    assert "from_avro" in caught.value.hint


@pytest.mark.parametrize(
    "name", ["kafka.ssl.keystore.password", "kafka.sasl.jaas.config", "kafka.ssl.keystore.key"]
)
def test_a_secret_in_text_is_refused_and_not_repeated(name: str) -> None:
    with pytest.raises(sw.SourceError, match="SECRET_IN_TEXT") as caught:
        source(options={name: "hunter2"})
    assert "hunter2" not in str(caught.value)


def test_a_source_tells_where_its_secrets_are_and_never_what(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("KAFKA_PASSWORD", "hunter2")
    options = {"kafka.ssl.key.password": sw.secret(env="KAFKA_PASSWORD")}
    read = source(options=options)
    assert read.client()["ssl.key.password"] == "hunter2"
    assert "hunter2" not in repr(read) + json.dumps(read.describe())


def test_speed_and_brokers_may_change_and_what_rows_mean_may_not() -> None:
    def meaning(read: Any) -> dict[str, Any]:
        return {k: v for k, v in read.describe().items() if k != "pace"}

    first = meaning(source())
    assert meaning(source(servers=["a:1", "b:1"], start="latest", max_rows_per_batch=5)) == first
    assert meaning(source(time="ts")) != first
    assert meaning(source(options={"timestampFormat": "yyyy"})) != first


def test_options_go_to_whom_they_are_for() -> None:
    start = datetime(2026, 1, 1, tzinfo=UTC)
    given = {"kafka.client.id": "x", "minPartitions": 4, "allowcomments": True}
    client, reader, parser = source(start=start, options=given)._told()
    assert client == {
        "client.id": "x",
        "isolation.level": "read_committed",
        "bootstrap.servers": "h:9092",
    }
    assert reader["minPartitions"] == "4"
    assert reader["startingTimestamp"] == "1767225600000"
    assert parser == {"allowcomments": "true"}


def test_a_session_without_the_connector_is_told_how_to_get_it(spark: SparkSession) -> None:
    with pytest.raises(sw.SourceError, match="CONNECTOR_MISSING") as caught:
        source().open(spark)
    assert "sw.local_session(kafka=True)" in caught.value.hint
    assert pyspark.__version__ in caught.value.hint


def sent(spark: SparkSession, *values: bytes | None) -> DataFrame:
    """Messages as the connector gives them."""
    rows = [(None, value, "t", 0, n, datetime(2026, 1, 1)) for n, value in enumerate(values)]  # noqa: DTZ001
    types = "key binary, value binary, topic string, partition int, offset bigint"
    return spark.createDataFrame(rows, f"{types}, timestamp timestamp")


SOUND = b'{"k": 1, "ts": "2026-01-01T00:00:00Z", "s": "x"}'
READ = {
    SOUND: None,
    b' \n{"k": 1, "more": {"a": [1, "}"]}} ': None,
    b"{}": None,
    b'{"k": 1} {': "not one object of the schema",
    b'{"k": 1} junk': "not one object of the schema",
    b'{"k": 1}]': "not one object of the schema",
    b'{"k": 1}]} junk': "not one object of the schema",
    b'{"k": 1},': "not one object of the schema",
    b'{"k": 1}, {"k": 2}': "not one object of the schema",
    b'[{"k": 1}]': "not one object of the schema",
    b"null": "not one object of the schema",
    b"1": "not one object of the schema",
    b'{"k": 1.5}': "not one object of the schema",
    b'{"k": 99999999999999999999}': "not one object of the schema",
    b'{"ts": "yesterday"}': "not one object of the schema",
    b'{"k": 1': "not JSON",
    b"": "not JSON",
    b"\xef\xbb\xbf{}": "not JSON",
    b'{"s": "\xff"}': "not UTF-8",
    None: "no value",
}


def test_each_message_is_one_row_or_says_why_it_is_none(spark: SparkSession) -> None:
    """Spark itself takes what stands behind an object for nothing."""
    read = sent(spark, *READ)
    found = messages.rows(read, Schema.of(**SCHEMA), "json", None, {})
    told = found.select("_offset", "k", "__malformed.*").orderBy("_offset").collect()
    assert [row.reason for row in told] == list(READ.values())
    kept = [bytes(row.value) if row.value is not None else None for row in told if row.reason]
    assert kept == [value for value, reason in READ.items() if reason]
    assert [row.k for row in told if row.reason is None] == [1, 1, None]


def test_a_message_without_its_time_is_malformed_where_that_was_asked_for(
    spark: SparkSession,
) -> None:
    read = sent(spark, SOUND, b'{"k": 1}')
    found = messages.rows(read, Schema.of(**SCHEMA), "json", "ts", {})
    assert [row.reason for row in found.select("__malformed.*").collect()] == [None, "no ts"]


def test_a_fields_name_may_be_any(spark: SparkSession) -> None:
    schema = Schema.of(**{"a b": "int", "rows": "int", "o'clock": "int"})
    read = sent(spark, b'{"a b": 1, "rows": 2, "o\'clock": 3}', b'{"a b": 1}')
    found = messages.rows(read, schema, "json", "o'clock", {}).collect()
    assert [(row["a b"], row["rows"], row["o'clock"]) for row in found] == [
        (1, 2, 3),
        (1, None, None),
    ]
    assert found[1]["__malformed"].reason == "no o'clock"


def test_malformed_messages_are_kept_back_and_counted_on_the_way(spark: SparkSession) -> None:
    read = sent(spark, *READ)
    batch = messages.rows(read, Schema.of(**SCHEMA), "json", None, {})
    alone: Any = SimpleNamespace(name="r")  # one stream, which has no tag
    sieve = Sieve(Intake((alone,), {}, has_heartbeat=False, malformed=("r",)))
    seen: list[int] = []
    sieve.before(lambda rows, _: seen.append(rows.count()))(batch, 0)
    assert seen == [3]
    [(name, kept)] = sieve.results().items()
    assert (name, kept.arrow().num_rows) == ("r", len(READ) - 3)


@pytest.mark.parametrize(
    ("story", "condition"),
    [
        ("org.apache.kafka.common.errors.UnknownTopicOrPartitionException", "SOURCE_TOPIC"),
        (
            "errors.TimeoutException: Timed out\n... SaslAuthenticationException",
            "SOURCE_CREDENTIALS",
        ),
        ("errors.GroupAuthorizationException", "SOURCE_RIGHTS"),
        ("KAFKA_DATA_LOSS.START_OFFSET_RESET", "SOURCE_DATA_LOST"),
        ("org.apache.kafka.common.errors.TimeoutException", "SOURCE_UNREACHABLE"),
        ("java.lang.OutOfMemoryError", None),
    ],
)
def test_what_kafka_says_is_told_by_its_meaning(story: str, condition: str | None) -> None:
    found = broker.meaning(story)
    assert (None if found is None else found[0]) == condition


def test_messages_that_are_gone_are_counted_by_partition(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    offsets = tmp_path / "offsets"
    offsets.mkdir()
    for batch, ends in enumerate(('{"t":{"0":5,"1":5}}', '{"t":{"0":50,"1":50}}')):
        (offsets / str(batch)).write_text(f"v1\n{{}}\n{ends}")
    asked: list[Any] = []

    def first(_: object, client: object, places: Any) -> dict[tuple[str, int], int]:
        asked.append(places)
        return {("t", 0): 20, ("t", 1): 5}

    monkeypatch.setattr(watch, "first_offsets", first)
    for loss, count in (("fail", 0), ("tell", 1)):
        read = {"r": source(on_data_loss=loss)}
        topics = Topics.of(SparkLog(tmp_path), None, read)  # type: ignore[arg-type]
        found = topics.notices(1)
        assert len(found) == count
    assert "15 messages of t, partition 0, from offset 5 on" in found[0]
    assert asked == [[("t", 0), ("t", 1)]]


OUT = 'for one in "$@"; do case $one in -DoutputDirectory=*) out=${one#*=};; esac; done'


def maven(folder: Path, script: str) -> None:
    program = folder / "mvn"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine that has no jars yet, and of programs those of a folder."""
    monkeypatch.delenv(connector.FOLDER, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    programs = tmp_path / "bin"
    programs.mkdir()
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}/usr/bin{os.pathsep}/bin")
    return programs


def test_without_maven_the_ways_out_are_told(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(elsewhere))
    with pytest.raises(sw.MachineError, match="CONNECTOR_MISSING") as caught:
        connector.jars()
    assert "install Maven" in caught.value.hint


def test_maven_is_asked_once_for_the_connector_of_this_spark(elsewhere: Path) -> None:
    names = " ".join(f"$out/{name}-1.jar" for name in connector.NEEDED)
    maven(elsewhere, f'{OUT}; echo "$@" >> {elsewhere}/asked; mkdir -p $out; touch {names}')
    assert len(connector.jars()) == len(connector.NEEDED)
    assert len(connector.jars()) == len(connector.NEEDED)
    assert len((elsewhere / "asked").read_text().splitlines()) == 1


def test_where_that_version_is_not_the_known_one_is_taken(elsewhere: Path) -> None:
    names = " ".join(f"$out/{name}-1.jar" for name in connector.NEEDED)
    known = f"token-provider.*{connector.KNOWN[1].version}"  # stands in the project, after -f
    refused = f'grep -q "{known}" $4 || {{ echo "[ERROR] no such thing"; exit 1; }}'
    maven(elsewhere, f"{refused}; {OUT}; mkdir -p $out; touch {names}")
    assert len(connector.jars()) == len(connector.NEEDED)


def test_what_maven_says_is_told_if_it_cannot(elsewhere: Path) -> None:
    maven(elsewhere, 'echo "[ERROR] no way there"; exit 1')
    with pytest.raises(sw.MachineError, match=r"CONNECTOR_FETCH_FAILED.*no way there"):
        connector.jars()
    assert not connector.place().exists()


def test_a_folder_without_all_jars_is_refused(tmp_path: Path) -> None:
    (tmp_path / "kafka-clients-1.jar").touch()
    with pytest.raises(sw.MachineError, match="CONNECTOR_MISSING"):
        connector.jars(tmp_path)


def failed(story: str, read: Any) -> Any:
    topics = Topics.of(SparkLog(Path("none")), None, {"r": read})  # type: ignore[arg-type]
    return topics.failure(PySparkException(story))


def test_why_reading_failed_is_told_by_what_kafka_said_last(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("KAFKA_PASSWORD", "hunter2")
    options = {"kafka.ssl.key.password": sw.secret(env="KAFKA_PASSWORD")}
    story = (
        "Job aborted: Lost task 0.0\n\tat org.apache.spark.sql.kafka010.KafkaSourceRDD\n"
        "Caused by: org.apache.kafka.common.errors.TimeoutException: hunter2 timed out"
    )
    found = failed(story, source(options=options))
    assert found.condition == "SOURCE_UNREACHABLE"
    assert found.message.endswith("stream 'r' (t): no broker answers: *** timed out")


def test_a_failure_of_something_else_is_not_laid_at_kafkas_door() -> None:
    story = (
        "java.util.concurrent.TimeoutException: Futures timed out\n"
        "\tat org.apache.spark.sql.kafka010.KafkaSourceRDD"
    )
    assert failed(story, source()) is None
