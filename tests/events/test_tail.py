"""Following a log while it grows, is set aside, cut and forgotten."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.events.log import EventLog
from slackwater.events.segments import full_files
from slackwater.events.tail import Tail


def drained(tail: Tail) -> list[int]:
    found = []
    while events := tail.poll():
        found += [event["batch"] for event in events if event["event"] == "batch"]
    return found


def test_a_log_that_is_not_there_yet_is_waited_for(tmp_path: Path) -> None:
    tail = Tail(tmp_path / "events.jsonl")
    assert tail.poll() == []
    log = EventLog(tmp_path / "events.jsonl")
    log.write("batch", batch=0)
    assert drained(tail) == [0]
    log.close()
    tail.close()


@given(counts=st.lists(st.integers(0, 9), max_size=25), full=st.integers(80, 400))
def test_whatever_the_pace_every_event_is_seen_once(
    counts: list[int], full: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("tail") / "events.jsonl"
    log, tail = EventLog(path, full=full), Tail(path)
    seen: list[int] = []
    number = 0
    for count in counts:
        for _ in range(count):
            log.write("batch", batch=number)
            number += 1
        seen += drained(tail)
    assert seen == list(range(number))
    log.close()
    tail.close()


def test_a_line_is_given_once_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    tail = Tail(path)
    with path.open("ab", buffering=0) as file:
        file.write(b'{"event":"batch",')
        assert tail.poll() == []
        file.write(b'"batch":0}\n{"ev')
        assert drained(tail) == [0]
    tail.close()


def test_a_torn_line_that_is_cut_off_is_not_joined_to_the_next(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(b'{"event":"batch","batch":0}\n{"event":"bat')
    tail = Tail(path)
    assert drained(tail) == [0]
    log = EventLog(path)  # cuts it off
    assert tail.poll() == []
    log.write("batch", batch=1)
    assert drained(tail) == [1]
    log.close()
    tail.close()


def test_a_slow_reader_goes_on_with_the_oldest_file_that_is_left(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    log = EventLog(path, full=200, kept=2)
    log.write("batch", batch=0)
    tail = Tail(path)
    assert drained(tail) == [0]
    for number in range(1, 60):
        log.write("batch", batch=number)
    seen = drained(tail)
    assert seen == sorted(set(seen))
    assert (seen[0], seen[-1]) == (1, 59)  # to the end of the file at hand, then what is left
    assert len(seen) < 59
    assert len(full_files(path)) == 2
    log.close()
    tail.close()


def test_the_newest_part_alone_begins_at_the_last_full_file(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    log = EventLog(path, full=300)
    for number in range(40):
        log.write("batch", batch=number)
    log.close()
    tail = Tail(path, newest_only=True)
    seen = drained(tail)
    tail.close()
    assert seen == list(range(seen[0], 40))
    assert 0 < seen[0] < 39


@pytest.mark.parametrize("full", [200, 1 << 20])
def test_from_now_on_nothing_older_is_given(tmp_path: Path, full: int) -> None:
    path = tmp_path / "events.jsonl"
    log = EventLog(path, full=full)
    for number in range(20):
        log.write("batch", batch=number)
    tail = Tail(path, from_now=True)
    assert tail.poll() == []
    for number in range(20, 40):
        log.write("batch", batch=number)
    found = []
    while events := tail.poll():
        found += [event["batch"] for event in events if event["event"] == "batch"]
    tail.close()
    log.close()
    assert found == list(range(20, 40))


def test_from_now_on_a_torn_line_is_not_missed_when_it_is_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(b'{"event": "batch", "batch": 0}\n{"event": "ba')
    tail = Tail(path, from_now=True)
    log = EventLog(path)
    log.write("batch", batch=1)
    assert [event["batch"] for event in tail.poll()] == [1]
    tail.close()
    log.close()
