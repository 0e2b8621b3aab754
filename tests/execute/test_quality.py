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
from slackwater.control.records import qualities
from slackwater.events import log
from slackwater.execute.loop import Loop
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
@pytest.mark.parametrize("by", [None, "k"])
def test_the_engine_and_the_interpreter_take_the_same_path(
    tmp_path: Path, driver: Driver, by: str | None
) -> None:
    batches = disordered(1600 if driver.tier == "columnar" else 1000)
    sink, quality = sw.memory(), sw.memory()
    query = bounded(by=by, sink=sink, quality=quality)
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
    batches, methods = disordered(1600), ("model", "feedback", "calibrated")
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
    assert len(paths) == 3


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
