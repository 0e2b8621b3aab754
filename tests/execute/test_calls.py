"""Python functions over rows: as SQL, in any order, once where they have effects; what fails."""

from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import slackwater as sw
from slackwater.control.functions import FunctionMemory
from slackwater.errors import CheckpointError, SlackwaterError
from slackwater.execute import calls
from slackwater.query.stream import Stream
from tests.driver import Driver, answers, batch, readings
from tests.execute.calling import (
    SQL,
    Shuffled,
    counted,
    filtered,
    is_large,
    is_wanted,
    many,
    with_functions,
)
from tests.execute.test_crash import die_until_done
from tests.mortal import Reaper, mortal
from tests.story import batches, ending

PLAIN = Driver()
PLACES = pytest.mark.parametrize(
    "driver",
    [
        pytest.param(Driver(), id="driver"),
        pytest.param(Driver("spark"), id="tasks", marks=pytest.mark.slow),
    ],
)


def told(driver: Driver, stream: Stream, tables: list[pa.Table], folder: Path, **how: Any) -> Any:
    """The answers of a query over a stream."""
    sink = sw.memory()
    driver.run((counted(stream, sink=sink),), tables, folder, **how)
    return answers(sink)


# the same as in SQL ----------------------------------------------------------------------------


def test_functions_filter_as_sql_does(driver: Driver, tmp_path: Path) -> None:
    tables = [many(number) for number in range(5)]
    found = told(driver, filtered(readings()), tables, tmp_path / "functions")
    assert len(found) > 20
    assert found == told(driver, readings().where(SQL), tables, tmp_path / "sql")


@PLACES
def test_late_rows_and_revisions_are_those_of_sql(driver: Driver, tmp_path: Path) -> None:
    endings = []
    for name, stream in {
        "a": filtered(readings("1 day")),
        "b": readings("1 day").where(SQL),
    }.items():
        asked = (
            counted(stream, "aside", late="side"),
            counted(stream, "revised", late="revise", keep="9 s"),
        )
        driver.run(asked, batches(9, rows=40), tmp_path / name)
        endings.append(ending(tmp_path / name))
    assert endings[0]["side/aside"]
    assert endings[0] == endings[1]


@PLACES
def test_columns_are_computed_of_rows_that_come_so_far(driver: Driver, tmp_path: Path) -> None:
    seen = []

    def score(v: pa.Array, k: pa.Array, weight: float = 2.0) -> pa.Array:
        seen.extend(k.to_pylist())
        return pc.multiply(v.cast(pa.float64()), weight)

    def parts(x: pa.Array, score: pa.Array) -> dict[str, pa.Array]:
        return {"text": x.cast(pa.string()), "half": pc.divide(score, 4.0)}

    tables = [many(number) for number in range(3)]
    stream = readings().where(is_wanted).apply(score, "double").where("score > 20")
    stream = stream.select("k", "score", "v + 1 AS x")
    stream = stream.apply(parts, {"text": "string", "half": "double"})
    sink, plain = sw.memory(), sw.memory()
    values = {"n": "count(*)", "s": "sum(half)", "m": "max(text)"}
    asked = stream.window("4 s").group_by("k").aggregate(**values)
    driver.run((asked.query("q", sink=sink),), tables, tmp_path / "functions")
    same = readings().where("k <> 3 AND v * 2 > 20")
    same = same.select("k", "v * 0.5D AS half", "CAST(v + 1 AS STRING) AS text")
    asked = same.window("4 s").group_by("k").aggregate(**values)
    driver.run((asked.query("q", sink=plain),), tables, tmp_path / "sql")
    assert answers(sink) == answers(plain) != []
    assert set(seen) == {0, 1, 2, 4}


@PLACES
def test_inputs_of_a_join_have_functions_of_their_own(driver: Driver, tmp_path: Path) -> None:
    a, b = readings(name="a"), readings(name="b")
    tables = [many(number, 120) for number in range(4)]
    found = []
    for name, one, other in (
        ("functions", filtered(a), b.where(is_large)),
        ("sql", a.where(SQL), b.where("v > 4")),
    ):
        sink = sw.memory()
        joined = sw.join(one, other, on=["a.k = b.k", "a.v = b.v"], within="1 s")
        driver.run((joined.query("q", sink=sink),), tables, tmp_path / name)
        found.append(answers(sink))
    assert found[0] == found[1] != []
    assert not [name for name, _ in found[0][0] if name.startswith("__")]


