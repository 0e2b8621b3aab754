"""Times in every zone of a session, over both changes of the clock, against plain Spark.

A ``timestamp`` is an instant, a ``timestamp_ntz`` what a clock on the wall shows. Both are event
time, key, value and join column here, in two levels and in both tiers.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import TimestampNTZType

import slackwater as sw
from slackwater.errors import CheckpointError, MachineError
from slackwater.execute.duck import DuckEngine
from slackwater.execute.sinks import MemorySink
from slackwater.query.schema import Schema
from slackwater.query.stream import Query, Stream, StreamDef
from slackwater.spark.schemas import as_frame
from slackwater.zones import tzinfo_of
from tests.spark import driver

TEN = timedelta(minutes=10)
# of each zone an instant from which the clock is put forward, and one from which it is put back
CHANGES = {
    "America/New_York": ("2026-03-08T07:00", "2026-11-01T06:00"),
    "Europe/Berlin": ("2026-03-29T01:00", "2026-10-25T01:00"),
    "Australia/Lord_Howe": ("2026-10-03T15:30", "2026-04-04T15:00"),
    "UTC-03:30": ("1970-01-01T03:30", "2026-01-01T03:30"),  # none, but a midnight
}
NAMED = {"timestamp": pa.timestamp("us", "UTC"), "timestamp_ntz": pa.timestamp("us")}


def rows() -> pa.Table:
    """Instants and wall clocks around every change of every zone, ten minutes apart."""
    instants = {
        datetime.fromisoformat(change).replace(tzinfo=UTC) + number * TEN
        for pair in CHANGES.values()
        for change in pair
        for number in range(-8, 8)
    }
    walls = {
        datetime.fromisoformat(f"{day}T{hour:02}:00") + number * TEN
        for day in ("2026-03-08", "2026-11-01", "2026-03-29", "2026-10-25", "2026-10-04")
        for hour in (1, 2, 3)
        for number in range(6)
    }
    walls |= {datetime.fromisoformat("1969-12-31T23:59:59.999999")}
    count = 2 * len(instants)
    at, wall = sorted(instants), sorted(walls)
    return pa.table(
        {
            "at": pa.array([at[n % len(at)] for n in range(count)], NAMED["timestamp"]),
            "wall": pa.array([wall[n % len(wall)] for n in range(count)], NAMED["timestamp_ntz"]),
            "k": pa.array([n % 3 for n in range(count)], pa.int64()),
            "v": pa.array(range(count), pa.int64()),
        }
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two files, read at once."""
    found = tmp_path_factory.mktemp("times")
    table = rows()
    pq.write_table(table.slice(0, 200), found / "0.parquet")
    pq.write_table(table.slice(200), found / "1.parquet")
    return found


@pytest.fixture
def in_zone(spark: SparkSession, request: pytest.FixtureRequest) -> SparkSession:
    session = spark.newSession()
    session.conf.set("spark.sql.session.timeZone", request.param)
    session.conf.set("spark.sql.shuffle.partitions", "2")
    return session


def stream(folder: Path, time: str) -> Any:
    source = sw.files(str(folder))
    return sw.stream(f"by_{time}", source, time=time, max_ahead=None)


AGGREGATES = {
    "n": "count(*)",
    "first_at": "min(at)",
    "last_wall": "max(wall)",
    "walls": "approx_count_distinct(wall)",
    "instants": "approx_count_distinct(at)",
    "day": "cast(max(at) as date)",
}
SHOWN_BY = ("hour(at) AS h", "cast(at as date) AS d", "wall AS w")
ABOVE_BY = ("hour(window_start) AS hs", "cast(window_end as date) AS de")
ABOVE = {
    "n": "sum(n)",
    "low": "min(first_at)",
    "high": "max(last_wall)",
    "began": "min(window_start)",
    "hours": "max(hour(first_at))",
    "wall_hours": "max(hour(last_wall))",
    "minute": "min(minute(window_end))",
    "ended": "cast(max(window_end) as date)",
}


JOINED = ("a.v AS one", "b.v AS other", "hour(a.at) AS h", "b.wall AS w", "a.at AS at")


def one_level(base: Any, size: str, slide: str | None, *keys: str) -> Any:
    return base.window(size, slide).group_by(*keys).aggregate(**AGGREGATES)


