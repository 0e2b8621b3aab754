"""On Spark, too, books balance after SIGKILL amid a backlog by rank; results are as if undisturbed.

``tests/execute/test_kill_ranks.py`` kills more often, without Java, in both tiers.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.execute.overload import BATCHES, NAMES, books, check_overload, rows
from tests.spark.child import Child, Fate, line_of
from tests.story import ending, leftovers, missing, write_input

pytestmark = [pytest.mark.kill, pytest.mark.slow, pytest.mark.timeout(1200)]

MODULE = "tests.spark.ranked_victim"
KILLS = 5


def test_books_balance_on_spark_after_sigkill(tmp_path: Path) -> None:
    source = tmp_path / "in"
    for name in "ab":
        write_input(source / name, [rows(number)[name] for number in range(BATCHES)])
    fate, kills, stories, lives = Fate("ranks on spark columnar"), 0, 0, 0
    with line_of(lambda: Child(source, "columnar", module=MODULE)) as line:
        child = next(line)
        child.go(tmp_path / "calm")
        child.wait_for_end(300)
        told, undisturbed = ending(tmp_path / "calm"), books(tmp_path / "calm")
        check_overload(undisturbed)
        assert all(told[f"results/{name}"] for name in NAMES)
        while kills < KILLS or lives:
            child, checkpoint = next(line), tmp_path / f"killed-{stories}"
            child.go(checkpoint)
            lives += 1
            if kills < KILLS and fate.strike(child, alone=kills % 2 == 1):
                kills += 1
                continue
            child.wait_for_end(300)
            assert books(checkpoint) == undisturbed
            assert ending(checkpoint) == told
            assert leftovers(checkpoint) == missing(checkpoint) == []
            stories, lives = stories + 1, 0
    assert kills == KILLS
