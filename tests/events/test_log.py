"""Writing, setting full files aside, reading across them, and what crashes leave behind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.errors import StorageError
from slackwater.events.log import EventLog, last_batch, read
from slackwater.events.segments import full_files, lines_backwards
from slackwater.events.tail import Tail


def written(folder: Path, batches: int, **options: Any) -> Path:
    path = folder / "events.jsonl"
    log = EventLog(path, **options)
    log.write("start", batch=-1)
    for number in range(batches):
        log.write("batch", batch=number)
    log.close()
    return path


def numbers(path: Path) -> list[int]:
    return [event["batch"] for event in read(path) if event["event"] == "batch"]


def test_every_event_has_a_time_and_a_given_one_is_kept(tmp_path: Path) -> None:
    log = EventLog(tmp_path / "events.jsonl", now=lambda: 77)
    log.write("notice", text="one")
    log.write("notice", text="two", at=5)
    log.close()
    assert [event["at"] for event in read(log.path)] == [77, 5]


def test_a_full_file_is_set_aside_and_reading_goes_across(tmp_path: Path) -> None:
    path = written(tmp_path, 100, full=500)
    assert len(full_files(path)) > 5
    assert numbers(path) == list(range(100))
    assert all(file.stat().st_size <= 700 for file in full_files(path))


def test_a_new_file_says_what_the_run_is_about(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    log = EventLog(path, full=300)
    log.write("start", batch=-1, plan={"queries": {}})
    for number in range(20):
        log.write("batch", batch=number)
    log.close()
    first = Tail(path, newest_only=False)
    header = next(e for e in first.poll() + first.poll() if e["event"] == "segment")
    first.close()
    assert header["schema"] == 1
    assert header["start"]["plan"] == {"queries": {}}
    assert "segment" not in {event["event"] for event in read(path)}


def test_only_the_newest_full_files_stay(tmp_path: Path) -> None:
    path = written(tmp_path, 200, full=500, kept=3)
    assert len(full_files(path)) == 3
    told = numbers(path)
    assert told == list(range(told[0], 200))


def test_a_log_that_is_opened_again_goes_on_in_the_same_numbering(tmp_path: Path) -> None:
    written(tmp_path, 30, full=500)
    path = written(tmp_path, 30, full=500)
    assert numbers(path) == [*range(30), *range(30)]


@pytest.mark.parametrize("full", [300, 1 << 20])
def test_the_last_batch_is_found_from_the_end(tmp_path: Path, full: int) -> None:
    path = written(tmp_path, 50, full=full)
    assert last_batch(path) == 49
    assert last_batch(tmp_path / "other.jsonl") is None


def test_the_last_batch_is_in_an_older_file_if_the_newest_has_none(tmp_path: Path) -> None:
    path = written(tmp_path, 3)
    path.rename(tmp_path / "events.00000001.jsonl")
    assert last_batch(path) == 2  # died after the rename
    log = EventLog(path)
    log.write("notice", text="hello")
    log.close()
    assert last_batch(path) == 2


def test_after_a_repair_the_batch_gone_back_to_is_the_last_told(tmp_path: Path) -> None:
    path = written(tmp_path, 10)
    log = EventLog(path)
    log.write("repair", batch=6, removed=[])
    assert last_batch(path) == 6
    log.write("batch", batch=7)
    log.close()
    assert last_batch(path) == 7


def test_half_a_line_is_not_read_and_cut_off_by_the_next_writer(tmp_path: Path) -> None:
    path = written(tmp_path, 3)
    with path.open("ab") as file:
        file.write(b'{"event":"batch","ba')
    assert numbers(path) == [0, 1, 2]
    assert last_batch(path) == 2
    EventLog(path).close()
    assert path.read_bytes().endswith(b"}\n")


def test_a_damaged_line_is_told_and_the_rest_is_read(tmp_path: Path) -> None:
    path = written(tmp_path, 3)
    lines = path.read_bytes().splitlines(keepends=True)
    lines[2:2] = [b"\x00\xff not an event\n", b"[1, 2]\n", b'{"no": "kind"}\n']
    path.write_bytes(b"".join(lines))
    events = list(read(path))
    assert [e["event"] for e in events].count("damaged") == 3
    assert numbers(path) == [0, 1, 2]


def test_infinite_numbers_are_unknown_ones(tmp_path: Path) -> None:
    log = EventLog(tmp_path / "events.jsonl")
    log.write("batch", batch=0, x=float("inf"))
    log.close()
    assert next(read(log.path))["x"] is None


def test_a_full_disk_is_said_and_leaves_no_half_line(tmp_path: Path) -> None:
    path = written(tmp_path, 2)
    log = EventLog(path)
    with Path("/dev/full").open("ab", buffering=0) as full, pytest.MonkeyPatch.context() as patch:
        patch.setattr(log, "_file", full)
        with pytest.raises(StorageError, match="DISK_FULL"):
            log.write("batch", batch=2)
    log.close()
    assert numbers(path) == [0, 1]


@pytest.mark.parametrize("step", ["rename", "open"])
def test_a_death_while_setting_aside_loses_nothing(
    tmp_path: Path, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, 5, full=10_000)
    log = EventLog(path, full=path.stat().st_size)

    def die(*_: object, **__: object) -> None:
        raise OSError(5, "died")

    with monkeypatch.context() as patch:
        patch.setattr(Path, step, die)
        with pytest.raises(StorageError):
            log.write("batch", batch=5)
    log.close()
    assert numbers(path) == [0, 1, 2, 3, 4]
    assert last_batch(path) == 4
    again = EventLog(path)
    again.write("batch", batch=5)
    again.close()
    assert numbers(path) == [0, 1, 2, 3, 4, 5]


@given(lines=st.lists(st.binary(max_size=30).filter(lambda b: b"\n" not in b), max_size=60))
def test_lines_backwards_are_lines_reversed(
    lines: list[bytes], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("lines") / "x"
    path.write_bytes(b"".join(line + b"\n" for line in lines) + b"half")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("slackwater.events.segments._BLOCK", 17)
        assert list(lines_backwards(path)) == lines[::-1]
