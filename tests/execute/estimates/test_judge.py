"""Accuracy is kept by column."""

from __future__ import annotations

import pyarrow as pa
import pytest

from slackwater.control.accuracy import Accuracy
from slackwater.execute.estimates.judge import compare
from slackwater.plan.estimates import EstimatePlan, ProdSource


def pairs(**columns: list[tuple[float | None, float | None]]) -> pa.Table:
    """Estimates and finals of some columns, all by the first source."""
    rows = len(next(iter(columns.values())))
    told = {
        "__end": pa.array([10] * rows, pa.int64()),
        "__group": pa.array([""] * rows),
        "__age": pa.array([0.5] * rows),
        "__gap": pa.array([1_000_000] * rows, pa.int64()),
        "prod": pa.array([f"accuracy-1/{n}" for n in range(rows)]),
        "tuples": pa.array([1.0] * rows),
        "__tuples_final": pa.array([2.0] * rows),
    }
    for name, values in columns.items():
        told[name] = pa.array([early for early, _ in values], pa.float64())
        told[f"__{name}_final"] = pa.array([final for _, final in values], pa.float64())
    return pa.table(told)


def plan(*of: str) -> EstimatePlan:
    return EstimatePlan((ProdSource("accuracy-1", None, None, 0.9, None, of),), 0.9)


def judged_by(terms: EstimatePlan, table: pa.Table) -> Accuracy:
    return Accuracy().plus(compare(terms, table))


@pytest.mark.spec("prodding:F53")
def test_a_good_column_does_not_hide_a_bad_one() -> None:
    table = pairs(n=[(100, 100), (100, 100)], total=[(70, 100), (90, 100)])
    judged = judged_by(plan(), table)
    assert {name: one["mean"] for name, one in judged.report().items()} == {"n": 100, "total": 80}
    assert judged.sources["accuracy-1"].mean == 80  # not 90, the mean of both
    assert judged_by(plan("n"), table).sources["accuracy-1"].mean == 100


def test_what_a_source_is_judged_by_is_never_above_any_of_its_columns() -> None:
    table = pairs(a=[(80, 100), (100, 100)], b=[(100, 100), (60, 100)], c=[(None, None), (9, 10)])
    judged = judged_by(plan(), table)
    lowest = min(one["mean"] or 0 for one in judged.report().values())
    assert judged.sources["accuracy-1"].mean == 70 <= lowest


def test_an_estimate_of_which_nothing_is_known_does_not_count() -> None:
    judged = judged_by(plan(), pairs(a=[(None, 1), (99, 100)], b=[(1, None), (98, 100)]))
    assert judged.sources["accuracy-1"].pairs == 1
    assert judged.sources["accuracy-1"].mean == 98
