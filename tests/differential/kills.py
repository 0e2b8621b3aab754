"""Pipelines killed with SIGKILL at random moments and started again, judged like any other."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from tests.differential.case import Case, Life
from tests.differential.compare import differences
from tests.differential.place import is_migrating, left_in, migrations, scratch
from tests.differential.seven import from_scratch, last_words, seven
from tests.differential.spark import write_batch
from tests.spark.child import Child, Fate, line_of
from tests.story import ending

MODULE = "tests.differential.victim"


@dataclass
class Killed:
    """What became of one story after the other.

    ``amid`` of the kills came while the tree of a join was being changed, or in a batch that was to
    change one; there were so many ``moves`` and ``tracks``.
    """

    tier: str
    kills: int = 0
    stories: int = 0
    amid: int = 0
    moves: int = 0
    tracks: int = 0
    wrong: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        told = f"{self.tier}: {self.kills} kills in {self.stories} runs, {self.amid} of them amid"
        told += f" a change of tree; {self.moves} moved, {self.tracks} side by side"
        return f"{told}; {len(self.wrong)} differences"

    def count(self, checkpoint: Path) -> None:
        """With the changes of a run that is over."""
        ways = [one["how"] for one in migrations(checkpoint).values()]
        self.moves += ways.count("moving")
        self.tracks += ways.count("parallel")


def write_all(case: Case, folder: Path) -> None:
    for feed in case.feeds:
        (folder / feed.name).mkdir()
    for number in range(len(case.batches)):
        write_batch(case, folder, number)


def kill_one(case: Case, kills: int) -> tuple[int, list[str]]:
    """A random case in one life, killed up to so often; how often, and what differs."""
    tier, fate, struck = case.lives[0].tier, Fate(case.seed), 0
    whole = replace(case, lives=(Life(len(case.batches), tier),), pins={}, requests={})
    with scratch(case) as folder:
        write_all(whole, folder)
        with line_of(lambda: Child(case.seed, folder, tier, module=MODULE)) as line:
            for child in line:
                child.go(folder / "checkpoint")
                if struck < kills and fate.strike(child, alone=struck % 2 == 1):
                    struck += 1
                    continue
                child.wait_for_end(600)
                break
        return struck, differences(whole, left_in(folder / "checkpoint", whole))


def calm(case: Case, folder: Path, tier: str) -> str:
    """Run the seven undisturbed, no tree changes; Java keeps its classes, so that the next ones
    start sooner.
    """
    write_all(case, folder)
    archive = folder / "classes.jsa"
    java = f"-XX:ArchiveClassesAtExit={archive}"
    child = Child("seven-still", folder, tier, java=java, module=MODULE)
    try:
        child.go(folder / "calm")
        child.wait_for_end(600)
        child.leave(60)
    finally:
        child.bury()
    return f"-XX:SharedArchiveFile={archive}"


def judged(case: Case, checkpoint: Path) -> list[str]:
    """A run beside the oracle, and beside DuckDB from scratch."""
    left = left_in(checkpoint, case)
    found = differences(case, left)
    said, scratch = last_words(case, left), from_scratch(case)
    for name, wanted in scratch.items():
        if said[name] != wanted:
            more, less = said[name] - wanted, wanted - said[name]
            found.append(f"{name}, DuckDB: too much {list(more)[:4]}, missing {list(less)[:4]}")
    return found


def kill_seven(
    tier: str, kills: int, seed: str, tell: Callable[[str], None] = lambda text: None
) -> Killed:
    """The seven queries in one tier, killed this often while their joins change trees; every second
    time Python alone.
    """
    case, fate, found = seven(), Fate(seed), Killed(tier)
    with tempfile.TemporaryDirectory(prefix="seven-", ignore_cleanup_errors=True) as top:
        folder = Path(top)
        java = calm(case, folder, tier)
        undisturbed = ending(folder / "calm")
        found.wrong += [f"undisturbed: {text}" for text in judged(case, folder / "calm")]
        lives = 0
        with line_of(lambda: Child("seven", folder, tier, java=java, module=MODULE)) as line:
            while found.kills < kills or lives:
                child = next(line)
                checkpoint = folder / f"killed-{found.stories}"
                child.go(checkpoint)
                lives += 1
                if found.kills < kills and fate.strike(child, alone=found.kills % 2 == 1):
                    found.kills += 1
                    found.amid += is_migrating(checkpoint)
                    continue
                child.wait_for_end(600)
                found.count(checkpoint)
                if ending(checkpoint) != undisturbed:
                    found.wrong.append(f"run {found.stories} differs from the undisturbed one")
                found.wrong += [f"run {found.stories}: {t}" for t in judged(case, checkpoint)]
                found.stories, lives = found.stories + 1, 0
                tell(str(found))
    return found
