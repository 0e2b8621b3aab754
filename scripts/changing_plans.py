"""A run whose joins change their plans, for pictures of the page: by themselves, and by hand.

python scripts/changing_plans.py CHECKPOINT
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import slackwater as sw
from slackwater import testing
from slackwater.control.request import Request
from slackwater.events.schema import VERSION
from slackwater.execute.explain import live_lines
from slackwater.plan.explain import explain_value
from slackwater.query.stream import Query

BEGIN, SECOND, ROWS, BATCHES = 1_767_225_600_000_000, 1_000_000, 2_000, 60
WIDE, NARROW = 40_000, 100
ASKED = {
    10: ("(a (b c))", "moving"),
    18: ("((a b) c)", "parallel"),
    40: ("(a b c)", "moving"),
    48: ("(a (b c))", "parallel"),
}  # by batch: another tree for the second query, and how


def stream(name: str) -> Any:
    columns = {"ts": "timestamp", "k": "bigint", "j": "bigint", "v": "bigint"}
    return testing.rows(name, time="ts", **columns)


def counted(name: str, within: str, **terms: Any) -> Query:
    """How many combinations of three streams there are, of which the middle one meets both."""
    joined = sw.join(*map(stream, "abc"), on=["a.k = b.k", "b.j = c.j"], within=within)
    sums = joined.window("10 s").aggregate(n="count(*)", s="sum(a_v + b_v + c_v)")
    return sums.query(name, sw.slack("1 s"), sink=sw.memory(), **terms)


def came(number: int) -> dict[str, pa.Table]:
    """A batch of ten seconds; which pair of streams meets often swaps after half of the run."""
    k, j = (WIDE, NARROW) if number < BATCHES // 2 else (NARROW, WIDE)
    draw = np.random.default_rng(number)
    found = {}
    for name in "abc":
        times = np.sort(draw.integers(0, 10 * SECOND, ROWS)) + BEGIN + number * 10 * SECOND
        found[name] = pa.table(
            {
                "ts": pa.array(times, pa.timestamp("us", "UTC")),
                "k": draw.integers(0, k, ROWS),
                "j": draw.integers(0, j, ROWS),
                "v": draw.integers(0, 100, ROWS),
            }
        )
    return found


def main(checkpoint: Path) -> int:
    queries = (
        counted("adaptive", "10 s", resources=sw.resources(memory=700_000)),
        counted("by_hand", "20 s", resources=sw.resources(memory="8 MB")),
    )
    loop = testing.make_loop(queries, checkpoint, testing.Settings(tier="columnar"))
    plan = explain_value(loop.policy.plan)
    loop.events.write("start", schema=VERSION, pipeline="", batch=-1, plan=plan, trigger=None)
    try:
        for number in range(BATCHES):
            if number in ASKED:
                tree, how = ASKED[number]
                loop.inbox.put(Request(f"replan-{number}", "by_hand", tree=tree, how=how))
            loop.process(testing.micro(loop, came(number)), number)
        loop.events.write("stop", batch=BATCHES - 1, reason="stopped")
        print(*live_lines(loop), sep="\n")
    finally:
        loop.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
