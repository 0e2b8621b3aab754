"""The meter's statement says of every error what ``stats.relative_error`` says."""

from __future__ import annotations

import itertools
import math

import duckdb
import pyarrow as pa
import pytest

import slackwater as sw
from slackwater.plan.sql.windows import Writer
from slackwater.stats.relative_error import relative_error
from slackwater.units import SECOND
from tests.plan.test_build import plan, stream

VALUES = (None, math.nan, 0.0, -0.0, 1.0, -1.0, 0.5, -4.0, 1e300, -1e300, math.inf, -math.inf)
EPSILON = 0.5


@pytest.fixture(scope="module")
def measured() -> dict[tuple[int, int | None], tuple[float, bool]]:
    """Error and verdict by number of the truth and of the answer, ``None`` for none given."""
    asked = [*itertools.product(range(len(VALUES)), (*range(len(VALUES)), None))]
    keys = range(len(asked))
    sums = stream().window("10 s").group_by("k").aggregate(s="sum(v)")
    stage = plan(sums.query("q", sw.slack("5 s"))).queries[0].base
    (part,) = stage.state.partials
    panes = pa.table(
        {
            "pane": pa.array([0] * len(asked), pa.int64()),
            "k": pa.array(keys, pa.int64()),
            part.name: pa.array([VALUES[true] for true, _ in asked], pa.float64()),
            "__rows": pa.array([1] * len(asked), pa.int64()),
        }
    )
    said = [(key, VALUES[n]) for key, (_, n) in zip(keys, asked, strict=True) if n is not None]
    answers = pa.table(
        {
            "__start": pa.array([0] * len(said), pa.int64()),
            "k": pa.array([key for key, _ in said], pa.int64()),
            "s": pa.array([value for _, value in said], pa.float64()),
        }
    )
    with duckdb.connect(":memory:") as duck:
        duck.register("panes", panes)
        duck.register("answers", answers)
        measure = Writer().measure(stage, {"s": EPSILON})
        rows = duck.execute(
            f"SELECT k, s_error, within FROM ({measure.text})", {"after": 0, "upto": 10 * SECOND}
        ).fetchall()
    return {asked[key]: (error, within) for key, error, within in rows}


@pytest.mark.parametrize("true", range(len(VALUES)))
@pytest.mark.parametrize("said", [*range(len(VALUES)), None])
def test_sql_and_numpy_have_one_definition_of_the_relative_error(
    measured: dict[tuple[int, int | None], tuple[float, bool]], true: int, said: int | None
) -> None:
    answer = None if said is None else VALUES[said]
    error = relative_error(VALUES[true], answer, is_given=said is not None)
    assert measured[true, said] == (error, error <= EPSILON)
