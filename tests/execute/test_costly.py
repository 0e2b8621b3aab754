"""Overload: rows beyond the budget wait, estimates overtake them, finals stay exact."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import slackwater as sw
from slackwater.events import log
from slackwater.execute.loop import Loop
from slackwater.execute.sinks import MemorySink
from slackwater.query.stream import Query, Stream
from tests import story
from tests.driver import batch, feed, make_loop, readings, run
from tests.examples import examples

Row = tuple[float | None, int | None, int | None]
OFTEN = sw.estimates(every=0)


def above(stream: Stream) -> Stream:
    """Two levels over a filter, a sliding window below."""
    small = stream.where("v > 0").window("4 s", "2 s").group_by("k")
    large = small.aggregate(n="count(*)", s="sum(v)").window("8 s")
    return large.aggregate(n="sum(n)", s="sum(s)")


def totals(stream: Stream) -> Stream:
    return stream.window("10 s").group_by("k").aggregate(n="count(*)", s="sum(v)")


def question(stream: Stream, sink: MemorySink, **terms: Any) -> Query:
    return totals(stream).query("q", sw.slack(0), sink=sink, **terms)


def burst(count: int = 40, quiet: int = 5) -> list[pa.Table]:
    """A second with many rows, then seconds with one row each."""
    first = batch(*((n / count, n % 2, 1) for n in range(count)))
    return [first, *(batch((s + 0.5, 0, 1)) for s in range(1, quiet + 1))]


def told(sink: MemorySink, kind: str = "final") -> list[tuple[Any, ...]]:
    table = sink.table()
    rows = [] if table is None else table.to_pylist()
    values = [c for c in ("k", "n", "s") if rows and c in rows[0]]
    found = [row for row in rows if row["kind"] == kind]
    return sorted(
        ((row["window_start"].timestamp(), *(row[c] for c in values)) for row in found), key=repr
    )


def backlogs(loop: Loop, query: str = "q") -> list[tuple[int, int, int, int]]:
    """Rows to do, aside, shed and worked on, after each batch."""
    found = [e["queries"][query] for e in log.read(loop.checkpoint.events) if e["event"] == "batch"]
    names = ("todo", "aside", "shed", "worked")
    return [tuple(one["backlog"][name] for name in names) for one in found]


ROWS = st.tuples(
    st.integers(0, 300).map(lambda n: n / 10), st.sampled_from([0, 1, None]), st.integers(-2, 9)
)


@pytest.mark.spec("prodding:F44", "prodding:F56")
@pytest.mark.parametrize("aside", ["wait", "idle", "3:1"])
@pytest.mark.deep
@examples(5, 30)
@given(
    cuts=st.lists(st.lists(ROWS, max_size=12), min_size=2, max_size=5), budget=st.integers(1, 12)
)
def test_finals_are_those_of_a_query_without_a_budget(
    aside: str, cuts: list[list[Row]], budget: int
) -> None:
    terms: dict[str, Any] = {} if aside == "wait" else {"estimates": OFTEN}
    plain, costly = sw.memory(), sw.memory()
    queries = (
        above(readings()).query("plain", sw.slack("30 s"), sink=plain),
        above(readings().costly(budget, aside=aside)).query(
            "costly", sw.slack("30 s"), sink=costly, **terms
        ),
    )
    with TemporaryDirectory() as folder:
        tables = [batch(*rows) for rows in cuts]
        loop = run(queries, tables, Path(folder) / "ck")
        seen = backlogs(loop, "costly")
    assert told(costly) == told(plain)
    assert all(worked <= budget for *_, worked in seen[:-1])
    assert sum(worked for *_, worked in seen) == sum(map(len, cuts))
    assert seen[-1][:3] == (0, 0, 0)


@pytest.mark.spec("prodding:F44")
def test_estimates_overtake_what_waits_and_finals_do_not(tmp_path: Path) -> None:
    sink = sw.memory()
    query = question(readings().costly(10), sink, estimates=OFTEN)
    tables = [*burst(), batch((10.5, 0, 1))]
    loop = make_loop((query,), tmp_path / "ck")
    for number, table in enumerate(tables):
        feed(loop, table, number)
    assert backlogs(loop) == [
        (30, 0, 0, 10), (21, 0, 0, 10), (12, 0, 0, 10), (3, 0, 0, 10), (0, 0, 0, 4), (0, 0, 0, 1),
        (0, 0, 0, 1),
    ]  # fmt: skip
    estimates = [row for row in sink.table().to_pylist() if row["kind"] == "estimate"]
    covered: dict[int, int] = {}
    for row in estimates:
        if row["window_start"].second == 0:
            covered[row["revision"]] = covered.get(row["revision"], 0) + row["tuples"]
    assert covered == {1: 20, 2: 30, 3: 40, 4: 44, 5: 45}
    assert all(row["coverage"] < 1 for row in estimates)
    assert told(sink) == [(0.0, 0, 25, 25), (0.0, 1, 20, 20)]
    assert not loop.catalog.at("q-backlog")
    loop.close()


def test_no_window_closes_while_a_row_of_it_waits(tmp_path: Path) -> None:
    sink = sw.memory()
    tables = [*burst(), batch((25, 0, 1)), batch((35, 0, 1))]
    loop = run((question(readings().costly(6), sink),), tables, tmp_path / "ck", flush=False)
    reports = [e for e in log.read(loop.checkpoint.events) if e["event"] == "batch"]
    for report, (todo, *_) in zip(reports, backlogs(loop), strict=True):
        assert todo == 0 or report["queries"]["q"]["watermark"] < 10_000_000
    assert told(sink) == [(0.0, 0, 25, 25), (0.0, 1, 20, 20), (20.0, 0, 1, 1)]  # in the end


@pytest.mark.spec("prodding:F56")
def test_drop_sheds_what_it_counts_and_says_so(tmp_path: Path) -> None:
    sink = sw.memory()
    query = question(readings().costly(10, aside="drop"), sink, estimates=OFTEN)
    loop = run((query,), burst(), tmp_path / "ck")
    seen = backlogs(loop)
    shed, worked = (sum(column) for column in list(zip(*seen, strict=True))[2:])
    assert shed == 21  # all that waited when the window was estimated
    assert shed + worked == 45
    assert sum(row[2] for row in told(sink)) == worked
    notices = [e["text"] for e in log.read(loop.checkpoint.events) if e["event"] == "notice"]
    assert notices == ["query q: 21 rows of estimated windows shed"]


def test_a_stop_amid_a_backlog_changes_nothing(tmp_path: Path) -> None:
    def ask(sink: MemorySink) -> tuple[Query, ...]:
        stream = readings("1 day").costly(9, aside="3:1", starve="20 s")
        terms = {"sink": sink, "estimates": OFTEN}
        return (totals(stream.where("v > 0")).query("q", sw.slack("2 s"), **terms),)

    tables = story.batches()
    straight, halting = sw.memory(), sw.memory()
    whole = run(ask(straight), tables, tmp_path / "a")
    for number, table in enumerate(tables):
        loop = make_loop(ask(halting), tmp_path / "b")
        feed(loop, table, number)
        if number == len(tables) - 1:
            loop.finish()
        loop.close()
    assert told(halting) == told(straight)
    assert told(halting, "estimate") == told(straight, "estimate")
    assert backlogs(loop) == backlogs(whole)
    assert max(todo + aside for todo, aside, *_ in backlogs(loop)) > 20


def test_a_batch_that_failed_is_worked_on_again_as_decided(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sink, tables = sw.memory(), burst()
    ask = (question(readings().costly(10), sink, estimates=OFTEN),)
    loop = make_loop(ask, tmp_path / "ck")
    feed(loop, tables[0], 0)
    with monkeypatch.context() as patched:
        patched.setattr(type(loop.checkpoint), "commit", _fail)
        with pytest.raises(OSError, match="no"):
            feed(loop, tables[1], 1)
    loop.close()
    run_on = make_loop(ask, tmp_path / "ck")
    for number, table in enumerate(tables[1:], start=1):
        feed(run_on, table, number)
    run_on.finish()
    run_on.close()
    assert told(sink) == [(0.0, 0, 25, 25), (0.0, 1, 20, 20)]
    assert story.missing(tmp_path / "ck") == []
    assert not run_on.catalog.at("q-backlog")


def _fail(*_: Any) -> None:
    raise OSError("no")
