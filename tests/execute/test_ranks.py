"""Ranks: without overload nothing changes; under it critical rows come first, and books balance."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import slackwater as sw
from slackwater.control.orders import rows_of
from slackwater.control.pace import FIRST
from slackwater.control.ranks import RankMemory
from slackwater.events import log
from slackwater.execute.loop import Loop
from slackwater.execute.sinks import MemorySink
from slackwater.history.follow import newest_history
from slackwater.history.ranks import ranks_of
from slackwater.query.rank import PRECEDENCES
from slackwater.query.stream import Query, Stream
from tests.driver import Driver, answers, batch, readings
from tests.execute.test_crash import PLACES

Row = tuple[float | None, int | None, int | None]


def joined(*names: str, within: str = "4 s") -> Stream:
    return sw.join(*(readings(name=name) for name in names), on="k", within=within)


def ranked(
    stream: Stream, sink: MemorySink, precedence: str = "prune", budget: Any = 1000, **terms: Any
) -> Query:
    rank = sw.rank("a.v = 1", "a.v = 2", budget=budget, precedence=precedence)
    return stream.query("q", sw.slack("2 s"), sink=sink, rank=rank, **terms)


def traffic(second: int, rows: int = 60) -> dict[str, pa.Table]:
    """A second of three streams: of `a` every tenth row is of rank 1 and has key 0 or 1; the other
    keys are spread over thirty.
    """

    def row(stream: int, n: int) -> Row:
        time, critical = second + n / rows, n % 10 == 0
        key = n % 20 // 10 if critical else 2 + (7 * n + 13 * second + stream) % 30
        value = 1 if critical and stream == 0 else 2 if n % 10 == 1 else 3 + n
        return (time, key, value)

    return {
        name: batch(*(row(stream, n) for n in range(rows))) for stream, name in enumerate("abc")
    }


def backlogs(loop: Loop[Any]) -> list[dict[str, Any]]:
    events = [e for e in log.read(loop.checkpoint.events) if e["event"] == "batch"]
    return [event["queries"]["q"]["backlog"] for event in events]


def balanced(told: list[dict[str, Any]]) -> dict[str, dict[str, int]]:
    """By rank what became of all rows; every batch balances exactly."""
    waiting: dict[str, int] = {}
    total: dict[str, dict[str, int]] = {}
    for backlog in told:
        for rank, book in backlog["ranks"].items():
            became = book["worked"] + book["waiting"] + book["expired"] + book["shed"]
            assert waiting.get(rank, 0) + book["admitted"] == became
            waiting[rank] = book["waiting"]
            sums = total.setdefault(rank, dict.fromkeys(book, 0))
            total[rank] = {name: sums[name] + rows for name, rows in book.items()}
        assert backlog["todo"] == sum(waiting.values())
    return {rank: {**sums, "waiting": waiting[rank]} for rank, sums in total.items()}


@PLACES
@pytest.mark.spec("precedence:PR-31")
@pytest.mark.parametrize("precedence", PRECEDENCES)
def test_without_overload_a_join_gives_what_it_gives_without_ranks(
    driver: Driver, precedence: str, tmp_path: Path
) -> None:
    plain, sink = sw.memory(), sw.memory()
    streams = joined("a", "b", "c")
    queries = (ranked(streams, sink, precedence), streams.query("p", sw.slack("2 s"), sink=plain))
    tables = [traffic(second, 20) for second in range(5)]
    loop = driver.run(queries, tables, tmp_path)
    assert answers(sink) == answers(plain)
    assert len(answers(plain)) > 50
    books = balanced(backlogs(loop))
    assert sum(book["worked"] for book in books.values()) == 3 * 20 * 5
    assert all(b["shed"] + b["expired"] + b["waiting"] == 0 for b in books.values())


@pytest.mark.spec("precedence:PR-12", "precedence:PR-14", "precedence:PR-16")
@pytest.mark.parametrize("precedence", PRECEDENCES)
def test_under_overload_the_books_balance(precedence: str, tmp_path: Path) -> None:
    sink = sw.memory()
    pairs = joined("a", "b", within="1 s")
    query = ranked(pairs, sink, precedence, budget=60, lifespan="2 s")
    tables = [{n: traffic(second)[n] for n in "ab"} for second in range(12)]
    loop = Driver().run((query,), tables, tmp_path, flush=False)
    books = balanced(backlogs(loop))
    total = {n: sum(book[n] for book in books.values()) for n in books["1"]}
    assert total["admitted"] == 12 * 120
    assert total["worked"] + total["waiting"] + total["expired"] + total["shed"] == 12 * 120
    assert total["expired"] + total["shed"] > 400
    assert (total["shed"] > 0) == (precedence in ("semantic", "random"))
    if precedence in ("prune", "full", "static"):
        assert books["1"]["expired"] == books["1"]["shed"] == 0
        assert all(backlog["complete"] >= 1 for backlog in backlogs(loop))
    assert (books["1"]["promising"] > 0) == (precedence in ("prune", "full"))


def test_rows_are_shed_by_chance_where_combinations_are_too_many_too(tmp_path: Path) -> None:
    """Each row meets sixty others: fewer rows than the budget are far more work than it allows."""
    tables = [
        {name: batch(*((second + n / 60, n % 2, 3) for n in range(60))) for name in "ab"}
        for second in range(10)
    ]
    query = ranked(joined("a", "b"), sw.memory(), "random", budget=1_000, lifespan="4 s")
    told = backlogs(Driver().run((query,), tables, tmp_path, flush=False))
    total = balanced(told)["none"]
    assert total["shed"] > total["admitted"] / 4
    assert max(backlog["todo"] for backlog in told[5:]) < 3 * 120


def critical(sink: MemorySink) -> int:
    """Results with a row of rank 1 of `a`."""
    table = sink.table()
    return 0 if table is None else sum(row["a_v"] == 1 for row in table.to_pylist())


@PLACES
@pytest.mark.spec("precedence:PR-71", "precedence:PR-74", "precedence:PR-76")
def test_partners_are_pulled_forward(driver: Driver, tmp_path: Path) -> None:
    """Level-1 results at a third of the work that there is."""
    found = {}
    for precedence in ("prune", "static", "none"):
        sink = sw.memory()
        query = ranked(joined("a", "b", "c"), sink, precedence, budget=60, lifespan="2 s")
        tables = [traffic(second) for second in range(10)]
        driver.run((query,), tables, tmp_path / precedence, flush=False)
        found[precedence] = critical(sink)
    assert found["prune"] > 3 * found["static"]
    assert found["prune"] > 3 * found["none"]


def bridged(second: int) -> dict[str, pa.Table]:
    """As :func:`traffic`, but what `b` and `c` have in common is another column than the key."""
    tables = traffic(second)
    for name in "bc":
        table = tables[name]
        shared = pc.cast(pc.add(table["k"], 500), table.schema.field("v").type)
        table = table.set_column(2, table.schema.field("v"), shared)
        if name == "c":
            key = pc.cast(pc.multiply(table["k"], 0), table.schema.field("k").type)
            table = table.set_column(1, table.schema.field("k"), key)
        tables[name] = table
    return tables


@PLACES
def test_partners_of_partners_are_pulled_forward(driver: Driver, tmp_path: Path) -> None:
    """`c` has no column in common with the critical rows of `a`, only with those of `b`."""
    found, streams = {}, [readings(name=name) for name in "abc"]
    for precedence in ("prune", "full", "static"):
        sink = sw.memory()
        pairs = sw.join(*streams, on=["a.k = b.k", "b.v = c.v"], within="4 s")
        query = ranked(pairs, sink, precedence, budget=60, lifespan="2 s")
        tables = [bridged(second) for second in range(10)]
        loop = driver.run((query,), tables, tmp_path / precedence, flush=False)
        memory = loop.state.of("q").find(RankMemory)
        assert memory is not None
        known = {one.input: {*one.values} for one in memory.promised if one.rank == 1}
        assert known == ({} if precedence == "static" else {1: {"0", "1"}, 2: {"500", "501"}})
        found[precedence] = critical(sink)
    assert found["prune"] > 3 * found["static"]
    assert found["full"] >= found["prune"]


@PLACES
def test_rows_of_critical_groups_come_first_in_aggregates(driver: Driver, tmp_path: Path) -> None:
    sink = sw.memory()
    counted = readings(name="a").window("4 s").group_by("k").aggregate(n="count(*)")
    query = ranked(counted, sink, budget=30, lifespan="4 s")
    tables: list[Any] = [{"a": traffic(second)["a"]} for second in range(12)]
    loop = driver.run((query,), tables, tmp_path, flush=False)
    books = balanced(backlogs(loop))
    assert books["1"]["worked"] == books["1"]["admitted"] == 72
    assert books["none"]["expired"] > 100
    finals = {(row["window_start"].second, row["k"]): row["n"] for row in sink.table().to_pylist()}
    assert [finals[0, key] for key in (0, 1)] == [12, 12]  # as if there were no others
    assert 0 < sum(n for (at, key), n in finals.items() if at == 0) < 240


def test_a_costly_stream_has_a_lifespan_without_ranks(tmp_path: Path) -> None:
    sink = sw.memory()
    counted = readings(name="a").costly(30).window("4 s").group_by("k").aggregate(n="count(*)")
    query = counted.query("q", sw.slack(0), sink=sink, lifespan="2 s")
    tables: list[Any] = [{"a": traffic(second)["a"]} for second in range(8)]
    loop = Driver().run((query,), tables, tmp_path, flush=False)
    told = backlogs(loop)
    gone = sum(backlog.get("expired", 0) for backlog in told)
    assert gone > 60
    assert gone + sum(b["worked"] for b in told) + told[-1]["todo"] == 8 * 60


@pytest.mark.spec("precedence:PR-69")
def test_promises_follow_a_change_of_values(tmp_path: Path) -> None:
    """Keys of critical rows change in the middle: the criteria with them, in a few batches."""
    sink = sw.memory()
    query = ranked(joined("a", "b", within="2 s"), sink, budget=60, lifespan="1 s")
    tables = [_shifted(traffic(second), 100 * (second >= 8)) for second in range(16)]
    loop = Driver().make_loop((query,), tmp_path)
    known = []
    for number, table in enumerate(tables):
        Driver().feed(loop, {name: table[name] for name in "ab"}, number)
        memory = loop.state.of("q").find(RankMemory)
        assert memory is not None
        known.append({v for one in memory.promised if one.rank == 1 for v in one.values})
    loop.close()
    assert {"0", "1"} <= known[7]
    assert {"100", "101"} <= known[10]
    assert not {"0", "1"} & known[15]


@pytest.mark.parametrize(("budget", "is_short"), [(60, True), (200, True), (10_000, False)])
def test_promises_are_looked_for_once_half_of_the_budget_is_used(
    budget: int, is_short: bool, tmp_path: Path
) -> None:
    query = ranked(joined("a", "b", within="2 s"), sw.memory(), budget=budget)
    loop = Driver().make_loop((query,), tmp_path)
    for second in range(3):
        Driver().feed(loop, {name: traffic(second)[name] for name in "ab"}, second)
    memory = loop.state.of("q").find(RankMemory)
    loop.close()
    assert memory is not None
    assert memory.tallied  # what they would be found from is known in any case
    assert bool(memory.promised) == is_short


@pytest.mark.parametrize(("lifespan", "is_known"), [("1 s", False), ("20 s", True)])
def test_promises_are_remembered_for_as_long_as_rows_wait(
    lifespan: str, is_known: bool, tmp_path: Path
) -> None:
    """A value whose critical rows come rarely promises something in between, too."""
    query = ranked(joined("a", "b", within="2 s"), sw.memory(), budget=60, lifespan=lifespan)
    loop = Driver().make_loop((query,), tmp_path)
    for second in range(13):
        table = _shifted(traffic(second), 100 * (second >= 4))
        Driver().feed(loop, {name: table[name] for name in "ab"}, second)
    memory = loop.state.of("q").find(RankMemory)
    loop.close()
    assert memory is not None
    promised = {v for one in memory.promised if one.rank == 1 for v in one.values}
    assert {"100", "101"} <= promised
    assert ({"0", "1"} <= promised) == is_known


def _shifted(tables: dict[str, pa.Table], by: int) -> dict[str, pa.Table]:
    return {
        name: table.set_column(1, "k", pc.add(table["k"], by)) for name, table in tables.items()
    }


def test_a_row_with_thousands_of_partners_does_not_break_the_budget(tmp_path: Path) -> None:
    """Every row of one key meets all others of it: few are taken in a batch, by what they make."""
    sink = sw.memory()
    query = ranked(joined("a", "b", within="30 s"), sink, "static", budget=400)
    loop = Driver().make_loop((query,), tmp_path)
    many = batch(*((0.5 + n / 1000, 7, 3) for n in range(300)))
    Driver().feed(loop, {"a": batch(), "b": many}, 0)
    for second in range(1, 6):
        rows = batch(*((second + n / 100, 7, 1) for n in range(40)))
        Driver().feed(loop, {"a": rows, "b": batch((second + 0.5, 8, 3))}, second)
    loop.close()
    told = backlogs(loop)
    events = [e for e in log.read(loop.checkpoint.events) if e["event"] == "batch"]
    made = [event["queries"]["q"]["emitted"] for event in events]
    assert all(rows <= 2 * 400 for rows in made)
    assert told[-1]["todo"] > 150  # they wait for their turn
    balanced(told)


def test_a_budget_of_time_is_learned(tmp_path: Path) -> None:
    sink = sw.memory()
    query = ranked(joined("a", "b"), sink, budget="1 ms", lifespan="5 s")
    tables = [{n: traffic(second, 1500)[n] for n in "ab"} for second in range(6)]
    loop = Driver().run((query,), tables, tmp_path, flush=False)
    told = backlogs(loop)
    assert told[0]["worked"] <= 1000
    assert told[-1]["worked"] < 300  # no batch takes as little as a millisecond
    balanced(told)


def test_a_measured_budget_keeps_the_trigger_interval(tmp_path: Path) -> None:
    """Far more rows come than can be joined in that time: what is worked on follows it."""
    worked = {}
    for trigger in ("100 ms", "1 s"):
        query = ranked(joined("a", "b"), sw.memory(), budget="measured", lifespan="3 s")
        tables = [{n: traffic(second, 4_000)[n] for n in "ab"} for second in range(8)]
        folder = tmp_path / trigger
        loop = Driver().run((query,), tables, folder, flush=False, trigger=trigger)
        balanced(backlogs(loop))
        worked[trigger] = [told["worked"] for told in backlogs(loop)]
        assert worked[trigger][0] <= FIRST
    assert max(worked["1 s"]) > 2 * max(worked["100 ms"][3:])


def test_a_batch_with_a_measured_budget_that_is_repeated_does_the_same_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was decided by what was measured before: the seconds of another life change nothing."""
    query = ranked(joined("a", "b", within="1 s"), sw.memory(), budget="measured")
    tables = [{n: traffic(second, 900)[n] for n in "ab"} for second in range(4)]
    driver = Driver()
    loop = driver.make_loop((query,), tmp_path, trigger="10 ms")
    for number in range(3):
        driver.feed(loop, tables[number], number)
    with monkeypatch.context() as patched:
        patched.setattr(type(loop.checkpoint), "commit", _fail)
        with pytest.raises(OSError, match="no"):
            driver.feed(loop, tables[3], 3)
    begun = loop.checkpoint.begun(3)
    assert begun is not None
    loop.close()
    again = driver.make_loop((query,), tmp_path, trigger="1 hour")
    memory = again.state.of("q").find(RankMemory)
    assert memory is not None
    assert memory.rest is not None
    assert memory.pace is not None
    driver.feed(again, tables[3], 3)
    again.close()
    work = begun.decided(again.state, again.controllers)[0].queries["q"].work
    assert work is not None
    assert backlogs(again)[3]["worked"] == rows_of(work.taken) < 600
    balanced(backlogs(again))


