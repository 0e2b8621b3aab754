"""Two ranked queries with more work than they can do, as a story for processes that are killed:
``python -m tests.execute.overload TIER``.

It says ``ready``, waits for a line that names a checkpoint, goes on from where that was left,
says the number of every batch it commits, and ``done`` at the end; rows wait then.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pyarrow as pa

import slackwater as sw
from slackwater.events import log
from slackwater.query.stream import Query, Stream
from tests.driver import Driver
from tests.execute.test_ranks import balanced, joined, traffic

BATCHES = 40
ROWS = 120  # in a batch
NAMES = ("first", "lucky")
WITHIN = "1 s"
BECAME = ("worked", "waiting", "expired", "shed")
Books = dict[str, dict[str, dict[str, int]]]


def queries(pairs: Stream) -> tuple[Query, ...]:
    """Critical rows first, where there is time for every fourth row; and as many as needed shed."""
    ways = zip(NAMES, ("prune", "random"), (30, 60), strict=True)
    return tuple(
        pairs.query(
            name,
            sw.slack("2 s"),
            rank=sw.rank("a.v = 1", "a.v = 2", budget=budget, precedence=precedence),
            lifespan="3 s",
        )
        for name, precedence, budget in ways
    )


def rows(number: int) -> dict[str, pa.Table]:
    """The rows of a batch: the same ones whenever they are asked for."""
    tables = traffic(number, ROWS // 2)
    return {name: tables[name] for name in "ab"}


def go_on(checkpoint: Path, tier: Any) -> None:
    """All batches that are left, in a process that may die at any moment."""
    driver = Driver(tier)
    pairs = joined("a", "b", within=WITHIN)
    loop = driver.make_loop(queries(pairs), checkpoint, on_batch=lambda told: say(told["batch"]))
    try:
        for number in range(max(0, loop.batch), BATCHES):
            driver.feed(loop, rows(number), number)  # the newest again, as Spark may do
    finally:
        loop.close()


def books(checkpoint: Path) -> Books:
    """By query and rank what became of all rows; every batch is told once, and balances."""
    told = [one for one in log.read(checkpoint / "events.jsonl") if one["event"] == "batch"]
    assert [one["batch"] for one in told] == list(range(BATCHES))
    return {name: balanced([one["queries"][name]["backlog"] for one in told]) for name in NAMES}


def check_overload(found: Books) -> None:
    """That there was one: much expired in one query and was shed in the other, and rows wait."""
    for name, gone, other in zip(NAMES, ("expired", "shed"), ("shed", "expired"), strict=True):
        total = {kind: sum(book[kind] for book in found[name].values()) for kind in BECAME}
        assert sum(total.values()) == BATCHES * ROWS
        assert total["waiting"] > 0
        assert total[gone] > 1000
        assert total[other] == 0


def say(word: object) -> None:
    print(word, flush=True)


def main(tier: str) -> None:
    say("ready")
    go_on(Path(sys.stdin.readline().strip()), tier)
    say("done")


if __name__ == "__main__":
    main(*sys.argv[1:])
