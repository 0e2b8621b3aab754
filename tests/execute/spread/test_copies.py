"""Copies of shared files: made once, mapped, and gone with what they are copies of."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

import slackwater as sw
from slackwater.execute.spread import copies
from slackwater.execute.spread.copies import Copies, is_remote
from tests.driver import answers, batch, readings, run


@pytest.fixture
def remote(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """As if every folder lay on another machine; copies go here."""
    monkeypatch.setattr(copies, "is_remote", lambda _: True)
    monkeypatch.setattr(copies.tempfile, "gettempdir", lambda: str(tmp_path / "mine"))
    monkeypatch.setattr(copies, "OFTEN", 1)
    return tmp_path / "mine"


def test_tasks_work_on_copies_and_results_are_the_same(tmp_path: Path, remote: Path) -> None:
    found = []
    for tier in ("columnar", "spark"):
        sink = sw.memory()
        totals = readings().window("4 s").group_by("k").aggregate(n="count(*)", s="sum(v)")
        batches = [batch(*((n + t, k, t) for k in range(9) for t in range(4))) for n in range(12)]
        run((totals.query("q", sw.slack("1 s"), sink=sink),), batches, tmp_path / tier, tier=tier)
        found.append(answers(sink))
    assert found[0] == found[1]
    [mine] = remote.iterdir()
    shared = tmp_path / "spark" / "runs"
    assert {p.relative_to(mine) for p in mine.rglob("*.arrow")} <= {
        p.relative_to(shared) for p in shared.rglob("*.arrow")
    }


def test_a_file_that_does_not_show_at_once_is_waited_for(tmp_path: Path, remote: Path) -> None:
    held, name = Copies.of(tmp_path, "x"), "state/late.arrow"
    (tmp_path / "state").mkdir()
    shows = [
        threading.Timer(0.2, lambda: (tmp_path / name).write_bytes(b"ro")),
        threading.Timer(0.5, lambda: (tmp_path / name).write_bytes(b"rows")),
    ]
    for timer in shows:
        timer.start()
    assert held.path(name, 4).read_bytes() == b"rows"
    for timer in shows:
        timer.join()
    (tmp_path / name).unlink()
    (tmp_path / "state" / "next.arrow").touch()
    held.path("state/next.arrow", 0)
    assert [p.name for p in remote.rglob("*.arrow")] == ["next.arrow"]


def test_a_file_that_never_shows_is_not_waited_for_for_ever(
    tmp_path: Path, remote: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copies, "PATIENCE", 0.2)
    began = time.monotonic()
    with pytest.raises(FileNotFoundError):
        Copies.of(tmp_path, "x").path("no/such", 1)
    assert 0.2 <= time.monotonic() - began < 5


def test_where_folders_lie(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not is_remote(tmp_path / "local")
    mounts = {"/": "ext4", str(tmp_path / "nfs"): "nfs4", str(tmp_path / "s3"): "fuse.s3fs"}
    monkeypatch.setattr(copies, "_mounts", lambda: mounts)
    assert is_remote(tmp_path / "nfs" / "runs")
    assert is_remote(tmp_path / "s3")
    assert not is_remote(tmp_path / "other")
    assert Copies.of(tmp_path / "other2", "x").folder is None
