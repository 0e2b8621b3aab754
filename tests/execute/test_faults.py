"""Faults of the world: each has its name, nothing is lost by it, and a new start goes on."""

from __future__ import annotations

import errno
import json
import os
import resource
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import slackwater as sw
from slackwater.control.request import Request
from slackwater.events import log
from slackwater.execute.sinks import Results, Target
from slackwater.query.stream import Query
from slackwater.runs.checkpoint import Checkpoint
from slackwater.runs.manifest import Manifest
from slackwater.runs.requests import Inbox
from slackwater.testing import Micro, micro
from tests.driver import Driver, batch, feed, make_loop, readings, run
from tests.story import ending, leftovers

PLAIN = Driver()
FAR = 40 * 24 * 3600
FEW = [
    batch((1, 1, 5), (4, 2, 7)),
    batch((12, 1, 1), (None, 1, 1), (3, 2, 2)),
    batch((27, 2, 9), (5, 1, 4)),
    batch((31, 1, 3)),
]


def per_key(slack: str = "2 s", **terms: Any) -> Query:
    stream = readings("1 day").window("10 s").group_by("k").aggregate(n="count(*)", s="sum(v)")
    return stream.query("q", sw.slack(slack), **{"late": "side", **terms})


def tell(folder: Path, tables: list[pa.Table], driver: Driver = PLAIN) -> None:
    """Start or go on, and run to the end."""
    loop = driver.make_loop((per_key(),), folder)
    try:
        for number in range(loop.batch + 1, len(tables)):
            driver.feed(loop, tables[number], number)
        loop.finish()
    finally:
        loop.close()


def told(folder: Path, tables: list[pa.Table], upto: int, driver: Driver = PLAIN) -> None:
    """Run the first batches and stop without an end."""
    driver.run((per_key(),), tables[:upto], folder, flush=False)


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """How the few batches end when nothing goes wrong."""
    folder = tmp_path_factory.mktemp("calm") / "ck"
    tell(folder, FEW)
    return ending(folder)


def contents(folder: Path) -> dict[str, bytes]:
    kept = {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}
    return {name: data for name, data in kept.items() if name not in ("lock", "events.jsonl")}


# sinks --------------------------------------------------------------------------------------------


def test_a_sink_that_cannot_be_written_is_told_at_the_start(
    tmp_path: Path, calm: dict[str, Any]
) -> None:
    (tmp_path / "file").write_text("in the way")
    blocked = per_key(sink=sw.parquet(str(tmp_path / "file" / "out")))
    with pytest.raises(sw.SinkError) as caught:
        make_loop((blocked,), tmp_path / "ck")
    assert caught.value.condition == "SINK_NOT_WRITABLE"
    assert "'q'" in caught.value.message
    tell(tmp_path / "ck", FEW)  # the checkpoint is free, another sink may be named
    assert ending(tmp_path / "ck") == calm


def test_a_sink_that_breaks_in_the_middle_loses_nothing(
    tmp_path: Path, calm: dict[str, Any]
) -> None:
    told(tmp_path / "ck", FEW, 1)
    results = tmp_path / "ck" / "results" / "q"
    loop = make_loop((per_key(),), tmp_path / "ck")
    shutil.rmtree(results)
    results.write_text("in the way")
    with pytest.raises(sw.StorageError, match="STORAGE_FAILED"):
        feed(loop, FEW[1], 1)
    loop.close()
    assert loop.error is not None
    results.unlink()
    tell(tmp_path / "ck", FEW)
    assert ending(tmp_path / "ck") == calm


# checkpoints --------------------------------------------------------------------------------------


def test_a_checkpoint_of_another_query_is_refused_with_the_difference(tmp_path: Path) -> None:
    told(tmp_path, FEW, 1)
    before = contents(tmp_path)
    other = readings("1 day").window("20 s").group_by("k").aggregate(n="count(*)", s="sum(v)")
    with pytest.raises(sw.CheckpointError) as caught:
        make_loop((other.query("q", sw.slack("2 s"), late="side"),), tmp_path)
    assert caught.value.condition == "CHECKPOINT_OTHER_QUERY"
    assert "query 'q', window was 10s, is 20s" in caught.value.message
    assert contents(tmp_path) == before


def _change_identity(folder: Path) -> None:
    path = folder / "slackwater.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "format": 99}))


def _garble_identity(folder: Path) -> None:
    (folder / "slackwater.json").write_text("{not json")


