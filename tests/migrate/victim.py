"""A process made to be killed while joins change trees: ``python -m tests.migrate.victim TIER``.

It says ``ready``, waits for a line that names a checkpoint, asks for another tree of every join
before every batch, says the number of every batch it commits, and ``done``. It needs no Java.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

from slackwater.control.records import Tier
from slackwater.control.request import Request
from slackwater.execute.limits import Limits
from slackwater.query.stream import Query
from slackwater.runs.requests import Inbox
from tests.driver import Driver
from tests.migrate.test_parallel_track import contracts
from tests.migrate.test_replan import joins
from tests.properties.test_joins_agree import random_tree
from tests.story import batches

COUNT = 16


def queries() -> tuple[Query, ...]:
    """One whose plan is open, and one that is ordered and revised, under a contract on recall."""
    return joins("adaptive")[0], contracts()[1]


def ask(folder: Path, number: int) -> None:
    """Another tree for each join, the same whenever this batch is asked for."""
    for query in queries():
        draw = random.Random(f"{number} {query.name}")
        tree, how = random_tree(draw, ["a", "b", "c"]), draw.choice(["moving", "parallel"])
        inbox = Inbox(folder / "prods")
        inbox.put(Request(f"replan-{number}-{query.name}", query.name, tree=tree, how=how))


def live(folder: Path, tier: Tier, *, replans: bool = True) -> None:
    driver = Driver(tier)
    loop = driver.make_loop(queries(), folder, limits=Limits(fan_in=3))
    try:
        for number, table in enumerate(batches(COUNT, rows=8)):
            if number > loop.batch:
                if replans:
                    ask(folder, number)
                driver.feed(loop, table, number)
                say(number)
        if not loop.sealed:
            loop.finish()
    finally:
        loop.close()
    say("done")


def say(word: object) -> None:
    print(word, flush=True)


if __name__ == "__main__":
    say("ready")
    live(Path(sys.stdin.readline().rstrip("\n")), sys.argv[1])  # type: ignore[arg-type]
