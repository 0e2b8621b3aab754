"""Cases of ``bench files`` and what is told of them, without Java."""

from __future__ import annotations

from typing import Any

import pytest

from slackwater.bench.files import CASES, QUICK_ROWS, ROWS, Outcome, choose, report
from slackwater.errors import QueryError

NAMES = ("csv-60-60", "csv-60-6", "csv-60-1", "csv-60-60-spark", "parquet-60-60", "json-60-60")
PROMISED = {"case", "format", "spark_s", "slackwater_s", "duckdb_once_s", "equal"}


def outcome(**changes: Any) -> Outcome:
    given = {
        "stores": {"hdfs": 6.0, "rocksdb": 8.0},
        "slackwater_s": 2.0,
        "duckdb_s": 0.5,
        "batches": 5,
        "by_spark": 0,
        "results": 9,
        "equal": True,
    }
    return Outcome(CASES[0], **{**given, **changes})


def test_cases_have_the_names_that_people_choose_them_by() -> None:
    assert tuple(case.label for case in CASES) == NAMES
    assert [case.label for case in choose(["csv-60-6"])] == ["csv-60-6"]


def test_rows_are_those_asked_for() -> None:
    assert {case.rows for case in choose()} == {ROWS}
    assert {case.rows for case in choose(quick=True)} == {QUICK_ROWS}
    assert {case.rows for case in choose(quick=True, rows=500)} == {500}


def test_a_quick_run_takes_every_engine_once() -> None:
    assert {len(case.stores) for case in choose(quick=True)} == {1}


def test_bad_choices_are_told_all_at_once() -> None:
    with pytest.raises(QueryError) as caught:
        choose(["csv-60", "orc-60-60"], rows=3)
    text = str(caught.value)
    assert all(word in text for word in ("csv-60, orc-60-60", "json-60-60", "3 is below 20"))


def test_the_faster_store_counts_for_plain_spark() -> None:
    told = outcome().to_json()
    assert told.keys() >= PROMISED
    assert (told["spark_s"], told["store"]) == (6.0, "hdfs")
    assert (told["ratio"], told["of_duckdb"]) == (3.0, 4.0)


def test_the_report_has_the_name_of_the_benchmark() -> None:
    found = report([outcome(), outcome(equal=False)])
    assert found["bench"] == "files"
    assert [case["equal"] for case in found["cases"]] == [True, False]
