"""Another version of DuckDB may hash otherwise: then nobody knows the groups of old rows."""

from __future__ import annotations

from pathlib import Path

import pytest

import slackwater as sw
from slackwater.execute import loop as loops
from slackwater.execute import slices
from slackwater.runs.checkpoint import Checkpoint
from slackwater.runs.run import Run, Slice
from tests.driver import answers, batch, feed, make_loop, readings, run


def test_state_is_taken_in_again_if_groups_are_told_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    batches = [batch(*((n + t, k, t) for k in range(40) for t in range(3))) for n in range(8)]
    totals = readings().window("4 s").group_by("k").aggregate(n="count(*)", s="sum(v)")
    first, second, plain = sw.memory(), sw.memory(), sw.memory()
    run((totals.query("q", sw.slack("1 s"), sink=plain),), batches, tmp_path / "plain")
    query = totals.query("q", sw.slack("1 s"), sink=first)
    loop = make_loop((query,), tmp_path / "ck", tier="spark")
    for one in batches[:4]:
        feed(loop, one)
    loop.close()
    before = Checkpoint(tmp_path / "ck").newest()
    assert before is not None
    assert any(one.is_grouped for one in before.runs)

    hashed = slices.numbers
    monkeypatch.setattr(loops, "hashing", lambda: "another")
    for module in ("engine", "look"):
        monkeypatch.setattr(
            f"slackwater.execute.spread.{module}.numbers",
            lambda *given: (hashed(*given) + 17) % slices.GROUPS,
        )
    query = totals.query("q", sw.slack("1 s"), sink=second)
    loop = make_loop((query,), tmp_path / "ck", tier="spark")
    assert not any(one.is_grouped for one in loop.catalog.all())
    for one in batches[4:]:
        feed(loop, one)
    loop.finish()
    loop.close()
    assert sorted([*answers(first), *answers(second)], key=repr) == answers(plain)


def test_a_run_without_groups_keeps_its_rows() -> None:
    whole = Run("s", "x", 0, 9, 0, 0, {}, slices=(Slice(3, 0, 4), Slice(5, 6, 5)))
    assert [(s.first, s.rows) for s in whole.ungrouped().slices or ()] == [(0, 4), (6, 5)]
    assert whole.is_grouped
    assert not whole.ungrouped().is_grouped
    bare = Run("s", "x", 0, 9, 0, 0, {})
    assert bare.ungrouped() is bare
    assert not bare.is_grouped
