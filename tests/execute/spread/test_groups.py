"""State spread over groups: who has them changes, what comes of it does not."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import slackwater as sw
from slackwater.control.records import Tier
from slackwater.control.share import Loads, Rows, Share, Shared, share
from slackwater.events import log
from slackwater.execute.sinks.sink import TableResults
from slackwater.execute.slices import GROUPS, whole
from slackwater.execute.spread.portion import Parted, Portion
from slackwater.plan.build import check
from slackwater.plan.spread import Leg, spread
from slackwater.plan.stage import lay_out
from slackwater.query.stream import Query
from slackwater.runs.checkpoint import Checkpoint
from slackwater.runs.run import Run, Slice
from tests.driver import Batch, answers, batch, feed, make_loop, readings
from tests.driver import run as driven

HOT = 7


def rows(random: Random, number: int, hot: float, size: int = 24, keys: int = 40) -> pa.Table:
    """Rows of one batch; a share of them has one key."""
    times = [2 * number + random.random() * 3 for _ in range(size)]
    own = [HOT if random.random() < hot else random.randrange(keys) for _ in times]
    return batch(*((t, k, n % 9) for n, (t, k) in enumerate(zip(times, own, strict=True))))


def batches(seed: int, hot: float = 0.5, count: int = 6) -> list[Batch]:
    random = Random(seed)
    return [{name: rows(random, n, hot) for name in "abc"} for n in range(count)]


def joined(on: str | Sequence[str] = "k", order: str = "auto", ways: int = 3) -> Any:
    streams = [readings(name=name) for name in "abc"[:ways]]
    return sw.join(*streams, on=on, within="900 ms", order=order)


def pairs(sink: sw.Sink) -> Query:
    shown = joined().select("a.k AS k", "a.v AS av", "b.v AS bv", "c.v AS cv")
    return shown.query("pairs", sw.slack("1 s"), sink=sink)


def bushy(sink: sw.MemorySink) -> Query:
    shown = joined(order="(a (b c))").select("a.k AS k", "a.v AS av", "c.v AS cv")
    return shown.query("bushy", sw.min_recall(0.6, over="2 s"), late="revise", sink=sink)


def above(sink: sw.MemorySink) -> Query:
    found = joined(ways=2).select("a.k AS k", "b.v AS v").window("4 s", "2 s").group_by("k")
    counted = found.aggregate(n="count(*)", s="sum(v)")
    return counted.query("above", sw.slack("1 s"), sink=sink, estimates=sw.estimates(every="2 s"))


def unequal(sink: sw.MemorySink) -> Query:
    near = joined(["a.k < b.k", "b.k = c.k"], order="((a b) c)")
    shown = near.select("a.k AS k", "b.k AS bk", "c.v AS cv")
    return shown.query("unequal", sw.slack("1 s"), sink=sink)


def told(query: Any, given: Sequence[Batch], folder: Path, **options: Any) -> list[Any]:
    sink = sw.memory()
    driven((query(sink),), given, folder, **options)
    return answers(sink)


def shares(folder: Path) -> list[dict[str, Any]]:
    return [event["tasks"] for event in log.read(folder / "events.jsonl") if "tasks" in event]


@pytest.mark.spec("adaptive:DIS-02", "adaptive:DIS-11")
@pytest.mark.parametrize("query", [pairs, bushy, above, unequal], ids=lambda one: one.__name__)
def test_a_hot_key_is_shared_and_every_result_is_found_once(tmp_path: Path, query: Any) -> None:
    seed = Random().randrange(10**6)
    given = batches(seed)
    plain = told(query, given, tmp_path / "driver")
    parted = told(query, given, tmp_path / "tasks", tier="spark", tasks=4)
    assert plain, seed
    assert parted == plain, seed
    assert sum(each["split"] for each in shares(tmp_path / "tasks")) > 0, seed


def test_aggregates_of_a_hot_key_are_not_skewed(tmp_path: Path) -> None:
    """They are partly done where rows are read: of a key there is one row for each pane."""
    totals = readings(name="a").window("2 s").group_by("k").aggregate(n="count(*)")
    random = Random(1)
    given = [rows(random, number, 0.9, 2000, 200) for number in range(6)]
    driven((totals.query("q", sink=sw.memory()),), given, tmp_path, tier="spark", tasks=2)
    for each in shares(tmp_path)[:-1]:
        assert each["split"] == 0
        assert max(each["rows"].values()) < 1.5 * sum(each["rows"].values()) / 2


def test_a_join_without_a_common_column_is_done_by_all(tmp_path: Path) -> None:
    told(unequal, batches(3, 0), tmp_path, tier="spark", tasks=3)
    busy = [set(each["rows"]) for each in shares(tmp_path)]
    assert {"0", "1", "2"} in busy


def _live(folder: Path) -> dict[str, set[int]]:
    """By file of state: the groups that have rows in it."""
    newest = Checkpoint(folder).newest()
    assert newest is not None
    return {run.path: {one.group for one in run.slices or ()} for run in newest.runs}


@pytest.mark.spec("adaptive:DIS-10", "adaptive:DIS-11")
def test_groups_move_and_nothing_of_them_is_written_again(tmp_path: Path) -> None:
    """Another task opens the same file; groups that stay do not notice."""
    totals = readings().window("1 hour").group_by("k").aggregate(n="count(*)", s="sum(v)")
    loop = make_loop((totals.query("q", sink=sw.memory()),), tmp_path, tier="spark", tasks=3)
    before: dict[str, set[int]] = {}
    moves, held = 0, loop.state.shared.tasks
    for number in range(6):  # fewer than are merged
        crowd = range(400) if number % 2 else range(0, 400, 20)
        feed(loop, batch(*((number, k, 1) for k in crowd)))
        after = _live(tmp_path)
        assert before.items() <= after.items()
        moved = sum(a != b for a, b in zip(held, loop.state.shared.tasks, strict=False))
        moves, before, held = moves + moved, after, loop.state.shared.tasks
    loop.close()
    assert moves > 0


def test_state_moves_to_tasks_and_back_with_a_hot_key(tmp_path: Path) -> None:
    tiers: list[Tier] = ["columnar", "spark", "spark", "columnar", "spark", "columnar"]
    seed = Random().randrange(10**6)
    given = batches(seed)
    for query in (pairs, bushy, above, unequal):
        folder, sink = tmp_path / query.__name__, sw.memory()
        loop = make_loop((query(sink),), folder)
        for tier, one in zip(tiers, given, strict=True):
            loop.pin = tier
            feed(loop, one)
        loop.finish()
        loop.close()
        assert answers(sink) == told(query, given, folder / "plain"), (seed, query.__name__)


def test_a_decision_about_groups_is_kept_when_a_batch_is_run_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given, out = batches(5), tmp_path / "out"
    plain = told(pairs, given, tmp_path / "plain")
    loop = make_loop((pairs(sw.parquet(str(out))),), tmp_path / "ck", tier="spark", tasks=4)
    for one in given[:3]:
        feed(loop, one)
    monkeypatch.setattr(Checkpoint, "commit", _dies)
    with pytest.raises(OSError, match="dead"):
        feed(loop, given[3])
    loop.close()
    monkeypatch.undo()
    begun = Checkpoint(tmp_path / "ck").begun(3)
    assert begun is not None
    loop = make_loop((pairs(sw.parquet(str(out))),), tmp_path / "ck", tier="spark", tasks=2)
    for one in given[3:]:
        feed(loop, one)
    loop.finish()
    loop.close()
    sink = sw.memory()
    for number, file in enumerate(sorted(out.rglob("*.parquet"))):
        sink.prepare(number, TableResults(_read(file)))
    assert answers(sink) == plain


def _read(file: Path) -> pa.Table:
    return pq.ParquetFile(file).read()


def _dies(*_: object) -> None:
    raise OSError("dead")


def test_what_does_not_fit_into_memory_goes_to_the_disk(tmp_path: Path) -> None:
    random = Random(2)
    keys = [f"{random.random():.17f}" * 4 for _ in range(60_000)]
    table = pa.table({"ts": [0] * len(keys), "k": keys, "v": range(len(keys))})
    table = table.set_column(0, "ts", table["ts"].cast(pa.timestamp("us", "UTC")))
    texts = sw.testing.rows("r", time="ts", ts="timestamp", k="string", v="bigint")
    grouped = texts.window("1 s").group_by("k")
    found = []
    for memory in (None, 24 << 20):
        sink = sw.memory()
        query = grouped.aggregate(n="count(*)", m="max(v)").query("q", sink=sink)
        folder = tmp_path / str(memory)
        driven((query,), [table, table], folder, tier="spark", tasks=1, memory=memory)
        found.append(answers(sink))
    assert len(found[0]) == len(keys)
    assert found[0] == found[1]


# which columns ------------------------------------------------------------------------------------


def planned(*queries: Query) -> Any:
    return spread(lay_out(check(queries)))


def test_joins_that_share_an_input_and_no_column_have_none_in_common() -> None:
    kinds = {"ts": "timestamp", "k": "bigint", "m": "bigint", "v": "bigint"}
    a, b = (sw.testing.rows(name, time="ts", **kinds) for name in "ab")
    columns = [f"{name}.{column} AS {name}{column}" for name in "ab" for column in "kmv"]
    by = {on: sw.join(a, b, on=on, within="1 s").select(*columns) for on in "km"}
    one, two = (stream.query(f"q{on}") for on, stream in by.items())
    assert set(planned(one).fed.values()) == {("a_k",), ("b_k",)}
    assert len(planned(one).fed.keys() | planned(two).fed.keys()) == 2  # they share both
    both = planned(one, two)
    assert set(both.fed.values()) == {()}
    assert both.divisible == frozenset()


def test_columns_of_different_types_are_not_in_one_group() -> None:
    a = sw.testing.rows("a", time="ts", ts="timestamp", k="bigint")
    b = sw.testing.rows("b", time="ts", ts="timestamp", k="double")
    query = sw.join(a, b, on="k", within="1 s").select("a.k AS k").query("q")
    assert planned(query).common == {"q": {}}


def test_a_join_that_is_divided_is_a_leg_of_its_own() -> None:
    found = planned(above(sw.memory()))
    assert [(leg.first, leg.last) for leg in found.legs["above"]] == [(0, 1)]
    apart = found.apart({"above"})["above"]
    assert [(leg.first, leg.last) for leg in apart] == [(0, 0), (1, 1)]
    assert apart[1].columns[1] == found.legs["above"][0].columns[1]
    assert found.apart(())["above"] == found.legs["above"]
    assert planned(pairs(sw.memory())).apart({"pairs"})["pairs"] == (Leg(0, 0, {0: ("c_k",)}),)


# parts --------------------------------------------------------------------------------------------

TASKS = 5
SHARES = st.lists(
    st.lists(st.integers(0, TASKS - 1), min_size=1, max_size=4, unique=True).map(tuple),
    min_size=GROUPS,
    max_size=GROUPS,
).map(lambda tasks: Share(tuple(tasks)))


@given(SHARES, st.lists(st.integers(0, 50), min_size=GROUPS, max_size=GROUPS))
@settings(max_examples=20)
def test_every_row_is_kept_once_and_divided_ones_are_read_once(
    shared: Share, counts: list[int]
) -> None:
    firsts = [sum(counts[:group]) for group in range(GROUPS)]
    slices = tuple(Slice(g, f, n) for g, (f, n) in enumerate(zip(firsts, counts, strict=True)) if n)
    parted = Parted(frozenset({"divided"}), frozenset({"everywhere"}))
    portions = [Portion.of(task, shared, parted) for task in range(TASKS)]
    for state in ("divided", "everywhere", "other"):
        run = Run(state, "x", 0, sum(counts), 0, 0, {}, slices=slices)
        read = [one for p in portions if (one := p.reading(run)) is not None]
        kept = [
            one
            for p in portions
            if (mine := p.reading(run)) is not None and (one := p.keeping(mine)) is not None
        ]
        assert whole({each for one in kept for each in one.slices or ()}) == slices
        assert sum(one.rows for one in kept) == sum(counts)
        if state != "everywhere":
            assert sum(one.rows for one in read) == sum(counts)
        else:
            times = sum(len(t) * n for t, n in zip(shared.tasks, counts, strict=True))
            assert sum(one.rows for one in read) == times


ROWS = st.lists(st.integers(0, 1000), min_size=GROUPS, max_size=GROUPS).map(tuple)


@given(*[st.builds(Rows, ROWS, ROWS)] * 2, st.integers(1, 9), st.integers(1, 9))
@settings(max_examples=50)
def test_every_group_has_a_task_whatever_the_loads_and_however_many_there_were(
    fixed: Rows, divisible: Rows, tasks: int, before: int
) -> None:
    known = Shared(Share.even(GROUPS, before).tasks)
    found = share(Loads(tasks, fixed, divisible, {"q": "s"}), known)
    assert len(found.tasks) == GROUPS
    assert {task for mine in found.tasks for task in mine} <= set(range(tasks))
    assert share(Loads(tasks, fixed, divisible), Shared(found.tasks)).tasks == found.tasks


def test_slices_of_neighbours_become_one() -> None:
    parts = [Slice(3, 5, 2), Slice(3, 0, 5), Slice(4, 7, 1), Slice(3, 9, 1)]
    assert whole(parts) == (Slice(3, 0, 7), Slice(4, 7, 1), Slice(3, 9, 1))
    assert all(a.first < b.first for a, b in pairwise(whole(parts)))