def test_queries_over_the_same_functions_call_them_once(tmp_path: Path) -> None:
    seen = Counter[str]()

    def score(v: pa.Array) -> pa.Array:
        seen["rows"] += len(v)
        return v

    scored = readings().apply(score, "bigint")
    asked = [counted(scored.where(f"score > {n}"), f"q{n}") for n in range(3)]
    PLAIN.run(asked, [many(0), many(1)], tmp_path)
    assert seen["rows"] == 1200


# orders ----------------------------------------------------------------------------------------


@pytest.mark.spec("robust:F135")
def test_any_order_in_every_batch_gives_the_same(driver: Driver, tmp_path: Path) -> None:
    tables = [many(number) for number in range(8)]
    shuffled = Shuffled(random.Random(3))
    how = {"controllers": with_functions(shuffled)}
    found = told(driver, filtered(readings()), tables, tmp_path / "any", **how)
    assert len(shuffled.orders) > 3
    assert found == told(driver, readings().where(SQL), tables, tmp_path / "sql")


def explained(folder: Path) -> list[dict[str, Any]]:
    lines = (folder / "events.jsonl").read_text().splitlines()
    events = [json.loads(line) for line in lines]
    found = [e["queries"]["q"]["controllers"] for e in events if e["event"] == "batch"]
    return [one["functions"] for one in found if "functions" in one]


class Clock:
    """Time that passes as functions say."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock by which functions are measured."""
    found = Clock()
    monkeypatch.setattr(calls, "own_time", found)
    return found


def dear_or_cheap(clock: Clock, dear: float = 5e-6, cheap: float = 3e-6) -> Stream:
    """By two filters that take so many seconds for a row."""

    def is_dear(v: pa.Array) -> pa.Array:
        clock.now += dear * len(v)
        return pc.less(v, 10)

    def is_cheap(k: pa.Array) -> pa.Array:
        clock.now += cheap * len(k)
        return pc.less(k, 10)

    return readings().where(is_dear, name="dear").where(is_cheap, name="cheap")


def swung(number: int) -> pa.Table:
    """One filter lets all through, the other few; which of them changes with every batch."""
    draw = np.random.default_rng(number)
    limits = (1000, 10) if number % 2 else (10, 1000)
    spread = [draw.integers(0, limit, 3000).tolist() for limit in limits]
    return batch(*((4 * number, k, v) for k, v in zip(*spread, strict=True)))


def test_a_batch_takes_the_order_that_its_first_rows_ask_for(tmp_path: Path, clock: Clock) -> None:
    PLAIN.run((counted(dear_or_cheap(clock)),), [swung(n) for n in range(12)], tmp_path)
    found = explained(tmp_path)
    assert [one["plans"] for one in found][-1] == 2
    took = [one["order"] for one in found[6:]]
    assert took == ["dear cheap", "cheap dear"] * 3  # those of even batches drop by v
    assert all(one["order"] != one["decided"] for one in found[6:])  # by the batch before


@pytest.mark.parametrize("order", ["adaptive", "written"])
def test_written_and_adaptive_orders_do_not_look_ahead(
    order: str, tmp_path: Path, clock: Clock
) -> None:
    tables = [swung(n) for n in range(8)]
    stream = with_order(dear_or_cheap(clock), order)
    PLAIN.run((counted(stream),), tables, tmp_path)
    found = explained(tmp_path)[2:]
    if order == "written":
        assert not any("order" in one for one in found)
    else:
        late = ["cheap dear", "dear cheap"] * 3  # what the batch before should have taken
        assert [one["order"] for one in found] == late


def with_order(stream: Stream, order: str) -> Stream:
    """The same filters in an order of that kind."""
    steps = (replace(s, function=replace(s.function, order=order)) for s in stream.steps)  # type: ignore[union-attr]
    return replace(stream, steps=tuple(steps))


def test_an_order_may_be_robust_at_one_start_and_adaptive_at_the_next(
    tmp_path: Path, clock: Clock
) -> None:
    first = counted(dear_or_cheap(clock))
    PLAIN.run((first,), [swung(n) for n in range(6)], tmp_path, flush=False)
    second = counted(with_order(dear_or_cheap(clock), "adaptive"))
    loop = PLAIN.make_loop((second,), tmp_path)
    for number in range(6, 10):
        PLAIN.feed(loop, swung(number), number)
    loop.close()
    found = explained(tmp_path)[6:]
    assert all(one["order"] == one["decided"] for one in found)
    assert [one["plans"] for one in found[1:]] == [1, 1, 1]


