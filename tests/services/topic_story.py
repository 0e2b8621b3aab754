"""A disordered topic with malformed messages, read by a pipeline that may be killed anywhere."""

from __future__ import annotations

import json
import random
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb

import slackwater as sw
from slackwater.query.stream import Query
from slackwater.spark.sources import Kafka
from tests.services.broker import Message

SCHEMA = {"ts": "timestamp", "k": "int", "v": "bigint"}
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
MALFORMED: tuple[Message, ...] = (
    None,
    b"",
    b"\xff\xfe",
    '{"ts": "2026-01-01T00:00:00Z", "k": 1',
    '{"ts": "yesterday", "k": 1, "v": 1}',
    '{"ts": "2026-01-01T00:00:00Z", "k": "one", "v": 1}',
    '{"k": 1, "v": 1}',
    '{"ts": "2026-01-01T00:00:00Z", "k": 1, "v": 1} and more',
    '[{"ts": "2026-01-01T00:00:00Z", "k": 1, "v": 1}]',
    "null",
)


def messages(count: int, seed: int = 1, bad_every: int = 0) -> list[Message]:
    """Rows of ten a second, some of them up to twenty seconds late, some of them none."""
    draw = random.Random(seed)
    found: list[Message] = []
    for number in range(count):
        late = draw.uniform(0, 20) if draw.random() < 0.2 else 0
        instant = BEGIN + timedelta(seconds=number / 10 - late)
        row = {"ts": instant.isoformat(), "k": draw.randrange(5), "v": draw.randrange(100)}
        found.append(json.dumps(row))
        if bad_every and number % bad_every == 0:
            found.append(MALFORMED[number // bad_every % len(MALFORMED)])
    return found


def source(servers: str, topic: str, **options: Any) -> Kafka:
    told = {"schema": SCHEMA, "time": "ts", "patience": "20 s", **options}
    return sw.kafka(topic, servers=servers, **told)


def queries(read: Any, wait: str = "1 minute") -> tuple[Query, ...]:
    """One that waits for all rows, one under a contract."""
    counts = sw.stream("r", read, time="ts").window("5 s").group_by("k")
    every = counts.aggregate(n="count(*)", total="sum(v)")
    return (
        every.query("every", sw.slack(wait)),
        every.query("promised", sw.max_error(0.1), late="side"),
    )


def expected(sent: list[Message]) -> list[tuple[Any, ...]]:
    """What DuckDB says of all messages that are sound, at once."""
    sound = []
    for message in sent:
        try:
            row = json.loads(message or "")
            assert isinstance(row, dict)
            assert isinstance(row["k"], int)
            sound.append((datetime.fromisoformat(row["ts"]), row["k"], row["v"]))
        except (ValueError, KeyError, AssertionError):
            continue
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'; CREATE TABLE r (ts TIMESTAMPTZ, k INT, v BIGINT)")
        connection.executemany("INSERT INTO r VALUES (?, ?, ?)", sound)
        text = "SELECT epoch_us(time_bucket(INTERVAL '5 seconds', ts)), k, count(*), sum(v)::BIGINT"
        return connection.execute(f"{text} FROM r GROUP BY ALL ORDER BY ALL").fetchall()


def answers(checkpoint: Path, query: str = "every") -> list[tuple[Any, ...]]:
    """What a pipeline said, in order."""
    files = str(checkpoint / "results" / query / "*" / "*.parquet")
    text = f"SELECT epoch_us(window_start), k, n, total::BIGINT FROM '{files}' ORDER BY ALL"
    with duckdb.connect() as connection:
        return connection.execute(text).fetchall()


def malformed(checkpoint: Path) -> list[tuple[Any, ...]]:
    """Places and reasons of what was set aside, in order."""
    files = str(checkpoint / "malformed" / "r" / "*" / "*.parquet")
    text = f'SELECT "partition", "offset", value, reason FROM \'{files}\' ORDER BY ALL'
    with duckdb.connect() as connection:
        return connection.execute(text).fetchall()


def tell(servers: str, topic: str, checkpoint: Path) -> None:
    """From where it was left to the end of the topic, in small batches."""
    quick = {"spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}
    spark = sw.local_session(cores=2, kafka=True, conf=quick)
    read = source(servers, topic, max_rows_per_batch=300)

    def say(report: dict[str, Any]) -> None:
        print(report["batch"], flush=True)

    try:
        sw.pipeline(*queries(read)).run(str(checkpoint), flush=True, spark=spark, on_batch=say)
    except sw.CheckpointError as error:
        if error.condition != "CHECKPOINT_SEALED":  # killed after the end was decided
            raise


if __name__ == "__main__":
    print("ready", flush=True)
    tell(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
    print("done", flush=True)
