"""Killed with SIGKILL again and again amid a backlog by rank, a pipeline ends as if undisturbed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.execute.overload import NAMES, books, check_overload, go_on
from tests.spark.child import Child, Fate, line_of
from tests.story import ending, leftovers, missing

pytestmark = [pytest.mark.kill, pytest.mark.slow, pytest.mark.timeout(1200)]

KILLS = 50  # in both tiers together


@pytest.mark.parametrize("tier", ["columnar", "spark"])
def test_books_balance_after_sigkill_at_random_moments(tmp_path: Path, tier: str) -> None:
    go_on(tmp_path / "calm", tier)
    told, undisturbed = ending(tmp_path / "calm"), books(tmp_path / "calm")
    check_overload(undisturbed)
    assert all(told[f"results/{name}"] for name in NAMES)

    fate, kills, stories, lives = Fate(f"ranks {tier}"), 0, 0, 0
    wanted = KILLS // 2
    with line_of(lambda: Child(tier, module="tests.execute.overload")) as line:
        while kills < wanted or lives:
            child, checkpoint = next(line), tmp_path / f"killed-{stories}"
            child.go(checkpoint)
            lives += 1
            if kills < wanted and fate.strike(child, alone=False):
                kills += 1
                continue
            child.wait_for_end(300)
            assert books(checkpoint) == undisturbed
            assert ending(checkpoint) == told
            assert leftovers(checkpoint) == missing(checkpoint) == []
            stories, lives = stories + 1, 0
    assert kills == wanted
