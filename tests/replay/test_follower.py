"""The meter against the truth that DuckDB finds from all rows."""

from __future__ import annotations

from itertools import pairwise

import duckdb
import numpy as np
import pyarrow as pa
import pytest

from slackwater.control.error_slack import ErrorBound
from slackwater.plan.build import check
from slackwater.plan.stage import lay_out
from slackwater.query import contract
from slackwater.query.schema import Schema
from slackwater.query.stream import Stream, StreamDef
from slackwater.replay.interpreter import Interpreter

ROWS = Schema.of(ts="timestamp", k="bigint")
EPSILON = 0.05


def heavy(rows: int, seed: int) -> list[pa.Table]:
    """20 rows a second; a fifth is late by a heavy tail, in batches of two seconds."""
    draws = np.random.default_rng(seed)
    time = np.arange(rows) / 20
    delays = np.minimum(0.5 * draws.pareto(1.1, rows), 60)
    arrival = time + np.where(draws.random(rows) < 0.2, delays, 0)
    order = np.argsort(arrival, kind="stable")
    ts = pa.array((time[order] * 1e6).astype(np.int64)).cast(pa.timestamp("us", "UTC"))
    table = pa.table({"ts": ts, "k": draws.integers(0, 3, rows)})
    cuts = [0, *np.searchsorted(arrival[order], np.arange(2, arrival.max(), 2)), rows]
    parts = [table.slice(a, b - a) for a, b in pairwise(cuts)]
    return [part for part in parts if part.num_rows]


def truly_kept(batches: list[pa.Table], answers: list[dict[str, int]]) -> float:
    """Share of all (window, key) results that were given within the bound."""
    said = pa.Table.from_pylist(
        [{"start": row["__start"], "k": row["k"], "n": row["n"]} for row in answers]
    )
    whole = pa.concat_tables(batches)
    with duckdb.connect(":memory:") as duck:
        duck.register("said", said)
        duck.register("whole", whole)
        [[share]] = duck.sql(
            "SELECT avg((abs(coalesce(said.n, 0) - truth.n) <= $epsilon * truth.n)::INT) FROM "
            "(SELECT epoch_us(ts) // 4000000 * 4000000 AS start, k, count(*) AS n FROM whole "
            "GROUP BY ALL) truth LEFT JOIN said USING (start, k)",
            params={"epsilon": EPSILON},
        ).fetchall()
    return float(share)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_what_the_meter_says_is_never_more_than_what_is_true(seed: int) -> None:
    windows = Stream(StreamDef("r", ROWS, "ts", max_ahead=None)).window("4 s").group_by("k")
    promise = contract.max_error(EPSILON, confidence=0.8)
    query = windows.aggregate(n="count(*)").query("q", promise)
    plan = lay_out(check([query])).queries[0]
    interpreter = Interpreter(plan, "ts", ErrorBound.of(plan).params)
    batches, answers = heavy(3000, seed), []
    for part in batches:
        answers += interpreter.feed(part)
    answers += interpreter.finish()
    follower = interpreter.follower
    assert follower is not None
    within = sum(row["within"] for row in follower.errors)
    shown = (within - follower.unseen) / len(follower.errors)
    true = truly_kept(batches, answers)
    interpreter.close()
    assert shown <= true + 1e-9
    assert shown >= true - 0.05  # and not much less
    assert true >= 0.8
