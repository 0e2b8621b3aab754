"""What answers say of themselves, and what is left on disk beside them."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import slackwater as sw
from slackwater.runs import checkpoint
from tests.driver import Driver, answers, batch, readings, replayed, run

MINUTE = [
    batch((1, 1, 10), (2, 2, 20), (11, 1, 1), (12, 1, 2)),
    batch((9, 1, 5), (14, 2, 7), (21, 1, 3), (3, 2, 1)),  # 9 and 3 come after 12
    batch((25, 2, 9), (31, 1, 4), (8, 1, 100)),
    batch((47, 1, 6), (44, 2, 8)),
]


def test_many_small_runs_are_merged(tmp_path: Path, driver: Driver) -> None:
    sink = sw.memory()
    stream = (
        readings()
        .window("1 h")
        .group_by("k")
        .aggregate(
            n="count(*)",
            sd="stddev_pop(v)",
            d="approx_count_distinct(v)",
            m="approx_percentile(v, 0.5)",
        )
    )
    query = stream.query("q", sink=sink)
    batches = [
        batch((t, t % 3, t * t % 17), (t, 1, t)) for t in range(9 if driver.tier == "spark" else 70)
    ]
    loop = driver.run((query,), batches, tmp_path, flush=False)
    assert len(loop.catalog.all()) < 16
    loop = driver.make_loop((query,), tmp_path)
    loop.finish()
    loop.close()
    assert answers(sink) == replayed(query, batches)


@pytest.mark.spec("prodding:F12")
def test_windows_that_began_before_the_stream_are_flagged(tmp_path: Path) -> None:
    sink = sw.memory()
    query = readings().window("10 s", "5 s").aggregate(n="count(*)").query("q", sink=sink)
    run((query,), [batch((12, 1, 1)), batch((31, 1, 1))], tmp_path)
    table = sink.table()
    assert table is not None
    starts = {row["window_start"].timestamp(): row["boundary"] for row in table.to_pylist()}
    assert starts == {5.0: True, 10.0: True, 25.0: False, 30.0: False}


def test_every_answer_says_what_it_is(tmp_path: Path) -> None:
    sink = sw.memory()
    query = (
        readings()
        .window("10 s")
        .group_by("k")
        .aggregate(n="count(*)")
        .query("q", late="revise", sink=sink)
    )
    run((query,), [batch((1, 1, 1), (11, 1, 1)), batch((2, 1, 1), (3, 2, 1))], tmp_path)
    table = sink.table()
    assert table is not None
    rows = sorted((r["kind"], r["revision"], r["k"], r["n"]) for r in table.to_pylist())
    assert rows == [
        ("final", 0, 1, 1),
        ("final", 0, 1, 1),
        ("revision", 1, 1, 2),
        ("revision", 1, 2, 1),
    ]
    assert table.column_names[-5:] == ["kind", "revision", "coverage", "boundary", "emitted_at"]


def test_late_rows_go_to_the_side_with_their_delay(tmp_path: Path) -> None:
    query = (
        readings()
        .where("v < 50")
        .window("10 s")
        .aggregate(n="count(*)")
        .query("q", late="side", sink=sw.memory())
    )
    loop = run((query,), MINUTE, tmp_path, flush=False)
    side = pq.read_table(loop.checkpoint.side("q")).to_pylist()
    found = sorted((r["_time"].timestamp(), r["v"], r["_reason"], r["_delay_us"]) for r in side)
    assert found == [(3.0, 1, "late", 9_000_000), (9.0, 5, "late", 3_000_000)]


def test_manifests_are_plain_json_that_names_every_run(tmp_path: Path) -> None:
    query = readings().window("10 s").aggregate(n="count(*)").query("q", sink=sw.memory())
    loop = run((query,), MINUTE, tmp_path, flush=False)
    newest = json.loads(loop.checkpoint.manifest_path(3).read_text())["body"]
    files = {str(p.relative_to(loop.checkpoint.runs)) for p in loop.checkpoint.runs.glob("*/*")}
    assert {f"{r['state']}/{r['name']}" for r in newest["runs"]} <= files
    assert newest["format"] == checkpoint.FORMAT


def test_sketches_may_stand_on_answers(tmp_path: Path, driver: Driver) -> None:
    sink = sw.memory()
    lower = readings().window("2 s").group_by("k").aggregate(s="sum(v)", top="max(v)")
    upper = lower.window("10 s").aggregate(
        d="approx_count_distinct(s)",
        names="approx_count_distinct(CAST(top AS STRING))",
        m="approx_percentile(s, 0.5)",
    )
    query = upper.query("q", sw.slack("20 s"), sink=sink)
    driver.run((query,), MINUTE, tmp_path)
    assert answers(sink) == replayed(query, MINUTE)  # so few values that sketches are exact
