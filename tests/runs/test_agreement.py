"""Our manifests and Spark's record, side by side: what a start goes on from and what it refuses."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

import slackwater as sw
from slackwater.control.records import ControlState
from slackwater.events.log import EventLog
from slackwater.runs.agreement import agree
from slackwater.runs.checkpoint import Checkpoint
from slackwater.runs.manifest import Begun, Manifest
from slackwater.runs.offsets import SparkLog

HEAD = 'v1\n{"batchWatermarkMs":0}'


class World:
    """A checkpoint as a run left it: manifests up to batch 3, Spark with it."""

    def __init__(self, folder: Path, position: Callable[[int], str] | None = None) -> None:
        self.checkpoint = Checkpoint(folder)
        for name in ("manifest", "decision"):
            (folder / name).mkdir(parents=True)
        self.log = SparkLog(folder / "spark")
        self.position = position or (lambda number: json.dumps({"row": 100 * number}))
        self.entry("metadata", '{"id":"one"}')
        for number in range(4):
            self.plan(number)
            self.manifest(number)
            self.finish(number)

    def entry(self, name: str, text: str) -> Path:
        path = self.log.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        sums = [zlib.crc32(text.encode()[at : at + 512]) for at in range(0, len(text), 512)]
        head = b"crc\0" + struct.pack(">I", 512)
        path.with_name(f".{path.name}.crc").write_bytes(head + struct.pack(f">{len(sums)}I", *sums))
        return path

    def plan(self, number: int) -> Path:
        return self.entry(f"offsets/{number}", f"{HEAD}\n{self.position(number)}")

    def finish(self, number: int) -> Path:
        return self.entry(f"commits/{number}", 'v1\n{"nextBatchWatermarkMs":0}')

    def manifest(self, number: int) -> None:
        mark = self.log.mark(number)
        self.checkpoint.commit(Manifest(number, ControlState(), (), {}, offsets=mark))

    def decide(self, number: int, *, ended: bool = False) -> None:
        mark = None if ended else self.log.mark(number)
        self.checkpoint.begin(number, Begun(ended, mark, {}, {}))

    def lose(self, kind: str, numbers: Iterable[int]) -> None:
        for number in numbers:
            (self.log.folder / kind / str(number)).unlink()
            (self.log.folder / kind / f".{number}.crc").unlink()

    def forget(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            self.checkpoint.manifest_path(number).unlink()

    def files(self) -> set[str]:
        found = self.log.folder.rglob("*")
        return {str(p.relative_to(self.log.folder)) for p in found if p.is_file()}


def tear(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-3])


def _crash_in_the_next_batch(world: World) -> None:
    world.plan(4)
    world.decide(4)


def _crash_before_spark_commits(world: World) -> None:
    world.lose("commits", [3])


def _commits_that_were_not_flushed(world: World) -> None:
    world.lose("commits", [1, 2, 3])
    world.plan(4)


def _a_missing_older_manifest(world: World) -> None:
    world.forget([1, 2])


def _an_end_that_was_begun(world: World) -> None:
    world.decide(4, ended=True)


def _never_begun(world: World) -> None:
    world.forget(range(4))
    world.lose("commits", range(4))
    world.lose("offsets", range(4))


def _dead_in_the_first_batch(world: World) -> None:
    world.forget(range(4))
    world.lose("commits", range(4))
    world.lose("offsets", range(1, 4))
    world.decide(0)


@pytest.mark.parametrize(
    "happened",
    [
        lambda world: None,
        _crash_in_the_next_batch,
        _crash_before_spark_commits,
        _commits_that_were_not_flushed,
        _a_missing_older_manifest,
        _an_end_that_was_begun,
        _never_begun,
        _dead_in_the_first_batch,
    ],
)
def test_what_a_crash_leaves_is_gone_on_from_as_it_is(
    tmp_path: Path, happened: Callable[[World], None]
) -> None:
    world = World(tmp_path)
    happened(world)
    before = world.files()
    agree(world.checkpoint)
    assert world.files() == before


def _spark_behind(world: World) -> None:
    world.lose("offsets", [2, 3])
    world.lose("commits", [2, 3])


def _spark_ahead(world: World) -> None:
    world.forget([3])


def _spark_two_batches_ahead(world: World) -> None:
    world.plan(5)


def _other_offsets(world: World) -> None:
    world.position = lambda number: json.dumps({"row": 7})
    world.plan(3)


def _spark_gone(world: World) -> None:
    world.lose("offsets", range(4))
    world.lose("commits", range(4))


def _manifests_gone(world: World) -> None:
    world.forget(range(4))


def _a_decision_without_its_offsets(world: World) -> None:
    _crash_in_the_next_batch(world)
    world.lose("offsets", [4])


def _a_decision_about_other_offsets(world: World) -> None:
    _crash_in_the_next_batch(world)
    world.position = lambda number: json.dumps({"row": 7})
    world.plan(4)


def _torn_offsets_of_a_batch_that_was_decided(world: World) -> None:
    _crash_in_the_next_batch(world)
    tear(world.log.folder / "offsets" / "4")


def _both_gone_but_told_of(world: World) -> None:
    _never_begun(world)
    log = EventLog(world.checkpoint.events)
    log.write("batch", batch=3)
    log.close()


@pytest.mark.parametrize(
    "happened",
    [
        _spark_behind,
        _spark_ahead,
        _spark_two_batches_ahead,
        _other_offsets,
        _spark_gone,
        _manifests_gone,
        _a_decision_without_its_offsets,
        _a_decision_about_other_offsets,
        _torn_offsets_of_a_batch_that_was_decided,
        _both_gone_but_told_of,
    ],
)
def test_what_no_crash_leaves_is_refused_and_left_as_it_is(
    tmp_path: Path, happened: Callable[[World], None]
) -> None:
    world = World(tmp_path)
    happened(world)
    before = world.files()
    with pytest.raises(sw.CheckpointError, match="slackwater repair") as refused:
        agree(world.checkpoint)
    assert refused.value.condition == "CHECKPOINT_DISAGREES"
    assert world.files() == before


def test_torn_entries_of_a_batch_that_never_began_are_forgotten(tmp_path: Path) -> None:
    world = World(tmp_path)
    before = world.files()
    tear(world.plan(4))
    agree(world.checkpoint)
    assert world.files() == before
    (world.log.folder / "offsets" / "4").write_text(HEAD)  # nothing proves that it is whole
    agree(world.checkpoint)
    assert world.files() == before
    tear(world.log.folder / "commits" / "3")
    agree(world.checkpoint)
    assert world.files() == before - {"commits/3", "commits/.3.crc"}


@pytest.mark.parametrize("text", ['v1\n{"nextBatchWatermarkMs":0}', 'v2\n{"stateUniqueIds":{}}'])
def test_a_commit_cut_at_any_place_is_forgotten(tmp_path: Path, text: str) -> None:
    """Its checksum may be lost with its end, and what is left look like a newer form."""
    world = World(tmp_path)
    for length in range(len(text) + 1):
        path = world.finish(3)
        path.with_name(".3.crc").unlink()
        path.write_text(text[:length])
        agree(world.checkpoint)
        assert path.exists() == (length == len(text)), text[:length]


def test_a_list_of_files_cut_in_its_version_is_refused(tmp_path: Path) -> None:
    world = World(tmp_path, lambda number: f'{{"logOffset":{number}}}')
    for number in range(4):
        world.entry(f"sources/0/{number}", "v1\n{}").with_name(f".{number}.crc").unlink()
    agree(world.checkpoint)
    (world.log.folder / "sources" / "0" / "2").write_text("v")
    with pytest.raises(sw.CheckpointError, match="list of the files"):
        agree(world.checkpoint)


def test_a_stream_whose_name_was_torn_gets_another(tmp_path: Path) -> None:
    world = World(tmp_path)
    tear(world.log.folder / "metadata")
    agree(world.checkpoint)
    assert json.loads((world.log.folder / "metadata").read_text())["id"]


def test_a_heartbeat_that_is_added_later_makes_no_other_offsets(tmp_path: Path) -> None:
    world = World(tmp_path)
    path = world.log.folder / "offsets" / "3"
    world.entry("offsets/3", path.read_text() + '\n{"tick": 0}')
    agree(world.checkpoint)
    world.entry("offsets/3", path.read_text().replace('"tick": 0', '"tick": 1'))
    with pytest.raises(sw.CheckpointError, match="CHECKPOINT_DISAGREES"):
        agree(world.checkpoint)


class TestFiles:
    """A source that lists files: the list has to be whole, too."""

    @pytest.fixture
    def world(self, tmp_path: Path) -> World:
        world = World(tmp_path, lambda number: f'{{"row": 1}}\n{{"logOffset":{number + 9}}}')
        for number in range(8):
            world.entry(f"sources/1/{number}", "v1\n{}")
        world.entry("sources/1/9.compact", "v1\n{}")  # stands for the eight, too
        for number in (10, 11, 12):
            world.entry(f"sources/1/{number}", "v1\n{}")
        return world

    def test_a_list_may_begin_with_a_compact_one(self, world: World) -> None:
        world.lose("sources/1", range(8))
        before = world.files()
        agree(world.checkpoint)
        assert world.files() == before

    @pytest.mark.parametrize("number", ["9.compact", "11", "12"])
    def test_a_list_with_a_gap_is_refused(self, world: World, number: str) -> None:
        (world.log.folder / "sources" / "1" / number).unlink()
        with pytest.raises(sw.CheckpointError, match="list of the files"):
            agree(world.checkpoint)

    def test_entries_that_no_offsets_stand_for_are_listed_again(self, world: World) -> None:
        """Else their files come together with the next ones, more than a batch may take."""
        before = world.files()
        world.entry("sources/1/13", "v1\n{}")
        tear(world.entry("sources/1/14", "v1\n{}"))
        agree(world.checkpoint)
        assert world.files() == before

    def test_a_compact_entry_that_no_offsets_stand_for_is_listed_again(self, world: World) -> None:
        """Those it stands for are there: Spark removes none younger than the compact one before."""
        before = world.files()
        world.entry("sources/1/13", "v1\n{}")
        world.entry("sources/1/14.compact", "v1\n{}")
        tear(world.entry("sources/1/15", "v1\n{}"))
        agree(world.checkpoint)
        assert world.files() == before

    def test_offsets_without_their_list_are_planned_anew(self, world: World) -> None:
        before = world.files()
        world.plan(4)  # sources/1/13 is not there
        agree(world.checkpoint)
        assert world.files() == before


def test_what_a_source_keeps_for_itself_is_left_alone(tmp_path: Path) -> None:
    """Kafka's source writes where it began, in a form of its own."""
    world = World(tmp_path, lambda number: json.dumps({"topic": {"0": number}}))
    own = world.entry("sources/0/0", '\0v1\n{"topic":{"0":0}}')
    agree(world.checkpoint)
    assert own.exists()
    _never_begun(world)
    agree(world.checkpoint)
    assert own.exists()


def test_what_spark_wrote_about_a_batch_is_flushed_with_its_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(tmp_path)
    world.entry("sources/0/4", "v1\n{}")
    world.plan(4)
    flushed: list[Path] = []
    monkeypatch.setattr("slackwater.runs.files.sync", flushed.append)
    assert world.log.flush(4) == world.log.mark(4)
    spark = world.log.folder
    names = {"metadata", "offsets/4", "offsets/.4.crc", "sources/0/4", "sources/0/.4.crc"}
    assert {spark / name for name in names} <= set(flushed)
    folders = {tmp_path, spark, spark / "offsets", spark / "sources", spark / "sources" / "0"}
    assert folders <= set(flushed)
    assert max(map(flushed.index, (spark / n for n in names))) < min(map(flushed.index, folders))
    flushed.clear()
    world.plan(5)
    world.log.flush(5)
    assert spark / "offsets" / "5" in flushed
    assert spark / "sources" / "0" / "4" not in flushed  # once is enough
