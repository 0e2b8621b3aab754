"""What results say they lack: never more than is true, and the same when a batch is repeated."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import slackwater as sw
from slackwater.control.orders import Work
from slackwater.errors import QueryError
from slackwater.execute.complete import completed
from slackwater.execute.sinks import MemorySink
from slackwater.plan.build import check
from slackwater.plan.stage import lay_out
from slackwater.query.stream import Query
from tests.driver import Driver, batch, readings
from tests.execute.test_crash import PLACES, die_until_done
from tests.story import ending

SECONDS, SIZE = 24, 4
BURST = range(8, 14)  # seconds in which ten times as many rows come


def came(second: int, shift: int = 0) -> list[tuple[float, int, int]]:
    """Time, key and value of the rows of a second; of rank 1 and 2 are values 1 and 2."""
    rows = 200 if second in BURST else 20
    return [(second + n / rows, (n + shift) % 3, 1 + n % 8) for n in range(rows)]


def counted(sink: MemorySink, **terms: Any) -> Query:
    values = {f"n{rank}": f"sum(CASE WHEN v = {rank} THEN 1 ELSE 0 END)" for rank in (1, 2)}
    windows = readings(name="a").window(f"{SIZE} s").group_by("k").aggregate(**values, n="count(*)")
    rank = sw.rank("v = 1", "v = 2", budget=30, precedence=terms.pop("precedence", "static"))
    return windows.query("q", sw.slack(0), sink=sink, rank=rank, lifespan="2 s", **terms)


def truth() -> Counter[tuple[int, int, int]]:
    """How many rows there are by start of window, key and rank."""
    return Counter(
        (int(time) // SIZE * SIZE, key, value)
        for second in range(SECONDS)
        for time, key, value in came(second)
    )


def start_of(row: dict[str, Any]) -> int:
    return round((row["window_start"] - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds())


@PLACES
def test_a_final_lacks_no_row_up_to_the_rank_it_names(driver: Driver, tmp_path: Path) -> None:
    sink = sw.memory()
    tables: list[Any] = [{"a": batch(*came(second))} for second in range(SECONDS)]
    driver.run((counted(sink),), tables, tmp_path)
    rows, whole = sink.table().to_pylist(), truth()
    for row in rows:
        for rank in range(1, row["complete"] + 1):
            assert row[f"n{rank}"] == whole[start_of(row), row["k"], rank]
    found = Counter(row["complete"] for row in rows)
    assert found[2] >= 6  # before the burst, and after it
    short = [r for r in rows if r["n2"] < whole[start_of(r), r["k"], 2]]
    assert short
    assert all(row["complete"] < 2 for row in short)


def test_what_is_shed_is_missing_too(tmp_path: Path) -> None:
    sink = sw.memory()
    tables: list[Any] = [{"a": batch(*came(second))} for second in range(SECONDS)]
    Driver().run((counted(sink, precedence="random"),), tables, tmp_path)
    rows, whole = sink.table().to_pylist(), truth()
    short = [r for r in rows if r["n1"] < whole[start_of(r), r["k"], 1]]
    assert short
    assert all(row["complete"] == 0 for row in short)
    assert any(row["complete"] == 2 for row in rows)


def test_an_estimate_lacks_also_what_waits(tmp_path: Path) -> None:
    """Up to the rank it names it has all rows that came until then."""
    sink, driver = sw.memory(), Driver()
    loop = driver.make_loop((counted(sink, estimates=sw.estimates(every="1 s")),), tmp_path)
    known, seen = Counter[tuple[int, int, int]](), Counter[int]()
    told = 0
    for second in range(SECONDS):
        driver.feed(loop, {"a": batch(*came(second))}, second)
        known.update((int(time) // SIZE * SIZE, key, value) for time, key, value in came(second))
        rows = [] if sink.table() is None else sink.table().to_pylist()
        for row in rows[told:]:
            if row["kind"] == "estimate":
                seen[row["complete"]] += 1
                for rank in range(1, row["complete"] + 1):
                    assert row[f"n{rank}"] == known[start_of(row), row["k"], rank]
        told = len(rows)
    loop.close()
    assert min(seen[0] + seen[1], seen[2]) > 5


def pairs(sink: MemorySink | None, **terms: Any) -> Query:
    levels = ("RANK 1 CRITERIA a.v = 1", "RANK 1 CRITERIA b.v = 1", "RANK 2 CRITERIA a.v = 2")
    text = " ".join((*levels, "RANK 2 CRITERIA b.v = 2"))
    rank = sw.rank(text, budget=60, precedence="static")
    streams = (readings(name="a"), readings(name="b"))
    joined = sw.join(*streams, on="k", within="1 s")
    return joined.query("q", sw.slack("1 s"), sink=sink, rank=rank, lifespan="2 s", **terms)


def traffic() -> list[dict[str, pa.Table]]:
    return [{"a": batch(*came(n)), "b": batch(*came(n, 1))} for n in range(SECONDS)]


@PLACES
def test_of_the_time_of_a_result_of_a_join_none_up_to_its_rank_is_missing(
    driver: Driver, tmp_path: Path
) -> None:
    """Where one says so, all pairs of rows of these ranks are given that end when it does."""
    sink = sw.memory()
    driver.run((pairs(sink),), traffic(), tmp_path, flush=False)
    rows = sink.table().to_pylist()
    zero = datetime(1970, 1, 1, tzinfo=UTC)
    mine = [(r["a_v"], r["b_v"], (r["event_time"] - zero).total_seconds()) for r in rows]
    given = Counter((max(a, b), round(time, 6)) for a, b, time in mine)
    for rank in (1, 2):
        meant = Counter(
            (max(a[2], b[2]), round(max(a[0], b[0]), 6))
            for second in range(SECONDS)
            for a in came(second)
            for other in (second - 1, second, second + 1)
            for b in (came(other, 1) if 0 <= other < SECONDS else ())
            if a[1] == b[1] and max(a[2], b[2]) <= rank and abs(a[0] - b[0]) <= 1
        )
        told = {time for row, (*_, time) in zip(rows, mine, strict=True) if row["complete"] >= rank}
        assert sum(time in told for _, time in meant) > 20
        for (most, time), many in meant.items():
            if time in told:
                assert given[most, time] == many
    assert {row["complete"] for row in rows} == {0, 1, 2}


@pytest.mark.slow
@pytest.mark.kill
def test_a_repeated_batch_says_the_same(tmp_path: Path) -> None:
    tables = traffic()[6:16]
    Driver().run((pairs(None),), tables, tmp_path / "calm")
    reaper = die_until_done((pairs(None),), tables, tmp_path / "killed")
    assert ending(tmp_path / "killed") == ending(tmp_path / "calm")
    assert len(reaper.deaths) > 10


def test_nothing_is_promised_by_a_decision_that_does_not_tell_what_was_given_up() -> None:
    query = lay_out(check([pairs(None)])).queries[0]
    times = pa.array([0, 10**15], pa.timestamp("us", "UTC"))
    shown = pa.table({"event_time": times, "kind": ["final", "final"]})
    assert completed(shown, query, Work())["complete"].to_pylist() == [0, 0]
    late = Work(pending=(10**14, 10**16))
    assert completed(shown, query, late)["complete"].to_pylist() == [0, 1]
    none = completed(shown.slice(0, 0), query, late)
    assert none.num_rows == 0
    assert none.schema.field("complete").type == pa.int32()


def test_only_queries_with_ranks_say_it(tmp_path: Path) -> None:
    sink = sw.memory()
    plain = readings(name="a").window("4 s").group_by("k").aggregate(complete="count(*)")
    query = plain.query("q", sw.slack(0), sink=sink)
    Driver().run((query,), [{"a": batch(*came(0))}], tmp_path)
    assert sorted(sink.table()["complete"].to_pylist()) == [6, 7, 7]  # a value like any other
    ranked = plain.query("q", sw.slack(0), sink=sink, rank=sw.rank("v = 1", budget=9))
    with pytest.raises(QueryError, match="'complete' is a column of results with ranks"):
        check([ranked])
