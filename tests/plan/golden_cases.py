"""Queries of every kind, whose statements have golden texts."""

from __future__ import annotations

from typing import Any

import slackwater as sw
from slackwater.plan.build import check
from slackwater.plan.stage import QueryPlan, lay_out
from slackwater.query.stream import Stream, StreamDef

PLAIN = sw.Schema.of(ts="timestamp", k="bigint", v="double")
RICH = sw.Schema.of(
    ts="timestamp",
    k="bigint",
    v="double",
    i="int",
    d="decimal(10,2)",
    e="decimal(38,2)",
    site="string",
)
WALL = sw.Schema.of(ts="timestamp_ntz", k="bigint", v="double")
ODD = sw.Schema.of(**{"Time": "timestamp", 'the "k"': "bigint", "a.b": "string", "V v": "double"})
FIXED = sw.slack("2 s")
OFTEN = sw.estimates(every="5 s")
CHOSEN = sw.estimates(accuracy=0.9, where="n > 3 AND k IS NOT NULL")


def stream(name: str = "r", schema: sw.Schema = PLAIN, time: str = "ts") -> Stream:
    return Stream(StreamDef(name, schema, time))


def counted(*window: str, start: str = "0 s") -> Stream:
    grouped = stream().window(*window, start=start).group_by("k")
    return grouped.aggregate(n="count(*)", s="sum(v)", top="max(v)")


def above(below: Stream) -> Stream:
    grouped = below.window("1 minute").group_by("k % 2 AS odd")
    return grouped.aggregate(rows="sum(n)", best="max(top)", groups="count(*)")


def joined(*names: str, **terms: Any) -> Stream:
    given = {"on": "k", "within": "5 s", "order": "written", **terms}
    return sw.join(*(stream(name) for name in names), **given)


def composite() -> Stream:
    some = stream("r", RICH).where("v > 0 OR v IS NULL")
    grouped = some.window("10 s").group_by("k + 1 AS next", "site")
    return grouped.aggregate(
        mean="avg(v)",
        rate="sum(v) / count(*)",
        share="sum(CASE WHEN v > 1 THEN 1 ELSE 0 END) / count(v)",
        spread="max(v) - min(v)",
        sd="stddev_samp(v)",
        money="sum(d)",
        fair="avg(d)",
        whole="sum(i)",
        round="sum(k)",
        long="sum(e)",
    )


def sketched() -> Stream:
    grouped = stream("r", RICH).window("10 s", "5 s").group_by("site")
    return grouped.aggregate(
        users="approx_count_distinct(k)", middle="approx_percentile(v, 0.5)", n="count(*)"
    )


def oddly_named() -> Stream:
    odd = stream("r", ODD, "Time").where("`V v` > 0").window("10 s", "5 s")
    counts = odd.group_by('`the "k"`', "`a.b` AS `It's`").aggregate(
        **{"How many": "count(*)", 'S"um': "sum(`V v`)"}
    )
    grouped = counts.where("`How many` > 1").window("20 s").group_by("`It's`")
    return grouped.aggregate(**{"All.of it": 'sum(`S"um`)'})


def windows() -> dict[str, QueryPlan]:
    """Window aggregates over one stream."""
    few = counted("10 s", "5 s").where("n > 1 AND top IS NOT NULL")
    wall = stream("r", WALL).window("10 s").group_by("k").aggregate(n="count(*)")
    hours = wall.window("1 minute").group_by("hour(window_start) AS hour").aggregate(n="sum(n)")
    error = sw.max_error(0.1, of=["n", "s"])
    return {
        "tumbling": plan(counted("10 s")),
        "sliding": plan(counted("10 s", "2 s")),
        "uneven": plan(counted("10 s", "4 s")),
        "shifted": plan(counted("10 s", "5 s", start="3 s")),
        "without keys": plan(stream().window("10 s").aggregate(n="count(*)", s="sum(v)")),
        "wall clock": plan(hours),
        "composite": plan(composite(), late="revise"),
        "sketches": plan(sketched()),
        "odd names": plan(oddly_named(), late="revise", estimates=OFTEN),
        "revised": plan(counted("10 s", "5 s"), late="revise"),
        "two levels": plan(above(counted("10 s", "5 s"))),
        "two levels, filtered and revised": plan(above(few), late="revise"),
        "three levels, revised": plan(
            above(few).window("2 minutes").aggregate(most="max(rows)"), late="revise"
        ),
        "error bound": plan(counted("10 s", "5 s"), contract=error),
        "estimates": plan(counted("10 s"), estimates=[OFTEN, CHOSEN]),
        "estimates of two levels": plan(above(few), estimates=OFTEN),
        "estimates of two levels, revised": plan(above(few), late="revise", estimates=OFTEN),
        "costly": plan(_costly(), estimates=OFTEN),
        "exact": plan(_exact(), late="revise"),
        "related": plan(_related(), late="revise", estimates=OFTEN),
    }


