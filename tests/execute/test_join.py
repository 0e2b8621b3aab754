"""Joins: what comes out, what is kept, and what happens to rows that come late."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import slackwater as sw
from slackwater.control.join_plan import choice_of
from slackwater.events import log
from slackwater.execute.duck import DuckEngine
from slackwater.execute.sinks import MemorySink
from slackwater.plan.sql.joins import JoinWriter
from slackwater.plan.sql.windows import Writer
from slackwater.query.schema import Schema
from slackwater.query.stream import Stream, StreamDef
from tests.driver import Batch, Driver, batch, feed, make_loop, readings, run
from tests.plan.test_join import join_of, joined


def pair(**terms: Any) -> Stream:
    given = {"on": "k", "within": "5 s", **terms}
    return sw.join(readings(name="a"), readings(name="b"), **given)


def shown(sink: MemorySink, *columns: str) -> list[tuple[Any, ...]]:
    table = sink.table()
    if table is None:
        return []
    return sorted(tuple(row[c] for c in columns) for row in table.to_pylist())


def both(a: list[Any], b: list[Any]) -> Batch:
    return {"a": batch(*a), "b": batch(*b)}


def test_results_are_given_when_their_last_member_comes(tmp_path: Path, driver: Driver) -> None:
    sink = sw.memory()
    query = pair().select("a.v AS av", "b.v AS bv").query("q", sw.slack("10 s"), sink=sink)
    loop = driver.make_loop((query,), tmp_path)
    driver.feed(loop, both([(1, 1, 10), (2, 2, 11)], []), 0)
    assert shown(sink, "av", "bv") == []
    driver.feed(loop, both([], [(3, 1, 20), (8, 2, 21)]), 1)
    assert shown(sink, "av", "bv", "kind", "revision") == [(10, 20, "final", 0)]
    driver.feed(loop, both([(4, 1, 12)], []), 2)
    assert shown(sink, "av", "bv") == [(10, 20), (12, 20)]
    loop.close()


NESTED = pa.schema(
    {
        "ts": pa.timestamp("us", "UTC"),
        "k": pa.int64(),
        "pair": pa.struct([("a", pa.int64()), ("b", pa.int64())]),
        "list": pa.list_(pa.int64()),
        "deep": pa.struct([("x y", pa.list_(pa.struct([("z", pa.int64())])))]),
        "bytes": pa.binary(),
    }
)


def nested(*rows: tuple[int, int]) -> pa.Table:
    """Rows of (seconds, key) with keys of other types; some hold a null."""
    values = [
        {
            "ts": at * 1_000_000,
            "k": k,
            "pair": {"a": k, "b": None if k == 3 else k},
            "list": [k, None if k == 3 else k],
            "deep": {"x y": [{"z": k}]},
            "bytes": str(k).encode(),
        }
        for at, k in rows
    ]
    return pa.Table.from_pylist(values, NESTED)


def nested_rows() -> Stream:
    kinds = {
        "ts": "timestamp",
        "k": "bigint",
        "pair": "struct<a:bigint,b:bigint>",
        "list": "array<bigint>",
        "deep": "struct<`x y`:array<struct<z:bigint>>>",
        "bytes": "binary",
    }
    return Stream(StreamDef("r", Schema.of(**kinds), "ts"))


def test_keys_of_nested_types_are_joined_and_grouped_by_what_they_hold(
    tmp_path: Path, driver: Driver
) -> None:
    names = NESTED.names[2:]
    sinks = {name: (sw.memory(), sw.memory()) for name in names}
    queries = []
    for name in names:
        rows = nested_rows().select(f"{name} AS x", "k")
        both = sw.join(rows.named("a"), rows.named("b"), on="x", within="20 s")
        queries.append(both.select("a.k AS a", "b.k AS b").query(name, sink=sinks[name][0]))
        grouped = rows.window("20 s").group_by("x").aggregate(k="max(k)", n="count(*)")
        queries.append(grouped.query(f"{name}-groups", sink=sinks[name][1]))
    batches = [nested((1, 1), (2, 2), (3, 3)), nested((4, 1), (5, 3), (6, 4))]
    loop = driver.make_loop(tuple(queries), tmp_path)
    for number, table in enumerate(batches):
        driver.feed(loop, table, number)
    loop.finish()
    loop.close()
    pairs = [(1, 1)] * 4 + [(2, 2)] + [(3, 3)] * 4 + [(4, 4)]  # a null inside is equal to a null
    for name, (of_join, of_groups) in sinks.items():
        assert shown(of_join, "a", "b") == pairs, name
        assert shown(of_groups, "k", "n") == [(1, 2), (2, 1), (3, 2), (4, 1)], name


def test_an_input_that_no_row_can_pass_still_moves_its_clock(
    tmp_path: Path, driver: Driver
) -> None:
    """Spark sees that nothing can pass, and counts nothing on the way."""
    sink, rows = sw.memory(), readings()
    sides = rows.named("a"), rows.where("1 = 0").named("b")
    query = sw.join(*sides, on="k", within="5 s").select("a.v AS av").query("q", sink=sink)
    loop = driver.make_loop((query,), tmp_path)
    driver.feed(loop, batch((1, 1, 10), (7, 1, 21)), 0)
    driver.feed(loop, batch((9, 1, 11)), 1)
    assert shown(sink, "av") == []
    assert loop.state.of("q").clock == 9_000_000
    loop.close()


def test_two_joins_may_call_different_inputs_by_the_same_names(
    tmp_path: Path, driver: Driver
) -> None:
    """Of the same types or of others, over streams of their own."""
    sinks = {name: sw.memory() for name in "qrs"}
    queries = []
    for name, one, other in (("q", "a", "b"), ("r", "c", "d"), ("s", "e", "f")):
        value = "CAST(v AS STRING)" if name == "s" else "v"
        sides = [readings(name=n).select("k", f"{value} AS v") for n in (one, other)]
        both = sw.join(sides[0].named("x"), sides[1].named("y"), on="k", within="9 s")
        queries.append(both.select("x.v AS xv", "y.v AS yv").query(name, sink=sinks[name]))
    batches: list[Batch] = [
        {n: batch((1, 1, 10 * i), (2, 2, 10 * i + 1)) for i, n in enumerate("abcdef")}
    ]
    driver.run(tuple(queries), batches, tmp_path)
    assert shown(sinks["q"], "xv", "yv") == [(0, 10), (1, 11)]
    assert shown(sinks["r"], "xv", "yv") == [(20, 30), (21, 31)]
    assert shown(sinks["s"], "xv", "yv") == [("40", "50"), ("41", "51")]


def test_ordered_results_wait_for_the_watermark(tmp_path: Path, driver: Driver) -> None:
    sink = sw.memory()
    query = pair(emit="ordered").select("a.v AS av", "b.v AS bv")
    loop = driver.make_loop((query.query("q", sw.slack("2 s"), sink=sink),), tmp_path)
    driver.feed(loop, both([(1, 1, 10), (4, 1, 11)], [(3, 1, 20), (5, 1, 21)]), 0)
    assert shown(sink, "av", "bv") == []  # the watermark is at 2
    driver.feed(loop, both([(6, 9, 0)], [(6, 9, 0)]), 1)
    assert shown(sink, "av", "bv") == [(10, 20)]  # at 4: the result at 3 is due
    driver.feed(loop, both([(8, 9, 0)], [(3.5, 1, 22), (8, 9, 0)]), 2)
    table = sink.table()
    assert table is not None
    times = [row["event_time"] for row in table.to_pylist()]
    assert times == sorted(times)
    # the late row gives nothing for results that are past, and takes part in the one at 4
    assert (11, 22) in shown(sink, "av", "bv")
    assert (10, 22) not in shown(sink, "av", "bv")
    loop.close()


def test_missed_results_are_given_as_revisions(tmp_path: Path, driver: Driver) -> None:
    sink = sw.memory()
    query = pair(emit="ordered").select("a.v AS av", "b.v AS bv")
    told = query.query("q", sw.slack(0), late="revise", keep="10 s", sink=sink)
    batches = [
        both([(1, 1, 10)], [(0, 9, 0)]),
        both([(6, 9, 0)], [(6, 9, 0)]),
        both([(7, 9, 1)], [(2, 1, 20), (7, 9, 1)]),
    ]
    driver.run((told,), batches, tmp_path)
    assert (10, 20, "revision", 1) in shown(sink, "av", "bv", "kind", "revision")


def test_rows_no_partner_can_reach_are_counted_and_set_aside(tmp_path: Path) -> None:
    side = sw.memory()
    query = pair().query("q", sw.slack(0), late="side", side=side, sink=sw.memory())
    loop = make_loop((query,), tmp_path)
    feed(loop, both([(20, 1, 1)], [(20, 1, 1)]), 0)
    feed(loop, both([(14, 1, 7), (16, 1, 8)], [(None, 1, 9)]), 1)
    assert shown(side, "_input", "_reason", "_delay_us") == [
        ("a", "late", 6_000_000),
        ("b", "null_time", None),
    ]
    loop.close()
    told = [event for event in log.read(tmp_path / "events.jsonl") if event["event"] == "batch"]
    assert told[-1]["queries"]["q"]["late"] == 2
    assert told[-1]["queries"]["q"]["dropped"] == 1


def test_windows_above_a_join_close_by_the_watermark(tmp_path: Path, driver: Driver) -> None:
    sink = sw.memory()
    counted = pair().window("10 s").group_by("a.k AS k").aggregate(n="count(*)", s="sum(b.v)")
    query = counted.query("q", sw.slack("1 s"), sink=sink)
    batches = [
        both([(1, 1, 1), (2, 2, 1)], [(3, 1, 5), (4, 1, 6)]),
        both([(9, 1, 1)], [(12, 1, 7), (9.5, 2, 8)]),
        both([(30, 1, 1)], [(30, 1, 9)]),
    ]
    driver.run((query,), batches, tmp_path)
    # before 10: (1,3) (1,4) and (4,9); from 10 on (9,12), whose event time is 12; (30,30)
    assert shown(sink, "k", "n", "s") == [(1, 1, 7), (1, 1, 9), (1, 3, 17)]


def test_filters_and_projections_below_and_above(tmp_path: Path) -> None:
    sink = sw.memory()
    one = readings(name="a").where("v > 0").select("k", "v * 10 AS tens")
    other = readings(name="b").select("k AS key", "v")
    joined = sw.join(one, other, on=["a.k = b.key", "tens <= b.v"], within="5 s")
    query = joined.where("b.v < 90").select("a.tens + b.v AS total").query("q", sink=sink)
    rows = both([(1, 1, 1), (1, 1, -5), (1, 1, 9)], [(1, 1, 50), (1, 1, 95), (1, 1, 5)])
    loop = run((query,), [rows], tmp_path)
    assert shown(sink, "total") == [(60,)]
    assert loop.state.streams["a"].clock == 1_000_000  # rows that fail the filter move it too


def test_a_stream_joined_with_itself(tmp_path: Path) -> None:
    sink = sw.memory()
    stream = readings(name="a")
    joined = sw.join(
        stream.named("x"), stream.named("y"), on=["x.k = y.k", "x.v < y.v"], within="5 s"
    )
    query = joined.select("x.v AS xv", "y.v AS yv").query("q", sw.slack("5 s"), sink=sink)
    run((query,), [batch((1, 1, 1), (2, 1, 2)), batch((3, 1, 3))], tmp_path)
    assert shown(sink, "xv", "yv") == [(1, 2), (1, 3), (2, 3)]


def test_the_order_is_chosen_once_all_streams_have_spoken(tmp_path: Path) -> None:
    streams = [readings(name=name) for name in "abc"]
    joined = sw.join(*streams, on=["a.k = b.k", "b.v = c.v"], within="5 s")
    query = joined.query("q", sw.slack("5 s"), sink=sw.memory())
    loop = make_loop((query,), tmp_path)
    feed(loop, both([(1, 1, 1)], [(1, 1, 1)]), 0)
    assert choice_of(loop.state.of("q")) is None
    rows = {
        "a": batch((1, 1, 1)),
        "b": batch(*((1, n, n) for n in range(9))),
        "c": batch((1, 1, 1)),
    }
    feed(loop, rows, 1)
    chosen = choice_of(loop.state.of("q"))
    assert chosen is not None
    assert set(chosen.sizes) == {"a", "b", "c"}
    feed(loop, rows, 2)
    assert choice_of(loop.state.of("q")) == chosen
    loop.close()


def test_state_is_let_go_behind_the_watermark(tmp_path: Path) -> None:
    query = pair().query("q", sw.slack("2 s"), sink=sw.memory())
    loop = make_loop((query,), tmp_path)
    held = []
    for number in range(30):
        rows = [(number + part / 4, part, number) for part in range(4)]
        feed(loop, both(rows, rows), number)
        held.append(sum(run.rows for run in loop.catalog.all()))
    assert max(held[15:]) <= max(held[8:15])
    assert max(held) < 30 * 8
    loop.close()


def test_one_stream_far_ahead_and_one_that_is_silent(tmp_path: Path) -> None:
    """The slowest stream holds the watermark, so that nothing is missed when it comes."""
    sink = sw.memory()
    query = pair().select("a.v AS av", "b.v AS bv").query("q", sw.slack(0), sink=sink)
    batches: list[Batch] = [both([(n, n, n)], []) for n in range(6)]
    batches.append(both([], [(0, 0, 0), (3, 3, 3), (5, 5, 5)]))
    run((query,), batches, tmp_path)
    assert shown(sink, "av", "bv") == [(0, 0), (3, 3), (5, 5)]


def test_one_key_for_all_rows(tmp_path: Path, driver: Driver) -> None:
    sink = sw.memory()
    query = pair().select("a.v AS av", "b.v AS bv").query("q", sw.slack("9 s"), sink=sink)
    rows = [(0.1 * n, 1, n) for n in range(30)]
    driver.run((query,), [both(rows, []), both([], rows)], tmp_path)
    assert len(shown(sink, "av", "bv")) == 900


def test_state_beyond_its_limit_stops_the_pipeline_and_loses_nothing(
    tmp_path: Path, driver: Driver
) -> None:
    sink = sw.memory()
    query = pair().select("a.v AS av", "b.v AS bv").query("q", sw.slack("9 s"), sink=sink)
    tables = [both([(n, 1, n)], [(n, 1, n)]) for n in range(4)]
    loop = driver.make_loop((query,), tmp_path, max_state_rows=5)
    driver.feed(loop, tables[0], 0)
    driver.feed(loop, tables[1], 1)
    with pytest.raises(sw.SlackwaterError, match="STATE_LIMIT"):
        driver.feed(loop, tables[2], 2)
    loop.close()
    loop = driver.make_loop((query,), tmp_path)
    assert loop.batch == 1
    for number in (2, 3):
        driver.feed(loop, tables[number], number)
    loop.close()
    assert len(shown(sink, "av", "bv")) == 16


def test_many_streams_are_joined_on_keys_not_on_times(tmp_path: Path) -> None:
    plan = join_of(joined(*"abcde").select("a.v AS v").query("q", sw.slack("1 s")))
    join = JoinWriter(Writer(), plan).results(plan.written, range(5))
    engine = DuckEngine(tmp_path)
    for number, name in enumerate("abcde"):
        for kind, size in (("f", 12_000), ("h", 24_000)):
            values = np.arange(size)
            table = pa.table({"pane": values, f"{name}_k": values, f"{name}_v": values * 1.0})
            engine._duck.register(f"{kind}{number}", table)
    asked = f"EXPLAIN (FORMAT json) {join.text}"
    found = engine._duck.sql(asked, params=dict.fromkeys(join.parameters, 0)).fetchall()[0][1]
    assert "HASH_JOIN" in found
    assert not [kind for kind in ("NESTED_LOOP", "IE_JOIN", "CROSS_", "PIECEWISE") if kind in found]
    engine.close()


@pytest.mark.parametrize("order", ["(a b c)", "(a (b c))"])
def test_members_of_a_combination_are_let_go_of_as_rows_are(tmp_path: Path, order: str) -> None:
    """At 10 s, with a second more to be kept, b goes back to 9 s: that of 7 s meets nobody."""
    streams = [readings(name=name) for name in "abc"]
    within = {"a": "3 s", "b": "0 s", "c": "3 s"}
    joined = sw.join(*streams, on="k", within=within, order=order).select("a.v AS v")
    sink = sw.memory()
    query = joined.query("q", sw.slack(0), late="revise", keep="1 s", sink=sink)
    both, now = batch((7, 7, 1), (10, 10, 2)), batch((10, 10, 2))
    late = {"a": batch((7, 7, 1)), "b": batch(), "c": batch()}
    run((query,), [{"a": now, "b": both, "c": both}, late], tmp_path, flush=False)
    table = sink.table()
    assert table is not None
    assert table["v"].to_pylist() == [2]