def queries(folder: Path, sinks: dict[str, MemorySink]) -> tuple[Query, ...]:
    late = sw.slack("40000 days")  # everything is in time
    found = []
    for time in ("at", "wall"):
        base = stream(folder, time)
        day = one_level(base, "1 day", None, *SHOWN_BY[:2])
        slid = one_level(base, "1 hour", "20 minutes", "wall AS w", "k")
        two = one_level(base, "30 minutes", None, "k").window("1 day").group_by(*ABOVE_BY)
        a, b = f"a{time}", f"b{time}"
        both = sw.join(
            base.named(a),
            base.named(b),
            on=[f"{a}.at = {b}.at", f"{a}.k = {b}.k", f"hour({a}.at) <= hour({b}.wall) + 20"],
            within="40 minutes",
        ).select(*(text.replace("a.", f"{a}.").replace("b.", f"{b}.") for text in JOINED))
        made = {"day": day, "slid": slid, "two": two.aggregate(**ABOVE), "join": both}
        for name, query in made.items():
            sink = sinks.setdefault(f"{name}_{time}", MemorySink())
            found.append(query.query(f"{name}_{time}", late, sink=sink))
    return tuple(found)


def plain(session: SparkSession, folder: Path) -> dict[str, DataFrame]:
    """The same by Spark alone, over all rows at once."""
    session.conf.set("spark.sql.ansi.enabled", "false")
    raw = session.read.parquet(str(folder))
    found = {}
    for time in ("at", "wall"):

        def level(keys: tuple[str, ...], *window: str, of: str = time) -> DataFrame:
            texts = [f"{v} AS {k}" for k, v in AGGREGATES.items()]  # few: sketches are exact
            totals = [F.expr(t.replace("approx_count_distinct(", "count(DISTINCT ")) for t in texts]
            grouped = raw.groupBy(F.window(of, *window), *(F.expr(k) for k in keys))
            return grouped.agg(*totals)

        found[f"day_{time}"] = flat(level(SHOWN_BY[:2], "1 day"))
        found[f"slid_{time}"] = flat(level(("wall AS w", "k"), "1 hour", "20 minutes"))
        below = level(("k",), "30 minutes").withColumn("t", F.window_time("window"))
        above = flat(below).groupBy(F.window("t", "1 day"), *(F.expr(k) for k in ABOVE_BY))
        found[f"two_{time}"] = flat(above.agg(*(F.expr(f"{v} AS {k}") for k, v in ABOVE.items())))
        found[f"join_{time}"] = paired(raw, time)
    return found


def paired(raw: DataFrame, time: str) -> DataFrame:
    a, b = raw.alias("a"), raw.alias("b")
    micros = [F.expr(f"unix_micros({side}.{time})") for side in ("a", "b")]
    near = F.abs(micros[0] - micros[1]) <= 40 * 60 * 1_000_000
    same = F.expr("a.at = b.at AND a.k = b.k AND hour(a.at) <= hour(b.wall) + 20")
    newest: Column = F.greatest(f"a.{time}", f"b.{time}").alias("event_time")
    return a.join(b, same & near).select(*(F.expr(c) for c in JOINED), newest)


def flat(frame: DataFrame) -> DataFrame:
    bounds = [F.col("window.start").alias("window_start"), F.col("window.end").alias("window_end")]
    rest = [c for c in frame.columns if c != "window"]
    return frame.select(*bounds, *rest)


def told(table: pa.Table, names: list[str]) -> tuple[dict[str, pa.DataType], Counter[Any]]:
    """Types and rows; instants in UTC."""
    plain = table.select(names)
    types = [pa.timestamp("us", "UTC") if _is_instant(f.type) else f.type for f in plain.schema]
    plain = plain.cast(pa.schema(list(zip(names, types, strict=True))))
    return dict(zip(names, types, strict=True)), Counter(
        tuple(row.values()) for row in plain.to_pylist()
    )


