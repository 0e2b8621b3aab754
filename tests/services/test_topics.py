"""Topics of a real broker: what is read, what is set aside, what is refused, and how it is told."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import threading
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import duckdb
import pytest
from typer.testing import CliRunner

import slackwater as sw
from slackwater.cli.main import app
from tests.services import topic_story as story
from tests.services.broker import PASSWORD, USER, Broker, committed

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.services, pytest.mark.timeout(300)]


def topic(kafka: Broker, partitions: int = 1, **config: str) -> str:
    return kafka.topic(f"t-{uuid4().hex[:8]}", partitions, **config)


def run(connected: SparkSession, checkpoint: Path, read: Any, **options: Any) -> Any:
    pipeline = sw.pipeline(*story.queries(read))
    return pipeline.run(str(checkpoint), spark=connected, **{"flush": True, **options})


def events(checkpoint: Path, kind: str) -> list[dict[str, Any]]:
    lines = (checkpoint / "events.jsonl").read_text().splitlines()
    return [one for one in map(json.loads, lines) if one["event"] == kind]


@pytest.mark.parametrize("tier", ["columnar", "spark"])
def test_a_disordered_topic_with_malformed_messages_is_answered_as_if_read_at_once(
    kafka: Broker, connected: SparkSession, tmp_path: Path, tier: str
) -> None:
    name, sent = topic(kafka, 3), story.messages(2_000, bad_every=40)
    kafka.send(name, sent, 3)
    read = story.source(kafka.servers, name, max_rows_per_batch=500)
    run(connected, tmp_path, read, tier=tier)
    assert story.answers(tmp_path) == story.expected(sent)
    bad = [(n % 3, n // 3) for n, one in enumerate(sent) if n % 41 == 1]
    found = story.malformed(tmp_path)
    assert [(partition, offset) for partition, offset, _, _ in found] == sorted(bad)
    for partition, offset, value, _ in found:
        message = sent[offset * 3 + partition]
        assert value == (message.encode() if isinstance(message, str) else message)
    assert Counter(reason for *_, reason in found) == {
        "no value": 5,
        "not JSON": 10,
        "not UTF-8": 5,
        "no ts": 5,
        "not one object of the schema": 25,
    }
    batches = events(tmp_path, "batch")
    assert sum(one["streams"].get("r", {}).get("malformed", 0) for one in batches) == 50
    assert sum(one["streams"].get("r", {}).get("rows", 0) for one in batches) == 2_000
    assert any("malformed" in one["text"] for one in events(tmp_path, "notice"))


def test_under_a_contract_every_row_is_in_an_answer_or_set_aside(
    kafka: Broker, connected: SparkSession, tmp_path: Path
) -> None:
    name, sent = topic(kafka, 2), story.messages(3_000, seed=2)
    kafka.send(name, sent, 2)
    run(connected, tmp_path, story.source(kafka.servers, name, max_rows_per_batch=200))
    answered = sum(n for *_, n, _ in story.answers(tmp_path, "promised"))
    aside = list((tmp_path / "side" / "promised").rglob("*.parquet"))
    late = sum(duckdb.sql(f"SELECT count(*) FROM '{file}'").fetchall()[0][0] for file in aside)
    assert answered + late == 3_000
    quality = [one["queries"]["promised"].get("quality") for one in events(tmp_path, "batch")]
    assert quality[-1]["fulfilment"] is not None


def test_messages_that_come_later_are_read_from_where_it_stopped(
    kafka: Broker, connected: SparkSession, tmp_path: Path
) -> None:
    name, sent = topic(kafka, 2), story.messages(600)
    kafka.send(name, sent[:300], 2)
    read = story.source(kafka.servers, name)
    run(connected, tmp_path, read, flush=False)
    kafka.send(name, sent[300:], 2)
    run(connected, tmp_path, read)
    assert story.answers(tmp_path) == story.expected(sent)


def test_a_silent_partition_holds_no_answer_back(
    kafka: Broker, connected: SparkSession, tmp_path: Path
) -> None:
    name, sent = topic(kafka, 3), story.messages(1_500)
    kafka.send(name, sent)  # to the first of three
    run(connected, tmp_path, story.source(kafka.servers, name), flush=False)
    found = story.answers(tmp_path)
    assert len(found) > 50
    assert set(found) <= set(story.expected(sent))


def test_two_topics_beside_each_other_keep_their_malformed_messages_apart(
    kafka: Broker, connected: SparkSession, tmp_path: Path
) -> None:
    names = [topic(kafka), topic(kafka)]
    for name, sent in zip(names, ("{", '{"k": "x"}'), strict=True):
        kafka.send(name, [sent, '{"ts": "2026-01-01T00:00:01Z", "k": 1, "v": 1}'])
    a, b = (
        sw.stream(label, story.source(kafka.servers, name), time="ts")
        for label, name in zip("ab", names, strict=True)
    )
    one = a.window("5 s").aggregate(n="count(*)").query("a", sw.slack("1 s"))
    two = b.window("5 s").aggregate(n="count(*)").query("b", sw.slack("1 s"))
    sw.pipeline(one, two).run(str(tmp_path), flush=True, spark=connected, heartbeat="1 s")
    told = {"a": "not JSON", "b": "not one object of the schema"}
    for label, reason in told.items():
        files = str(tmp_path / "malformed" / label / "*" / "*.parquet")
        assert duckdb.sql(f"SELECT topic, reason FROM '{files}'").fetchall() == [
            (names["ab".index(label)], reason)
        ]


def test_raw_messages_keep_their_bytes_and_the_time_of_the_log(
    kafka: Broker, connected: SparkSession, tmp_path: Path
) -> None:
    name = topic(kafka)
    kafka.send(name, [b"\xff", b"", None, b"{"])
    raw = sw.kafka(name, servers=[kafka.servers], value="raw", patience="20 s")
    stream = sw.stream("r", raw, time="_arrival", arrival="_arrival")
    counts = stream.window("1 day").group_by("_topic").aggregate(n="count(*)", last="max(_offset)")
    sw.pipeline(counts.query("every", sw.slack("1 s"))).run(
        str(tmp_path), flush=True, spark=connected
    )
    files = str(tmp_path / "results" / "every" / "*" / "*.parquet")
    text = f"SELECT _topic, sum(n), max(last) FROM '{files}' GROUP BY 1"
    assert duckdb.sql(text).fetchall() == [(name, 3, 3)]
    assert [reason for *_, reason in story.malformed(tmp_path)] == ["no value"]


def test_what_a_transaction_gave_up_is_not_read(
    kafka: Broker, connected: SparkSession, tmp_path: Path
) -> None:
    from confluent_kafka import Producer

    name, sent = topic(kafka), story.messages(30)
    sender = Producer({"bootstrap.servers": kafka.servers, "transactional.id": name})
    sender.init_transactions(30)
    for part, end in ((sent[:10], "commit"), (sent[10:20], "abort"), (sent[20:], "commit")):
        sender.begin_transaction()
        for message in part:
            sender.produce(name, message)
        getattr(sender, f"{end}_transaction")(30)
    run(connected, tmp_path, story.source(kafka.servers, name))
    assert story.answers(tmp_path) == story.expected(sent[:10] + sent[20:])


def test_a_start_at_an_instant_leaves_out_what_came_before(
    kafka: Broker, connected: SparkSession, tmp_path: Path
) -> None:
    name, sent = topic(kafka), story.messages(40)
    kafka.send(name, sent[:20])
    time.sleep(0.1)
    begin = datetime.now(UTC)
    time.sleep(0.1)
    kafka.send(name, sent[20:])
    run(connected, tmp_path, story.source(kafka.servers, name, start=begin))
    assert story.answers(tmp_path) == story.expected(sent[20:])


@pytest.mark.parametrize("loss", ["fail", "tell"])
def test_messages_that_kafka_removed_are_said_loudly(
    kafka: Broker, connected: SparkSession, tmp_path: Path, loss: str
) -> None:
    name, sent = topic(kafka), story.messages(200)
    kafka.send(name, sent[:50])
    read = story.source(kafka.servers, name, on_data_loss=loss)
    run(connected, tmp_path, read, flush=False)
    kafka.send(name, sent[50:])
    kafka.remove_before(name, 80)
    if loss == "fail":
        with pytest.raises(sw.SourceError, match="SOURCE_DATA_LOST"):
            run(connected, tmp_path, read)
        assert events(tmp_path, "error")
        return
    run(connected, tmp_path, read)
    assert story.answers(tmp_path) == story.expected(sent[:50] + sent[80:])
    [told] = [
        one["text"] for one in events(tmp_path, "notice") if "removed by Kafka" in one["text"]
    ]
    assert f"30 messages of {name}, partition 0, from offset 50 on" in told


def test_a_topic_that_is_not_there_is_told_and_none_is_made(
    kafka: Broker, connected: SparkSession, tmp_path: Path
) -> None:
    with pytest.raises(sw.SourceError, match=r"SOURCE_TOPIC.*no-such-topic"):
        run(connected, tmp_path, story.source(kafka.servers, "no-such-topic"))
    assert not tmp_path.joinpath("slackwater.json").exists()


def test_no_broker_is_told_after_the_patience(connected: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(sw.SourceError, match=r"SOURCE_UNREACHABLE.*127\.0\.0\.1:1\b"):
        run(connected, tmp_path, story.source("127.0.0.1:1", "t", patience="2 s"))


def test_an_address_that_is_a_secret_is_not_told(
    connected: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KAFKA_SERVERS", "127.0.0.1:1")
    read = sw.kafka("t", servers=sw.secret(env="KAFKA_SERVERS"), value="raw", patience="1 s")
    with pytest.raises(sw.SourceError, match="SOURCE_UNREACHABLE") as caught:
        read.check(connected)
    assert "t at environment variable KAFKA_SERVERS" in str(caught.value)
    assert "127.0.0.1" not in str(caught.value)


def guarded(kafka: Broker, name: str) -> Any:
    options = {
        "kafka.security.protocol": "SASL_PLAINTEXT",
        "kafka.sasl.mechanism": "PLAIN",
        "kafka.sasl.jaas.config": sw.secret(env="KAFKA_LOGIN"),
    }
    return story.source(kafka.guarded_servers, name, options=options)


def login(password: str) -> str:
    module = "org.apache.kafka.common.security.plain.PlainLoginModule required"
    return f'{module} username="{USER}" password="{password}";'


def test_a_secret_opens_the_broker_and_is_in_no_file(
    kafka: Broker, connected: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, sent = topic(kafka), [*story.messages(50), "{"]
    kafka.send(name, sent)
    read = guarded(kafka, name)
    told = [repr(read), json.dumps(read.describe())]
    monkeypatch.setenv("KAFKA_LOGIN", login(PASSWORD))
    told.append(sw.pipeline(*story.queries(read)).explain("json"))
    run(connected, tmp_path / "well", read)
    assert story.answers(tmp_path / "well") == story.expected(sent)
    wrong = "hunter2 hunter2"
    monkeypatch.setenv("KAFKA_LOGIN", login(wrong))
    with pytest.raises(sw.SourceError, match="SOURCE_CREDENTIALS") as caught:
        run(connected, tmp_path / "refused", read)
    told += [str(caught.value), repr(caught.value), repr(caught.value.__cause__)]
    monkeypatch.setenv("KAFKA_LOGIN", f"nonsense {wrong}")
    with pytest.raises(sw.SourceError) as caught:
        run(connected, tmp_path / "refused", read)
    told += [str(caught.value), repr(caught.value), repr(caught.value.__cause__)]
    for text in told:
        assert "battery" not in text
        assert "hunter2" not in text
    searched = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(searched) > 10
    for path in searched:
        assert b"battery" not in path.read_bytes(), path


KILLS = 2


def test_killed_in_mid_run_it_goes_on_and_nothing_is_lost_or_doubled(
    kafka: Broker, tmp_path: Path
) -> None:
    name, sent = topic(kafka, 3), story.messages(3_000, bad_every=50)
    kafka.send(name, sent, 3)
    draw, kills = random.Random(7), 0
    while kills < KILLS:
        child = _child(kafka, name, tmp_path)
        assert child.stdout is not None
        for _ in range(draw.randint(2, 4)):  # "ready", then a line for each batch
            assert child.stdout.readline().strip() != "done", "it was too quick to be killed"
        time.sleep(draw.uniform(0, 0.4))
        child.kill()
        child.communicate()
        kills += 1
    child = _child(kafka, name, tmp_path)
    said, _ = child.communicate(timeout=120)
    assert said.split()[-1] == "done"
    _is_as_undisturbed(tmp_path, sent)


def _is_as_undisturbed(checkpoint: Path, sent: list[Any]) -> None:
    """Answers of all rows, and every malformed message once."""
    assert story.answers(checkpoint) == story.expected(sent)
    places = [(n % 3, n // 3) for n, one in enumerate(sent) if n % 51 == 1]
    found = [(partition, offset) for partition, offset, _, _ in story.malformed(checkpoint)]
    assert found == sorted(places)


def _child(kafka: Broker, name: str, checkpoint: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.services.topic_story", kafka.servers, name]
    return subprocess.Popen([*command, str(checkpoint)], stdout=subprocess.PIPE, text=True)


def test_a_broker_that_is_killed_in_mid_run_is_waited_for(
    kafka: Broker, connected: SparkSession, tmp_path: Path
) -> None:
    name, sent = topic(kafka, 3), story.messages(1_500, bad_every=50)
    kafka.send(name, sent, 3)
    read = story.source(kafka.servers, name, max_rows_per_batch=150)
    begun = threading.Event()
    handle = sw.pipeline(*story.queries(read)).start(
        str(tmp_path),
        spark=connected,
        trigger="available-now",
        flush=True,
        on_batch=lambda _: begun.set(),
    )
    assert begun.wait(60)
    kafka.kill()
    time.sleep(1)
    kafka.start()
    assert handle.await_termination(120)
    _is_as_undisturbed(tmp_path, sent)


def test_a_broker_that_stays_away_ends_the_run_and_its_return_is_enough(
    kafka: Broker, connected: SparkSession, tmp_path: Path
) -> None:
    name, sent = topic(kafka, 3), story.messages(600, bad_every=50)
    kafka.send(name, sent, 3)
    short = {"kafka.default.api.timeout.ms": 2_000, "kafka.request.timeout.ms": 1_000}
    options = {**short, "fetchOffset.numRetries": 1, "kafkaConsumer.pollTimeoutMs": 2_000}
    read = story.source(kafka.servers, name, max_rows_per_batch=150, options=options)
    begun = threading.Event()
    handle = sw.pipeline(*story.queries(read)).start(
        str(tmp_path), spark=connected, trigger="1 s", on_batch=lambda _: begun.set()
    )
    assert begun.wait(60)
    kafka.kill()
    try:
        with pytest.raises(sw.SourceError, match="SOURCE_UNREACHABLE"):
            handle.await_termination(120)
    finally:
        kafka.start()
    run(connected, tmp_path, read)
    _is_as_undisturbed(tmp_path, sent)


FILE = """
[pipeline]
checkpoint = "state"
trigger = "available-now"
flush = true

