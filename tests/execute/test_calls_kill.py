"""SIGKILL at random moments while functions filter in any order: as a run never disturbed."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from slackwater.control.records import Tier
from tests.execute.call_victim import COUNT, live
from tests.spark.child import Child, Fate, line_of
from tests.story import batches, ending, leftovers

KILLS = int(os.environ.get("KILLS", "5"))  # of each place


@pytest.mark.slow
@pytest.mark.kill
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("tier", ["columnar", "spark"])
def test_functions_in_any_order_survive_sigkill(tmp_path: Path, tier: Tier) -> None:
    live(tmp_path / "still", tier, is_shuffled=False)
    assert all(ending(tmp_path / "still")[f"results/{name}"] for name in ("aside", "sent"))
    fate, kills, stories, again = Fate(os.urandom(4).hex()), 0, 0, 0
    fate.pace = 1.0
    with line_of(lambda: Child(tier, module="tests.execute.call_victim")) as line:
        while kills < KILLS or stories == 0:
            folder, struck, is_over = tmp_path / f"killed-{stories}", 0, False
            while not is_over:
                child = next(line)
                child.go(folder)
                if kills < KILLS and fate.strike(child, alone=True):
                    kills, struck = kills + 1, struck + 1
                    continue
                child.wait_for_end(300)
                is_over = True
            stories += 1
            assert ending(folder) == ending(tmp_path / "still"), fate.draw
            assert leftovers(folder) == []
            again += met_again(folder, struck)
    print(f"{tier}: {kills} kills, {stories} runs, {again} parts met an effect twice")


def met_again(folder: Path, struck: int) -> int:
    """How many parts met an effect more than once: none but what it was at when it was killed."""
    sent = Counter(folder.with_name(f"{folder.name}.sent").read_text().splitlines())
    parts = [
        Counter(
            str(v)
            for k, v in zip(*t.select(["k", "v"]).to_pydict().values(), strict=True)
            if k == 1
        )
        for t in batches(COUNT, rows=40)
    ]
    twice = sent - sum(parts, Counter())
    assert sum(parts, Counter()) - sent == Counter()
    left = 0
    while twice:
        part = next(part for part in parts if not part - twice)
        twice, left = twice - part, left + 1
    assert left <= struck
    return left
