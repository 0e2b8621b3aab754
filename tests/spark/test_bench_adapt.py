"""The benchmark of plans that follow the stream measures what it says."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pytest

from slackwater.bench import plot
from slackwater.bench.adapt import (
    WARM,
    AdaptCase,
    Outcome,
    Side,
    Truth,
    _from_scratch,
    choose,
    measure,
    report,
)
from slackwater.bench.drift import Drift, Phase, first_files, prepare
from slackwater.bench.measured import Measured
from slackwater.errors import QueryError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PHASE = Phase(8, (2_000, 1_000, 500), j=500, k=4_000)
TINY = AdaptCase("tiny", Drift((PHASE, replace(PHASE, j=4_000, k=500))), window=30)
PROMISED = {
    *("case", "adaptive_s", "best_static_s", "worst_static_s", "native_s", "migrations"),
    *("longest_pause_s", "peak_rows", "limit_rows", "equal"),
}


def side(seconds: list[float], moved: tuple[int, ...] = ()) -> Side:
    run = Measured("made up", tuple(seconds), Path("nowhere"))
    return Side(run, (7,) * len(seconds), (70,) * len(seconds), ("(a b c)",) * len(seconds), moved)


def test_hindsight_is_the_best_plan_of_each_phase() -> None:
    one, other = [9.0] * WARM + [1.0] * 2 + [3.0] * 8, [9.0] * WARM + [2.0] * 2 + [1.5] * 8
    mine = [9.0] * WARM + [1.0] * 4 + [5.0] + [1.5] * 5
    outcome = Outcome(TINY, side(mine, (WARM + 4,)), {"x": side(one), "y": side(other)}, None, True)
    assert (outcome.best_static_s, outcome.worst_static_s) == (16.0, 26.0)
    assert outcome.hindsight_s == 1.0 * 2 + 1.5 * 8
    assert outcome.adaptive_s == 4 + 5 + 7.5
    assert outcome.longest_pause_s == 5 - 1.25
    limited = replace(outcome, case=replace(TINY, limit="1 kB"))
    assert limited.to_json()["limit_rows"] == 100


def test_streams_meet_as_often_as_wanted(tmp_path: Path) -> None:
    data = prepare(TINY.drift, tmp_path)
    rows = f"read_parquet('{data}/0000[0-7].parquet')"
    [counted] = duckdb.sql(
        f"SELECT count(*) FILTER (a.s = 0 AND b.s = 1 AND a.j = b.j) / (16e3 * 8e3), "
        f"count(*) FILTER (a.s = 2 AND b.s = 1 AND a.k = b.k) / (4e3 * 8e3) "
        f"FROM {rows} a JOIN {rows} b ON a.j = b.j OR a.k = b.k WHERE a.s <> 1 AND b.s = 1"
    ).fetchall()
    assert counted == pytest.approx((1 / 500, 1 / 4_000), rel=0.1)
    some = first_files(data, tmp_path / "some", 3)
    assert len(list(some.iterdir())) == 4


def test_a_case_that_there_is_not_is_refused() -> None:
    with pytest.raises(QueryError, match="no case stormy"):
        choose(["stormy"])
    assert [case.case for case in choose(quick=True)] == ["selectivities swap"]


@pytest.mark.slow
def test_all_plans_and_plain_spark_give_the_right_results(
    spark: SparkSession, tmp_path: Path
) -> None:
    steps: list[str] = []
    [outcome] = measure(spark, [TINY], cache=tmp_path / "data", tell=steps.append)
    found = json.loads(json.dumps(report([outcome])))
    [case] = found["cases"]
    assert case.keys() >= PROMISED
    assert case["equal"] is True
    assert case["results"] > 0
    # one file, one batch, in every pipeline: no stream of a batch comes without the others
    assert {len(seconds) for seconds in case["batches"].values()} == {17}
    [picture] = plot.draw(found, tmp_path)
    assert 1_000 < picture.stat().st_size < 200_000
    with Truth(TINY, prepare(TINY.drift, tmp_path / "data")) as truth:
        results = outcome.adaptive.run.results
        assert not results.exists()  # gone with the scratch folder
        assert truth.rows == case["results"]


def test_the_judge_sees_a_result_lost_doubled_or_wrong(tmp_path: Path) -> None:
    data = prepare(TINY.drift, tmp_path / "data")
    results = tmp_path / "results"
    results.mkdir()

    def write(rows: str) -> bool:
        duckdb.sql("SET TimeZone = 'UTC'")
        duckdb.sql(f"COPY ({rows}) TO '{results}/one.parquet' (FORMAT parquet)")
        return truth.is_right(results)

    right = _from_scratch(TINY, data)
    with Truth(TINY, data) as truth:
        assert write(right)
        assert not write(f"SELECT * FROM ({right}) OFFSET 1")
        assert not write(f"({right}) UNION ALL (SELECT * FROM ({right}) LIMIT 1)")
        assert not write(f"SELECT * REPLACE (a_v + (a_v = b_v)::INT AS a_v) FROM ({right})")
