"""Statements in DuckDB: parameters, and what is computed with them."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import slackwater as sw
from slackwater.execute.duck import DuckEngine
from slackwater.plan.sql.statement import Statement
from slackwater.plan.sql.windows import Writer
from tests.driver import batch, readings, run


@pytest.mark.parametrize("after", [-777_105_453, 0, 1_774_745_999_500_000])
def test_instants_are_long_numbers_wherever_they_lie(duck: DuckEngine, after: int) -> None:
    early = f"{Writer().parameter('after')} - 1653383966"
    statement = Statement(f"SELECT {early} AS early", (), ("after",))
    found = duck.run(statement, pa.schema({"early": pa.int64()}), {"after": after}, {})
    assert found["early"].to_pylist() == [after - 1_653_383_966]


def test_long_windows_near_1970_are_answered(tmp_path: Path) -> None:
    """Some twenty minutes around it microseconds fit into 32 bits, and sums of them do not."""
    sink = sw.memory()
    hours = (
        readings().window("2 minutes").aggregate(n="count(*)").window("30 minutes", "12 minutes")
    )
    query = hours.aggregate(n="sum(n)").query("q", sink=sink)
    run([query], [batch((-777, 1, 1)), batch((-100, 1, 1), (1000, 1, 1))], tmp_path)
    table = sink.table()
    assert table is not None
    assert sorted(table["n"].to_pylist()) == [1, 1, 1, 2, 2]
