"""The engine, the interpreter and DuckDB from scratch give the same answers.

Random streams, disorder, windows, policies and cuts into micro-batches. The interpreter checks
semantics (clock, late rows, revisions); DuckDB recomputes from all rows, because two
implementations can share a mistake.
"""

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
from slackwater.query.stream import Query, Stream
from tests.driver import Driver, answers, batch, readings, replayed, run
from tests.examples import examples

PLAIN = Driver()
PLACES = st.sampled_from([PLAIN, Driver("spark")])  # state in one place, or spread over tasks
SECONDS = st.integers(0, 400).map(lambda tenth: tenth / 10)
ROW = st.tuples(
    st.one_of(SECONDS, SECONDS, SECONDS, st.none()),
    st.one_of(st.integers(0, 2), st.none()),
    st.one_of(st.integers(-5, 20), st.none()),
)
CUTS = st.lists(st.lists(ROW, max_size=8), min_size=1, max_size=5)
WINDOW = st.tuples(st.integers(1, 6), st.integers(1, 6)).map(lambda w: (max(w), min(w)))
LATE = st.sampled_from(["drop", "side", "revise"])


def one_level(size: int, slide: int) -> Stream:
    return (
        readings()
        .where("v IS NULL OR v > -4")
        .window(f"{size} s", f"{slide} s", start="0.5 s")
        .group_by("k")
        .aggregate(
            n="count(*)",
            c="count(v)",
            s="sum(v)",
            a="avg(v)",
            lo="min(v)",
            spread="max(v) - min(v)",
            sd="stddev_pop(v)",
        )
    )


def two_levels(size: int, slide: int) -> Stream:
    return (
        one_level(size, slide)
        .where("n < 6")
        .window("12 s", "4 s")
        .group_by("s > 10 AS big")
        .aggregate(windows="count(*)", rows="sum(n)", top="max(s)")
    )


def check(stream: Stream, cuts: Any, driver: Driver = PLAIN, **terms: Any) -> Query:
    batches = [batch(*rows) for rows in cuts]
    sink = sw.memory()
    query = stream.query("q", sw.slack(terms.pop("slack")), sink=sink, **terms)
    with tempfile.TemporaryDirectory() as folder:
        driver.run((query,), batches, Path(folder))
    assert answers(sink) == replayed(query, batches)
    return query


@pytest.mark.spec("prodding:F8", "prodding:F9", "prodding:F11", "qddh:F005", "qddh:F052")
@pytest.mark.deep
@examples(20, 250)
@given(CUTS, WINDOW, st.integers(0, 8), LATE, PLACES)
def test_one_level_gives_what_the_interpreter_gives(
    cuts: Any, window: tuple[int, int], slack: int, late: str, driver: Driver
) -> None:
    check(one_level(*window), cuts, driver, slack=slack, late=late)


@pytest.mark.deep
@examples(20, 150)
@given(CUTS, WINDOW, st.integers(0, 8), LATE, PLACES)
def test_two_levels_give_what_the_interpreter_gives(
    cuts: Any, window: tuple[int, int], slack: int, late: str, driver: Driver
) -> None:
    check(two_levels(*window), cuts, driver, slack=slack, late=late)


def test_a_withdrawn_answer_is_no_row_of_the_level_above() -> None:
    """A late row moves its group to another key; nothing is left of it where it was."""
    groups = readings().window("1 s").group_by("k").aggregate(n="count(*)")
    sizes = groups.window("2 s").group_by("n AS size").aggregate(groups="count(*)")
    above = sizes.window("4 s").group_by("size IS NULL AS odd").aggregate(sizes="count(*)")
    sink = sw.memory()
    query = above.query("q", late="revise", keep="1 minute", sink=sink)
    batches = [batch((0.1, 1, 0), (1.5, 2, 0), (5, 9, 0)), batch((0.2, 1, 0)), batch((1.6, 2, 0))]
    with tempfile.TemporaryDirectory() as folder:
        run((query,), batches, Path(folder), flush=False)
    table = sink.table()
    assert table is not None
    told = [(r["revision"], r["odd"], r["sizes"]) for r in table.to_pylist()]
    assert told == [(0, False, 1), (1, False, 2), (2, False, 1)]
    assert answers(sink) == replayed(query, batches, flush=False)


def test_a_group_that_a_row_left_long_ago_is_not_answered_again(tmp_path: Path) -> None:
    """The sum of the lower window is 5, 10, then 15: the last row has nothing to do with 5."""
    sums = readings().window("2 s").group_by("k").aggregate(s="sum(v)")
    above = sums.window("4 s").group_by("s AS total").aggregate(n="count(*)")
    sink = sw.memory()
    query = above.query("q", late="revise", keep="1 minute", sink=sink)
    batches = [batch(*rows) for rows in ([(1, 1, 5)], [(9, 1, 1)], [(0, 1, 5)], [(0.5, 1, 5)])]
    run((query,), batches, tmp_path, flush=False)
    assert answers(sink) == replayed(query, batches, flush=False)
    told = {number: table["total"].to_pylist() for number, table in sink.batches.items()}
    assert {number: sorted(some) for number, some in told.items()} == {
        1: [5],
        2: [5, 10],
        3: [10, 15],
    }


@pytest.mark.spec("prodding:F2", "qddh:F009")
@pytest.mark.deep
@examples(20, 200)
@given(CUTS, WINDOW, st.integers(0, 3), PLACES)
def test_final_versions_equal_a_recomputation_from_all_rows(
    cuts: Any, window: tuple[int, int], slack: int, driver: Driver
) -> None:
    """With revisions kept for ever, the last word on every window is the exact answer."""
    size, slide = window
    sink = sw.memory()
    stream = (
        readings()
        .window(f"{size} s", f"{slide} s")
        .group_by("k")
        .aggregate(n="count(*)", s="sum(v)", top="max(v)")
    )
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
        "SELECT epoch_us(window_start) AS w, k, arg_max(n, revision), "
        "arg_max(coalesce(s, -999), revision), arg_max(coalesce(top, -999), revision) "
        "FROM found GROUP BY ALL ORDER BY ALL"
    ).fetchall()


def from_scratch(rows: pa.Table, size: int, slide: int) -> list[tuple[Any, ...]]:
    """Every window over all rows, by plain comparison of times."""
    micros = 1_000_000
    return duckdb.sql(
        f"WITH t AS (SELECT epoch_us(ts) AS t, k, v FROM rows WHERE ts IS NOT NULL), "
        f"w AS (SELECT i * {slide * micros} AS w FROM range(-20, 60) AS o(i)) "
        f"SELECT w, k, count(*), coalesce(sum(v), -999), coalesce(max(v), -999) "
        f"FROM t JOIN w ON t >= w AND t < w + {size * micros} GROUP BY ALL ORDER BY ALL"
    ).fetchall()
