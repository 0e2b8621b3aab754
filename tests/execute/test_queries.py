"""A pipeline that goes on with other queries: what stays, what is new, what goes."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import slackwater as sw
from slackwater.control.request import Request
from slackwater.errors import CheckpointError
from slackwater.events import log
from slackwater.execute.loop import Loop
from slackwater.plan.build import check
from slackwater.plan.meaning import words
from slackwater.plan.stage import describe, lay_out
from slackwater.query.stream import Query
from slackwater.runs.checkpoint import Checkpoint
from slackwater.runs.forecast import Forecast
from slackwater.runs.identity import Meaning
from slackwater.runs.requests import Inbox
from slackwater.runs.roster import roster
from tests.coming import BATCHES, MADE, Course, R, from_the_start, live, rows_of, told
from tests.driver import Driver, feed, make_loop
from tests.mortal import Reaper, mortal
from tests.story import batches, ending, leftovers, missing

SEEDS = 20 if os.environ.get("EXAMPLES") == "many" else 2
PLACES = pytest.mark.parametrize(
    "driver",
    [
        pytest.param(Driver(), id="driver"),
        pytest.param(Driver("spark"), id="tasks", marks=pytest.mark.slow),
    ],
)
TABLES = batches(BATCHES)


class Always(dict[str, list[list[tuple[Any, ...]]]]):
    """What each query says that is there from the start, after every batch; found when asked."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder

    def __missing__(self, name: str) -> list[list[tuple[Any, ...]]]:
        self[name] = from_the_start(name, self.folder / name)
        return self[name]


@pytest.fixture(scope="module")
def always(tmp_path_factory: pytest.TempPathFactory) -> Always:
    return Always(tmp_path_factory.mktemp("always"))


def fed(names: tuple[str, ...], folder: Path, until: int) -> Loop[Any]:
    """A pipeline of these queries, after so many batches of the story; still open."""
    loop = make_loop([told(name) for name in names], folder)
    for number in range(loop.batch + 1, until):
        feed(loop, TABLES[number], number)
    return loop


def events(folder: Path, kind: str) -> list[dict[str, Any]]:
    return [event for event in log.read(folder / "events.jsonl") if event["event"] == kind]


def forecast(queries: list[Query], folder: Path) -> Forecast:
    order = Checkpoint(folder).order()
    plan = order.arrange_streams(lay_out(check(queries), order.held))
    meaning = {**describe(plan), "zone": "UTC"}
    given = Meaning(plan.identity, meaning, words(queries, meaning))
    return Forecast.of(Checkpoint(folder), given, plan)


# what stays and what is new -----------------------------------------------------------------------


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(SEEDS))
def test_queries_that_come_and_go_say_what_they_would_have_said_all_along(
    tmp_path: Path, always: Always, seed: int
) -> None:
    course = Course.drawn(seed)
    stays = live(course, tmp_path)
    assert sum(stay.judge(always[stay.name]) for stay in stays) > 0
    came = {one["query"] for one in events(tmp_path, "query_added")}
    assert came == {stay.name for stay in stays if stay.first > 0}


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 5])
def test_the_same_with_state_in_tasks(tmp_path: Path, always: Always, seed: int) -> None:
    stays = live(Course.drawn(seed, changes=0.25), tmp_path, Driver("spark"))
    assert sum(stay.judge(always[stay.name]) for stay in stays) > 0
    assert any(stay.first > 0 for stay in stays)


def test_a_query_starts_from_state_that_another_one_keeps(tmp_path: Path) -> None:
    fed(("patient",), tmp_path, 6).close()
    shared, alone = forecast([told("patient"), told("counts"), told("sums")], tmp_path).added
    assert shared.shares
    assert not alone.shares
    assert shared.whole_after is not None
    assert alone.whole_after is not None
    assert shared.whole_after < alone.whole_after
    loop = fed(("patient", "counts", "sums"), tmp_path, 7)
    arrivals = {name: memory.arrival for name, memory in loop.state.queries.items()}
    loop.close()
    assert arrivals["patient"] is None
    for one in (shared, alone):
        came = arrivals[one.query]
        assert came is not None
        assert (came.batch, came.after) == (6, one.whole_after)
    [first, second] = events(tmp_path, "query_added")
    assert {first["query"], second["query"]} == {"counts", "sums"}