def _fail(*_: Any) -> None:
    raise OSError("no")


def test_conditions_that_say_nothing_are_told(tmp_path: Path) -> None:
    rank = sw.rank("a.v > 0", "a.v < 0", budget=10_000, precedence="static")
    query = joined("a", "b").query("q", sw.slack(0), sink=sw.memory(), rank=rank)
    tables = [{n: traffic(s, 600)[n] for n in "ab"} for s in range(4)]
    loop = Driver().run((query,), tables, tmp_path)
    heard = [e["text"] for e in log.read(loop.checkpoint.events) if e["event"] == "notice"]
    assert heard == [
        "query q: rank 1 makes no difference: each of 1200 rows has it",
        "query q: rank 2 makes no difference: none of 1200 rows has it yet",
    ]


def test_the_budget_and_who_used_it_are_told(tmp_path: Path) -> None:
    sink = sw.memory()
    query = ranked(joined("a", "b", within="1 s"), sink, "static", budget=60)
    tables = [{n: traffic(second)[n] for n in "ab"} for second in range(6)]
    *told, last = backlogs(Driver().run((query,), tables, tmp_path))
    for backlog in told:
        assert backlog["budget"] == 60
        assert 50 < backlog["used"] <= 60
        assert backlog["used"] == sum(book["used"] for book in backlog["ranks"].values())
        assert all(book["used"] >= book["worked"] for book in backlog["ranks"].values())
    assert told[-1]["ranks"]["1"]["used"] < told[-1]["ranks"]["none"]["used"]
    assert last["budget"] is None  # at the end everything is worked on
    assert last["used"] > 60


def test_active_criteria_are_told_with_what_they_promise(tmp_path: Path) -> None:
    sink = sw.memory()
    query = ranked(joined("a", "b", within="2 s"), sink, "full", budget=60, lifespan="2 s")
    tables = [{n: traffic(second)[n] for n in "ab"} for second in range(4)]
    loop = Driver().run((query,), tables, tmp_path, flush=False)
    batches = [e for e in log.read(loop.checkpoint.events) if e["event"] == "batch"]
    told = [event["queries"]["q"]["controllers"]["ranks"] for event in batches]
    assert told[0]["criteria"] == told[0]["criteria_1"] + told[0]["criteria_2"]
    assert told[0]["criteria_1"] == 2
    assert told[0]["best_1"] == "b.k = 0, 1"
    # of each of the two keys three critical rows of a and three rows of b came
    assert told[0]["yield_1"] == 2 * 3 * 3
    assert told[1]["yield_1"] > told[0]["yield_1"]
    history = newest_history(tmp_path)
    first = ranks_of(history.table, "q", history.explained["q"])[0]
    assert (first.criteria, first.best) == (told[-1]["criteria_1"], told[-1]["best_1"])
    assert first.promise == told[-1]["yield_1"]