def _is_instant(kind: pa.DataType) -> bool:
    return pa.types.is_timestamp(kind) and kind.tz is not None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("in_zone", "tier"),
    [
        ("America/New_York", "columnar"),
        ("Australia/Lord_Howe", "columnar"),
        ("UTC-03:30", "columnar"),
        ("Europe/Berlin", "spark"),
    ],
    indirect=["in_zone"],
)
def test_times_mean_what_they_mean_in_plain_spark(
    in_zone: SparkSession, folder: Path, tmp_path: Path, tier: str
) -> None:
    sinks: dict[str, MemorySink] = {}
    pipeline = sw.pipeline(*queries(folder, sinks))
    pipeline.run(str(tmp_path / "c"), spark=in_zone, tier=tier, flush=True)
    wrong = {}
    for name, wanted in plain(in_zone, folder).items():
        table = sinks[name].table()
        types, rows = told(table, wanted.columns) if table is not None else ({}, Counter())
        wanted_types, wanted_rows = told(wanted.toArrow(), wanted.columns)
        odd = {n: (types.get(n), kind) for n, kind in wanted_types.items() if types.get(n) != kind}
        extra, missing = rows - wanted_rows, wanted_rows - rows
        if odd or extra or missing:
            wrong[name] = (odd, [*extra][:1], [*missing][:1])
    assert wrong == {}


# state, restarts, and the machine -------------------------------------------------------------

WALLS = Schema.of(ts="timestamp_ntz", k="bigint", v="timestamp")


def wall(text: str, at: str, k: int = 1) -> tuple[datetime, int, datetime]:
    return datetime.fromisoformat(text), k, datetime.fromisoformat(at).replace(tzinfo=UTC)


def walls(*rows: tuple[datetime, int, datetime]) -> pa.Table:
    kinds = {"ts": NAMED["timestamp_ntz"], "k": pa.int64(), "v": NAMED["timestamp"]}
    columns = zip(*rows, strict=True) if rows else ((), (), ())
    values = dict(zip(kinds, map(list, columns), strict=True))
    return pa.table(values, schema=pa.schema(kinds))


SKIPPED = [  # the hour from two to three of that day is on no clock in New York
    walls(
        wall("2026-03-08 01:30", "2026-11-01 05:30"),
        wall("2026-03-08 02:30", "2026-11-01 06:30"),  # the same hour of the clock once more
        wall("2026-03-08 03:30", "2026-03-08 06:59:59.999999"),
    ),
    walls(wall("2026-03-08 05:10", "2026-03-08 07:00"), wall("2026-03-08 02:50", "2026-11-01")),
    walls(wall("2026-03-08 00:10", "2026-11-01 05:59"), wall("2026-03-08 09:00", "2026-07-01")),
]


@pytest.mark.parametrize("in_zone", ["America/New_York"], indirect=True)
@pytest.mark.parametrize("tier", ["columnar", pytest.param("spark", marks=pytest.mark.slow)])
def test_estimates_side_rows_and_files_keep_the_clock_on_the_wall(
    in_zone: SparkSession, tmp_path: Path, tier: str
) -> None:
    base = Stream(StreamDef("r", WALLS, "ts", max_ahead=None))
    lower = base.window("1 hour").group_by("hour(v) AS h").aggregate(n="count(*)", v="max(v)")
    above = lower.window("2 hours").group_by("hour(window_start) AS s", "hour(v) AS h")
    query = above.aggregate(n="sum(n)", d="max(cast(v as date))")
    asked = [
        query.query("q", sw.slack("2 hours"), late="side", sink=sw.parquet(str(tmp_path / "out")))
    ]
    empty = {"r": walls()}
    loop = driver.make_loop(in_zone, tuple(asked), tmp_path / "c", empty=empty, tier=tier)
    try:
        for number, table in enumerate(SKIPPED[:2]):
            loop.process(driver.frame(in_zone, loop, {"r": table}, empty), number)
        with loop.driver.beside() as beside:
            where = "window_start = TIMESTAMP_NTZ '2026-03-08 02:00:00'"
            said = loop.snapshot.estimate(beside, loop.layout.readings["q"], where)
            frame = as_frame(in_zone, said)
        loop.process(driver.frame(in_zone, loop, {"r": SKIPPED[2]}, empty), 2)
        loop.runtime.session = in_zone.newSession()  # which is in no zone of ours
        loop.finish()
    finally:
        loop.close()
    assert frame.schema["window_start"].dataType == TimestampNTZType()
    assert sorted(frame.selectExpr("string(window_start)", "s", "h", "n").collect()) == [
        ("2026-03-08 02:00:00", 2, 1, 1),
        ("2026-03-08 02:00:00", 2, 20, 1),
        ("2026-03-08 02:00:00", 3, 1, 1),
    ]
    found = in_zone.read.parquet(str(tmp_path / "out"))
    kinds = {f.name: f.dataType.simpleString() for f in found.schema}
    assert [kinds[n] for n in ("window_start", "window_end", "emitted_at")] == [
        *("timestamp_ntz", "timestamp_ntz", "timestamp")
    ]
    shown = found.selectExpr("string(window_start)", "s", "h", "n", "string(d)")
    assert sorted(shown.collect()) == [
        ("2026-03-08 00:00:00", 1, 1, 1, "2026-11-01"),
        ("2026-03-08 02:00:00", 2, 1, 1, "2026-11-01"),
        ("2026-03-08 02:00:00", 2, 20, 1, "2026-10-31"),
        ("2026-03-08 02:00:00", 3, 1, 1, "2026-03-08"),
        ("2026-03-08 04:00:00", 5, 3, 1, "2026-03-08"),
        ("2026-03-08 08:00:00", 9, 20, 1, "2026-06-30"),
    ]
    late = in_zone.read.parquet(str(tmp_path / "c" / "side" / "q"))
    assert late.selectExpr("string(_time)", "typeof(_time)", "_reason").collect() == [
        ("2026-03-08 00:10:00", "timestamp_ntz", "late")
    ]