def test_what_takes_longer_now_comes_later_now(tmp_path: Path, clock: Clock) -> None:
    """A look-up that is slow in every other batch: shares stay, costs swing."""
    speed = {"fast": True}

    def look_up(v: pa.Array) -> pa.Array:
        clock.now += (1e-6 if speed["fast"] else 1e-4) * len(v)
        return pc.less(v, 10)

    def other(k: pa.Array) -> pa.Array:
        clock.now += 1e-5 * len(k)
        return pc.less(k, 2)

    loop = PLAIN.make_loop((counted(readings().where(look_up).where(other)),), tmp_path)
    for number in range(12):
        speed["fast"] = number % 2 == 0
        PLAIN.feed(loop, many(number, 3000), number)
    loop.close()
    took = [one["order"] for one in explained(tmp_path)][6:]
    assert took == ["look_up other", "other look_up"] * 3


@pytest.mark.spec("robust:F138")
def test_shares_are_told_apart_from_what_others_left(tmp_path: Path) -> None:
    def one(v: pa.Array) -> pa.Array:
        return pc.less(v, 10)

    def same(v: pa.Array) -> pa.Array:
        return pc.less(v, 10)

    stream = readings().where(one).where(same)
    PLAIN.run((counted(stream),), [many(n, 4000) for n in range(3)], tmp_path)
    last = explained(tmp_path)[-1]
    alone = [last[f"passes {name}"] for name in ("one", "same")]
    assert alone[0] == alone[1] == pytest.approx(10 / 21, abs=0.1)
    here = sorted(last[f"passes {name} here"] for name in ("one", "same"))
    assert here == [pytest.approx(10 / 21, abs=0.05), 1.0]


@pytest.mark.spec("robust:F142")
def test_the_order_of_a_batch_is_written_before_it_is_used(tmp_path: Path) -> None:
    asked = (counted(filtered(readings())),)
    loop = PLAIN.make_loop(asked, tmp_path)
    for number in range(4):
        PLAIN.feed(loop, many(number), number)
    loop.close()
    again = PLAIN.make_loop(asked, tmp_path)
    [memory] = again.state.of("q").find(FunctionMemory).links.values()
    PLAIN.feed(again, many(4), 4)
    again.close()
    assert memory.order is not None
    names = sorted(("is_large", "is_wanted", "is_uneven"))
    decided = " ".join(names[n] for n in memory.order.plans[memory.order.plan])
    assert explained(tmp_path)[-1]["decided"] == decided


# deaths and effects ----------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.kill
@pytest.mark.parametrize("tier", ["columnar", "spark"])
def test_death_at_any_write_changes_nothing(tier: Any, tmp_path: Path) -> None:
    driver, tables = Driver(tier), batches(6, rows=40)
    asked = (counted(filtered(readings("1 day"))),)
    driver.run(asked, tables, tmp_path / "calm")
    die_until_done(asked, tables, tmp_path / "killed", driver=driver)
    assert ending(tmp_path / "killed") == ending(tmp_path / "calm")


class Elsewhere(Reaper):
    """Lets a process die anywhere but where results of functions are kept."""

    def meet(self, step: str, path: Any) -> None:
        if "/calls/" not in str(path):
            super().meet(step, path)


def test_effects_happen_once_wherever_a_process_dies(tmp_path: Path) -> None:
    sent = Counter[int]()

    def send(v: pa.Array) -> pa.Array:
        sent.update(v.to_pylist())
        return pc.greater(v, 3)

    tables = [
        batch(*((4 * number + n / 5, n % 3, 100 * number + n) for n in range(12)))
        for number in range(3)
    ]
    asked = (counted(readings().where("k > 0").where(send, effects=True)),)
    reaper, died = Elsewhere(tmp_path / "q"), True
    while died:
        with mortal(reaper):
            loop = PLAIN.make_loop(asked, tmp_path / "q")
            try:
                for number in range(loop.batch + 1, len(tables)):
                    PLAIN.feed(loop, tables[number], number)
            finally:
                loop.close()
        died = reaper.is_dead
    assert len(reaper.deaths) > 5
    wanted = [v for table in tables for k, v in zip(*table.select(["k", "v"]).columns, strict=True)
              if k.as_py()]  # fmt: skip
    assert sent == Counter(one.as_py() for one in wanted)
    assert [one.name for one in (tmp_path / "q" / "calls").iterdir()] == ["2"]  # others are over


def test_effects_keep_their_place(tmp_path: Path) -> None:
    seen = []

    def send(k: pa.Array) -> pa.Array:
        seen.extend(k.to_pylist())
        return pc.is_valid(k)

    PLAIN.run(
        (counted(readings().where(is_wanted).where(send, effects=True).where(is_large)),),
        [many(n) for n in range(2)],
        tmp_path,
    )
    plain = [k for n in range(2) for k in many(n)["k"].to_pylist() if k is not None and k != 3]
    assert sorted(seen) == sorted(plain)


