"""Error bounds: the engine and the interpreter choose the same slack and measure alike."""

from __future__ import annotations

import shutil
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import slackwater as sw
from slackwater.control.error_slack import ErrorBound
from slackwater.control.promises import standings
from slackwater.control.records import qualities
from slackwater.disorder.error_slack import ErrorSlackState
from slackwater.events import log
from slackwater.execute.loop import Loop
from slackwater.execute.meter import tallies
from slackwater.query.stream import Query
from slackwater.replay.interpreter import Interpreter
from slackwater.spark.pipeline import Pipeline
from tests.driver import ARROW, Driver, answers, feed, make_loop, readings, replayed, run


def disordered(rows: int = 3000, keys: int = 3, seed: int = 1, span: float = 2.0) -> list[pa.Table]:
    """A stream of 50 rows a second; a quarter is late by 1.5 s on average."""
    draws = np.random.default_rng(seed)
    time = np.arange(rows) / 50
    arrival = time + np.where(draws.random(rows) < 0.25, draws.exponential(1.5, rows), 0)
    order = np.argsort(arrival, kind="stable")
    columns = {
        "ts": (time[order] * 1e6).astype("int64"),
        "k": draws.integers(0, keys, rows),
        "v": draws.integers(1, 9, rows),
    }
    table = pa.table(columns).cast(ARROW)
    cuts = [0, *np.searchsorted(arrival[order], np.arange(span, arrival.max(), span)), rows]
    parts = [table.slice(a, b - a) for a, b in pairwise(cuts)]
    return [part for part in parts if part.num_rows]


def bounded(*, by: str | None, sink: Any, quality: Any, name: str = "q", **terms: Any) -> Query:
    windows = readings().where("v < 8").window("4 s", "2 s")
    windows = windows.group_by(by) if by else windows
    contract = sw.max_error(0.05, confidence=0.9, of="total", granularity="100 ms", **terms)
    values = windows.aggregate(total="sum(v)", n="count(*)")
    return values.query(name, contract, sink=sink, quality=quality)


def slack_path(loop: Loop, query: str = "q") -> list[int]:
    events = log.read(loop.checkpoint.events)
    return [e["queries"][query]["slack"] for e in events if e["event"] == "batch"]


def phases(loop: Loop, query: str) -> set[str]:
    events = log.read(loop.checkpoint.events)
    return {e["queries"][query]["quality"]["phase"] for e in events if e["event"] == "batch"}


@pytest.mark.spec("qddh:F140")
@pytest.mark.spec("qddh:F144")
@pytest.mark.parametrize("by", [None, "k", "each k"])
def test_the_engine_and_the_interpreter_take_the_same_path(
    tmp_path: Path, driver: Driver, by: str | None
) -> None:
    batches = disordered(1600 if driver.tier == "columnar" else 1000)
    sink, quality = sw.memory(), sw.memory()
    terms: dict[str, Any] = {"method": "conformal", "per_key": True} if by == "each k" else {}
    query = bounded(by=by and "k", sink=sink, quality=quality, **terms)
    loop = driver.run((query,), batches, tmp_path)

    plan = Pipeline((query,)).plan.queries[0]
    interpreter = Interpreter(plan, "ts", ErrorBound.of(plan).params)
    assert interpreter.follower is not None
    followed = []
    for table in batches:
        interpreter.feed(table)
        followed.append(interpreter.follower.state.slack)
    interpreter.finish()
    assert slack_path(loop)[: len(followed)] == followed
    assert len(set(followed)) > 2
    assert answers(sink) == replayed(query, batches)

    errors = interpreter.follower.errors
    table = quality.table()
    assert table is not None
    assert qualities(loop.state)["q"].results == len(errors) == table.num_rows
    assert qualities(loop.state)["q"].within == sum(row["within"] for row in errors)
    interpreter.close()


@pytest.mark.spec("qddh:F066", "qddh:F068")
def test_the_model_alone_and_feedback_alone_choose_the_slack(tmp_path: Path) -> None:
    batches, methods = disordered(1600), ("model", "feedback", "calibrated", "conformal")
    sinks = {method: sw.memory() for method in methods}
    queries = {
        method: bounded(
            by=None, sink=sinks[method], quality=sw.memory(), name=method, method=method
        )
        for method in methods
    }
    loop = run(tuple(queries.values()), batches, tmp_path)
    for method, query in queries.items():
        assert (
            {"holding", method} <= phases(loop, method) <= {"holding", "warm-up", "model", method}
        )
        plan = Pipeline((query,)).plan.queries[0]
        interpreter = Interpreter(plan, "ts", ErrorBound.of(plan).params)
        assert interpreter.follower is not None
        followed = []
        for table in batches:
            interpreter.feed(table)
            followed.append(interpreter.follower.state.slack)
        interpreter.close()
        assert slack_path(loop, method)[: len(followed)] == followed
        assert answers(sinks[method]) == replayed(query, batches)
    paths = {tuple(slack_path(loop, method)) for method in methods}
    assert len(paths) == 4


