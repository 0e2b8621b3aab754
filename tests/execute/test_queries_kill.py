"""SIGKILL at random moments while queries come and go: as a run that was never disturbed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from slackwater.control.records import Tier
from slackwater.events import log
from tests.execute.queries_victim import COUNT, COURSE, live
from tests.spark.child import Child, Fate, line_of
from tests.story import ending, leftovers

KILLS = int(os.environ.get("KILLS", "8"))  # of each place


@pytest.mark.slow
@pytest.mark.kill
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("tier", ["columnar", "spark"])
def test_queries_that_come_and_go_survive_sigkill(tmp_path: Path, tier: Tier) -> None:
    live(tmp_path / "still", tier)
    assert COURSE.changes >= 20
    fate, kills, stories = Fate(os.urandom(4).hex()), 0, 0
    fate.pace = 1.0
    with line_of(lambda: Child(tier, module="tests.execute.queries_victim")) as line:
        while kills < KILLS or stories == 0:
            folder, is_over = tmp_path / f"killed-{stories}", False
            while not is_over:
                child = next(line)
                child.go(folder)
                if kills < KILLS and fate.strike(child, alone=True):
                    kills += 1
                    continue
                child.wait_for_end(300)
                is_over = True
            stories += 1
            assert ending(folder) == ending(tmp_path / "still"), fate.draw
            assert leftovers(folder) == []
            told = [e for e in log.read(folder / "events.jsonl") if e["event"] == "batch"]
            assert [one["batch"] for one in told] == list(range(COUNT))
    print(f"{tier}: {kills} kills, {stories} runs, {COURSE.changes} changes each")
