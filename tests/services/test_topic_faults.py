"""What a real broker refuses is told clearly; once it is mended nothing is lost or doubled."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import slackwater as sw
from slackwater.execute.sinks import Checkable, Sink, TableResults, Target
from slackwater.runs.checkpoint import Owner
from tests.services.broker import PASSWORD, USER, Broker, committed

pytestmark = [pytest.mark.services, pytest.mark.timeout(200)]

SCHEMA = pa.schema({"k": pa.int64(), "name": pa.string()})


def target(folder: Path, checkpoint: str = "1234") -> Target:
    owner = Owner(checkpoint, str(folder / checkpoint), "results of query 'q'")
    return Target("q", schema=SCHEMA, keys=("k",), owner=owner)


def opened(kafka: Broker, name: str, folder: Path, last: int = -1, **options: Any) -> Sink:
    found = sw.kafka_sink(name, kafka.servers, **{"patience": "20 s", **options})
    found.open(target(folder))
    found.recover(last)
    return found


def rows(*pairs: tuple[int, str]) -> TableResults:
    columns = [list(column) for column in zip(*pairs, strict=True)]
    return TableResults(pa.table(columns, schema=SCHEMA))


def shown(kafka: Broker, name: str) -> list[tuple[int, str]]:
    values = [json.loads(one.value or "{}") for one in committed(kafka, name)]
    return sorted((one["k"], one["name"]) for one in values)


def put(sink: Sink, batch: int, *pairs: tuple[int, str]) -> None:
    sink.prepare(batch, rows(*pairs))
    sink.commit(batch)


def test_a_topic_that_is_not_there_is_told_and_none_is_made(kafka: Broker, tmp_path: Path) -> None:
    for _ in range(2):
        with pytest.raises(sw.SinkError, match=r"SINK_TABLE_MISSING.*no-such-topic"):
            opened(kafka, "no-such-topic", tmp_path)


def test_wrong_credentials_are_told_at_once_and_right_ones_are_in_no_file(
    kafka: Broker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, told = kafka.fresh(), []
    options = {
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": "PLAIN",
        "sasl.username": USER,
        "sasl.password": sw.secret(env="KAFKA_PASSWORD"),
    }
    monkeypatch.setenv("KAFKA_PASSWORD", "hunter2")
    sink = sw.kafka_sink(name, kafka.guarded_servers, options=options, patience="1 minute")
    begin = time.monotonic()
    with pytest.raises(sw.SinkError, match="SINK_CREDENTIALS") as caught:
        sink.open(target(tmp_path))
    assert time.monotonic() - begin < 30
    monkeypatch.setenv("KAFKA_PASSWORD", PASSWORD)
    sink.open(target(tmp_path))
    sink.recover(-1)
    sink.prepare(0, rows((1, "waits")))
    searched = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert searched
    sink.commit(0)
    assert shown(kafka, name) == [(1, "waits")]
    told = [str(caught.value), repr(caught.value), repr(sink), repr(caught.value.__context__)]
    told += [one.value or "" for one in committed(kafka, "slackwater_outputs")]
    for text in told:
        assert "hunter2" not in text
        assert "battery" not in text
    assert all(b"battery" not in one for one in searched)


def test_a_dead_process_leaves_nothing_to_see_and_the_next_one_finishes(
    kafka: Broker, tmp_path: Path
) -> None:
    """It dies within its transaction, after the manifest."""
    name = kafka.fresh(2)
    sink: Any = opened(kafka, name, tmp_path)
    put(sink, 0, (1, "a"))
    sink.prepare(1, rows((2, "b"), (3, "c")))
    sink._producer.begin_transaction()
    for key in range(100):
        sink._producer.produce(name, json.dumps({"k": key, "name": "never"}))
    sink._producer.flush(10)
    opened(kafka, name, tmp_path, last=1)
    assert shown(kafka, name) == [(1, "a"), (2, "b"), (3, "c")]


def test_whoever_was_there_before_is_fenced_off_and_does_not_come_back(
    kafka: Broker, tmp_path: Path
) -> None:
    name = kafka.fresh()
    old = opened(kafka, name, tmp_path)
    old.prepare(0, rows((1, "old")))
    new = opened(kafka, name, tmp_path)
    new.prepare(0, rows((1, "new")))
    for _ in range(2):  # though it asks anew, which fences the other for a moment
        with pytest.raises(sw.SinkError, match="SINK_FENCED"):
            old.commit(0)
    new.commit(0)
    put(new, 1, (2, "new"))
    assert shown(kafka, name) == [(1, "new"), (2, "new")]


def test_a_commit_whose_answer_got_lost_is_not_done_twice(kafka: Broker, tmp_path: Path) -> None:
    name = kafka.fresh()
    sink: Any = opened(kafka, name, tmp_path)
    sink.prepare(0, rows((1, "a")))
    waiting = sink._staging.table(0)
    sink.commit(0)
    sink._staging.store(0, TableResults(waiting))  # as if it had died before it removed them
    sink._line = sink._line.__class__(sink._line.epoch, -1, "")
    sink.close()  # as after an answer that did not come: what is so is read from the log
    sink.commit(0)
    opened(kafka, name, tmp_path, last=0)
    assert shown(kafka, name) == [(1, "a")]


def test_answers_of_others_are_refused_until_they_are_given_up(
    kafka: Broker, tmp_path: Path
) -> None:
    from confluent_kafka import Producer

    name = kafka.fresh()
    put(opened(kafka, name, tmp_path), 0, (1, "a"))
    other = sw.kafka_sink(name, kafka.servers)
    with pytest.raises(sw.SinkError, match=r"SINK_OCCUPIED.*'q'.*1234") as caught:
        other.open(target(tmp_path, "5678"))
    assert "key" in caught.value.hint
    [line] = [o for o in committed(kafka, "slackwater_outputs") if f'"{name}"' in o.key][-1:]
    sender = Producer({"bootstrap.servers": kafka.servers})
    sender.produce("slackwater_outputs", None, line.key)
    sender.flush(10)
    other.open(target(tmp_path, "5678"))
    other.recover(-1)
    put(other, 0, (2, "b"))
    assert shown(kafka, name) == [(1, "a"), (2, "b")]


def test_what_is_in_a_log_cannot_go_back_and_says_so(kafka: Broker, tmp_path: Path) -> None:
    name = kafka.fresh()
    sink = opened(kafka, name, tmp_path)
    for batch in range(3):
        put(sink, batch, (batch, "a"))
    with pytest.raises(sw.SinkError, match=r"SINK_AHEAD.*batch 2.*from batch 0"):
        opened(kafka, name, tmp_path, last=0)


def test_looking_beforehand_changes_nothing(kafka: Broker, tmp_path: Path) -> None:
    name = kafka.fresh(3)
    sink = sw.kafka_sink(name, kafka.servers)
    assert isinstance(sink, Checkable)
    before = committed(kafka, "slackwater_outputs")
    assert sink.check(target(tmp_path)) == f"kafka topic {name} is there, partitions: 3"
    assert committed(kafka, "slackwater_outputs") == before
    assert not any(tmp_path.iterdir())


def test_a_broker_that_dies_is_waited_for_and_told_and_its_return_is_enough(
    kafka: Broker, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    name = kafka.fresh()
    sink = opened(kafka, name, tmp_path, patience="1 minute")
    put(sink, 0, (1, "a"))
    sink.prepare(1, rows((2, "b")))
    kafka.kill()
    back = threading.Timer(7, kafka.start)
    back.start()
    sink.commit(1)
    back.join()
    assert "waiting" in caplog.text
    put(sink, 2, (3, "c"))
    assert shown(kafka, name) == [(1, "a"), (2, "b"), (3, "c")]


def test_a_broker_that_stays_away_ends_the_run_and_the_next_start_finishes_it(
    kafka: Broker, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    name = kafka.fresh()
    short = {"transaction.timeout.ms": 3_000, "message.timeout.ms": 2_000}
    sink = opened(kafka, name, tmp_path, patience="2 s", options=short)
    sink.prepare(0, rows((1, "a")))
    kafka.kill()
    try:
        with pytest.raises(sw.SinkError, match="SINK_UNREACHABLE"):
            sink.commit(0)
    finally:
        kafka.start()
    opened(kafka, name, tmp_path, last=0)
    assert shown(kafka, name) == [(1, "a")]


def test_a_message_that_the_topic_does_not_take_waits_until_it_does(
    kafka: Broker, tmp_path: Path
) -> None:
    name = kafka.fresh(**{"max.message.bytes": "2000"})
    sink = opened(kafka, name, tmp_path)
    sink.prepare(0, rows((1, "x" * 5_000)))
    with pytest.raises(sw.SinkError, match="SINK_VALUE"):
        sink.commit(0)
    assert shown(kafka, name) == []
    kafka.configure(name, "max.message.bytes", "20000")
    opened(kafka, name, tmp_path, last=0)
    assert shown(kafka, name) == [(1, "x" * 5_000)]