def test_measured_errors_are_those_of_the_answers_given(tmp_path: Path) -> None:
    batches = disordered(2000)
    sink, quality = sw.memory(), sw.memory()
    loop = run((bounded(by="k", sink=sink, quality=quality),), batches, tmp_path)
    said, found = sink.table(), quality.table()
    assert said is not None
    assert found is not None
    said_by = {(r["window_start"], r["k"]): r["total"] for r in said.to_pylist()}
    whole = pa.concat_tables(batches).to_pylist()
    for row in found.to_pylist():
        inside = [
            r["v"]
            for r in whole
            if r["k"] == row["k"]
            and r["v"] < 8
            and row["window_start"] <= r["ts"] < row["window_end"]
        ]
        given = said_by.get((row["window_start"], row["k"]))
        assert row["total"] == given
        assert row["rows"] <= len(inside)
        if row["rows"] == len(inside):  # nothing came even later than what is waited for
            assert row["total_true"] == sum(inside)
            wanted = 1.0 if given is None else abs(given - sum(inside)) / sum(inside)
            assert row["total_error"] == pytest.approx(wanted)
            assert row["within"] == (wanted <= 0.05)
    fulfilment = qualities(loop.state)["q"].fulfilment
    assert fulfilment is not None
    assert fulfilment >= 0.85


def test_decisions_and_measurements_go_on_unchanged_after_a_restart(tmp_path: Path) -> None:
    batches = disordered(1000)
    whole_sink, cut_sink = sw.memory(), sw.memory()
    whole = run((bounded(by="k", sink=whole_sink, quality=sw.memory()),), batches, tmp_path / "a")
    query = bounded(by="k", sink=cut_sink, quality=sw.memory())
    for number in range(len(batches)):
        loop = make_loop((query,), tmp_path / "b")
        feed(loop, batches[number], number)
        loop.close()
    loop = make_loop((query,), tmp_path / "b")
    loop.finish()
    loop.close()
    assert slack_path(loop) == slack_path(whole)
    assert qualities(loop.state)["q"] == qualities(whole.state)["q"]
    assert answers(cut_sink) == answers(whole_sink)
    shutil.rmtree(tmp_path)


def test_a_bound_out_of_reach_is_told_and_the_limit_kept(tmp_path: Path) -> None:
    query = bounded(by=None, sink=sw.memory(), quality=sw.memory(), at_most="200 ms")
    loop = run((query,), disordered(1200), tmp_path)
    notices = [e["text"] for e in log.read(loop.checkpoint.events) if e["event"] == "notice"]
    assert any("at most 200ms is allowed" in text for text in notices)
    assert max(slack_path(loop)) == 200_000


def uneven(rows: int = 9000, seed: int = 2) -> list[pa.Table]:
    """Three keys, a hundred rows a second; those of key 2 are few, and late more often."""
    draws = np.random.default_rng(seed)
    time, keys = np.arange(rows) / 100, draws.choice(3, rows, p=[0.48, 0.48, 0.04])
    share = np.where(keys == 2, 0.5, 0.15)
    arrival = time + np.where(draws.random(rows) < share, draws.exponential(1.0, rows), 0)
    order = np.argsort(arrival, kind="stable")
    ts = (1.7e15 + time[order] * 1e6).astype(np.int64)
    table = pa.table(
        {"ts": pa.array(ts, pa.timestamp("us", "UTC")), "k": keys[order], "v": np.ones(rows)}
    ).cast(ARROW)
    cuts = np.searchsorted(arrival[order], np.arange(1.0, arrival.max() + 1, 1.0))
    parts = np.split(np.arange(rows), cuts)
    return [table.take(part) for part in parts if part.size]


def by_key(table: pa.Table | None) -> dict[int, float]:
    """The share within of each key, as the quality table has it."""
    assert table is not None
    found = table.group_by("k").aggregate([("within", "count"), ("within", "sum")])
    return {r["k"]: r["within_sum"] / r["within_count"] for r in found.to_pylist()}


def test_every_key_has_its_share_if_that_was_promised(tmp_path: Path) -> None:
    batches = uneven()
    shares: dict[bool, dict[int, float]] = {}
    waits: dict[bool, float] = {}
    for per_key in (False, True):
        table = sw.memory()
        terms: dict[str, Any] = {"method": "conformal", "per_key": per_key}
        query = bounded(by="k", sink=sw.memory(), quality=table, **terms)
        loop = run((query,), batches, tmp_path / str(per_key))
        found, told = by_key(table.table()), standings(loop.state)["q"]
        assert told["worst_key"] == str(min(found, key=lambda key: found[key]))
        assert told["worst_key_fulfilment"] == pytest.approx(min(found.values()))
        shares[per_key], waits[per_key] = found, float(np.mean(slack_path(loop)))
    assert shares[False][2] < 0.8
    assert min(shares[True].values()) >= 0.87
    assert waits[True] > waits[False]


def test_keys_of_any_type_are_told_apart_but_for_those_that_have_no_order() -> None:
    within = pa.array([True, False])
    for keys, names in (
        (pa.array([None, 1.5]), ["1.5", "None"]),
        (pa.array([True, False]), ["False", "True"]),
        (pa.array([b"\xff", b"a"]), ["b'\\xff'", "b'a'"]),
        (pa.array([[1], [2]]), []),
        (pa.array([{"a": 1}, {"a": 2}]), []),
    ):
        found = tallies(pa.table({"k": keys, "within": within}), ("k",))
        assert [name for name, *_ in found] == names


def test_accounts_of_keys_survive_a_restart_after_every_batch(tmp_path: Path) -> None:
    batches = uneven(3000)
    terms: dict[str, Any] = {"method": "conformal", "per_key": True}
    query = bounded(by="k", sink=sw.memory(), quality=sw.memory(), **terms)
    whole = run((query,), batches, tmp_path / "a")
    for number in range(len(batches)):
        loop = make_loop((query,), tmp_path / "b")
        feed(loop, batches[number], number)
        loop.close()
    assert slack_path(loop) == slack_path(whole)[: len(batches)]
    found = loop.state.of("q").find(ErrorSlackState)
    assert found is not None
    assert {account.name for account in found.accounts} == {"0", "1", "2"}
