"""What a checkpoint means, and how a pipeline that means something else is told of it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import slackwater as sw
from slackwater.plan.build import check
from slackwater.plan.meaning import Order, differences, is_same, other_zone, words
from slackwater.plan.stage import describe, lay_out
from slackwater.query.schema import Schema
from slackwater.query.stream import Query, Stream, StreamDef

ROWS = Schema.of(ts="timestamp", k="bigint", v="double")


def stream(name: str, **types: str) -> Stream:
    return Stream(StreamDef(name, Schema.of(**types) if types else ROWS, "ts"))


A, B, C = stream("a"), stream("b"), stream("c")


def meaning(*queries: Query) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(json.dumps(describe(lay_out(check(queries)))))
    return found


def said(*queries: Query) -> dict[str, str]:
    return words(queries, meaning(*queries))


def counts(of: Stream = A, size: str = "10 s", **values: str) -> Stream:
    return of.window(size).group_by("k").aggregate(**(values or {"n": "count(*)"}))


def test_differences_are_told_as_people_write_them() -> None:
    old = said(counts().query("q"), counts(B).query("gone"))
    changed = counts(A.where("v > 1"), "90 s", n="count(v)", top="max(v)").query("q", late="revise")
    assert differences(old, said(changed)) == [
        "stream 'b' is gone",
        "query 'q', late rows was not revised, is revised",
        "query 'q', window was 10s, is 1min 30s",
        "query 'q', aggregate n was count(*), is count(v)",
        "query 'gone' is gone",
        "query 'q', where (v > 1) is new",
        "query 'q', aggregate top (max(v)) is new",
    ]


def test_differences_of_joins_and_higher_levels_are_told_too() -> None:
    def joined(within: Any, predicate: str, size: str) -> Query:
        of = sw.join(A, B.where(predicate), on="k", within=within)
        lower = of.window("10 s").aggregate(n="count(*)")
        return lower.window(size).aggregate(top="max(n)").query("q")

    found = differences(
        said(joined("10 s", "v > 1", "1 min")),
        said(joined({("a", "b"): "1 h"}, "v > 2", "2 min")),
    )
    assert found == [
        "query 'q', b where was v > 1, is v > 2",
        "query 'q', within was 10s, is a-b 1h",
        "query 'q', level 2 window was 1min, is 2min",
    ]


def test_many_differences_are_not_all_told() -> None:
    values = {f"v{n}": f"sum(v) + {n}" for n in range(20)}
    found = differences(said(counts().query("q")), said(counts(**values).query("q")))
    assert found[-1] == "and 13 more"


def test_the_types_of_columns_are_part_of_the_meaning() -> None:
    texts = stream("a", ts="timestamp", k="string", v="double")
    one, two = meaning(counts().query("q")), meaning(counts(texts).query("q"))
    assert not is_same(one, two)
    told = differences(said(counts().query("q")), said(counts(texts).query("q")))
    assert told == ["stream 'a', column k was bigint, is string"]
    del one["streams"]["a"]["types"]  # as it was written before types were
    assert is_same(one, two)


def test_late_rows_may_go_to_the_side_from_now_on() -> None:
    narrow = counts().query("q")
    assert is_same(meaning(narrow), meaning(replace(narrow, late="side")))
    assert not is_same(meaning(narrow), meaning(replace(narrow, late="revise")))


def test_a_join_keeps_the_order_in_which_it_was_first_written() -> None:
    def joined(*streams: Stream, order: str = "auto") -> Query:
        windows = {"a": "1 s", "b": "2 s", "c": "3 s"}
        return sw.join(*streams, on="k", within=windows, order=order).query("j")

    for order in ("auto", "((a b) c)"):
        first = meaning(joined(A, B, C, order=order))
        known = Order.of(first)
        again = known.arrange(joined(C, A, B, order=order))
        assert meaning(again) == first
        assert Order.from_json(json.loads(json.dumps(known.to_json()))) == known
    probed = known.arrange(joined(C, A, B, order="written"))
    plan = lay_out(check([probed])).queries[0].join
    assert plan is not None
    assert plan.graph.names == ("a", "b", "c")
    assert plan.tree is not None
    assert plan.tree.children == ("c", "a", "b")


def test_streams_keep_the_order_in_which_they_were_first_written() -> None:
    one, two = counts().query("one"), counts(B).query("two")
    known = Order.of(meaning(one, two))
    plan = known.arrange_streams(lay_out(check([counts(C).query("new"), two, one])))
    assert [s.name for s in plan.streams] == ["a", "b", "c"]


def test_zones_are_compared_where_both_sides_tell_them() -> None:
    plain = meaning(counts().query("q"))
    there, here = {**plain, "zone": "America/New_York"}, {**plain, "zone": "UTC"}
    assert other_zone(there, here) == ("America/New_York", "UTC")
    assert other_zone(here, {**plain, "zone": "Z"}) is None
    assert other_zone(plain, here) is None
    assert is_same(there, here)  # it is told by its own name


def test_wall_clocks_that_were_put_into_a_zone_are_not_continued() -> None:
    walls = meaning(counts(stream("a", ts="timestamp_ntz", k="bigint")).query("q"))
    assert is_same(walls, walls)
    assert not is_same(walls, {**walls, "zone": "UTC"})
    assert is_same({**walls, "zone": "UTC"}, {**walls, "zone": "UTC"})
