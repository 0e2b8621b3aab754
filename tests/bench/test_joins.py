"""Cases of ``bench joins`` and where lines through them cross, without Java."""

from __future__ import annotations

import pytest

from slackwater.bench.joins import CASES, JoinCase, Outcome, choose, crossing, long_tiers, report

LONG = {case.label: case for case in CASES if case.first > 1}


def outcome(case: JoinCase, native_s: float, slackwater_s: float, state: int) -> Outcome:
    return Outcome(case, {"hdfs": native_s}, slackwater_s, 0, state, 0, 0, equal=True)


def test_long_windows_are_measured_in_both_tiers() -> None:
    spark = [f"3-way-long-{times}-spark" for times in (10, 25)]
    assert [case.label for case in choose(spark)] == spark
    for name in spark:
        columnar = LONG[name.replace("-spark", "-columnar")]
        assert LONG[name].window == columnar.window
        assert LONG[name].workload(0) == columnar.workload(0)


def test_every_case_has_a_name_of_its_own() -> None:
    assert len({case.label for case in CASES}) == len(CASES)


def test_lines_go_through_the_windows_of_one_tier() -> None:
    outcomes = [
        outcome(LONG["3-way-long-10-columnar"], 2.0, 0.2, 100),
        outcome(LONG["3-way-long-25-columnar"], 4.0, 0.3, 200),
        outcome(LONG["3-way-long-10-spark"], 2.0, 1.0, 100),
        outcome(LONG["3-way-long-25-spark"], 2.5, 2.0, 200),
    ]
    assert crossing(outcomes) is None
    assert crossing(outcomes, "spark") == pytest.approx(300)
    assert long_tiers(outcomes) == ["columnar", "spark"]
    assert long_tiers(outcomes[1:]) == ["spark"]
    told = report(outcomes)
    assert told["crossing_state_rows"] is None
    assert told["crossing_state_rows_spark"] == pytest.approx(300)
