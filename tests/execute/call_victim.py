"""A process made to be killed while Python functions work on rows: ``python -m
tests.execute.call_victim TIER``.

It says ``ready``, waits for a line that names a checkpoint, filters every batch in an order that
chance chooses, notes each row that an effect met beside the checkpoint, says the number of every
batch it commits, and ``done``. It needs no Java.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pyarrow as pa

import slackwater as sw
from slackwater.control.records import Tier
from slackwater.control.step import CONTROLLERS
from slackwater.execute.limits import Limits
from slackwater.query.stream import Query
from tests.driver import Driver, readings
from tests.execute.calling import Shuffled, filtered, with_functions
from tests.execute.robust_victim import say
from tests.story import batches

COUNT = 14


def queries(folder: Path) -> tuple[Query, ...]:
    """One with late rows set aside, and one that revises and has effects."""
    log = folder.with_name(f"{folder.name}.sent")

    def send(v: pa.Array) -> pa.Array:
        with log.open("a") as file:
            file.write("".join(f"{value}\n" for value in v.to_pylist()))
        return pa.array([True] * len(v))

    stream = readings("1 day")
    aside = filtered(stream).window("4 s", "2 s").group_by("k")
    sent = stream.where("k = 1").where(send, effects=True).window("4 s")
    return (
        aside.aggregate(n="count(*)", s="sum(v)").query("aside", sw.slack("3 s"), late="side"),
        sent.aggregate(n="count(*)").query("sent", sw.slack("1 s"), late="revise", keep="9 s"),
    )


def live(folder: Path, tier: Tier, *, is_shuffled: bool = True) -> None:
    dice = CONTROLLERS
    if is_shuffled:
        dice = with_functions(Shuffled(random.Random(random.SystemRandom().random())))
    driver = Driver(tier)
    loop = driver.make_loop(queries(folder), folder, limits=Limits(fan_in=3), controllers=dice)
    try:
        for number, table in enumerate(batches(COUNT, rows=40)):
            if number > loop.batch:
                driver.feed(loop, table, number)
                say(number)
        if not loop.sealed:
            loop.finish()
    finally:
        loop.close()
    say("done")


if __name__ == "__main__":
    say("ready")
    live(Path(sys.stdin.readline().rstrip("\n")), sys.argv[1])  # type: ignore[arg-type]
