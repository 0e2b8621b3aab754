"""Killed with SIGKILL at random moments and started again, a pipeline ends as if undisturbed."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.spark.child import Child, Fate, line_of
from tests.story import batches, ending, leftovers, write_input

pytestmark = [pytest.mark.kill, pytest.mark.slow, pytest.mark.timeout(1200)]

KILLS = 10  # for each tier


@dataclass(frozen=True)
class Calm:
    """The story told once without disturbance: its files, its ending, its classes."""

    source: Path
    ending: dict[str, Counter[str]]
    java: str


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> Calm:
    """Java keeps the classes it loaded in an archive: the next JVMs start in half the time."""
    folder = tmp_path_factory.mktemp("calm")
    write_input(folder / "in", batches(10))
    archive = folder / "classes.jsa"
    child = Child(folder / "in", "columnar", java=f"-XX:ArchiveClassesAtExit={archive}")
    try:
        child.go(folder / "checkpoint")
        child.wait_for_end(300)
        child.leave(60)
    finally:
        child.bury()
    return Calm(folder / "in", ending(folder / "checkpoint"), f"-XX:SharedArchiveFile={archive}")


@pytest.mark.parametrize("tier", ["columnar", "spark"])
def test_sigkill_at_random_moments_changes_nothing(calm: Calm, tmp_path: Path, tier: str) -> None:
    """Every second time Python alone is killed: its JVM is then still there for a moment."""
    fate = Fate(f"slackwater {tier}")
    kills, stories, lives = 0, 0, 0
    with line_of(lambda: Child(calm.source, tier, java=calm.java)) as line:
        while kills < KILLS or lives:
            child = next(line)
            checkpoint = tmp_path / f"killed-{stories}"
            child.go(checkpoint)
            lives += 1
            if kills < KILLS and fate.strike(child, alone=kills % 2 == 1):
                kills += 1
                continue
            child.wait_for_end(300)
            assert ending(checkpoint) == calm.ending
            assert leftovers(checkpoint) == []
            stories, lives = stories + 1, 0
