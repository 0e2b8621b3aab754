"""Lookups, and DuckDB from scratch over rows and versions by batch, give the same."""

from __future__ import annotations

import random
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import slackwater as sw
from tests.driver import Driver, batch, readings
from tests.examples import examples
from tests.properties.test_engines_agree import PLACES
from tests.properties.test_joins_agree import rows_of, stream_of


class Versions:
    """A table that is another one each time it is read: first for its columns, then by batch."""

    def __init__(self, seed: int) -> None:
        self.seed, self.number = seed, -2

    def __call__(self) -> pa.Table:
        self.number += 1
        return self.at(max(0, self.number))

    def at(self, number: int) -> pa.Table:
        draw = random.Random(self.seed * 1000 + number)
        keys = [key for key in (0, 1, 2, None) if draw.random() < 0.6]
        names = [draw.choice("xy") for _ in keys]
        return pa.table({"k": pa.array(keys, pa.int64()), "name": pa.array(names, pa.string())})


@pytest.mark.deep
@examples(6, 60)
@given(st.integers(0, 10_000), st.sampled_from(["left", "inner"]), PLACES)
def test_each_row_meets_the_version_of_its_batch(seed: int, how: str, driver: Driver) -> None:
    cuts = stream_of(seed, "ab", 4, 6)
    names = sw.table("t", Versions(seed), refresh=0)
    a = readings(name="a").lookup(names, on="k", how=how)
    sinks = sw.memory(), sw.memory()
    windows = a.window("4 s", "2 s").group_by("t.name AS name")
    joined = sw.join(
        a,
        readings(name="b"),
        on=["a.k = b.k", "a.t_name = 'x' OR b.v > 2"],
        within="3 s",
        how="left",
    )
    queries = (
        windows.aggregate(n="count(*)", s="sum(v)").query("w", sw.slack("99 s"), sink=sinks[0]),
        joined.select("a.v AS av", "a.t_name AS name", "b.v AS bv").query(
            "j", sw.slack("99 s"), sink=sinks[1]
        ),
    )
    with tempfile.TemporaryDirectory() as folder:
        batches = [{n: batch(*rows) for n, rows in cut.items()} for cut in cuts]
        driver.run(queries, batches, Path(folder))
    with duckdb.connect() as duck:
        versions = [Versions(seed).at(n) for n in range(len(cuts))]
        told = [
            t.append_column("n", pa.array([n] * t.num_rows, pa.int64()))
            for n, t in enumerate(versions)
        ]
        duck.register("t", pa.concat_tables([one.cast(told[0].schema) for one in told]))
        for name in "ab":
            duck.register(name, rows_of(cuts, name))
        kept = "JOIN" if how == "inner" else "LEFT JOIN"
        duck.execute(
            f"CREATE TABLE e AS SELECT a.*, t.name FROM a {kept} t ON a.k = t.k AND a.n = t.n"
        )
        wanted = duck.execute(
            "SELECT start, name, count(*), CAST(sum(v) AS BIGINT) FROM (SELECT *, unnest(["
            "epoch_us(ts) // 2000000 * 2 - 2, epoch_us(ts) // 2000000 * 2]) AS start FROM e) "
            "GROUP BY ALL"
        ).fetchall()
        pairs = duck.execute(
            "SELECT e.v, e.name, b.v FROM e LEFT JOIN b ON e.k = b.k AND (e.name = 'x' OR b.v > 2) "
            "AND abs(epoch_us(e.ts) - epoch_us(b.ts)) <= 3000000"
        ).fetchall()
    found = rows(sinks[0].table(), "window_start", "name", "n", "s")
    assert Counter((round(at.timestamp()), *rest) for at, *rest in found) == Counter(wanted)
    assert Counter(rows(sinks[1].table(), "av", "name", "bv")) == Counter(pairs)


def rows(table: pa.Table | None, *columns: str) -> list[Any]:
    return [] if table is None else [tuple(r[c] for c in columns) for r in table.to_pylist()]
