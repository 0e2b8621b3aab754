"""Spark's pass over raw rows, and the one of ``slackwater.testing``, give the loop the same.

What is shown without Java anywhere else stands on this: the same queries and batches, driven both
ways, with equal results, rows set aside, measurements and decisions, batch by batch.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession

import slackwater as sw
from slackwater.arrow_types import arrow_type
from slackwater.events import log
from slackwater.execute.derive import derived
from slackwater.plan.build import check
from slackwater.plan.node import Named
from slackwater.plan.stage import PipelinePlan, lay_out
from slackwater.query.names import quoted
from slackwater.query.schema import Schema
from slackwater.query.stream import Query, Stream
from slackwater.spark.read.partials import Observer
from slackwater.spark.schemas import arrow_schema, as_frame
from slackwater.testing import rows
from tests import story
from tests.driver import Batch, Driver, batch, readings
from tests.plan import golden_cases
from tests.spark.driver import SparkDriver

Asked = Callable[[], Sequence[Query]]
ODD = {"the `k`": "bigint", "a.b": "string", "V v": "double"}
RICH = {"k": "int", "d": "decimal(10,2)", "e": "decimal(38,2)", "day": "date", "s": "string"}
BEGIN = datetime(2026, 3, 29, tzinfo=UTC)  # the clocks of Europe change in it


@dataclass(frozen=True)
class Case:
    """Queries over batches, and how the session of the two runs is set."""

    asked: Asked
    batches: Sequence[Batch]
    zone: str = "UTC"


def counted(stream: Stream, *window: str) -> Stream:
    grouped = stream.window(*window).group_by("k")
    return grouped.aggregate(n="count(*)", s="sum(v)", a="avg(v)", top="max(v)", sd="stddev(v)")


def windows() -> Sequence[Query]:
    rows = readings("1 day")
    some = rows.where("v IS NULL OR v > 0")
    above = (
        counted(some, "4 s", "2 s").where("n > 1").window("12 s", "4 s").group_by("k % 2 AS odd")
    )
    sketched = rows.window("8 s").aggregate(d="approx_count_distinct(v)", n="count(v)")
    return (
        counted(rows, "4 s").query("dropped", sw.slack("1 s")),
        counted(some, "5 s", "2 s").query("aside", sw.slack("1 s"), late="side"),
        above.aggregate(n="sum(n)", most="max(top)").query("revised", late="revise", keep="9 s"),
        counted(some, "4 s").query("bound", sw.max_error(0.2, confidence=0.8, of=["n", "s"])),
        sketched.query("sketched", sw.slack("2 s")),
    )


def whole() -> Sequence[Query]:
    some = readings("1 day").where("v IS NULL OR v > 0")
    values = {"m": "median(v)", "d": "count(DISTINCT v)", "f": "first(v)", "n": "count(*)"}
    exact = some.window("6 s", "2 s").group_by("k").aggregate(**values, all="collect_list(v)")
    half = "SELECT count(*) AS n FROM window WHERE v > (SELECT max(v) / 2 FROM window)"
    return (
        exact.query("exact", sw.slack("1 s"), late="revise", keep="9 s"),
        some.window("4 s").group_by("k").relate(half).query("related", sw.slack("1 s")),
    )


def estimated() -> Sequence[Query]:
    often = [sw.estimates(every="4 s"), sw.estimates(accuracy=0.8, where="k = 1")]
    dear = readings("1 day").costly(9, aside="3:1", starve="20 s").where("v > 0")
    return (
        counted(readings("1 day"), "8 s").query("often", sw.slack("2 s"), estimates=often),
        counted(dear, "8 s").query("dear", sw.slack("2 s"), estimates=sw.estimates(every=0)),
        counted(readings("1 day").costly(5, aside="drop"), "8 s").query(
            "shed", estimates=sw.estimates(every=0)
        ),
    )


def joined() -> Sequence[Query]:
    stream = readings("1 day")
    sides = stream.named("x"), stream.where("v > 0").named("y")
    near = sw.join(*sides, on="k", within={"x": "3 s", "y": "2 s"})
    late = sw.join(*sides, on=["x.k = y.k", "x.v <= y.v"], within="3 s", emit="ordered")
    shown = late.select("x.k AS k", "x.v + y.v AS both")
    above = near.select("x.k AS k", "y.v AS v").window("8 s", "4 s").group_by("k")
    return (
        near.query("all", sw.slack("2 s"), late="side"),
        shown.query("recalled", sw.min_recall(0.7, over="8 s"), late="revise", keep="4 s"),
        above.aggregate(n="count(*)", s="sum(v)").query(
            "above", sw.slack("2 s"), estimates=sw.estimates(every="4 s")
        ),
    )


def rich() -> Sequence[Query]:
    stream = rows("r", time="ts", ts="timestamp", **RICH)
    grouped = stream.window("1 hour").group_by("day", "hour(ts) AS h")
    values = {"d": "sum(d)", "a": "avg(d)", "e": "sum(e)", "s": "max(s)", "last": "max(ts)"}
    days = stream.window("1 day").group_by("dayofweek(day) AS weekday").aggregate(d="sum(d * 2)")
    return (
        grouped.aggregate(**values, n="count(*)").query("hours", late="side"),
        days.query("days", late="revise"),
    )


def rich_batches() -> list[pa.Table]:
    found = []
    for number in range(4):
        times = [BEGIN + timedelta(minutes=60 * number + 17 * n) for n in range(-3, 6)]
        some = range(len(times))
        found.append(
            pa.table(
                {
                    "ts": pa.array(times, pa.timestamp("us", "UTC")),
                    "k": pa.array([n % 3 for n in some], pa.int32()),
                    "d": pa.array([Decimal(n * n) / 4 for n in some], pa.decimal128(10, 2)),
                    "e": pa.array([Decimal(10**30 + n) for n in some], pa.decimal128(38, 2)),
                    "day": pa.array([date(2026, 3, 28 + n % 3) for n in some], pa.date32()),
                    "s": pa.array([None if n == 2 else f"{n}é" for n in some], pa.string()),
                }
            )
        )
    return found


def oddly_named() -> Sequence[Query]:
    stream = rows("r 1", time="Time", Time="timestamp_ntz", **ODD)
    grouped = stream.where("`V v` > 0").window("10 s", "5 s").group_by("`the ``k``` AS `It's`")
    counts = grouped.aggregate(**{"How many": "count(*)", 'S"um': "sum(`V v`)"})
    pairs = sw.join(stream.named("x y"), stream.named("`"), on="`a.b`", within="4 s")
    return (
        counts.query("q", late="side"),
        pairs.select("`x y`.`V v` AS `V`", "````.`a.b` AS `b`").query("j-2", sw.slack("1 s")),
    )


def odd_batches() -> list[pa.Table]:
    found = []
    for number in range(3):
        seconds = [number * 8 + late for late in (0, 3, -9, 5, 1)]
        found.append(
            pa.table(
                {
                    "Time": pa.array([s * 1_000_000 for s in seconds], pa.timestamp("us")),
                    "the `k`": pa.array([s % 2 for s in seconds], pa.int64()),
                    "a.b": pa.array([f"{s % 3}'\"" for s in seconds], pa.string()),
                    "V v": pa.array([s - 4.5 for s in seconds], pa.float64()),
                }
            )
        )
    return found


def two_streams() -> list[Batch]:
    """One is behind, silent at times, and jumps in the end."""
    far = story.FAR
    return [
        {"a": batch((1, 1, 1), (4, 2, 2), (None, 1, 1))},
        {"a": batch((9, 1, 3)), "b": batch((2, 1, 1), (3, 2, -1))},
        {"b": batch((8, 1, 5), (far, 1, 1))},
        {"a": batch(*((far + n, 1, n) for n in range(6))), "b": batch((1, 2, 2), (12, 1, 4))},
    ]


def apart() -> Sequence[Query]:
    a, b = readings("1 day", "a"), readings("1 day", "b")
    near = sw.join(a, b.where("v > 0"), on="k", within="9 s")
    return (
        near.select("a.v AS av", "b.v AS bv").query("near", sw.slack("1 s"), late="side"),
        counted(b, "4 s").query("b", late="side"),
    )


CASES = {
    "windows": Case(windows, story.batches(7)),
    "whole windows": Case(whole, story.batches(6)),
    "estimates and costly work": Case(estimated, story.batches(6)),
    "joins": Case(joined, story.batches(6)),
    "two streams": Case(apart, two_streams()),
    "decimals and dates": Case(rich, rich_batches(), "Europe/Berlin"),
    "odd names": Case(oddly_named, odd_batches()),
    "the story": Case(lambda: story.queries(readings("1 day")), story.batches(6)),
}


@pytest.mark.parametrize("name", CASES)
def test_both_ways_give_the_same_batch_by_batch(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    case = CASES[name]
    monkeypatch.setattr("slackwater.execute.batch.perf_counter", lambda: 0.0)  # plans follow it
    session = spark.newSession()
    session.conf.set("spark.sql.session.timeZone", case.zone)
    Driver().run(case.asked(), case.batches, tmp_path / "plain", zone=case.zone)
    SparkDriver("columnar", session).run(case.asked(), case.batches, tmp_path / "spark")
    plain, with_spark = (outputs(tmp_path / folder) for folder in ("plain", "spark"))
    assert with_spark.keys() == plain.keys()
    for place, told in with_spark.items():
        assert told == plain[place], place
    assert any(place.startswith("results") for place in plain)
    for ours, theirs in zip(*map(decided, (tmp_path / "plain", tmp_path / "spark")), strict=True):
        assert theirs == ours


def outputs(checkpoint: Path) -> dict[str, Counter[str]]:
    """Everything that a query wrote, with its columns, by batch."""
    found: dict[str, Counter[str]] = {}
    for file in sorted(checkpoint.glob("[rsq]*/*/batch=*/*.parquet")):
        if file.parts[-4] not in ("results", "side", "quality"):
            continue
        place = str(file.parent.relative_to(checkpoint))
        table = pq.ParquetFile(file).read()
        rows = [{k: v for k, v in row.items() if k != "emitted_at"} for row in table.to_pylist()]
        found.setdefault(place, Counter()).update(repr(shown(row)) for row in rows)
        found.setdefault(f"{place}, columns", Counter())[repr(columns(table))] = 1
    return found


def shown(row: dict[str, Any]) -> list[tuple[str, Any]]:
    """Values that compare; rows of joins are JSON, in which each engine writes times its way."""
    if "_row" in row:
        held = json.loads(row["_row"])
        times = (name for name, value in held.items() if value is None or name in ("ts", "Time"))
        row = {**row, "_row": sorted(held.items() - {(name, held[name]) for name in [*times]})}
    return [(k, round(v, 9) if isinstance(v, float) else v) for k, v in row.items()]


def columns(table: pa.Table) -> list[tuple[str, str]]:
    return [(field.name, str(field.type)) for field in table.schema]


def decided(checkpoint: Path) -> list[dict[str, Any]]:
    """What batches tell of streams, queries and prods, without times and sizes of files."""
    kinds = {
        "batch": ("batch", "tier", "streams", "queries"),
        "notice": ("batch", "text"),
        "prod": ("batch", "prod", "rows", "reason"),
    }
    events = [e for e in log.read(checkpoint / "events.jsonl") if e["event"] in kinds]
    for told in (query for event in events for query in event.get("queries", {}).values()):
        told["controllers"].get("adapt", {}).pop("memory", None)
        told.pop("held", None)
    return [{name: event[name] for name in kinds[event["event"]]} for event in events]


# types --------------------------------------------------------------------------------------------


def pipelines() -> dict[str, PipelinePlan]:
    """The plans whose statements have golden texts, and those above."""

    def laid_out(stream: Stream, contract: Any = golden_cases.FIXED, **terms: Any) -> Any:
        return lay_out(check([stream.query("q", contract, **terms)]))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(golden_cases, "plan", laid_out)
        golden: dict[str, Any] = {**golden_cases.windows()}
        golden |= {f"join: {name}": plan for name, plan in golden_cases.joins().items()}
    return golden | {name: lay_out(check(case.asked())) for name, case in CASES.items()}


def test_types_are_derived_as_spark_derives_them(spark: SparkSession) -> None:
    for name, plan in pipelines().items():
        stages, joins = derived(plan)
        for query in plan.queries:
            for stage in query.stages:
                shape = stages[query.name, stage.level]
                panes = Observer.of(stage.state).partials(no_rows_of(spark, stage.state.input))
                assert shape.panes == arrow_schema(panes.select(*map(quoted, shape.panes.names)))
                if any(part.is_value or part.is_timed for part in stage.state.partials):
                    continue  # over all rows of a group: test_answers compares what they give
                values = columns_of(stage.values)
                answers = no_rows_of(spark, stage.state.parts).selectExpr(*values)
                told = [shape.results.field(value) for value, _ in stage.values]
                assert pa.schema(told) == arrow_schema(answers), name
            for one in () if query.join is None else query.join.inputs:
                kept = no_rows_of(spark, one.state.input).selectExpr(*columns_of(one.state.keys))
                shown = joins[query.name].input(one.name)
                told = [shown.field(column) for column, _ in one.state.keys]
                assert pa.schema(told) == arrow_schema(kept), name


def no_rows_of(spark: SparkSession, schema: Schema) -> DataFrame:
    columns = [pa.field(column.name, arrow_type(column.type)) for column in schema.columns]
    return as_frame(spark, pa.schema([*columns, pa.field("__ts", pa.int64())]).empty_table())


def columns_of(named: Sequence[Named]) -> list[str]:
    return [f"{value.sql} AS {quoted(name)}" for name, value in named]
