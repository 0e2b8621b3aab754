"""Whole windows: SQL over all of their rows, and what is read off values that are kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

import slackwater as sw
from slackwater.execute.limits import Limits
from slackwater.plan.build import check
from slackwater.plan.stage import lay_out
from slackwater.query.stream import Query, Stream
from slackwater.runs.run import total_rows
from tests.driver import Driver, answers, batch, make_loop, readings, replayed, run
from tests.execute.test_crash import die_until_done
from tests.execute.test_quality import disordered
from tests.story import ending, leftovers

PLACES = pytest.mark.parametrize(
    "place", ["columnar", pytest.param("spark", marks=pytest.mark.slow)]
)
ABOVE_HALF = "SELECT count(*) AS n FROM window WHERE v > (SELECT max(v) / 2 FROM window)"
TABLES = [
    batch((1, 1, 5), (1.5, 1, 7), (2, 2, 1), (2, 2, 1), (3, None, None)),
    batch((4, 1, 2), (0.5, 1, 9), (6, 2, 4)),
    batch((11, 1, 3), (12, 2, 8), (5, 2, 2)),
    batch((16, 1, 1), (13, 1, 6), (23, 2, 2)),
]


def related(sql: str = ABOVE_HALF, *windows: str) -> Stream:
    return readings().window(*(windows or ("10 s", "5 s"))).group_by("k").relate(sql)


def exact(*windows: str) -> Stream:
    values = {"mid": "median(v)", "kinds": "count(DISTINCT v)", "n": "count(*)", "end": "last(v)"}
    return readings().window(*(windows or ("10 s", "5 s"))).group_by("k").aggregate(**values)


def test_a_correlated_aggregate_is_what_duckdb_says_from_scratch(tmp_path: Path) -> None:
    tables, sink = disordered(1200), sw.memory()
    run(
        (related(ABOVE_HALF, "4 s", "1 s").query("q", sw.slack("1 min"), sink=sink),),
        tables,
        tmp_path,
    )
    rows = pa.concat_tables(tables)  # noqa: F841 - DuckDB reads it
    scratch = duckdb.sql(
        "WITH t AS (SELECT epoch_us(ts) // 1000000 AS s, k, v FROM rows), "
        "w AS (SELECT t.*, o.i AS w FROM t JOIN range(-4, 40) AS o(i) ON s >= i AND s < i + 4) "
        "SELECT w, k, count(*) FILTER (WHERE v > top / 2) "
        "FROM (SELECT *, max(v) OVER (PARTITION BY w, k) AS top FROM w) GROUP BY ALL ORDER BY ALL"
    ).fetchall()
    found = sink.table()
    assert found is not None
    assert (
        scratch
        == duckdb.sql(
            "SELECT epoch_us(window_start) // 1000000 AS w, k, n FROM found ORDER BY ALL"
        ).fetchall()
    )


def test_sliding_windows_keep_a_row_once_and_equal_ones_together(tmp_path: Path) -> None:
    query = related(ABOVE_HALF, "10 s", "1 s").query("q", sw.slack("1 hour"), sink=sw.memory())
    loop = run((query,), [batch(*[(t / 10, 1, t % 3) for t in range(90)])], tmp_path, flush=False)
    assert total_rows(loop.catalog.all()) == 9 * 3  # panes of a second, three values


@pytest.mark.parametrize("place", ["columnar", "spark"])
def test_a_window_too_large_is_refused_and_nothing_is_lost(place: Any, tmp_path: Path) -> None:
    sink = sw.memory()
    query = related().query("q", sw.slack("1 hour"), sink=sink)
    with pytest.raises(sw.SlackwaterError, match="max_state_rows allows 5"):
        Driver(place).run((query,), TABLES, tmp_path, max_state_rows=5)
    Driver(place).run((query,), TABLES, tmp_path)
    assert answers(sink) == replayed(query, TABLES)


@PLACES
@pytest.mark.parametrize("stream", [related(), exact()], ids=["relate", "exact"])
def test_merged_runs_revisions_and_levels_above_give_what_the_interpreter_gives(
    stream: Stream, place: Any, tmp_path: Path
) -> None:
    above = stream.window("20 s").group_by("n").aggregate(keys="collect_list(k)", c="count(*)")
    again = stream.window("20 s").relate("SELECT sum(n) AS n, count(k) AS keys FROM window")
    for number, one in enumerate((stream, above, again)):
        sink = sw.memory()
        query = one.query("q", sw.slack("1 s"), late="revise", sink=sink)
        limits = Limits(fan_in=2)
        Driver(place).run((query,), TABLES, tmp_path / str(number), limits=limits)
        assert answers(sink) == replayed(query, TABLES)


@pytest.mark.parametrize("stream", [related(), exact()], ids=["relate", "exact"])
def test_an_estimate_of_a_window_that_is_all_in_is_its_final(
    stream: Stream, tmp_path: Path
) -> None:
    sink = sw.memory()
    query = stream.query("q", sw.slack("1 hour"), estimates=sw.estimates(every=0), sink=sink)
    run((query,), [pa.concat_tables(TABLES), batch((23.5, None, 1))], tmp_path)
    table = sink.table()
    assert table is not None
    names = ["window_start", *query_columns(query)]
    rows = {
        kind: sorted(repr([row[name] for name in names]) for row in table.to_pylist()
                     if row["kind"] == kind and row["k"] is not None)
        for kind in ("estimate", "final")
    }  # fmt: skip
    assert rows["estimate"] == rows["final"] != []


def query_columns(query: Query) -> list[str]:
    stage = lay_out(check((query,))).queries[0].top
    return [*stage.keys, *(name for name, _ in stage.values)]


def test_exact_aggregates_and_sql_stand_above_joins(tmp_path: Path) -> None:
    left, right = readings().named("a"), readings().named("b")
    joined = sw.join(left, right, on="a.k = b.k", within="2 s").window("10 s")
    sinks = sw.memory(), sw.memory()
    queries = (
        joined.aggregate(m="median(a_v - b_v)", f="first(b_v)").query("x", sink=sinks[0]),
        joined.relate("SELECT count(*) AS n, max(a_v) AS top FROM window WHERE a_v >= b_v").query(
            "y", sink=sinks[1]
        ),
    )
    run(queries, TABLES[:1], tmp_path)
    (values,) = [[r["m"] for r in sink.table().to_pylist()] for sink in sinks[:1]]
    assert values == [0.0]
    (row,) = sinks[1].table().to_pylist()
    # key 1: (5,5), (7,5), (7,7); key 2: two equal rows meet in four pairs
    assert (row["n"], row["top"]) == (3 + 4, 7)


def test_sql_that_the_engine_cannot_run_is_refused_before_anything_is_written(
    tmp_path: Path,
) -> None:
    query = related("SELECT max(v) + k AS n FROM window").query("q")
    with pytest.raises(sw.QueryError, match=r"RELATE_REFUSED.*GROUP BY"):
        make_loop((query,), tmp_path / "checkpoint")
    assert not (tmp_path / "checkpoint").exists()


@pytest.mark.parametrize("stream", [related(), exact()], ids=["relate", "exact"])
def test_late_rows_are_counted_and_set_aside_as_for_others(stream: Stream, tmp_path: Path) -> None:
    side, sink = sw.memory(), sw.memory()
    late = [*TABLES, batch((0.2, 1, 1), (30, 1, 1))]
    query = stream.query("q", late="side", side=side, sink=sink)
    run((query,), late, tmp_path)
    assert answers(sink) == replayed(query, late)
    assert 200_000 in side.table()["_time"].cast(pa.int64()).to_pylist()


@pytest.mark.parametrize(
    ("method", "sql"), [("calibrated", None), ("feedback", ABOVE_HALF)], ids=["median", "relate"]
)
def test_a_contract_holds_for_what_has_no_model(
    method: str, sql: str | None, tmp_path: Path
) -> None:
    windows, quality = readings().window("4 s", "2 s"), sw.memory()
    stream = windows.aggregate(n="median(v)") if sql is None else windows.relate(sql)
    contract = sw.max_error(0.1, confidence=0.9, of="n", granularity="100 ms", method=method)
    query = stream.query("q", contract, sink=sw.memory(), quality=quality)
    run((query,), disordered(2000), tmp_path)
    measured = quality.table()
    assert measured is not None
    assert measured.num_rows > 10
    assert sum(measured["within"].to_pylist()) / measured.num_rows >= 0.9


@pytest.mark.slow
@pytest.mark.kill
@pytest.mark.parametrize("place", ["columnar", "spark"])
def test_death_at_any_write_changes_nothing(place: Any, tmp_path: Path) -> None:
    def told() -> tuple[Query, ...]:
        return (
            related().query("relate", sw.slack("1 s"), late="revise"),
            exact().query("exact", sw.slack("1 s"), estimates=sw.estimates(every=0)),
        )

    limits, driver = Limits(fan_in=2), Driver(place)
    driver.run(told(), TABLES, tmp_path / "calm", limits=limits)
    reaper = die_until_done(told(), TABLES, tmp_path / "killed", driver=driver, limits=limits)
    assert ending(tmp_path / "killed") == ending(tmp_path / "calm")
    assert leftovers(tmp_path / "killed") == []
    assert len(reaper.deaths) > 10
