"""What a topic of Kafka is sent, and what is refused before any broker is asked."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import slackwater as sw
from slackwater.execute.sinks import Target
from slackwater.execute.sinks.topic.messages import messages, refuse_large
from slackwater.execute.sinks.topic.ranks import Ranks
from slackwater.runs.checkpoint import Owner

SERVERS = "127.0.0.1:1"
MINE = Owner("1234", "", "results of query 'q'")
TABLE = pa.table(
    {
        "instant": pa.array(
            [datetime(1999, 1, 1, 0, 0, 0, 5, UTC), None], pa.timestamp("us", "UTC")
        ),
        "clock": pa.array([1_782_909_000_000_000, None], pa.timestamp("us")),
        "day": pa.array([date(2026, 1, 2), None]),
        "money": pa.array([Decimal("12345678901234567890.10"), None], pa.decimal128(24, 2)),
        "whole": pa.array([2**62 + 1, None]),
        "double": pa.array([0.1, float("nan")]),
        "odd": pa.array([float("inf"), float("-inf")]),
        "flag": pa.array([True, None]),
        'te"xt': pa.array(['a"b\\\n\u00e4', ""]),
        "bytes": pa.array([b"\x00\xff", None]),
        "several": pa.array([[1_767_225_600_000_000], None], pa.list_(pa.timestamp("us"))),
        "part": pa.array(
            [{"at": [Decimal("1.50")], "n": float("nan")}, None],
            pa.struct({"at": pa.list_(pa.decimal128(4, 2)), "n": pa.float64()}),
        ),
        "named": pa.array([[(1, Decimal("2.50"))], None], pa.map_(pa.int64(), pa.decimal128(4, 2))),
    }
)


def test_values_are_said_exactly_and_nothing_is_left_out() -> None:
    told = messages(TABLE, ("day", "whole"), newest=False)
    first, second = (json.loads(one, parse_float=str) for one in told["value"].to_pylist())
    assert first == {
        "instant": "1999-01-01T00:00:00.000005Z",
        "clock": "2026-07-01T12:30:00.000000",
        "day": "2026-01-02",
        "money": "12345678901234567890.10",
        "whole": 2**62 + 1,
        "double": "0.1",
        "odd": "Infinity",
        "flag": True,
        'te"xt': 'a"b\\\n\u00e4',
        "bytes": "AP8=",
        "several": ["2026-01-01T00:00:00.000000"],
        "part": {"at": ["1.50"], "n": "NaN"},
        "named": {"1": "2.50"},
    }
    assert second == dict.fromkeys(first) | {"double": "NaN", "odd": "-Infinity", 'te"xt': ""}
    assert told["key"].to_pylist() == [
        '{"day":"2026-01-02","whole":4611686018427387905}',
        '{"day":null,"whole":null}',
    ]


def test_rows_without_columns_that_are_keys_have_no_key() -> None:
    assert messages(TABLE, (), newest=False)["key"].to_pylist() == [None, None]


def answers(*rows: tuple[str, str, int, int | None]) -> pa.Table:
    """Key, kind, revision, value."""
    columns = [list(column) for column in zip(*rows, strict=True)]
    table = pa.table(columns, names=["k", "kind", "revision", "n"])
    return table.select(["k", "n", "kind", "revision"])


def test_a_withdrawn_answer_removes_its_key() -> None:
    rows = answers(("a", "revision", 2, None), ("b", "revision", 1, 3), ("c", "final", 0, None))
    told = messages(rows, ("k",), newest=True)
    assert [one is None for one in told["value"].to_pylist()] == [True, False, False]
    history = messages(rows, ("k",), newest=False)
    assert None not in history["value"].to_pylist()


def test_nothing_that_counts_less_is_sent_after_what_counts_more() -> None:
    ranks = Ranks()
    sent = []
    for rows in (
        answers(("a", "final", 0, 1), ("b", "estimate", 5, 2)),
        answers(("a", "estimate", 9, 3), ("b", "estimate", 4, 4)),
        answers(("a", "revision", 1, 5), ("b", "final", 0, 6)),
        answers(("a", "final", 0, 7), ("b", "final", 0, 8)),
    ):
        told = messages(rows, ("k",), newest=True)
        sent += [json.loads(one)["n"] for one in ranks.counting(told)["value"].to_pylist()]
        ranks.keep(told)
    assert sent == [1, 2, 5, 6, 8]


def test_a_message_that_no_broker_takes_is_refused_with_its_size() -> None:
    told = messages(pa.table({"text": ["x" * 2_000]}), (), newest=False)
    refuse_large(told, 10_000, "kafka topic t")
    with pytest.raises(sw.SinkError, match=r"SINK_VALUE.*2011 bytes.*2000"):
        refuse_large(told, 2_000, "kafka topic t")


@pytest.mark.parametrize(
    ("options", "condition"),
    [
        ({"mode": "new"}, "SINK_MODE"),
        ({"mode": "latest", "key": "k"}, "SINK_OPTIONS"),
        ({"topic": ""}, "SINK_TABLE"),
        ({"topic": "a,b"}, "SINK_TABLE"),
        ({"topic": "slackwater_outputs"}, "SINK_TABLE"),
        ({"options": {"transactional.id": "mine"}}, "SINK_OPTIONS"),
        ({"options": {"kafka.bootstrap.servers": "h:1"}}, "SINK_OPTIONS"),
        ({"options": {"sasl.jaas.config": "x"}}, "SINK_OPTIONS"),
    ],
)
def test_what_cannot_be_is_refused_when_it_is_said(options: dict[str, Any], condition: str) -> None:
    with pytest.raises(sw.SinkError, match=condition):
        sw.kafka_sink(**{"topic": "t", "servers": SERVERS, **options})


def test_what_cannot_be_with_these_rows_is_refused_at_the_start(tmp_path: Path) -> None:
    schema = pa.schema({"k": pa.int64()})
    late = Target("q", "late rows", owner=MINE)
    with pytest.raises(sw.SinkError, match="SINK_NO_KEYS"):
        sw.kafka_sink("t", SERVERS, mode="latest", waiting=tmp_path).open(late)
    with pytest.raises(sw.SinkError, match=r"SINK_COLUMNS.*key names j, rows have k"):
        sw.kafka_sink("t", SERVERS, key="j", waiting=tmp_path).open(Target("q", schema=schema))
    with pytest.raises(sw.SinkError, match=r"SINK_REMOTE[^$]*waiting=FOLDER"):
        sw.kafka_sink("t", SERVERS).open(Target("q", schema=schema))


def test_brokers_that_are_away_are_waited_for_and_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    sink = sw.kafka_sink("t", SERVERS, waiting=tmp_path, patience="1 s")
    with pytest.raises(sw.SinkError, match="SINK_UNREACHABLE"):
        sink.open(Target("q"))
    assert "trying again" in caplog.text


def test_two_outputs_do_not_share_a_topic() -> None:
    from tests.driver import readings

    told = readings().window("10 s").aggregate(n="count(*)")
    one, other = sw.kafka_sink("t", SERVERS), sw.kafka_sink("t", SERVERS)
    with pytest.raises(sw.QueryError, match=r"SINK_TWICE.*same topic t"):
        sw.pipeline(told.query("q", sink=one, side=other))


def test_options_that_the_client_does_not_know_are_told(tmp_path: Path) -> None:
    options = {"sasl.pasword": 1}
    sink = sw.kafka_sink("t", SERVERS, options=options, waiting=tmp_path)
    with pytest.raises(sw.SinkError, match=r"SINK_OPTIONS.*sasl\.pasword"):
        sink.open(Target("q"))
