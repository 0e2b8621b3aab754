"""Windows put together from spans say what windows put together from panes say."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.execute.derive import derived
from slackwater.execute.duck import DuckReader, connected
from slackwater.plan.build import check
from slackwater.plan.sql import windows
from slackwater.plan.stage import lay_out
from slackwater.testing import rows
from tests.examples import examples

SECOND = 1_000_000
KINDS = {"ts": "timestamp", "k": "bigint", "v": "bigint", "f": "double", "d": "decimal(38,2)"}
VALUES = {
    "n": "count(*)",
    "c": "count(v)",
    "s": "sum(v)",
    "e": "sum(d)",
    "a": "avg(f)",
    "lo": "min(v)",
    "hi": "max(f)",
    "sd": "stddev(f)",
    "u": "approx_count_distinct(v)",
}


@pytest.fixture(scope="module")
def duck() -> Iterator[duckdb.DuckDBPyConnection]:
    found = connected("UTC", sketches=True)
    yield found
    found.close()


def input_of(random: Random, count: int, seconds: int) -> pa.Table:
    def some(values: list[object], kind: pa.DataType) -> pa.Array:
        return pa.array([random.choice([None, v, v, v]) for v in values], kind)

    numbers = [random.randrange(-9, 99) for _ in range(count)]
    whole = pa.array(numbers, pa.decimal128(38, 0)).cast(pa.decimal128(38, 2))
    return pa.table(
        {
            "__ts": pa.array([random.randrange(seconds * SECOND) for _ in numbers], pa.int64()),
            "k": some([n % 4 for n in numbers], pa.int64()),
            "v": some([*numbers], pa.int64()),
            "f": some([n / 8 for n in numbers], pa.float64()),
            "d": whole,
        }
    )


@pytest.mark.deep
@examples(15, 150)
@given(st.integers(0, 10**6), st.integers(1, 40), st.integers(1, 4), st.integers(0, 3))
def test_spans_and_panes_say_the_same(
    duck: duckdb.DuckDBPyConnection, seed: int, overlap: int, slide: int, offset: int
) -> None:
    random = Random(seed)
    stream = rows("r", time="ts", **KINDS)
    size = f"{overlap * slide} s"
    grouped = stream.window(size, f"{slide} s", start=f"{offset * 300} ms").group_by("k")
    plan = lay_out(check([grouped.aggregate(**VALUES).query("q")]))
    stage, shape = plan.queries[0].base, derived(plan)[0]["q", 1]
    reader, span = DuckReader(Path(), duck, {}), random.randrange(1, 90)
    partial = reader.writer.partial(stage.state, joined=True)
    given_rows = [input_of(random, random.randrange(60), span) for _ in range(2)]
    parts = [reader.run(partial, shape.panes, {}, {"input": one}) for one in given_rows]
    after = random.randrange(-100, 60) * SECOND
    bounds = {"after": after, "upto": after + random.randrange(1, 120) * SECOND}
    found = []
    for many in (10**9, windows.SPAN):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(windows, "MANY", many)
            closed = reader.writer.close(stage, None, "__rows")
        assert ("w4" in closed.text) == (overlap >= many)
        table = reader.ask(closed, {"panes": pa.concat_tables(parts)}, bounds)
        names = [field.name for field in shape.results if field.name in table.column_names]
        kept = pa.schema([shape.results.field(name) for name in names])
        found.append(shown(table.select(names).cast(kept)))
    assert found[0] == found[1], seed


def shown(table: pa.Table) -> list[str]:
    return sorted(
        repr({k: round(v, 9) if isinstance(v, float) else v for k, v in row.items()})
        for row in table.to_pylist()
    )
