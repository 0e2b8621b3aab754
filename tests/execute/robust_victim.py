"""A process made to be killed while a robust join takes other plans: ``python -m
tests.execute.robust_victim TIER``.

It says ``ready``, waits for a line that names a checkpoint, joins every batch by orders that chance
chooses, says the number of every batch it commits, and ``done``. It needs no Java.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

import slackwater as sw
from slackwater.control.records import Tier
from slackwater.control.step import CONTROLLERS
from slackwater.execute.limits import Limits
from slackwater.query.stream import Query
from tests.driver import Driver, readings
from tests.execute.swinging import shuffled
from tests.story import batches

COUNT = 16


def queries() -> tuple[Query, ...]:
    """One under a contract on recall, ordered and revised, and one below an aggregate."""
    inputs = [readings("1 day", name=name) for name in "abcd"]
    on = ["a.k = b.k", "b.k = c.k", "abs(c.v - d.v) < 9"]
    ordered = sw.join(*inputs, on=on, within="4 s", order="robust", emit="ordered")
    plain = sw.join(*inputs, on=on, within="4 s", order="robust", uncertainty=3)
    shown = ordered.select("a.k AS k", "a.v AS av", "b.v AS bv", "c.v AS cv", "d.v AS dv")
    counted = plain.window("8 s", "4 s").group_by("a.k AS k").aggregate(n="count(*)", s="sum(d.v)")
    return (
        shown.query("shown", sw.min_recall(0.7, over="8 s"), late="revise", keep="4 s"),
        counted.query("counted", sw.slack("2 s")),
    )


def live(folder: Path, tier: Tier, *, is_shuffled: bool = True) -> None:
    dice = shuffled(random.SystemRandom()) if is_shuffled else CONTROLLERS
    loop = Driver(tier).make_loop(queries(), folder, limits=Limits(fan_in=3), controllers=dice)
    try:
        for number, table in enumerate(batches(COUNT, rows=8)):
            if number > loop.batch:
                Driver(tier).feed(loop, table, number)
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