def test_a_checkpoint_of_before_lends_no_rows_that_may_be_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Older versions did not write down from when on a state has all rows."""
    from slackwater.runs import manifest

    written = manifest.Manifest.to_json
    monkeypatch.setattr(
        manifest.Manifest,
        "to_json",
        lambda self: {k: v for k, v in written(self).items() if k != "since"},
    )
    fed(("counts",), tmp_path, 9).close()
    newest = Checkpoint(tmp_path).newest()
    assert newest is not None
    clock = newest.memory.streams["r"].clock
    assert clock is not None
    assert {info.since for info in newest.states.values()} == {clock + 1}


def test_what_nobody_reads_any_more_goes_and_its_answers_stay(tmp_path: Path) -> None:
    plain = {name: MADE[name]() for name in ("counts", "pairs", "wide")}
    loop = make_loop([*plain.values()], tmp_path)
    for number in range(6):
        feed(loop, TABLES[number], number)
    loop.close()
    answered = sorted((tmp_path / "results" / "pairs").rglob("*.parquet"))
    assert answered
    found = forecast([plain["counts"], plain["wide"]], tmp_path)
    assert found.dropped == ("pairs",)
    assert found.freed > 0
    loop = make_loop([plain["counts"], plain["wide"]], tmp_path)
    feed(loop, TABLES[6], 6)
    readers = {name for info in loop.catalog.states.values() for name in info.readers}
    loop.close()
    assert readers == {"counts", "wide"}
    assert [one["query"] for one in events(tmp_path, "query_removed")] == ["pairs"]
    assert sorted((tmp_path / "results" / "pairs").rglob("*.parquet")) == answered
    assert [(one.query, one.status) for one in roster(Checkpoint(tmp_path))] == [
        ("counts", "running"),
        ("wide", "running"),
        ("pairs", "gone"),
    ]


def test_a_query_of_a_state_that_others_made_wide_keeps_it_without_them(
    tmp_path: Path, always: Always
) -> None:
    """Queries written together share one state with the partials of all."""
    fed(("counts", "sums"), tmp_path, 7).close()
    one = told("counts")
    loop = make_loop([one], tmp_path)
    assert loop.state.queries["counts"].arrival is None
    assert forecast([one], tmp_path).dropped == ()
    for number in range(7, BATCHES):
        feed(loop, TABLES[number], number)
    loop.close()
    said = [row for row in always["counts"][-1] if row not in always["counts"][6]]
    assert rows_of(one.sink) == said


def test_prods_of_a_query_that_is_gone_are_answered_with_the_reason(tmp_path: Path) -> None:
    asked = replace(told("wide"), name="asked", estimates=(sw.estimates(every="3 s"),))
    loop = make_loop([told("counts"), asked], tmp_path)
    feed(loop, TABLES[0], 0)
    loop.close()
    Inbox(tmp_path / "prods").put(Request("prod-1", "asked"))
    loop = make_loop([told("counts")], tmp_path)
    feed(loop, TABLES[1], 1)
    loop.close()
    [answer] = events(tmp_path, "prod")
    assert (answer["prod"], answer["rows"]) == ("prod-1", 0)
    assert "no query 'asked'" in answer["reason"]


# what cannot be -----------------------------------------------------------------------------------


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != "lock"
    }


def other(name: str) -> Query:
    return R.window("7 s").aggregate(n="count(*)").query(name, sw.slack("1 s"), sink=sw.memory())


def test_a_query_that_means_something_else_is_refused_and_nothing_is_touched(
    tmp_path: Path,
) -> None:
    fed(("counts", "wide"), tmp_path, 3).close()
    before = contents(tmp_path)
    changed = [told("counts"), other("wide")]
    [refusal] = forecast(changed, tmp_path).refused
    assert refusal.part == "query 'wide'"
    assert "window was 9s, is 7s" in refusal.reason
    assert "another name" in refusal.hint
    with pytest.raises(CheckpointError, match=r"window was 9s, is 7s.*\n.*another name"):
        make_loop(changed, tmp_path)
    assert contents(tmp_path) == before


def test_a_name_that_was_here_means_what_it_meant(tmp_path: Path, always: Always) -> None:
    fed(("counts", "wide"), tmp_path, 3).close()
    fed(("counts",), tmp_path, 6).close()
    with pytest.raises(CheckpointError, match="left its answers"):
        make_loop([told("counts"), other("wide")], tmp_path)
    again = told("wide")
    loop = make_loop([told("counts"), again], tmp_path)
    for number in range(6, BATCHES):
        feed(loop, TABLES[number], number)
    came = loop.state.queries["wide"].arrival
    loop.close()
    assert came is not None
    assert came.batch == 6
    assert came.after is not None
    whole = [row for row in always["wide"][-1] if row[0] > came.after]
    assert rows_of(again.sink) == whole != []


def test_a_pipeline_that_has_none_of_the_queries_is_another_one(tmp_path: Path) -> None:
    fed(("counts",), tmp_path, 3).close()
    with pytest.raises(CheckpointError, match="none of its queries is here; there are: counts"):
        make_loop([other("new")], tmp_path)


# deaths -------------------------------------------------------------------------------------------


def course_of(*sets: tuple[str, ...]) -> Course:
    return Course(tuple(one for one in sets for _ in range(2)))


SHORT = course_of(
    ("counts", "wide"),
    ("counts", "wide", "sums", "triples"),
    ("counts", "triples"),
    ("counts", "patient", "wide"),
)


def lived(course: Course, folder: Path, driver: Driver) -> None:
    """One life: from the checkpoint to the end of the course, or to death."""
    newest = Checkpoint(folder).batches()[-1:]
    first = min(newest[0] + 1, len(course.sets) - 1) if newest else 0
    loop: Loop[Any] | None = None
    try:
        for number in range(first, len(course.sets)):
            names = course.sets[number]
            if loop is None or names != course.sets[number - 1]:
                if loop is not None:
                    left, loop = loop, None
                    left.close()
                loop = driver.make_loop([MADE[name]() for name in names], folder)
            if number > loop.batch:
                driver.feed(loop, TABLES[number], number)
            assert missing(folder) == []
    finally:
        if loop is not None:
            loop.close()


@pytest.mark.slow
@pytest.mark.kill
@PLACES
def test_death_at_any_write_of_an_addition_or_a_removal_changes_nothing(
    driver: Driver, tmp_path: Path
) -> None:
    lived(SHORT, tmp_path / "calm", driver)
    folder = tmp_path / "killed"
    reaper, died = Reaper(folder), True
    while died:
        with mortal(reaper):
            lived(SHORT, folder, driver)
        died = reaper.is_dead
    assert ending(folder) == ending(tmp_path / "calm")
    assert leftovers(folder) == []
    assert any("slackwater.json" in point for point in reaper.deaths)
    assert len(reaper.deaths) > 15
    came = [(one["batch"], one["query"]) for one in events(folder, "query_added")]
    assert {*came} == {(2, "sums"), (2, "triples"), (6, "patient"), (6, "wide")}


@PLACES
def test_a_batch_that_was_decided_for_other_queries_is_done_as_decided(
    driver: Driver, tmp_path: Path, always: Always
) -> None:
    """It dies between decision and manifest; what stays keeps what was decided for it."""
    queries = {name: told(name) for name in ("counts", "pairs", "wide", "flat")}
    loop = driver.make_loop([queries["counts"], queries["pairs"], queries["wide"]], tmp_path)
    for number in range(5):
        driver.feed(loop, TABLES[number], number)
    loop.checkpoint.commit = _die  # type: ignore[method-assign]
    with pytest.raises(MemoryError):
        driver.feed(loop, TABLES[5], 5)
    loop.close()
    assert Checkpoint(tmp_path).begun(5) is not None
    loop = driver.make_loop([queries["counts"], queries["flat"], queries["wide"]], tmp_path)
    for number in range(5, BATCHES):
        driver.feed(loop, TABLES[number], number)
    came = loop.state.queries["flat"].arrival
    loop.close()
    assert came is not None
    assert (came.batch, rows_of(queries["counts"].sink)) == (5, always["counts"][-1])
    assert rows_of(queries["wide"].sink) == always["wide"][-1]
    fresh = [row for row in always["flat"][-1] if row[0] > (came.after or 0)]
    assert rows_of(queries["flat"].sink) == fresh != []
    assert [one["query"] for one in events(tmp_path, "query_removed")] == ["pairs"]


def _die(_: object) -> None:
    raise MemoryError


def test_estimates_of_windows_that_lack_rows_are_not_given(tmp_path: Path) -> None:
    """Neither among the results nor to who looks beside the batches."""
    windows = R.window("12 s", "4 s").aggregate(n="count(*)")
    asked = windows.query(
        "asked", sw.slack("4 s"), sink=sw.memory(), estimates=sw.estimates(every="2 s")
    )
    fed(("counts",), tmp_path, 5).close()
    loop = make_loop([told("counts"), asked], tmp_path)
    try:
        looked = []
        for number in range(5, BATCHES):
            feed(loop, TABLES[number], number)
            looked += _looked(loop)
        came = loop.state.queries["asked"].arrival
    finally:
        loop.close()
    assert came is not None
    after = came.after
    assert after is not None
    kinds = {value for row in rows_of(asked.sink) for value in row[1:] if value[0] == "kind"}
    assert kinds == {("kind", "estimate"), ("kind", "final")}
    assert min(row[0] for row in rows_of(asked.sink)) > after
    assert looked
    assert min(looked) > after


def _looked(loop: Loop[Any]) -> list[int]:
    """The ends of the open windows that an estimate now is about."""
    reading = loop.layout.readings["asked"]
    with loop.driver.beside() as beside:
        try:
            found = loop.snapshot.estimate(beside, reading, None)
        except sw.QueryError:
            return []
    return [round(end.timestamp() * 1_000_000) for end in found["window_end"].to_pylist()]
