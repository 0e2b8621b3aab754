"""Companies above half of the largest of their area: a correlated aggregate, in both engines.

Its window is looked through twice for every result (Ji 2018, ch. 6, the headline observation).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from time import thread_time
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from slackwater.hybrid.algebra import Aggregate, Join, Select, Step, Window, steps
from slackwater.hybrid.sql import composite, statement

AREAS = 200


def plan(rows: int) -> Step:
    """Prices of companies ``c`` in areas ``b`` with a capitalisation of ``m``."""
    stocks = Window("stocks", ("c", "b", "m"), float(rows), 1.0, 1.0)
    largest = Aggregate("largest", stocks, ("b",), (("mb", "max", "m"),), AREAS)
    both = Join("both", stocks, largest, (("b", "b"),), 1 / AREAS)
    above = Select("above", both, "m > 0.5 * mb", 0.5)
    return Aggregate("count", above, ("b",), (("cb", "count", "c"),), AREAS)


def market(rows: int, seed: int = 1) -> pa.Table:
    draws = np.random.default_rng(seed)
    return pa.table(
        {
            "c": np.arange(rows),
            "b": draws.integers(0, AREAS, rows),
            "m": draws.pareto(2.0, rows) * 1e6,
        }
    )


def measured(rows: int, times: int) -> dict[str, Any]:
    """Seconds of one core for a result over a full window; the two must be the same."""
    table = market(rows)
    columns = [table[name].to_pylist() for name in ("c", "b", "m")]
    by_row, one = _timed(lambda: counts(columns), times)
    every = plan(rows)
    sql = statement(composite(every, {step.name for step in steps(every)}))
    with duckdb.connect() as engine:
        engine.execute("SET threads = 1")
        engine.register("stocks", table)
        by_column, other = _timed(lambda: Counter(dict(engine.execute(sql).fetchall())), times)
    return {"rows": rows, "row_s": by_row, "column_s": by_column, "equal": one == other}


def _timed(run: Any, times: int) -> tuple[float, Counter[int]]:
    found, took = Counter[int](), []
    for _ in range(times):
        began = thread_time()
        found = run()
        took.append(thread_time() - began)
    return min(took), found


def counts(columns: list[list[Any]]) -> Counter[int]:
    """Row by row: each operator takes the rows of the one before, one at a time."""
    largest: dict[int, float] = {}
    for _, area, worth in zip(*columns, strict=True):
        known = largest.get(area)
        if known is None or worth > known:
            largest[area] = worth
    found: Counter[int] = Counter()
    for row in _above(_joined(zip(*columns, strict=True), largest)):
        found[row[1]] += 1
    return found


def _joined(rows: Iterator[Any], largest: dict[int, float]) -> Iterator[tuple[Any, ...]]:
    for row in rows:
        yield (*row, largest[row[1]])


def _above(rows: Iterator[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    for row in rows:
        if row[2] > 0.5 * row[3]:
            yield row
