"""Checkpoints in a store: nothing is lost or doubled, whatever dies and wherever it goes on.

The loop is driven by hand over a store in memory (``tests/stand_in.py``).
``tests/runs/test_faulty_store.py`` has a server with a network that fails.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from obstore.store import MemoryStore

import slackwater as sw
from slackwater.errors import CheckpointError
from slackwater.events import log
from slackwater.query.stream import Query
from slackwater.runs.objects import copied
from slackwater.runs.repair import repair
from tests.driver import Driver, feed, make_loop, readings
from tests.mortal import Reaper, mortal
from tests.stand_in import StandIn, copy_of, stand_in
from tests.story import batches, ending, queries

__all__ = ["stand_in"]
AT = "s3://bucket/team/job"
PLAIN = Driver()


def one_query() -> tuple[Query, ...]:
    window = readings("1 day").window("4 s", "2 s").group_by("k")
    often = sw.estimates(every="4 s")
    counted = window.aggregate(n="count(*)", s="sum(v)")
    return (counted.query("q", sw.slack("2 s"), late="revise", keep="6 s", estimates=often),)


def live(told: tuple[Query, ...], tables: list[pa.Table]) -> None:
    """One life: from where the checkpoint stands to the end of the stream, or to death."""
    loop = make_loop(told, AT)
    try:
        if not loop.sealed:
            loop.finish_begun()
        if loop.sealed:
            return
        for number in range(loop.batch + 1, len(tables)):
            feed(loop, tables[number], number)
        loop.finish()
    finally:
        loop.close()


def die_at_every_request(
    told: tuple[Query, ...], tables: list[Any], store: StandIn, folder: Path, *, moves: bool
) -> Reaper:
    """Live again after each death, on another machine if it ``moves``, until there is none."""
    reaper = Reaper(folder / "work")

    def meet(step: str, key: str) -> None:
        place = re.sub(r"@[0-9a-f-]+|[0-9a-f]{8,}|\d+", "N", key)
        reaper._die_unless_known(f"{step} {place}")

    store.meet = meet
    died = True
    while died:
        if moves:
            shutil.rmtree(folder / "work", ignore_errors=True)
        with mortal(reaper):
            live(told, tables)
        died = reaper.is_dead
    store.meet = lambda step, key: None
    return reaper


def test_a_pipeline_goes_on_where_no_file_of_it_is_left(stand_in: StandIn, tmp_path: Path) -> None:
    told, tables = queries(readings("1 day")), batches(5)
    PLAIN.run(told, tables, tmp_path / "calm")
    for number, table in enumerate(tables):
        shutil.rmtree(tmp_path / "work", ignore_errors=True)
        loop = make_loop(told, AT)
        assert loop.batch == number - 1
        feed(loop, table, number)
        loop.close()
    live(told, tables)
    seen = stand_in.download("team/job", tmp_path / "seen", copy_of(AT) / "events.jsonl")
    assert ending(seen) == ending(tmp_path / "calm")
    assert stand_in.head("team/job")["writer"]["epoch"] == len(tables) + 1
    assert stand_in.litter("team/job") == []


@pytest.mark.parametrize(
    ("moves", "count"),
    [
        pytest.param(True, 2, id="elsewhere"),
        pytest.param(True, 6, id="elsewhere, longer", marks=[pytest.mark.slow, pytest.mark.kill]),
        pytest.param(False, 5, id="here", marks=[pytest.mark.slow, pytest.mark.kill]),
    ],
)
def test_death_at_any_request_changes_nothing(
    stand_in: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moves: bool, count: int
) -> None:
    monkeypatch.setattr(copied, "LOGS_EVERY", -1.0)
    told, tables = one_query(), batches(count)
    PLAIN.run(told, tables, tmp_path / "calm")
    reaper = die_at_every_request(told, tables, stand_in, tmp_path, moves=moves)
    seen = stand_in.download("team/job", tmp_path / "seen", copy_of(AT) / "events.jsonl")
    assert ending(seen) == ending(tmp_path / "calm")
    asked = {point.rsplit(" ", 1)[0] for point in reaper.deaths}
    assert {"before put", "after put", "before copy", "after copy", "after get"} <= asked
    assert [point for point in reaper.deaths if point.endswith("head.json")]
    live(told, tables)  # what the last deaths left behind goes with the next start
    assert stand_in.litter("team/job") == []


def test_a_second_pipeline_takes_over_and_the_first_is_told(stand_in: StandIn) -> None:
    told, tables = one_query(), batches(4)
    first = make_loop(told, AT)
    feed(first, tables[0], 0)
    second = elsewhere(told)
    feed(second, tables[1], 1)
    with pytest.raises(CheckpointError, match="taken over by another pipeline: process") as caught:
        feed(first, tables[1], 1)
    assert caught.value.condition == "CHECKPOINT_TAKEN"
    with pytest.raises(CheckpointError, match="taken over"):  # once lost is lost
        feed(first, tables[2], 1)
    first.close()
    feed(second, tables[2], 2)
    second.close()
    assert stand_in.head("team/job")["files"]["manifest/00000002.json"]
    assert "taken over from process" in notices(second)[0]


def test_the_first_is_stopped_before_anybody_sees_what_it_did(stand_in: StandIn) -> None:
    seen: list[int] = []
    sink = sw.callback(lambda batch, table: seen.append(batch))
    window = readings().window("4 s").aggregate(n="count(*)")
    told = (window.query("q", sw.slack("0 s"), sink=sink),)
    tables = batches(3)
    first = make_loop(told, AT)
    elsewhere(told).close()
    with pytest.raises(CheckpointError, match="taken over"):
        feed(first, tables[0], 0)
    first.close()
    assert seen == []


def test_a_start_that_is_refused_takes_nothing_over(stand_in: StandIn) -> None:
    told, tables = one_query(), batches(3)
    first = make_loop(told, AT)
    feed(first, tables[0], 0)
    other = readings("1 day").window("8 s").aggregate(n="count(*)").query("q", sw.slack("2 s"))
    with pytest.raises(CheckpointError) as caught:
        elsewhere((other,))
    assert caught.value.condition == "CHECKPOINT_OTHER_QUERY"
    feed(first, tables[1], 1)
    first.close()


def test_one_machine_has_one_pipeline(stand_in: StandIn) -> None:
    told = one_query()
    first = make_loop(told, AT)
    with pytest.raises(CheckpointError, match="is used by another running pipeline"):
        make_loop(told, AT)
    first.close()


def test_a_copy_is_not_taken_for_a_checkpoint(stand_in: StandIn) -> None:
    told = one_query()
    make_loop(told, AT).close()
    with pytest.raises(CheckpointError, match="is a copy of a checkpoint") as caught:
        make_loop(told, copy_of(AT))
    assert caught.value.condition == "CHECKPOINT_COPY"
    with pytest.raises(CheckpointError, match="is a copy of a checkpoint"):
        repair(copy_of(AT))


def test_addresses_of_sparks_own_are_refused_with_those_that_are_known() -> None:
    with pytest.raises(CheckpointError, match="in a store that is known") as caught:
        make_loop(one_query(), "s3a://bucket/job")
    assert "s3://, gs://, az://" in caught.value.hint


def test_an_object_that_is_missing_is_named(stand_in: StandIn, tmp_path: Path) -> None:
    loop = make_loop(one_query(), AT)
    feed(loop, batches(1)[0], 0)
    loop.close()
    key = next(key for key in stand_in.keys("team/job/data/runs"))
    MemoryStore.delete(stand_in.store, key)
    shutil.rmtree(tmp_path / "work")
    with pytest.raises(CheckpointError, match="is missing") as caught:
        make_loop(one_query(), AT)
    assert key.removeprefix("team/job/") in caught.value.message


def elsewhere(told: tuple[Query, ...]) -> Any:
    """A loop on another machine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SLACKWATER_WORK", str(copy_of(AT).parent.with_name("other")))
        return make_loop(told, AT)


def notices(loop: Any) -> list[str]:
    return [e["text"] for e in log.read(loop.checkpoint.events) if e["event"] == "notice"]