def _flip_manifest(folder: Path) -> None:
    newest = max((folder / "manifest").iterdir())
    data = newest.read_bytes()
    newest.write_bytes(data.replace(b'"rows": ', b'"rows": 1', 1))


def _cut_manifest(folder: Path) -> None:
    newest = max((folder / "manifest").iterdir())
    newest.write_bytes(newest.read_bytes()[:-20])


def _empty_manifest(folder: Path) -> None:
    max((folder / "manifest").iterdir()).write_bytes(b"")


@pytest.mark.parametrize(
    ("damage", "condition"),
    [
        (_change_identity, "CHECKPOINT_FORMAT"),
        (_garble_identity, "CHECKPOINT_DAMAGED"),
        (_flip_manifest, "CHECKPOINT_DAMAGED"),
        (_cut_manifest, "CHECKPOINT_DAMAGED"),
        (_empty_manifest, "CHECKPOINT_DAMAGED"),
    ],
)
def test_a_damaged_checkpoint_is_refused_and_left_as_it_is(
    tmp_path: Path,
    calm: dict[str, Any],
    damage: Callable[[Path], None],
    condition: str,
) -> None:
    told(tmp_path / "ck", FEW, 2)
    shutil.copytree(tmp_path / "ck", tmp_path / "sound")
    damage(tmp_path / "ck")
    before = contents(tmp_path / "ck")
    with pytest.raises(sw.CheckpointError) as caught:
        make_loop((per_key(),), tmp_path / "ck")
    assert caught.value.condition == condition
    assert caught.value.hint
    assert contents(tmp_path / "ck") == before
    shutil.rmtree(tmp_path / "ck")
    (tmp_path / "sound").rename(tmp_path / "ck")
    tell(tmp_path / "ck", FEW)
    assert ending(tmp_path / "ck") == calm


def test_a_checkpoint_in_use_is_refused_here_and_in_another_process(tmp_path: Path) -> None:
    loop = make_loop((per_key(),), tmp_path)
    feed(loop, FEW[0], 0)
    with pytest.raises(sw.CheckpointError) as caught:
        make_loop((per_key(),), tmp_path)
    assert caught.value.condition == "CHECKPOINT_IN_USE"
    assert str(os.getpid()) in caught.value.message
    code = "import sys; from slackwater.runs.checkpoint import Checkpoint as C; "
    code += "C.open(sys.argv[1], '', {})"
    command = [sys.executable, "-c", code, str(tmp_path)]
    other = subprocess.run(command, capture_output=True, text=True, check=False)
    assert other.returncode != 0
    assert "CHECKPOINT_IN_USE" in other.stderr
    feed(loop, FEW[1], 1)  # the owner is not disturbed
    loop.close()
    make_loop((per_key(),), tmp_path).close()


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-9])


def _flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 3] ^= 0xFF
    path.write_bytes(data)


def _lose(path: Path) -> None:
    path.unlink()


def _is_state(path: Path) -> bool:
    """Files of new rows are done with when their batch is."""
    return "-n-" not in path.name


@pytest.mark.parametrize("damage", [_cut, _flip, _lose])
def test_a_damaged_run_is_refused_and_nothing_comes_of_it(
    tmp_path: Path,
    calm: dict[str, Any],
    driver: Driver,
    damage: Callable[[Path], None],
) -> None:
    folder = tmp_path / "ck"
    told(folder, FEW, 2, driver)
    shutil.copytree(folder, tmp_path / "sound")
    kind = "*.arrow" if driver.tier == "spark" else "*.parquet"
    [*_, path] = sorted(p for p in (folder / "runs").rglob(kind) if _is_state(p))
    damage(path)
    with pytest.raises(sw.CheckpointError) as caught:
        tell(folder, FEW, driver)
    assert caught.value.condition == "RUN_DAMAGED"
    assert "slackwater repair" in caught.value.hint
    assert not (folder / "manifest" / "00000002.json").exists()
    shutil.rmtree(folder)
    (tmp_path / "sound").rename(folder)
    tell(folder, FEW, driver)
    assert ending(folder) == calm


# full disks ---------------------------------------------------------------------------------------