def _exact() -> Stream:
    grouped = stream("r", RICH).window("10 s", "1 s").group_by("k")
    values = {"mid": "median(v)", "kinds": "count(DISTINCT site, i)", "n": "count(*)"}
    return grouped.aggregate(
        **values,
        sites="collect_set(site)",
        all="collect_list(i)",
        end="last(d) FILTER (WHERE i > 1)",
    )


def _related() -> Stream:
    sql = "SELECT count(*) AS n FROM window WHERE v > (SELECT max(v) / 2 FROM window)"
    return stream().where("k > 0").window("10 s", "5 s").group_by("k").relate(sql)


def _costly() -> Stream:
    dear = stream().costly(100, aside="3:1").where("v > 0").window("10 s")
    return dear.group_by("k").aggregate(n="count(*)", s="sum(v)")


def joins() -> dict[str, QueryPlan]:
    """Bare joins, and aggregates above joins."""
    recall = sw.min_recall(0.9)
    each = {"a": "3 s", "b": "2 s", "c": "4 s"}
    pairs = {("a", "b"): "1 s", ("b", "c"): "2 s"}
    theta = ["a.k = b.k", "abs(b.v - c.v) < 2", "a.v > 0"]
    shown = ("a.k AS k", "a.v + b.v AS both")
    select = joined("a", "b").where("a.v < b.v").select(*shown)
    tree = {"order": "((a b) c)", "within": each}
    odd = sw.join(
        stream('x "1"', ODD, "Time"),
        stream("y.2", ODD, "Time"),
        on='`the "k"`',
        within="5 s",
        order="written",
    )
    wall = sw.join(stream("a", WALL), stream("b", WALL), on="k", within="5 s", order="written")
    ordered = joined("a", "b", emit="ordered").select(*shown)
    left = joined("a", "b", how="left", on=["k", "a.v > b.v + 5"])
    return {
        "two": plan(joined("a", "b")),
        "two, selected": plan(select),
        "ordered": plan(ordered),
        "ordered, revised": plan(ordered, late="revise"),
        "revised": plan(select, late="revise"),
        "recall": plan(select, contract=recall),
        "recall, ordered": plan(ordered, contract=recall),
        "recall, revised, inner node": plan(
            joined("a", "b", "c", **tree), contract=recall, late="revise"
        ),
        "three, windows of each": plan(joined("a", "b", "c", within=each)),
        "three, windows of pairs, no common key": plan(
            joined("a", "b", "c", on=theta, within=pairs)
        ),
        "three, inner node, ordered": plan(joined("a", "b", "c", emit="ordered", **tree)),
        "left": plan(left.where("a.v > coalesce(b.v, 0)").select(*shown)),
        "left, revised": plan(left, late="revise"),
        "three, two optional": plan(_optional("b", "c")),
        "three, one optional": plan(_optional("c"), late="revise"),
        "three, crossed": plan(joined("a", "b", "c", on=["a.k = b.k"], cross=True)),
        "four, bushy": plan(joined("a", "b", "c", "d", order="((a b) (c d))")),
        "odd names": plan(odd),
        "wall clock": plan(wall),
        "aggregate above": plan(_above_join(), late="revise"),
        "aggregate above, estimated": plan(_above_join(), estimates=OFTEN),
        "aggregate above, grouped": plan(_above_groups(), late="revise"),
    }


def _optional(*names: str) -> Stream:
    inputs = [stream(n).optional() if n in names else stream(n) for n in "abc"]
    within = {"a": "3 s", "b": "2 s", "c": "4 s"}
    return sw.join(*inputs, on=["k", "a.v > c.v + 2"], within=within, order="written")


def _above_join() -> Stream:
    pairs = (
        joined("a", "b", "c", order="((a b) c)").where("a.v < b.v").select("a.k AS k", "c.v AS v")
    )
    return pairs.window("10 s", "5 s").group_by("k").aggregate(n="count(*)", mean="avg(v)")


def _above_groups() -> Stream:
    inputs = [stream(name, RICH) for name in "abc"]
    pairs = sw.join(*inputs, on="k", within="5 s", order="grouped ((a b) c)").where("a.i < b.i")
    windows = pairs.window("10 s", "5 s").group_by("a.site AS site")
    return windows.aggregate(
        n="count(*)", s="sum(c.i)", mean="avg(b.v)", sd="stddev_pop(c.v)", top="max(c.v)"
    )


def plan(stream: Stream, contract: Any = FIXED, **terms: Any) -> QueryPlan:
    return lay_out(check([stream.query("q", contract, **terms)])).queries[0]