# what fails ------------------------------------------------------------------------------------


def failing(driver: Driver, stream: Stream, folder: Path) -> SlackwaterError:
    loop = driver.make_loop((counted(stream),), folder)
    try:
        with pytest.raises(SlackwaterError) as error:
            driver.feed(loop, many(0))
        assert loop.batch == -1
    finally:
        loop.close()
    return error.value


@PLACES
def test_a_function_that_fails_stops_the_pipeline_and_loses_nothing(
    driver: Driver, tmp_path: Path
) -> None:
    is_mended = False

    def risky(v: pa.Array) -> pa.Array:
        if not is_mended and 17 in v.to_pylist():
            raise ValueError("no model for 17")
        return pc.greater(v, 4)

    stream = readings().where("v > 1").where(risky)
    error = failing(driver, stream, tmp_path / "q")
    assert error.condition == "FUNCTION_FAILED"
    assert "stream 'r': function risky failed on" in error.message
    assert "ValueError: no model for 17" in error.message
    rows = sum(v is not None and v > 1 for v in many(0)["v"].to_pylist())
    assert f" {rows} rows" in error.message
    is_mended = True
    tables = [many(number) for number in range(3)]
    found = told(driver, stream, tables, tmp_path / "q")
    assert found == told(driver, readings().where("v > 4"), tables, tmp_path / "sql")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (lambda v: v, "gave int64, declared is bool"),
        (lambda v: pc.greater(v, 1).slice(1), "was given 600 rows and gave 599"),
        (lambda v: [True] * len(v), "gave a list, which is no array"),
        (lambda v: None, "gave a NoneType"),
        (lambda v: np.ones((len(v), 2), dtype=bool), "gave an array that is no column"),
    ],
)
def test_a_filter_that_gives_something_else_is_told(given: Any, said: str, tmp_path: Path) -> None:
    error = failing(PLAIN, readings().where(given, name="f", order="written"), tmp_path)
    assert error.condition == "FUNCTION_RESULT"
    assert said in error.message


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (lambda v: {"a": v}, "gave the columns a; declared are a, b"),
        (lambda v: v, "gave a Int64Array; declared are the columns a, b"),
        (lambda v: {"a": v, "b": v}, "gave int64, declared is double"),
        (lambda v: {"a": v, "b": pa.array([1.0])}, "was given 600 rows and gave 1"),
    ],
)
def test_columns_that_are_not_as_declared_are_told(given: Any, said: str, tmp_path: Path) -> None:
    stream = readings().apply(given, {"a": "bigint", "b": "double"}, name="f").where("a > 0")
    error = failing(PLAIN, stream, tmp_path)
    assert error.condition == "FUNCTION_RESULT"
    assert said in error.message


def test_nulls_and_other_arrays_are_taken(tmp_path: Path) -> None:
    def nothing(v: pa.Array) -> Any:
        return pa.nulls(len(v))

    def numbers(v: pa.Array) -> Any:
        return np.asarray(v) * 1.0

    def chunks(v: pa.Array) -> Any:
        return pa.chunked_array([v.slice(0, 1), v.slice(1)])

    stream = readings().apply(nothing, "string").apply(numbers, "double").apply(chunks, "bigint")
    asked = stream.window("4 s").aggregate(
        n="count(nothing)", s="sum(numbers)", t="sum(chunks)", u="sum(v)"
    )
    sink = sw.memory()
    PLAIN.run((asked.query("q", sink=sink),), [many(0)], tmp_path)
    [row] = sink.table().to_pylist()
    assert (row["n"], row["s"], row["t"]) == (0, row["u"], row["u"])


# what a checkpoint means -----------------------------------------------------------------------


def test_code_may_change_and_names_may_not(tmp_path: Path) -> None:
    PLAIN.run((counted(readings().where(is_large)),), [many(0)], tmp_path, flush=False)

    def other(v: pa.Array) -> pa.Array:
        return pc.less(v, 4)

    with pytest.raises(CheckpointError) as error:
        PLAIN.make_loop((counted(readings().where(other)),), tmp_path)
    assert "where was function is_large, is function other" in str(error.value)
    stream = readings().where(other, name="is_large")
    PLAIN.run((counted(stream),), [many(0), many(1)][1:], tmp_path, flush=True)


def test_the_order_of_commuting_filters_is_not_what_they_mean(tmp_path: Path) -> None:
    one = counted(readings().where(is_large).where(is_wanted))
    other = counted(readings().where(is_wanted, order="adaptive").where(is_large, order="adaptive"))
    PLAIN.run((one,), [many(0)], tmp_path, flush=False)
    PLAIN.make_loop((other,), tmp_path).close()
