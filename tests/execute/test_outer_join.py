"""Joins with optional streams: when rows without partner are answered, and when that is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import slackwater as sw
from slackwater.control.request import Request
from slackwater.errors import SlackwaterError
from slackwater.events import log
from slackwater.execute.sinks import MemorySink
from slackwater.query.join import Emit
from slackwater.query.stream import Query, Stream
from tests.driver import Batch, Driver, batch, feed, make_loop, readings, run
from tests.execute.test_crash import PLACES, die_until_done
from tests.execute.test_join import both
from tests.mortal import Reaper
from tests.story import batches, ending, leftovers


def shown(sink: MemorySink, *columns: str) -> list[tuple[Any, ...]]:
    table = sink.table()
    rows = [] if table is None else table.to_pylist()
    return sorted((tuple(row[c] for c in columns) for row in rows), key=repr)


AS = ("av", "bv", "kind")


def left(**terms: Any) -> Stream:
    given = {"on": "k", "within": "5 s", "how": "left", **terms}
    joined = sw.join(readings(name="a"), readings(name="b"), **given)
    return joined.select("a.v AS av", "b.v AS bv")


@pytest.mark.parametrize("emit", ["immediate", "ordered"])
def test_a_row_without_partner_is_answered_once_none_can_come(
    emit: Emit, tmp_path: Path, driver: Driver
) -> None:
    sink = sw.memory()
    query = left(emit=emit).query("q", sw.slack("2 s"), sink=sink)
    loop = driver.make_loop((query,), tmp_path)
    driver.feed(loop, both([(1, 1, 10), (2, 2, 11)], [(3, 1, 20)]), 0)
    driver.feed(loop, both([(8, 9, 12)], [(8, 8, 21)]), 1)  # the watermark is at 6
    assert shown(sink, *AS) == [(10, 20, "final")]
    driver.feed(loop, both([(10, 9, 13)], [(9.1, 8, 22)]), 2)  # at 7.1: that of 2 s has waited
    assert shown(sink, *AS)[1:] == [(11, None, "final")]
    driver.feed(loop, both([(10, 9, 14)], [(9.5, 8, 23)]), 3)
    assert len(shown(sink, *AS)) == 2  # once
    loop.finish()
    loop.close()
    table = sink.table()
    assert table is not None
    alone = [row for row in table.to_pylist() if row["bv"] is None]
    assert sorted(row["av"] for row in alone) == [11, 12, 13, 14]
    [first] = [row for row in alone if row["av"] == 11]
    assert first["event_time"].timestamp() == 7  # the end of its wait


def test_an_immediate_match_does_not_wait(tmp_path: Path) -> None:
    sink = sw.memory()
    loop = make_loop((left().query("q", sw.slack("9 s"), sink=sink),), tmp_path)
    feed(loop, both([(1, 1, 10)], []), 0)
    feed(loop, both([], [(3, 1, 20)]), 1)
    assert shown(sink, *AS) == [(10, 20, "final")]
    loop.close()


def test_a_late_partner_takes_back_that_there_was_none(tmp_path: Path, driver: Driver) -> None:
    sink = sw.memory()
    told = left().query("q", sw.slack(0), late="revise", keep="10 s", sink=sink)
    loop = driver.make_loop((told,), tmp_path)
    driver.feed(loop, both([(1, 1, 10)], [(0, 9, 0)]), 0)
    driver.feed(loop, both([(8, 9, 11)], [(8, 8, 21)]), 1)
    assert shown(sink, *AS) == [(10, None, "final")]
    driver.feed(loop, both([], [(2, 1, 20)]), 2)
    said = [(10, 20, "revision"), (10, None, "final"), (10, None, "withdrawn")]
    assert shown(sink, *AS) == said
    driver.feed(loop, both([], [(3, 1, 22)]), 3)  # another partner: nothing is left to take back
    assert shown(sink, *AS) == [said[0], (10, 22, "revision"), *said[1:]]
    driver.feed(loop, both([(1, 7, 17)], []), 4)  # late itself, and without partner
    assert (17, None, "revision") in shown(sink, *AS)
    loop.close()


def test_a_late_partner_is_counted_where_nothing_is_revised(tmp_path: Path) -> None:
    sink, side = sw.memory(), sw.memory()
    told = left().query("q", sw.slack(0), late="side", side=side, sink=sink)
    loop = make_loop((told,), tmp_path)
    feed(loop, both([(1, 1, 10)], [(0, 9, 0)]), 0)
    feed(loop, both([(20, 9, 11)], [(20, 8, 21)]), 1)
    feed(loop, both([], [(2, 1, 20)]), 2)
    loop.close()
    assert shown(sink, *AS) == [(10, None, "final")]
    assert shown(side, "_input", "_reason", "_delay_us") == [("b", "late", 18_000_000)]


def test_a_late_row_still_finds_all_of_its_partners(tmp_path: Path) -> None:
    """It is kept for, and its partner is older by another window."""
    sink = sw.memory()
    loop = make_loop((left().query("q", sw.slack(0), sink=sink),), tmp_path)
    feed(loop, both([(1, 9, 0)], [(6, 1, 20)]), 0)
    feed(loop, both([(14, 9, 1)], [(14, 8, 1)]), 1)
    feed(loop, both([(10, 1, 11)], []), 2)
    loop.close()
    assert (11, 20, "final") in shown(sink, *AS)


def test_the_right_join_is_the_left_one_of_the_other(tmp_path: Path) -> None:
    sinks = sw.memory(), sw.memory()
    rows = both([(1, 1, 10), (2, 2, 11)], [(3, 1, 20), (4, 3, 21)])
    right = left(how="right").query("right", sink=sinks[0])
    marked = sw.join(readings(name="a").optional(), readings(name="b"), on="k", within="5 s")
    queries = (right, marked.select("a.v AS av", "b.v AS bv").query("marked", sink=sinks[1]))
    run(queries, [rows], tmp_path)
    for sink in sinks:
        assert shown(sink, "bv", "av") == [(20, 10), (21, None)]


def test_keys_that_are_null_have_no_partner(tmp_path: Path, driver: Driver) -> None:
    sink = sw.memory()
    rows = both([(1, None, 10), (2, 2, 11)], [(1, None, 20), (2, 2, 21)])
    driver.run((left().query("q", sink=sink),), [rows], tmp_path)
    assert shown(sink, "av", "bv") == [(10, None), (11, 21)]


def test_only_rows_without_partner_can_be_asked_for(tmp_path: Path, driver: Driver) -> None:
    sink = sw.memory()
    joined = sw.join(readings(name="a"), readings(name="b"), on="k", within="5 s", how="left")
    unpaid = joined.where("b.k IS NULL AND a.v > 0").select("a.v AS av")
    rows = both([(1, 1, 10), (2, 2, 11), (2, 3, -1)], [(3, 1, 20)])
    driver.run((unpaid.query("q", sink=sink),), [rows], tmp_path)
    assert shown(sink, "av") == [(11,)]


def test_a_filter_below_is_about_partners_and_one_above_about_results(tmp_path: Path) -> None:
    below, above = sw.memory(), sw.memory()
    a, b = readings(name="a"), readings(name="b")
    one = sw.join(a, b.where("v > 20"), on="k", within="5 s", how="left")
    other = sw.join(a, b, on="k", within="5 s", how="left").where("coalesce(b.v, 99) > 20")
    queries = [
        joined.select("a.v AS av", "b.v AS bv").query(name, sink=sink)
        for name, joined, sink in (("below", one, below), ("above", other, above))
    ]
    run(tuple(queries), [both([(1, 1, 10), (2, 2, 11)], [(3, 1, 20)])], tmp_path)
    assert shown(below, "av", "bv") == [(10, None), (11, None)]
    assert shown(above, "av", "bv") == [(11, None)]


def test_windows_above_count_a_row_when_its_wait_ends(tmp_path: Path, driver: Driver) -> None:
    sink = sw.memory()
    counted = left().window("10 s").aggregate(n="count(*)", matched="count(bv)")
    batches = [
        both([(1, 1, 10), (2, 2, 11), (7, 3, 12)], [(3, 1, 20)]),
        both([(30, 9, 13)], [(30, 9, 23)]),
    ]
    driver.run((counted.query("q", sw.slack("1 s"), sink=sink),), batches, tmp_path)
    # those of 2 s and 7 s are alone: known at 7 s and 12 s
    assert shown(sink, "n", "matched") == [(1, 0), (1, 1), (2, 1)]


def test_a_window_by_a_column_of_the_optional_stream_is_one(tmp_path: Path, driver: Driver) -> None:
    """Its nulls lie in all groups of keys."""
    sink = sw.memory()
    joined = sw.join(readings(name="a"), readings(name="b"), on="k", within="5 s", how="left")
    counted = joined.window("1 minute").group_by("b.k AS k").aggregate(n="count(*)")
    rows = both([(1, n, n) for n in range(40)], [(2, 7, 1)])
    driver.run((counted.query("q", sink=sink),), [rows], tmp_path)
    assert shown(sink, "k", "n") == [(7, 1), (None, 39)]


def test_two_optional_streams_do_not_wait_for_each_other(tmp_path: Path, driver: Driver) -> None:
    sink = sw.memory()
    inputs = readings(name="a"), readings(name="b").optional(), readings(name="c").optional()
    joined = sw.join(*inputs, on="k", within="5 s").select("a.k AS k", "b.v AS bv", "c.v AS cv")
    rows: Batch = {
        "a": batch(*((10, key, 0) for key in range(4))),
        "b": batch((9, 1, 21), (9, 3, 23), (11, 3, 24)),
        "c": batch((14, 2, 32), (14, 3, 33)),
    }
    driver.run((joined.query("q", sink=sink),), [rows], tmp_path)
    wanted = [(0, None, None), (1, 21, None), (2, None, 32), (3, 23, 33), (3, 24, 33)]
    assert shown(sink, "k", "bv", "cv") == wanted


def test_a_stream_that_was_never_there_holds_the_answers(tmp_path: Path) -> None:
    sink = sw.memory()
    loop = make_loop((left().query("q", sink=sink),), tmp_path)
    feed(loop, both([(1, 1, 10), (99, 1, 11)], []), 0)
    assert shown(sink, *AS) == []
    loop.finish()
    loop.close()
    assert shown(sink, "av", "bv") == [(10, None), (11, None)]


def test_another_order_is_taken_and_a_tree_is_refused(tmp_path: Path) -> None:
    inputs = readings(name="a"), readings(name="b"), readings(name="c").optional()
    joined = sw.join(*inputs, on="k", within="5 s").select("a.k AS k", "c.v AS cv")
    sink = sw.memory()
    loop = make_loop((joined.query("q", sink=sink),), tmp_path)
    rows = {name: batch((1, 1, 1), (2, 2, 2)) for name in "ab"} | {"c": batch((2, 2, 7))}
    for number, tree in enumerate(("((a b) c)", "(c b a)")):
        loop.inbox.put(Request(f"replan-{number}", "q", tree=tree))
    feed(loop, rows, 0)
    loop.finish()
    loop.close()
    assert shown(sink, "k", "cv") == [(1, None), (2, 7)]
    told = [e for e in log.read(tmp_path / "events.jsonl") if e["event"] == "replan"]
    assert ["one node" in (event["reason"] or "") for event in told] == [True, False]


def queries() -> tuple[Query, ...]:
    a, b = readings("1 day", "a"), readings("1 day", "b")
    outer = sw.join(a, b, on="k", within="2 s", how="left").select("a.v AS av", "b.v AS bv")
    counted = outer.window("4 s").aggregate(n="count(*)", matched="count(bv)")
    return (
        outer.query("told", sw.slack("1 s"), late="revise", keep="3 s"),
        counted.query("counted", sw.slack("1 s")),
    )


def uneven(count: int) -> list[dict[str, pa.Table]]:
    return [{"a": table, "b": table.slice(0, 3)} for table in batches(count)]


@pytest.mark.slow
@pytest.mark.kill
@PLACES
def test_death_at_any_write_of_an_outer_join_changes_nothing(
    driver: Driver, tmp_path: Path
) -> None:
    tables: list[Any] = uneven(7)
    driver.run(queries(), tables, tmp_path / "calm")
    folder = tmp_path / "killed"
    reaper: Reaper = die_until_done(queries(), tables, folder, driver=driver)
    calm = ending(tmp_path / "calm")
    assert ending(folder) == calm
    assert any("withdrawn" in str(row) for row in calm["results/told"])
    assert leftovers(folder) == []
    assert len(reaper.deaths) > 10


def test_another_choice_of_optional_streams_needs_another_checkpoint(tmp_path: Path) -> None:
    """Also where only the order of the streams says which they are."""
    make_loop((left().query("q"),), tmp_path).close()
    for how in ("inner", "right"):
        with pytest.raises(SlackwaterError, match="optional"):
            make_loop((left(how=how).query("q"),), tmp_path).close()
    swapped = sw.join(readings(name="b"), readings(name="a"), on="k", within="5 s", how="right")
    make_loop((swapped.select("a.v AS av", "b.v AS bv").query("q"),), tmp_path).close()
    other = sw.join(readings(name="b"), readings(name="a"), on="k", within="5 s", how="left")
    with pytest.raises(SlackwaterError, match="optional"):
        make_loop((other.select("a.v AS av", "b.v AS bv").query("q"),), tmp_path).close()
