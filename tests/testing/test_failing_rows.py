"""Rows that fail the filter of a join's input move their stream's clock, counted by the hour: a
stream which catches up on days is told from one row far ahead. ``tests/spark`` asks Spark, too.
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import slackwater as sw
from slackwater.query.stream import Query
from slackwater.units import HOUR
from tests.driver import Batch, batch, feed, make_loop, readings

DAYS = [(3600.0 * hour, 1, 0) for hour in range(0, 80, 8)]  # three days, and all fail
BATCHES: list[tuple[Batch, int]] = [  # and where the clock is then
    ({"a": batch(*DAYS, (None, 1, 0)), "b": batch((0, 1, 5))}, 72 * HOUR),
    ({"a": batch((3600 * 73, 1, 0), (3600 * 2000, 1, 0)), "b": batch()}, 73 * HOUR),
    ({"a": batch((3600 * 73.5, 1, 0), (3600 * 73.6, 1, 5)), "b": batch()}, 736 * HOUR // 10),
    ({"a": batch((None, 1, 0)), "b": batch()}, 736 * HOUR // 10),
]


def query() -> Query:
    sides = readings("1 day", "a").where("v > 1"), readings("1 day", "b")
    return sw.join(*sides, on="k", within="5 s").select("a.v AS av").query("q", sink=sw.memory())


def test_rows_that_fail_a_filter_move_the_clock_hour_by_hour(tmp_path: Path) -> None:
    with closing(make_loop([query()], tmp_path)) as loop:
        for rows, clock in BATCHES:
            feed(loop, rows)
            assert loop.state.streams["a"].clock == clock
            assert loop.state.streams["a"].origin == 0
