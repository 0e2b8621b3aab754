"""A process made to be killed while queries come and go: ``python -m
tests.execute.queries_victim TIER``.

It says ``ready``, waits for a line that names a checkpoint, gives every batch to the queries of the
course, says the number of every batch it commits, and ``done``. It needs no Java.
"""

from __future__ import annotations

import sys
from pathlib import Path

from slackwater.control.records import Tier
from slackwater.execute.limits import Limits
from slackwater.execute.loop import Loop
from slackwater.runs.checkpoint import Checkpoint
from slackwater.testing import Micro
from tests.coming import MADE, Course
from tests.driver import Driver
from tests.story import batches

COUNT = 24
COURSE = Course.drawn(11, changes=0.8, count=COUNT)


def live(folder: Path, tier: Tier) -> None:
    """As after a kill: with the queries of the batch that comes next."""
    tables, newest = batches(COUNT), Checkpoint(folder).batches()[-1:]
    last = newest[0] if newest else -1
    loop: Loop[Micro] | None = None
    for number in range(last + 1, COUNT):
        names = COURSE.sets[number]
        if loop is None or names != COURSE.sets[number - 1]:
            if loop is not None:
                loop.close()
            queries = [MADE[name]() for name in names]
            loop = Driver(tier).make_loop(queries, folder, limits=Limits(fan_in=3))
        if number > loop.batch:
            Driver(tier).feed(loop, tables[number], number)
        say(number)
    if loop is not None:
        loop.close()
    say("done")


def say(word: object) -> None:
    print(word, flush=True)


if __name__ == "__main__":
    say("ready")
    live(Path(sys.stdin.readline().rstrip("\n")), sys.argv[1])  # type: ignore[arg-type]