@pytest.mark.parametrize("in_zone", ["America/New_York"], indirect=True)
def test_a_checkpoint_is_not_continued_in_another_zone(
    in_zone: SparkSession, spark: SparkSession, tmp_path: Path
) -> None:
    def asked() -> Any:
        source = sw.generator(50, keys=2, rows_per_batch=100, total_rows=200, seed=1)
        base = sw.stream("g", source, time="ts")
        counts = base.window("1 s").group_by("hour(ts) AS h").aggregate(n="count(*)")
        return sw.pipeline(counts.query("q", sink=sw.memory()))

    asked().run(str(tmp_path / "c"), spark=in_zone)
    with pytest.raises(CheckpointError) as error:
        asked().run(str(tmp_path / "c"), spark=spark)
    assert error.value.condition == "CHECKPOINT_OTHER_ZONE"
    assert "set spark.sql.session.timeZone to America/New_York" in str(error.value)
    asked().run(str(tmp_path / "c"), spark=in_zone)


ELSEWHERE = """
from pathlib import Path
import pyarrow as pa
from slackwater.execute.duck import DuckEngine
from slackwater.plan.sql.statement import Statement
engine = DuckEngine(Path("."), sketches=False)
statement = Statement("SELECT hour(make_timestamptz(0)) AS h", ())
schema = pa.schema({"h": pa.int64()})
with engine.beside() as beside:
    print(*(one.run(statement, schema, {}, {})["h"][0].as_py() for one in (engine, beside)))
engine.close()
"""


def test_the_zone_of_the_machine_plays_no_part() -> None:
    """Estimates are read beside the running query, by a cursor: it had the machine's zone."""
    there = {**os.environ, "TZ": "Asia/Tokyo"}
    told = subprocess.run(
        [sys.executable, "-c", ELSEWHERE], env=there, capture_output=True, text=True, check=True
    )
    assert told.stdout.split() == ["0", "0"]


def test_a_zone_that_duckdb_does_not_know_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MachineError) as error:
        DuckEngine(tmp_path, zone="Nowhere/Else")
    assert error.value.condition == "ZONE_UNKNOWN"


@pytest.mark.parametrize("zone", ["UTC", "America/New_York", "+05:45"])
def test_the_interpreter_reads_hours_in_the_zone_too(zone: str) -> None:
    base = Stream(StreamDef("r", WALLS, "ts"))
    lower = base.window("1 hour").group_by("hour(v) AS h").aggregate(v="max(v)")
    above = lower.window("1 day").group_by("hour(window_start) AS s", "hour(v) AS again")
    answers = driver.replayed(above.aggregate(n="count(*)").query("q"), SKIPPED[:1], zone=zone)
    place = tzinfo_of(zone)
    hours = {at.astimezone(place).hour for at in SKIPPED[0]["v"].to_pylist()}
    assert {dict(row)["again"] for row in answers} == hours
    assert {dict(row)["s"] for row in answers} == {1, 2, 3}
