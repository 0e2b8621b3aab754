"""The benchmark measures what it says, and knows a wrong result from a right one."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

import duckdb
import pytest

from slackwater.bench import estimates as early
from slackwater.bench import files as reading
from slackwater.bench import native, ours, plot
from slackwater.bench import slack as promises
from slackwater.bench.answer import Answers
from slackwater.bench.cases import CASES, Case, choose
from slackwater.bench.data import SENTINEL, batch_files, prepare
from slackwater.bench.measured import Measured
from slackwater.bench.methods import USUAL
from slackwater.bench.session import own_session
from slackwater.bench.windows import judge, measure, report
from slackwater.cli.commands import bench as command
from slackwater.errors import QueryError
from slackwater.spark.read.plain import Plain

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TINY = Case("sliding-10", 10, 1, rows=2_000, keys=20, batches=5, warmup=2)
PROMISED = {"case", "rows_per_batch", "keys", "native_s", "slackwater_s", "ratio", "equal"}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return prepare(TINY.workload, tmp_path_factory.mktemp("data"))


@pytest.mark.slow
def test_both_engines_give_the_right_results(
    spark: SparkSession, data: Path, tmp_path: Path
) -> None:
    steps: list[str] = []
    [outcome] = measure(spark, [TINY], cache=data.parent, warm=False, tell=steps.append)
    found = json.loads(json.dumps(report([outcome])))
    [case] = found["cases"]
    assert found["bench"] == "windows"
    assert case.keys() >= PROMISED
    assert case["equal"] is True
    assert case["native_s"] == min(case["stores_s"].values())
    assert case["results"] > 0
    engines = [step.partition(": ")[2].partition(",")[0] for step in steps]
    assert engines[2:6] == ["plain Spark", "Slackwater"] * 2
    [picture] = plot.draw(found, tmp_path)
    assert 1_000 < picture.stat().st_size < 100_000


@pytest.mark.slow
def test_the_spark_tier_gives_the_right_results(
    spark: SparkSession, data: Path, tmp_path: Path
) -> None:
    run = ours.run(own_session(spark), replace(TINY, tier="spark"), data, tmp_path)
    assert len(run.seconds) == TINY.batches + 1
    assert run.extra["dropped"] == 0
    with Answers(TINY, data) as answers:
        assert answers.is_right(run.results)


def write(answers: str, folder: Path) -> Measured:
    """Results as an engine would have left them, from SQL over the right ones."""
    folder.mkdir()
    right = (
        "(SELECT make_timestamptz(window_start) AS window_start, * EXCLUDE (window_start) FROM r)"
    )
    duck = duckdb.connect()
    duck.execute(f"COPY ({answers.format(right)}) TO '{folder}/part.parquet' (FORMAT parquet)")
    return Measured("made up", (1.0,) * 6, folder)


WRONG = {
    "a sum is off by one": "SELECT * REPLACE (total + (key = 3)::BIGINT AS total) FROM r",
    "a row is missing": "SELECT * FROM r OFFSET 1",
    "a row comes twice": "SELECT * FROM r UNION ALL (SELECT * FROM r LIMIT 1)",
    "windows are shifted": "SELECT * REPLACE (window_end AS window_start) FROM r",
    "nothing is there": "SELECT * FROM r LIMIT 0",
}


def from_scratch(data: Path) -> str:
    """The right results, computed otherwise than the benchmark does: every row in every window."""
    return f"""WITH r AS (
        SELECT make_timestamptz(s) AS window_start, make_timestamptz(s + 10000000) AS window_end,
               key, sum(v)::BIGINT AS total, count(*) AS n
        FROM (SELECT *, epoch_us(ts) // 1000000 * 1000000 - i * 1000000 AS s
              FROM read_parquet({batch_files(data)}) CROSS JOIN range(0, 10) AS o(i))
        GROUP BY ALL)"""


def test_right_results_are_equal(data: Path, tmp_path: Path) -> None:
    right = write(from_scratch(data) + " SELECT * FROM r", tmp_path / "right")
    with Answers(TINY, data) as answers:
        outcome = judge(TINY, {"hdfs": [right]}, [right], answers)
    assert outcome.equal
    assert outcome.ratio == 1.0


@pytest.mark.parametrize("mistake", WRONG.values(), ids=WRONG.keys())
def test_wrong_results_are_not_equal(data: Path, tmp_path: Path, mistake: str) -> None:
    right = write(from_scratch(data) + " SELECT * FROM r", tmp_path / "right")
    wrong = write(f"{from_scratch(data)} {mistake}", tmp_path / "wrong")
    with Answers(TINY, data) as answers:
        assert not judge(TINY, {"hdfs": [right]}, [wrong], answers).equal
        assert not judge(TINY, {"hdfs": [wrong]}, [right], answers).equal
        # both wrong in the same way is still wrong
        assert not judge(TINY, {"hdfs": [wrong]}, [wrong], answers).equal


@pytest.mark.slow
def test_native_counts_with_its_faster_store(data: Path, tmp_path: Path) -> None:
    right = write(from_scratch(data) + " SELECT * FROM r", tmp_path / "right")
    slow, fast = replace(right, seconds=(4.0,) * 6), replace(right, seconds=(2.0,) * 6)
    with Answers(TINY, data) as answers:
        outcome = judge(TINY, {"hdfs": [slow], "rocksdb": [fast]}, [right], answers)
    assert (outcome.store, outcome.native_s, outcome.ratio) == ("rocksdb", 2.0, 2.0)


def test_warm_up_and_sentinel_are_not_measured() -> None:
    run = Measured("made up", (9.0, 9.0, 1.0, 2.0, 3.0, 0.1), Path())
    assert run.steady(TINY.warmup, TINY.batches) == (1.0, 2.0, 3.0)


def test_input_is_reused_and_reproducible(data: Path, tmp_path: Path) -> None:
    again = prepare(TINY.workload, tmp_path)
    assert [Path(f).read_bytes() for f in batch_files(again)] == [
        Path(f).read_bytes() for f in batch_files(data)
    ]
    before = (again / SENTINEL).stat().st_ino
    assert prepare(TINY.workload, tmp_path) == again
    assert (again / SENTINEL).stat().st_ino == before
    assert prepare(replace(TINY.workload, seed=8), tmp_path) != again


def test_no_row_is_later_than_the_slack(data: Path) -> None:
    """A late row is behind the newest row of the batches before it, by less than the slack."""
    worst = duckdb.sql(f"""
        WITH f AS (SELECT filename AS f, ts
                   FROM read_parquet({batch_files(data)}, filename = true)),
             clock AS (SELECT f, max(max(ts)) OVER (ORDER BY f ROWS BETWEEN UNBOUNDED PRECEDING
                              AND 1 PRECEDING) AS clock FROM f GROUP BY f)
        SELECT count(*) FILTER (ts < clock), epoch(max(clock - ts)) FROM f JOIN clock USING (f)
    """).fetchall()[0]
    assert worst[0] > 0
    assert worst[1] < TINY.slack


def test_cases_cover_what_was_asked_for() -> None:
    asked = {(c.case, c.rows, c.keys) for c in CASES}
    for case in ("tumbling", "sliding-10", "sliding-60"):
        assert {(case, 200_000, 1_000), (case, 2_000_000, 1_000)} <= asked
    assert {c.tier for c in CASES if c.keys == 1_000_000} == {"columnar", "spark"}
    assert len({c.label for c in CASES}) == len(CASES)


def test_every_number_of_keys_is_measured_with_both_stores() -> None:
    for keys in {c.keys for c in CASES}:
        assert any(set(c.stores) == set(native.STORES) for c in CASES if c.keys == keys)


def test_cases_are_chosen_by_how_they_begin() -> None:
    assert {c.case for c in choose(["sliding-60"])} == {"sliding-60"}
    assert {c.tier for c in choose(quick=True, tier="spark")} == {"spark"}
    assert {c.batches for c in choose(["tumbling-200k"], batches=4)} == {4}


def test_bad_choices_are_told_all_at_once() -> None:
    with pytest.raises(QueryError) as caught:
        choose(["hopping"], tier="disk", batches=1)
    text = str(caught.value)
    assert all(word in text for word in ("hopping", "disk", "below 2"))


def test_pictures_of_growth_are_drawn(tmp_path: Path) -> None:
    found = {
        "bench": "growth",
        "overlap": [
            {"overlap": 1, "slackwater_us": 1.0, "native_us": 2.0},
            {"overlap": 120, "slackwater_us": 1.1},
        ],
        "keys": [{"keys": 100, "native_us": 2.0, "columnar_us": 1.0, "spark_us": 3.0}],
        "history": {"seconds": [0.2] * 40, "warmup": 10, "last_to_first": 1.0},
        "panes": [{"slack_s": 0, "open_panes": 10, "state_rows": 5, "state_bytes": 7}],
    }
    pictures = plot.draw(found, tmp_path)
    assert [p.name for p in pictures] == [
        f"bench-{name}.png" for name in ("overlap", "keys", "history", "panes")
    ]
    assert all(p.stat().st_size < 100_000 for p in pictures)


def test_the_command_has_all_benchmarks() -> None:
    assert {c.callback.__name__ for c in command.app.registered_commands if c.callback} == {
        "windows",
        "growth",
        "slack",
        "joins",
        "adapt",
        "robust",
        "precedence",
        "files",
        "recall",
        "estimates",
        "kafka",
    }


@pytest.mark.slow
def test_promises_are_judged_against_hindsight(spark: SparkSession, tmp_path: Path) -> None:
    outcomes = list(promises.measure(spark, ["bursts"], seconds=180, cache=tmp_path))
    found = {(outcome.method, outcome.epsilon) for outcome in outcomes}
    assert found == {(method, epsilon) for method in USUAL for epsilon in promises.EPSILONS}
    assert len(outcomes) == len(found)
    for outcome in outcomes:
        assert 0 <= outcome.fulfilment <= 1
        assert outcome.fulfilment_least_fixed >= promises.CONFIDENCE
        assert 0 < outcome.latency_least_fixed_s <= outcome.latency_maxk_s
        assert 0 < outcome.latency_best_fixed_s <= outcome.latency_maxk_s
        assert outcome.measured > 0


@pytest.mark.slow
@pytest.mark.spec("prodding:F39")
def test_estimates_are_measured_beside_finals_alone_and_update_mode(
    spark: SparkSession, tmp_path: Path
) -> None:
    case = Case("tumbling", 40, 40, rows=400, keys=4, batches=9, warmup=2)
    [outcome] = early.measure(spark, [case], cache=tmp_path, rounds=1)
    told = outcome.to_json()
    assert {"case", "finals_only_s", "with_estimates_s", "overhead", "estimate_s"} <= set(told)
    assert told["equal_finals"] is True
    said = {one.mode: one for one in early.compare(spark, case, cache=tmp_path)}
    assert said["finals only"].rows_per_result == said["plain Spark, append"].rows_per_result == 1
    assert said["plain Spark, update"].rows_per_result > 3
    assert said["aggressiveness 0.25"].rows_per_result == 2
    assert said["every batch"].first_s < said["aggressiveness 0.25"].first_s
    assert said["aggressiveness 0.25"].first_s < said["finals only"].first_s
    with pytest.raises(QueryError, match="no case nothing"):
        early.choose(["nothing"])


@pytest.mark.slow
def test_files_are_read_by_slackwater_itself_in_whole_jobs(
    spark: SparkSession, tmp_path: Path
) -> None:
    names = ["csv-60-6", "csv-60-60-spark", "parquet-60-60", "json-60-60"]
    cases = [replace(c, stores=c.stores[:1]) for c in reading.choose(names, rows=4_000)]
    steps: list[str] = []
    outcomes = list(reading.measure(spark, cases, cache=tmp_path, warm=False, tell=steps.append))
    found = json.loads(json.dumps(reading.report(outcomes)))
    assert found["bench"] == "files"
    assert [case["case"] for case in found["cases"]] == names
    for case in found["cases"]:
        assert case["equal"] is True
        assert case["rows_read_by_spark"] == 0
        assert (case["rows"], case["files"], case["batches"]) == (4_000, 20, 5)
        assert min(case["spark_s"], case["slackwater_s"], case["duckdb_once_s"]) > 0
        assert case["results"] > 0
    assert [step.partition(": ")[2].partition(",")[0] for step in steps[:5]] == [
        "input",
        "plain Spark",
        "Slackwater",
        "DuckDB",
        "compare",
    ]


@pytest.mark.slow
def test_it_is_told_when_spark_read_the_files_after_all(
    spark: SparkSession, tmp_path: Path
) -> None:
    [case] = reading.choose(["parquet-60-60"], quick=True, rows=2_000)
    with patch.object(Plain, "of", return_value=None):
        [outcome] = reading.measure(spark, [case], cache=tmp_path, warm=False)
    assert outcome.equal
    assert outcome.by_spark >= 2_000