[source.r]
kind = "kafka"
topic = "{topic}"
servers = "{servers}"
time = "ts"
schema = {{ ts = "timestamp", k = "int", v = "bigint" }}
max_rows_per_batch = 100
patience = "2 s"
options = {{ "kafka.client.id" = "slackwater" }}

[[query]]
name = "every"
from = "r"
window = "5 s"
group_by = ["k"]
aggregate = {{ n = "count(*)", total = "sum(v)" }}
slack = "1 minute"

[[query]]
name = "sent"
from = "r"
window = "5 s"
group_by = ["k"]
aggregate = {{ n = "count(*)", total = "sum(v)" }}
slack = "1 minute"

[query.sink]
kind = "kafka"
topic = "{sent}"
servers = "{servers}"
mode = "latest"
patience = "2 s"
"""


def test_a_pipeline_file_is_checked_and_run(
    kafka: Broker, connected: SparkSession, tmp_path: Path
) -> None:
    name, sent = topic(kafka, 2), story.messages(200, bad_every=50)
    kafka.send(name, sent, 2)
    file = tmp_path / "pipeline.toml"
    told = topic(kafka, 2)
    file.write_text(FILE.format(topic=name, servers=kafka.servers, sent=told))
    checked = CliRunner().invoke(app, ["check", str(file)])
    assert checked.exit_code == 0, checked.output
    assert f"source r: topic {name}, partitions: 2" in checked.stdout
    assert f"kafka topic {told} is there, partitions: 2" in " ".join(checked.stdout.split())
    assert not (tmp_path / "state").exists()
    ran = CliRunner().invoke(app, ["run", str(file)])
    assert ran.exit_code == 0, ran.output
    assert story.answers(tmp_path / "state") == story.expected(sent)
    rows = [json.loads(one.value or "{}") for one in committed(kafka, told)]
    found = Counter((row["k"], row["n"], row["total"]) for row in rows)
    assert found == Counter((k, n, total) for _, k, n, total in story.expected(sent))
    wrong = (("gone", kafka.servers, "SOURCE_TOPIC"), (name, "127.0.0.1:1", "SOURCE_UNREACHABLE"))
    for topics, servers, condition in wrong:
        file.write_text(FILE.format(topic=topics, servers=servers, sent=told))
        refused = CliRunner().invoke(app, ["check", str(file), "--json"])
        assert refused.exit_code == 1
        [found] = json.loads(refused.stdout)["sources"]
        assert (found["stream"], found["ok"], found["condition"]) == ("r", False, condition)
