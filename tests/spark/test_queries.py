"""Queries that come and go while Spark's query runs."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from typer.testing import CliRunner

import slackwater as sw
from slackwater.cli.main import app
from slackwater.execute.sinks import MemorySink
from slackwater.query.stream import Query, Stream
from slackwater.spark.document import load
from slackwater.spark.handle import Handle


def slowly() -> Stream:
    """Half a second of rows every half second."""
    return sw.stream("r", sw.generator(200, keys=5, seed=3), time="ts")


def counts(stream: Stream, name: str, *, where: str = "key >= 0", **terms: Any) -> Query:
    windows = stream.where(where).window("1 s").group_by("key").aggregate(n="count(*)")
    return windows.query(name, **{"sink": sw.memory(), **terms})


def until(handle: Handle, is_so: Callable[[], bool], seconds: float = 90) -> None:
    deadline = time.monotonic() + seconds
    while not is_so():
        assert handle.is_active
        assert time.monotonic() < deadline
        time.sleep(0.1)


def rows(query: Query) -> dict[tuple[Any, Any], int]:
    assert isinstance(query.sink, MemorySink)
    table = query.sink.table()
    found = [] if table is None else table.to_pylist()
    assert len(found) == len({(row["window_end"], row["key"]) for row in found})
    return {(row["window_end"], row["key"]): row["n"] for row in found}


def told(handle: Handle, kind: str) -> list[dict[str, Any]]:
    return [event for event in handle.events() if event["event"] == kind]


def test_queries_come_and_go_without_a_restart_where_the_pass_is_wide_enough(
    spark: SparkSession, tmp_path: Path
) -> None:
    stream = slowly()
    first, late = counts(stream, "first"), counts(stream, "late")
    handle = sw.pipeline(first).start(str(tmp_path), trigger="300 ms", spark=spark)
    try:
        until(handle, lambda: len(rows(first)) > 5)
        query = handle.query
        assert handle.add(late) == "in place"
        assert handle.queries == ("first", "late")
        until(handle, lambda: len(rows(late)) > 10)
        assert handle.query is query
        assert handle.remove("first") == "in place"
        seen = len(rows(late))
        until(handle, lambda: len(rows(late)) > seen)
    finally:
        handle.stop()
    both = rows(first).keys() & rows(late).keys()
    assert len(both) >= 5
    assert all(rows(first)[one] == rows(late)[one] for one in both)
    [came] = told(handle, "query_added")
    assert min(end for end, _ in rows(late)).timestamp() * 1e6 > came["whole_after"]
    assert [(one["added"], one["removed"], one["how"]) for one in told(handle, "change")] == [
        (["late"], [], "in place"),
        ([], ["first"], "in place"),
    ]


@pytest.mark.slow
def test_other_columns_restart_sparks_query_on_the_same_offsets(
    spark: SparkSession, tmp_path: Path
) -> None:
    stream = slowly()
    first, late = counts(stream, "first"), counts(stream, "late", where="value > -1000000")
    handle = sw.pipeline(first).start(str(tmp_path), trigger="300 ms", spark=spark)
    try:
        until(handle, lambda: len(rows(first)) > 5)
        query = handle.query
        assert handle.add(late) == "restarted"
        assert handle.query is not query
        until(handle, lambda: len(rows(late)) > 10)
        assert not handle.await_termination(0.1)
    finally:
        handle.stop()
    both = rows(first).keys() & rows(late).keys()
    assert len(both) >= 5
    assert all(rows(first)[one] == rows(late)[one] for one in both)
    batches = [event["batch"] for event in told(handle, "batch")]
    assert batches == list(range(len(batches)))


@pytest.mark.slow
def test_what_cannot_be_added_is_told_and_leaves_the_others_alone(
    spark: SparkSession, tmp_path: Path
) -> None:
    stream = slowly()
    sink = sw.parquet(str(tmp_path / "out"))
    first = counts(stream, "first", sink=sink)
    other = sw.stream("r", sw.generator(200, keys=5, seed=4), time="ts")
    handle = sw.pipeline(first).start(str(tmp_path / "ck"), trigger="300 ms", spark=spark)
    try:
        with pytest.raises(sw.QueryError, match="first"):
            handle.add(counts(stream, "first"))
        with pytest.raises(sw.QueryError, match="SINK_TWICE"):
            handle.add(counts(stream, "late", sink=sw.parquet(str(tmp_path / "out"))))
        with pytest.raises(sw.QueryError, match="STREAM_TWICE"):
            handle.add(counts(other, "late"))
        new = sw.stream("s", sw.generator(200, keys=5, seed=4), time="ts")
        until(handle, lambda: handle.last_progress is not None)
        with pytest.raises(sw.QueryError, match="CHANGE_STREAM"):
            handle.add(counts(new, "late"))
        with pytest.raises(sw.SlackwaterError, match="QUERY_UNKNOWN"):
            handle.remove("late")
        with pytest.raises(sw.SlackwaterError, match="QUERY_LAST"):
            handle.remove("first")
        assert handle.queries == ("first",)
        until(handle, lambda: (tmp_path / "out").exists() and any((tmp_path / "out").iterdir()))
    finally:
        handle.stop()
    assert not told(handle, "change")
    with pytest.raises(sw.SlackwaterError, match="STOPPED"):
        handle.add(counts(stream, "late"))


DOCUMENT = """
[pipeline]
trigger = "300 ms"

