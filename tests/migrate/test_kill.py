"""SIGKILL at random moments while joins change trees: as a run that was never disturbed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from slackwater.control.records import Tier
from slackwater.events import log
from tests.differential.place import is_migrating, migrations
from tests.migrate.victim import COUNT, live
from tests.spark.child import Child, Fate, line_of
from tests.story import ending, leftovers

KILLS = int(os.environ.get("KILLS", "10"))  # of each place


@pytest.mark.slow
@pytest.mark.kill
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("tier", ["columnar", "spark"])
def test_joins_that_change_trees_survive_sigkill(tmp_path: Path, tier: Tier) -> None:
    live(tmp_path / "still", tier, replans=False)
    fate, kills, amid, stories, ways = Fate(os.urandom(4).hex()), 0, 0, 0, []
    fate.pace = 1.0
    with line_of(lambda: Child(tier, module="tests.migrate.victim")) as line:
        while kills < KILLS or stories == 0:
            folder, is_over = tmp_path / f"killed-{stories}", False
            while not is_over:
                child = next(line)
                child.go(folder)
                if kills < KILLS and fate.strike(child, alone=True):
                    kills += 1
                    amid += is_migrating(folder)
                    continue
                child.wait_for_end(300)
                is_over = True
            stories += 1
            assert ending(folder) == ending(tmp_path / "still"), fate.draw
            assert leftovers(folder) == []
            told = [e["batch"] for e in log.read(folder / "events.jsonl") if e["event"] == "batch"]
            assert told == list(range(COUNT + 1))
            ways += [one["how"] for one in migrations(folder).values()]
    counts = {how: ways.count(how) for how in ("moving", "parallel")}
    print(f"{tier}: {kills} kills, {amid} amid a change, {stories} runs, {counts}")
    assert amid > KILLS / 2
    assert min(counts.values()) > 0
