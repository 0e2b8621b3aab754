"""Times in every zone of a session, over both changes of the clock, against plain Spark.

A ``timestamp`` is an instant, a ``timestamp_ntz`` what a clock on the wall shows. Both are event
time, key, value and join column here, in two levels and in both tiers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

import slackwater as sw
from slackwater.query.stream import Query
from slackwater.spark.sinks import MemorySink

TEN = timedelta(minutes=10)
# of each zone an instant from which the clock is put forward, and one from which it is put back
CHANGES = {
    "UTC": ("2026-03-29T01:00", "2026-10-25T01:00"),
    "America/New_York": ("2026-03-08T07:00", "2026-11-01T06:00"),
    "Europe/Berlin": ("2026-03-29T01:00", "2026-10-25T01:00"),
    "Asia/Kolkata": ("2026-03-29T01:00", "1969-12-31T18:30"),
    "Australia/Lord_Howe": ("2026-10-03T15:30", "2026-04-04T15:00"),
    "+05:45": ("2026-03-29T01:00", "1969-12-31T18:15"),
    "UTC-03:30": ("2026-03-29T01:00", "2026-10-25T01:00"),
}
NAMED = {"timestamp": pa.timestamp("us", "UTC"), "timestamp_ntz": pa.timestamp("us")}


def rows() -> pa.Table:
    """Instants and wall clocks around every change of every zone, ten minutes apart."""
    instants = {
        datetime.fromisoformat(change).replace(tzinfo=UTC) + number * TEN
        for pair in CHANGES.values()
        for change in pair
        for number in range(-13, 13)
    }
    walls = {
        datetime.fromisoformat(f"{day}T{hour:02}:00") + number * TEN
        for day in ("2026-03-08", "2026-11-01", "2026-03-29", "2026-10-25", "2026-10-04")
        for hour in (1, 2, 3)
        for number in range(6)
    }
    walls |= {datetime.fromisoformat("1969-12-31T23:59:59.999999")}
    count = len(instants) * 2
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
    """Two files, so that windows are merged from two batches."""
    found = tmp_path_factory.mktemp("times")
    table = rows()
    pq.write_table(table.slice(0, 300), found / "0.parquet")
    pq.write_table(table.slice(300), found / "1.parquet")
    return found


@pytest.fixture
def in_zone(spark: SparkSession, request: pytest.FixtureRequest) -> Iterator[SparkSession]:
    session = spark.newSession()
    session.conf.set("spark.sql.session.timeZone", request.param)
    session.conf.set("spark.sql.shuffle.partitions", "2")
    yield session


def stream(folder: Path, time: str) -> Any:
    source = sw.files(str(folder), files_per_batch=1)
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


SPARK_TIER = ("America/New_York", "Australia/Lord_Howe", "+05:45")


@pytest.mark.parametrize(
    ("in_zone", "tier"),
    [*((zone, "columnar") for zone in CHANGES), *((zone, "spark") for zone in SPARK_TIER)],
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