[source.r]
kind = "generator"
rows_per_second = 200
keys = 5
seed = 3
"""
QUERY = """
[[query]]
name = "{name}"
from = "r"
window = "1 s"
group_by = ["key"]
[query.aggregate]
n = "count(*)"
"""


@pytest.mark.slow
def test_what_people_demand_from_outside_is_done_and_kept_for_the_next_start(
    spark: SparkSession, tmp_path: Path
) -> None:
    old, new, folder = tmp_path / "old.toml", tmp_path / "new.toml", str(tmp_path / "ck")
    old.write_text(DOCUMENT + QUERY.format(name="first"))
    new.write_text(DOCUMENT + QUERY.format(name="late"))

    def start() -> Handle:
        read = load(old)
        return read.pipeline.launch(folder, read.options, spark)

    def said(*words: object) -> tuple[int, list[dict[str, Any]]]:
        result = CliRunner().invoke(app, [*map(str, words), "--json", "--wait", "90"])
        return result.exit_code, json.loads(result.stdout)

    handle = start()
    try:
        until(handle, lambda: bool(told(handle, "batch")))
        code, [answer] = said("add", folder, new)
        assert (code, answer["how"], answer["reason"]) == (0, "in place", None)
        code, [answer] = said("add", folder, new, "late")
        assert (code, answer["how"]) == (0, "there already")
        code, [answer] = said("remove", folder, "first")
        assert (code, answer["how"]) == (0, "in place")
        code, [answer] = said("remove", folder, "late")
        assert (code, answer["reason"].startswith("[QUERY_LAST]")) == (1, True)
    finally:
        handle.stop()
    again = start()
    try:
        assert again.queries == ("late",)
        count = len(told(again, "batch"))
        until(again, lambda: len(told(again, "batch")) > count + 1)
    finally:
        again.stop()
    assert [one["query"] for one in told(again, "query_added")] == ["late"]
    assert [one["query"] for one in told(again, "query_removed")] == ["first"]
    old.write_text(DOCUMENT + QUERY.format(name="first") + QUERY.format(name="late"))
    assert [one.query for one in load(old).pipeline.forecast(folder).added] == []
    assert not list((tmp_path / "ck" / "changes").iterdir())


@pytest.mark.slow
def test_a_start_with_other_queries_says_so(spark: SparkSession, tmp_path: Path) -> None:
    def go(rows: int, *names: str) -> Handle:
        source = sw.generator(100, keys=3, rows_per_batch=100, total_rows=rows, seed=1)
        stream = sw.stream("r", source, time="ts")
        asked = sw.pipeline(*(counts(stream, name) for name in names))
        return asked.run(str(tmp_path), spark=spark)

    go(300, "first", "second")
    handle = go(600, "second", "third")
    [change] = told(handle, "change")
    assert (change["added"], change["removed"], change["how"]) == (["third"], ["first"], "started")
    assert [one["query"] for one in told(handle, "query_removed")] == ["first"]
    [came] = told(handle, "query_added")
    assert came["query"] == "third"
