"""The interpreter of plans against the operator of the papers, and its own small cases."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

import slackwater as sw
from slackwater.papers.slack_ji2018.operators.swa import SWA, SWAParams
from slackwater.papers.stream.baselines import fixed_slack
from slackwater.papers.stream.monoids import SUM
from slackwater.papers.stream.windows import TimeWindow
from slackwater.query.stream import Query
from slackwater.replay.interpreter import Interpreter
from slackwater.spark.pipeline import Pipeline
from slackwater.stats.arrival import Arrival
from tests.examples import examples
from tests.spark.driver import batch, readings

SECOND = 1_000_000


def interpreter(query: Query) -> Interpreter:
    return Interpreter(Pipeline((query,)).plan.queries[0], "ts")


@pytest.mark.spec("qddh:F008", "qddh:F069")
@pytest.mark.deep
@examples(40, 400)
@given(
    st.lists(st.tuples(st.integers(0, 40), st.integers(1, 9)), max_size=15),
    st.tuples(st.integers(1, 8), st.integers(1, 8)).map(lambda w: (max(w), min(w))),
    st.integers(0, 6),
)
def test_with_one_row_per_batch_it_is_the_k_slack_operator(
    rows: list[tuple[int, int]], window: tuple[int, int], slack: int
) -> None:
    size, slide = window
    end_shift = size % slide  # the engine aligns starts to the slide, the operator ends
    stream = readings().window(f"{size} s", f"{slide} s", start=f"{-end_shift % slide} s")
    mine = interpreter(stream.aggregate(total="sum(v)").query("q", sw.slack(slack)))
    answers = [a for t, v in rows for a in mine.feed(batch((t, 1, v)))]
    mine.close()
    params = SWAParams(TimeWindow(size, slide, "left"), SUM, fire_on="watermark")
    operator: SWA[int] = SWA.start(params, fixed_slack(slack))
    theirs = [
        result
        for seq, (t, v) in enumerate(rows)
        for result in operator.update(Arrival("s", seq, t, v))
    ]
    assert {a["__end"] // SECOND: a["total"] for a in answers} == {r.end: r.value for r in theirs}


def test_a_late_row_of_a_lower_level_revises_the_upper_one_and_may_empty_a_group() -> None:
    lower = readings().window("2 s").group_by("k").aggregate(s="sum(v)")
    upper = lower.window("4 s").group_by("s > 10 AS big").aggregate(n="count(*)", top="max(s)")
    mine = interpreter(upper.query("q", late="revise"))
    mine.feed(batch((1, 1, 5)))
    first = mine.feed(batch((9, 1, 1)))
    revised = mine.feed(batch((0, 1, 50)))
    assert [(a["big"], a["n"], a["top"], a["revision"]) for a in first] == [(False, 1, 5, 0)]
    assert sorted((a["big"], a["n"], a["top"], a["revision"]) for a in revised) == [
        (False, None, None, 1),
        (True, 1, 55, 1),
    ]


def test_a_key_that_is_null_in_one_batch_keeps_its_type() -> None:
    """The plan knows it: nulls alone do not tell booleans from texts or numbers."""
    kinds = ("v > 3", "CAST(v AS STRING)", "CAST(v AS DECIMAL(10, 2))", "CAST(v AS DOUBLE)")
    lower = readings().window("2 s").group_by(*(f"{k} AS k{n}" for n, k in enumerate(kinds)))
    upper = lower.aggregate(n="count(*)", last="max(ts)").window("8 s")
    top = upper.group_by("k0", "k1", "k2", "k3").aggregate(n="sum(n)", last="max(last)")
    mine = interpreter(top.query("q", late="revise"))
    mine.feed(batch((1, 1, 5)))
    mine.feed(batch((3, 1, None), (3, 2, None)))
    some, none = sorted(mine.feed(batch((20, 1, None))), key=lambda row: int(row["n"]))
    mine.close()
    assert [none[f"k{n}"] for n in range(4)] == [None] * 4
    assert [some[f"k{n}"] for n in range(4)] == [True, "5", Decimal(5), 5.0]
    assert isinstance(some["k0"], bool)
    assert (none["n"], some["n"], some["last"]) == (2, 1, datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC))


@pytest.mark.spec("qddh:F026")
def test_rows_are_tallied_as_late_or_dropped() -> None:
    stream = readings().window("4 s", "2 s").aggregate(n="count(*)")
    mine = interpreter(stream.query("q"))
    for row in ((1, 1, 1), (6, 1, 1), (3, 1, 1), (5, 1, 1), (None, 1, 1)):
        mine.feed(batch(row))
    # 3 s missed [0,4) and [2,6): dropped; 5 s missed [2,6) but counts in [4,8): late
    assert (mine.tally.late, mine.tally.dropped, mine.tally.null_time) == (2, 1, 1)
    assert [a["n"] for a in mine.finish()] == [2, 1]
