"""Results of functions with effects: found by the same part of the same batch, and by no other."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from slackwater.runs.kept import Kept, forget

ROWS, OTHER = pa.table({"i0": [1, 2, 3]}), pa.table({"i0": [1, 2, 4]})
RESULTS = pa.table({"x": [True, False, None]})


def test_results_are_those_of_one_part(tmp_path: Path) -> None:
    place = Kept(tmp_path, 3, "0").place("link", ROWS)
    assert Kept.read(place) is None
    Kept.write(place, RESULTS)
    assert Kept.read(Kept(tmp_path, 3, "0").place("link", ROWS)) == RESULTS
    again = Kept(tmp_path, 3, "0")
    others = [
        Kept(tmp_path, 4, "0").place("link", ROWS),
        Kept(tmp_path, 3, "1").place("link", ROWS),
        Kept(tmp_path, 3, "0").place("other", ROWS),
        Kept(tmp_path, 3, "0").place("link", OTHER),
    ]
    again.place("link", ROWS)
    others.append(again.place("link", ROWS))  # the same rows a second time are another part
    assert [Kept.read(one) for one in others] == [None] * 5


def test_batches_before_are_forgotten(tmp_path: Path) -> None:
    for batch in range(3):
        Kept.write(Kept(tmp_path, batch).place("link", ROWS), RESULTS)
    forget(tmp_path, 2)
    assert [one.name for one in (tmp_path / "calls").iterdir()] == ["2"]
    forget(tmp_path / "nothing", 2)
