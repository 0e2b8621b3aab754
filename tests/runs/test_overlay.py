"""Queries that were added or removed while a pipeline ran, and demands for that."""

from __future__ import annotations

from pathlib import Path

import pytest

from slackwater.errors import CheckpointError
from slackwater.runs.overlay import Changes, Overlay, Written

TEXT = Written("[[query]]", "/somewhere/pipeline.toml")


def test_what_was_changed_is_kept_until_the_start_says_so_itself(tmp_path: Path) -> None:
    changes = Changes(tmp_path)
    assert changes.overlay() == Overlay()
    overlay = Overlay().adding("late", TEXT).removing("first")
    changes.keep(overlay)
    assert changes.overlay() == overlay
    assert overlay.over(["first"]) == overlay
    assert overlay.over(["late"]) == Overlay()
    assert overlay.adding("first", TEXT).removed == ()
    assert overlay.removing("late") == Overlay({}, ("first", "late"))


def test_demands_wait_in_order_until_they_are_answered(tmp_path: Path) -> None:
    changes = Changes(tmp_path)
    assert changes.waiting() == ()
    ids = [changes.add("late", TEXT), changes.remove("first")]
    found = changes.waiting()
    assert [one.id for one in found] == ids
    assert [(one.query, one.written) for one in found] == [("late", TEXT), ("first", None)]
    changes.done(found[0])
    assert [one.id for one in changes.waiting()] == ids[1:]


@pytest.mark.parametrize("text", ["{", "[]", '{"query": 3}', "x" * 200_000])
def test_what_is_no_demand_is_set_aside(tmp_path: Path, text: str) -> None:
    changes = Changes(tmp_path)
    good = changes.remove("first")
    (tmp_path / "changes" / "bad.json").write_text(text)
    (tmp_path / "changes" / "folder.json").mkdir()
    assert [one.id for one in changes.waiting()] == [good]
    assert (tmp_path / "changes" / "bad.bad").exists()


def test_a_damaged_record_is_told(tmp_path: Path) -> None:
    (tmp_path / "live.json").write_text("{")
    with pytest.raises(CheckpointError, match="CHECKPOINT_DAMAGED"):
        Changes(tmp_path).overlay()