@contextmanager
def small_files(limit: int) -> Iterator[None]:
    """This process cannot write files beyond a size: what a full disk or a quota does."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("limit", [0, 100, 1000, 1600])
def test_a_limit_on_file_sizes_stops_the_batch_and_nothing_is_half_written(
    tmp_path: Path, calm: dict[str, Any], limit: int
) -> None:
    told(tmp_path / "ck", FEW, 2)
    before = contents(tmp_path / "ck" / "manifest")
    loop = make_loop((per_key(),), tmp_path / "ck")
    rows = micro(loop, FEW[2])
    with small_files(limit), pytest.raises(sw.StorageError) as caught:
        loop.process(rows, 2)
    loop.close()
    assert caught.value.condition == "DISK_FULL"
    assert contents(tmp_path / "ck" / "manifest") == before
    assert list((tmp_path / "ck").rglob("*.tmp")) == []
    tell(tmp_path / "ck", FEW)
    assert ending(tmp_path / "ck") == calm
    assert leftovers(tmp_path / "ck") == []


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[None]:
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("file systems cannot be mounted here")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def test_a_really_full_disk_stops_the_batch_and_more_space_lets_it_go_on(
    tmp_path: Path, calm: dict[str, Any], driver: Driver
) -> None:
    disk = tmp_path / "disk"
    with small_disk(disk, "1m"):
        folder = disk / "ck"
        told(folder, FEW, 2, driver)
        fill(disk / "ballast")
        loop = driver.make_loop((per_key(),), folder)
        with pytest.raises(sw.StorageError) as caught:
            driver.feed(loop, FEW[2], 2)
        loop.close()
        assert caught.value.condition == "DISK_FULL"
        assert not (folder / "manifest" / "00000002.json").exists()
        (disk / "ballast").unlink()
        tell(folder, FEW, driver)
        assert ending(folder) == calm
        assert leftovers(folder) == []


def fill(path: Path) -> None:
    with path.open("wb", buffering=0) as file:
        for size in (1 << 16, 1 << 10, 1):
            with suppress(OSError):
                while True:
                    file.write(b"x" * size)


class Shortage:
    """Lets the n-th write to a folder fail as a full disk does."""

    def __init__(self, patch: pytest.MonkeyPatch, nth: int) -> None:
        self.left = nth
        for owner, name in [
            (os, "fsync"),
            (Path, "replace"),
            (Path, "rename"),
            (pq, "write_table"),
        ]:
            patch.setattr(owner, name, self._failing(getattr(owner, name)))

    def _failing(self, write: Callable[..., Any]) -> Callable[..., Any]:
        def attempt(*arguments: Any, **options: Any) -> Any:
            if not any(isinstance(a, pa.BufferOutputStream) for a in arguments):  # in memory
                self.left -= 1
                if self.left == 0:
                    raise OSError(errno.ENOSPC, "No space left on device")
            return write(*arguments, **options)

        return attempt


def test_a_shortage_at_any_write_is_told_and_survived(tmp_path: Path, calm: dict[str, Any]) -> None:
    told(tmp_path / "two", FEW, 2)
    conditions: list[str | None] = []
    while None not in conditions:
        folder = tmp_path / str(len(conditions))
        shutil.copytree(tmp_path / "two", folder)
        loop = make_loop((per_key(),), folder)
        rows = micro(loop, FEW[2])
        with pytest.MonkeyPatch.context() as patch:
            Shortage(patch, len(conditions) + 1)
            conditions.append(condition_of(lambda loop=loop, rows=rows: loop.process(rows, 2)))
        loop.close()
        tell(folder, FEW)
        assert ending(folder) == calm
        assert leftovers(folder) == []
    assert len(conditions) > 8
    assert set(conditions) == {"DISK_FULL", None}


def condition_of(action: Callable[[], None]) -> str | None:
    try:
        action()
    except sw.SlackwaterError as error:
        return error.condition
    return None


def test_an_event_that_cannot_be_told_does_not_undo_the_batch(
    tmp_path: Path, calm: dict[str, Any]
) -> None:
    told(tmp_path / "ck", FEW, 2)
    loop = make_loop((per_key(),), tmp_path / "ck")
    size = loop.checkpoint.events.stat().st_size
    rows = micro(loop, FEW[2])
    with Path("/dev/full").open("ab", buffering=0) as full, pytest.MonkeyPatch.context() as patch:
        patch.setattr(loop.events, "_file", full)
        assert condition_of(lambda: loop.process(rows, 2)) == "DISK_FULL"
    loop.close()
    assert loop.checkpoint.events.stat().st_size == size
    tell(tmp_path / "ck", FEW)
    assert ending(tmp_path / "ck") == calm
    events = log.read(tmp_path / "ck" / "events.jsonl")
    numbers = [event["batch"] for event in events if event["event"] == "batch"]
    assert numbers == [0, 1, 2, 3, 4]


# rows that cannot be placed in time ---------------------------------------------------------------


def side_of(folder: Path) -> list[tuple[Any, ...]]:
    rows = pq.read_table(folder / "side" / "q").to_pylist()
    return sorted((r["_reason"], r["k"], r["v"]) for r in rows)


def test_rows_without_or_with_absurd_event_time_are_counted_and_set_aside(
    tmp_path: Path, driver: Driver
) -> None:
    odd = [
        batch((1, 1, 1), (2, 1, 2)),
        batch((3, 1, 3), (None, 7, 70), (FAR, 8, 80), (4, 1, 4), (5, 1, 5)),
        batch((20, 1, 6)),
    ]
    loop = driver.run((per_key("0 s"),), odd, tmp_path, flush=False)
    assert loop.state.streams["r"].clock == 20_000_000
    assert side_of(tmp_path) == [("far_future", 8, 80), ("null_time", 7, 70)]
    batches = [e for e in log.read(loop.checkpoint.events) if e["event"] == "batch"]
    counts = [(e["streams"]["r"]["null_time"], e["streams"]["r"]["far_future"]) for e in batches]
    assert counts == [(0, 0), (1, 1), (0, 0)]
    assert [e["queries"]["q"]["aside"] for e in batches] == [0, 2, 0]
    notices = [e["text"] for e in log.read(loop.checkpoint.events) if e["event"] == "notice"]
    assert len(notices) == 2
    [row] = pq.read_table(tmp_path / "results" / "q").to_pylist()
    assert (row["n"], row["s"]) == (5, 15)


def test_a_stream_that_jumps_is_believed_once_a_few_rows_agree(tmp_path: Path) -> None:
    jump = [(FAR + n / 100, 2, 1) for n in range(8)]
    tables = [batch((1, 1, 1)), batch(*jump), batch(*jump), batch((FAR + 30, 2, 1))]
    loop = run((per_key("0 s"),), tables, tmp_path, flush=False)
    assert loop.state.streams["r"].clock == (FAR + 30) * 1_000_000
    batches = [e for e in log.read(loop.checkpoint.events) if e["event"] == "batch"]
    assert [e["streams"]["r"]["far_future"] for e in batches] == [0, 8, 0, 0]
    assert side_of(tmp_path) == [("far_future", 2, 1)] * 8
    rows = pq.read_table(tmp_path / "results" / "q").to_pylist()
    assert sorted((r["k"], r["n"]) for r in rows) == [(1, 1), (2, 8)]


def test_a_job_that_catches_up_on_days_in_one_batch_loses_nothing_behind_a_filter(
    tmp_path: Path, driver: Driver
) -> None:
    """Few rows pass, days apart; those that do not pass tell that the stream was there."""
    stream = readings("1 day").where("v = 1").window("1 hour").group_by("k")
    query = stream.aggregate(n="count(*)").query("q", sw.slack("0 s"), late="side")
    days = [(h * 3600, 1, int(h % 60 == 59)) for h in range(1, 200)]
    loop = driver.run((query,), [batch((0, 1, 1)), batch(*days)], tmp_path)
    batches = [e for e in log.read(loop.checkpoint.events) if e["event"] == "batch"]
    assert [e["streams"]["r"]["far_future"] for e in batches] == [0] * len(batches)
    rows = pq.read_table(tmp_path / "results" / "q").to_pylist()
    assert sum(r["n"] for r in rows) == 1 + 3


# the machine --------------------------------------------------------------------------------------


def test_half_a_line_at_the_end_of_the_events_is_cut_off(
    tmp_path: Path, calm: dict[str, Any]
) -> None:
    told(tmp_path / "ck", FEW, 2)
    path = tmp_path / "ck" / "events.jsonl"
    whole = path.read_bytes()
    last = whole.rfind(b'{"event":"batch"')
    path.write_bytes(whole[: last + 25])  # the event of batch 1 is torn
    assert [e["batch"] for e in log.read(path)] == [0]
    tell(tmp_path / "ck", FEW)
    told_of = [e["batch"] for e in log.read(path) if e["event"] == "batch"]
    assert told_of == [0, 1, 2, 3, 4]
    assert ending(tmp_path / "ck") == calm


class Crash(BaseException):
    """The process ends here."""


def crash(*arguments: Any, **options: Any) -> None:
    raise Crash


def crash_before_commit(action: Callable[[], None]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Checkpoint, "commit", crash)
        with pytest.raises(Crash):
            action()


def test_a_batch_that_is_run_again_decides_what_it_decided(tmp_path: Path, driver: Driver) -> None:
    told(tmp_path, FEW, 1, driver)
    loop = driver.make_loop((per_key(),), tmp_path)
    crash_before_commit(lambda: driver.feed(loop, FEW[1], 1))
    loop.close()
    written = loop.checkpoint.decision_path(1).read_bytes()
    again = driver.make_loop((per_key("9 s"),), tmp_path)  # another slack: not for this
    driver.feed(again, FEW[1], 1)
    again.close()
    assert again.checkpoint.decision_path(1).read_bytes() == written
    decided = json.loads(written)["body"]["decision"]
    assert again.state.of("q").watermark == decided["queries"]["q"]["upto"] == 10_000_000
    rows = pq.read_table(tmp_path / "results" / "q").to_pylist()
    assert {round(r["emitted_at"].timestamp() * 1e6) for r in rows} == {decided["emitted_at"]}


@dataclass
class Ledger:
    """A sink that stores a batch with its id in one transaction, and skips ids it has."""

    rows: dict[int, list[Any]] = field(default_factory=dict)

    def open(self, target: Target) -> None:
        pass

    def prepare(self, batch: int, results: Results) -> int:
        table = results.arrow()
        found = table.select(["window_start", "k", "n", "s"]).to_pylist()
        self.rows.setdefault(batch, sorted(found, key=str))
        return int(table.num_rows)

    def commit(self, batch: int) -> None:
        pass  # it is stored already

    def recover(self, last: int) -> None:
        pass  # what is stored is stored


def test_an_end_that_was_begun_is_finished_and_its_answers_are_not_contradicted(
    tmp_path: Path,
) -> None:
    """Killed while it closed everything; then more rows arrived. A sink that skips ids has the
    answers of the end by then: they stay true, and the rows are refused by name.
    """
    calm, ledger = Ledger(), Ledger()
    run((per_key(sink=calm),), FEW[:2], tmp_path / "calm")
    run((per_key(sink=ledger),), FEW[:2], tmp_path / "ck", flush=False)
    loop = make_loop((per_key(sink=ledger),), tmp_path / "ck")
    crash_before_commit(loop.finish)
    loop.close()
    assert ledger.rows[2]  # the sink has answers of the end
    again = make_loop((per_key(sink=ledger),), tmp_path / "ck")
    with pytest.raises(sw.CheckpointError, match="begun as the end") as refused:
        feed(again, FEW[2], 2)
    assert refused.value.condition == "CHECKPOINT_HALF_DONE"
    again.finish_begun()
    again.close()
    assert again.sealed
    assert ledger.rows == calm.rows


def test_a_prod_that_was_answered_when_the_process_died_is_not_answered_again(
    tmp_path: Path,
) -> None:
    sink = sw.memory()
    query = per_key(sink=sink, estimates=sw.estimates())
    loop = make_loop((query,), tmp_path)
    for name in ("prod-1", "control-7-0"):
        loop.inbox.put(Request(name, "q"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Inbox, "remove", crash)
        with pytest.raises(Crash):
            feed(loop, FEW[0], 0)
    loop.close()
    again = make_loop((query,), tmp_path)
    assert again.inbox.waiting() == ()
    again.inbox.put(Request("control-7-0", "q"))  # its stream gives the row once more
    again.inbox.put(Request("control-7-1", "q", "k = 1"))
    feed(again, batch((5, 1, 1)), 1)
    again.close()
    assert again.inbox.waiting() == ()
    told_of = [e for e in log.read(tmp_path / "events.jsonl") if e["event"] == "prod"]
    by_batch = Counter((e["batch"], e["prod"]) for e in told_of)
    assert set(by_batch) == {(0, "prod-1"), (0, "control-7-0"), (1, "control-7-1")}
    kinds = {n: Counter(t["kind"].to_pylist()) for n, t in sink.batches.items()}
    assert kinds[0]["estimate"] == 4  # two keys for each of two prods
    assert kinds[1]["estimate"] == 1


def test_a_batch_is_on_disk_before_its_manifest(tmp_path: Path, driver: Driver) -> None:
    """Everything that the manifest stands for is flushed, files and the folders that name them."""
    safe: set[int] = set()
    flush, committing = os.fsync, Checkpoint.commit
    unsafe: dict[int, list[str]] = {}

    def fsync(handle: int) -> None:
        safe.add(os.fstat(handle).st_ino)
        flush(handle)

    def commit(checkpoint: Checkpoint, manifest: Manifest) -> None:
        runs = [checkpoint.runs / path for path in manifest.paths]
        wanted = [checkpoint.runs, *(run.parent for run in runs)]
        for top in [*runs, *tmp_path.glob("*/*/batch=*")]:
            wanted += [top, *top.rglob("*")]
        unsafe[manifest.batch] = [str(p) for p in wanted if p.stat().st_ino not in safe]
        committing(checkpoint, manifest)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", fsync)
        patch.setattr(Checkpoint, "commit", commit)
        driver.run((per_key(),), FEW[:3], tmp_path)
    assert list(tmp_path.glob("results/q/batch=*"))
    assert unsafe == {0: [], 1: [], 2: [], 3: []}


def test_slack_may_change_between_starts_and_the_watermark_never_goes_back(tmp_path: Path) -> None:
    marks = []
    for number, slack in enumerate(["2 s", "20 s", "0 s", "60 s"]):
        loop = make_loop((per_key(slack),), tmp_path)
        feed(loop, FEW[number], number)
        loop.close()
        marks.append(loop.state.of("q").watermark / 1_000_000)
    assert marks == [2, 2, 27, 27]  # clocks 4, 12, 27, 31
    rows = pq.read_table(tmp_path / "results" / "q").to_pylist()
    found = sorted((r["window_start"].timestamp(), r["k"], r["n"], r["kind"]) for r in rows)
    windows = [(start, key) for start, key, _, _ in found]
    assert len(windows) == len(set(windows))  # no window was answered twice


# quiet streams ------------------------------------------------------------------------------------


@pytest.mark.spec("qddh:F022")
def test_the_windows_of_a_stream_that_fell_silent_close_by_the_heartbeat(tmp_path: Path) -> None:
    sink = sw.memory()
    loop = make_loop((per_key("1 s", idle="5 s", sink=sink),), tmp_path)
    wall = 1_700_000_000

    def feed(table: pa.Table, beat: int) -> None:
        loop.process(Micro({"r": table}, beat * 1_000_000), loop.batch + 1)

    feed(batch((3, 1, 1), (8, 2, 2)), wall)
    for later in (1, 4, 5):
        feed(batch(), wall + later)
    assert sink.table() is None
    assert loop.state.of("q").watermark == 7_000_000
    feed(batch(), wall + 7)  # 8 + 7 - 1 is beyond 10
    found = sorted((r["k"], r["s"]) for r in sink.table().to_pylist())
    assert found == [(1, 1), (2, 2)]
    assert loop.state.streams["r"].clock == 8_000_000
    feed(batch((9, 1, 5), (30, 1, 1)), wall + 8)  # it wakes up: too late for the first window
    loop.close()
    assert [r["_reason"] for r in pq.read_table(tmp_path / "side" / "q").to_pylist()] == ["late"]


# closing ------------------------------------------------------------------------------------------


@pytest.mark.spec("prodding:F10", "prodding:F13")
def test_what_closes_is_answered_once_and_nothing_of_it_remains(
    tmp_path: Path, driver: Driver
) -> None:
    """State inspection: after each batch no run reaches behind the oldest open window."""
    sink = sw.memory()
    stream = readings("1 day").window("6 s", "2 s").group_by("k").aggregate(n="count(*)")
    query = stream.query("q", sw.slack("3 s"), sink=sink)
    loop = driver.make_loop((query,), tmp_path)
    answered: list[int] = []
    for number in range(12 if driver.tier == "columnar" else 5):
        rows = [(t, t % 3, 1) for t in range(number * 7, number * 7 + 7)]
        driver.feed(loop, batch(*rows), number)
        mark = loop.state.of("q").watermark / 1_000_000
        assert all(run.high / 1_000_000 + 6 > mark for run in loop.catalog.all())
        # bounded by what is open, not by history; each of three tasks writes its own
        assert len(loop.catalog.all()) <= (4 if driver.tier == "columnar" else 12)
        table = sink.batches.get(number)
        ends = [] if table is None else [e.timestamp() for e in table["window_end"].to_pylist()]
        assert all(end <= mark for end in ends)
        assert not set(ends) & set(answered)
        answered += ends
    loop.finish()
    loop.close()
    assert loop.catalog.all() == []
