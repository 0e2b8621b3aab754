"""Exact aggregates beside mergeable ones: engine, interpreter and DuckDB from scratch agree."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import slackwater as sw
from slackwater.query.stream import Stream
from tests.driver import Driver, answers, batch, readings, replayed
from tests.examples import examples
from tests.properties.test_engines_agree import CUTS, LATE, PLACES, WINDOW


def one_level(size: int, slide: int) -> Stream:
    return (
        readings()
        .where("v IS NULL OR v > -4")
        .window(f"{size} s", f"{slide} s", start="0.5 s")
        .group_by("k")
        .aggregate(
            n="count(*)",
            s="sum(v)",
            sd="stddev_pop(v)",
            mid="median(v)",
            high="percentile(v, 0.9) - percentile(v, 0.15)",
            odd="median(v) FILTER (WHERE v > 3)",
            kinds="count(DISTINCT v)",
            pairs="count(DISTINCT v, k)",
            every="collect_list(v)",
            some="collect_set(v % 3)",
            first="first(v)",
            last="last(v, true)",
            late="last(v) FILTER (WHERE v < 9)",
        )
    )


@pytest.mark.deep
@examples(4, 20)
@given(CUTS, WINDOW, st.integers(0, 8), LATE, PLACES)
def test_exact_aggregates_give_what_the_interpreter_gives(
    cuts: Any, window: tuple[int, int], slack: int, late: str, driver: Driver
) -> None:
    above = (
        one_level(*window)
        .where("n < 6")
        .window("12 s", "4 s")
        .group_by("s > 10 AS big")
        .aggregate(mid="median(mid)", keys="collect_set(k)", last="last(last)")
    )
    batches = [batch(*rows) for rows in cuts]
    for stream in (one_level(*window), above):
        sink = sw.memory()
        query = stream.query("q", sw.slack(slack), late=late, sink=sink)
        with tempfile.TemporaryDirectory() as folder:
            driver.run((query,), batches, Path(folder))
        assert answers(sink) == replayed(query, batches)


SQL = (
    "SELECT count(*) AS n, max(v) AS top FROM window WHERE v > (SELECT max(v) / 2 FROM window)",
    (
        "WITH c AS (SELECT v, count(*) AS n FROM window GROUP BY v), "
        "m AS (SELECT max(n) AS n FROM c) "
        "SELECT collect_list(c.v) AS modes, max(m.n) AS n FROM c JOIN m ON c.n = m.n"
    ),
    (
        "SELECT sum(d) AS d, count(*) FILTER (WHERE d < 0) AS falls FROM "
        "(SELECT v - lag(v) OVER (ORDER BY ts, v) AS d FROM window)"
    ),
    (
        "SELECT (SELECT count(*) FROM window) AS n, (SELECT count(*) FROM window a WHERE EXISTS "
        "(SELECT 1 FROM window b WHERE b.v = a.v + 1 AND b.ts > a.ts)) AS steps, "
        "(SELECT sum(v) FROM (SELECT v FROM window ORDER BY v DESC LIMIT 2)) AS two"
    ),
    "SELECT count(*) AS n FROM window WHERE v IN (SELECT v FROM window WHERE k > 0) OR v IS NULL",
)


@pytest.mark.deep
@examples(5, 25)
@given(st.sampled_from(SQL), CUTS, WINDOW, st.integers(0, 4), LATE, PLACES)
def test_sql_over_all_windows_at_once_says_what_it_says_of_each_alone(
    sql: str, cuts: Any, window: tuple[int, int], slack: int, late: str, driver: Driver
) -> None:
    """The interpreter gives the rows of one window and key after the other to DuckDB."""
    size, slide = window
    stream = readings().where("v IS NULL OR v > -4").window(f"{size} s", f"{slide} s")
    sink = sw.memory()
    query = stream.group_by("k").relate(sql).query("q", sw.slack(slack), late=late, sink=sink)
    batches = [batch(*rows) for rows in cuts]
    with tempfile.TemporaryDirectory() as folder:
        driver.run((query,), batches, Path(folder))
    assert answers(sink) == replayed(query, batches)


@pytest.mark.deep
@examples(4, 20)
@given(CUTS, WINDOW, st.integers(0, 3), PLACES)
def test_the_last_word_on_exact_aggregates_equals_a_recomputation(
    cuts: Any, window: tuple[int, int], slack: int, driver: Driver
) -> None:
    size, slide = window
    stream = (
        readings()
        .window(f"{size} s", f"{slide} s")
        .group_by("k")
        .aggregate(
            mid="median(v)",
            p="percentile(v, 0.75)",
            kinds="count(DISTINCT v)",
            every="collect_list(v)",
            first="first(v)",
        )
    )
    sink = sw.memory()
    query = stream.query("q", sw.slack(slack), late="revise", keep="1 hour", sink=sink)
    batches = [batch(*rows) for rows in cuts]
    with tempfile.TemporaryDirectory() as folder:
        driver.run((query,), batches, Path(folder))
    assert newest(sink.table()) == from_scratch(pa.concat_tables(batches), size, slide)


def newest(found: pa.Table | None) -> list[tuple[Any, ...]]:
    """The highest revision of every answer."""
    if found is None:
        return []
    return duckdb.sql(
        "SELECT epoch_us(window_start) AS w, k, mid, p, kinds, every, first FROM found "
        "QUALIFY revision = max(revision) OVER (PARTITION BY window_start, k) ORDER BY w, k"
    ).fetchall()


def from_scratch(rows: pa.Table, size: int, slide: int) -> list[tuple[Any, ...]]:
    """Every window over all rows, by DuckDB's own functions. Halves and quarters are exact."""
    micros = 1_000_000
    return duckdb.sql(
        f"WITH t AS (SELECT epoch_us(ts) AS t, k, v FROM rows WHERE ts IS NOT NULL), "
        f"w AS (SELECT i * {slide * micros} AS w FROM range(-20, 60) AS o(i)) "
        "SELECT w, k, quantile_cont(v::DOUBLE, 0.5), quantile_cont(v::DOUBLE, 0.75), "
        "count(DISTINCT v), coalesce(list(v ORDER BY v) FILTER (WHERE v IS NOT NULL), []), "
        "list(v ORDER BY t, v NULLS LAST)[1] "
        f"FROM t JOIN w ON t >= w AND t < w + {size * micros} GROUP BY w, k ORDER BY w, k"
    ).fetchall()
