"""From when on the answers of a query that comes in mid-stream are whole."""

from __future__ import annotations

import slackwater as sw
from slackwater.control.arrival import shared_states, whole_after
from slackwater.control.records import StreamClock
from slackwater.plan.build import check
from slackwater.plan.stage import QueryPlan, lay_out
from slackwater.query.schema import Schema
from slackwater.query.stream import Query, Stream, StreamDef

SECOND = 1_000_000
ROWS = Schema.of(ts="timestamp", k="bigint")
A, B = (Stream(StreamDef(name, ROWS, "ts")) for name in "ab")


def plan(query: Query) -> QueryPlan:
    return lay_out(check([query])).queries[0]


def clocks(**seconds: int | None) -> dict[str, StreamClock]:
    return {n: StreamClock(None if s is None else s * SECOND) for n, s in seconds.items()}


def counts(size: str = "10 s", slide: str | None = None, slack: str = "2 s") -> QueryPlan:
    return plan(A.window(size, slide).aggregate(n="count(*)").query("q", sw.slack(slack)))


def test_where_nothing_has_come_all_is_whole() -> None:
    assert whole_after(counts(), {}, clocks(a=None)) is None


def test_a_window_is_whole_that_begins_after_the_clock() -> None:
    """The first row that can have come already is at 100 s."""
    assert whole_after(counts(), {}, clocks(a=100)) == 110 * SECOND
    assert whole_after(counts("10 s", "1 s"), {}, clocks(a=100)) == 110 * SECOND


def test_state_that_others_keep_makes_earlier_windows_whole() -> None:
    query = counts(slack="20 s")
    since = {query.base.state.identity: 75 * SECOND}
    assert shared_states(query, since) == (query.base.state.identity,)
    assert whole_after(query, since, clocks(a=100)) == 85 * SECOND - 1
    assert whole_after(query, {query.base.state.identity: None}, clocks(a=100)) == 80 * SECOND


def test_what_would_have_been_answered_by_now_is_not_given() -> None:
    query = counts(slack="2 s")
    since = {query.base.state.identity: 75 * SECOND}
    assert whole_after(query, since, clocks(a=100)) == 98 * SECOND


def test_a_level_is_whole_after_all_windows_below_are() -> None:
    above = A.window("10 s").aggregate(n="count(*)").window("30 s").aggregate(s="sum(n)")
    assert whole_after(plan(above.query("q", sw.slack(0))), {}, clocks(a=100)) == 140 * SECOND


def test_a_result_of_a_join_is_whole_if_all_members_came_or_are_kept() -> None:
    joined = plan(sw.join(A, B, on="k", within={"a": "5 s", "b": "3 s"}).query("q"))
    assert joined.join is not None
    a, b = (one.state.identity for one in joined.join.inputs)
    assert whole_after(joined, {}, clocks(a=100, b=90)) == 105 * SECOND
    # found before the query came, unless the newest member is new
    assert whole_after(joined, {a: None, b: None}, clocks(a=100, b=90)) == 100 * SECOND
    assert whole_after(joined, {a: None}, clocks(a=100, b=99)) == 102 * SECOND
