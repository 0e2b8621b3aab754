"""Estimates: finals do not notice them, and each says what its windows would have said just then.

The oracle of an estimate is the same stream ended at that batch: ending it closes every open
window with what is there.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.execute.estimates import near
from slackwater.execute.sinks import MemorySink
from slackwater.query.stream import Stream
from tests.properties.test_engines_agree import CUTS, LATE, WINDOW, one_level, two_levels
from tests.spark.driver import batch, readings, replayed, run

PRODS = st.lists(
    st.one_of(
        st.builds(lambda every: sw.estimates(every=every), st.integers(0, 9)),
        st.builds(lambda p: sw.estimates(aggressiveness=p / 10), st.integers(0, 9)),
        st.just(sw.estimates(accuracy=0.9)),
    ),
    min_size=1,
    max_size=3,
)
END = datetime.max.replace(tzinfo=UTC)
HIDDEN = ("emitted_at", "coverage", "kind", "boundary", "revision", "prod", "tuples")


def summed_up(size: int, slide: int) -> Stream:
    """A level whose answers may be negative, and one above it that naive folding gets wrong."""
    sums = readings().window(f"{size} s", f"{slide} s").group_by("k").aggregate(s="sum(v - 8)")
    return sums.window("12 s").aggregate(
        low="min(s)", top="max(s)", all="sum(s)", groups="count(*)", mean="avg(s)"
    )


def three_levels(size: int, slide: int) -> Stream:
    return (
        two_levels(size, slide)
        .where("rows > 0")
        .window("24 s")
        .aggregate(most="max(rows)", sum="sum(windows)")
    )


def four_levels(size: int, slide: int) -> Stream:
    return three_levels(size, slide).window("48 s").aggregate(least="min(most)", n="count(*)")


def over_a_join(size: int, slide: int) -> Stream:
    left, right = readings(name="a"), readings(name="b")
    joined = sw.join(left, right.where("v > 0"), on="k", within="3 s")
    window = joined.select("a.v AS v").window(f"{size} s", f"{slide} s")
    return window.aggregate(n="count(*)", s="sum(v)")


SHAPES = [one_level, two_levels, summed_up, three_levels, four_levels]


def told(
    sink: MemorySink, kind: str | None = None, until: datetime = END
) -> list[tuple[int, tuple[Any, ...]]]:
    """Rows of a sink with their batch: all but what differs from run to run.

    Only of windows that began ``until`` then.
    """
    return sorted(
        (number, _plain(row))
        for number, table in sink.batches.items()
        for row in table.to_pylist()
        if (row["kind"] == "estimate") == (kind == "estimate") and row["window_start"] <= until
    )


def clock(tables: Sequence[Any]) -> datetime:
    """The largest time seen, of the stream that is behind."""
    parts = [table if isinstance(table, dict) else {"r": table} for table in tables]
    return min(
        max(time for part in parts for time in part[name]["ts"].to_pylist() if time is not None)
        for name in parts[0]
    )


def _plain(row: dict[str, Any]) -> tuple[Any, ...]:
    shown = {k: v for k, v in row.items() if k not in HIDDEN and not _is_beside(k, row)}
    return tuple((name, repr(_rounded(value))) for name, value in sorted(shown.items()))


def _is_beside(name: str, row: dict[str, Any]) -> bool:
    stem, _, end = name.rpartition("_")
    return end in ("scaled", "low", "high") and stem in row


def _rounded(value: Any) -> Any:
    return round(value, 9) if isinstance(value, float) else value


def ran(
    session: SparkSession, stream: Stream, tables: Sequence[Any], tier: str, **terms: Any
) -> MemorySink:
    sink = sw.memory()
    query = stream.query("q", sw.slack(terms.pop("slack")), sink=sink, **terms)
    with tempfile.TemporaryDirectory() as folder:
        run(session, (query,), tables, Path(folder), tier=tier)
    return sink


def check(session: SparkSession, stream: Stream, tables: Sequence[Any], tier: str, **terms: Any):
    prods = terms.pop("prods")
    with_prods = ran(session, stream, tables, tier, estimates=prods, **terms)
    without = ran(session, stream, tables, tier, **terms)
    assert told(with_prods) == told(without)
    for number in sorted({number for number, _ in told(with_prods, "estimate")}):
        said = {row for n, row in told(with_prods, "estimate") if n == number}
        ended = ran(session, stream, tables[: number + 1], tier, **terms)
        would_say = {
            row for n, row in told(ended, until=clock(tables[: number + 1])) if n == number + 1
        }
        assert said <= would_say
        if any(prod.every == 0 for prod in prods):
            assert said == would_say


@pytest.mark.spec("prodding:F21", "prodding:F23", "prodding:F30")
@settings(max_examples=20)
@given(CUTS, WINDOW, st.integers(0, 8), LATE, st.sampled_from(SHAPES), PRODS)
def test_columnar_estimates_say_what_ending_the_stream_would_and_finals_do_not_change(
    spark: SparkSession,
    cuts: Any,
    window: tuple[int, int],
    slack: int,
    late: str,
    shape: Any,
    prods: Any,
) -> None:
    tables = [batch(*rows) for rows in cuts]
    terms = {"slack": slack, "late": late}
    check(spark, shape(*window), tables, "columnar", prods=prods, **terms)


def test_windows_below_may_begin_after_the_clock(spark: SparkSession) -> None:
    """[10, 15) is open at 11, its answer goes to [12, 24), and that one's to [0, 24)."""
    tables = [batch((1, 1, 1)), batch((11, 1, 1))]
    prods = [sw.estimates(every=0)]
    check(spark, three_levels(5, 5), tables, "columnar", prods=prods, slack=2, late="drop")


@settings(max_examples=4)
@given(
    CUTS.filter(lambda cuts: len(cuts) < 4),
    WINDOW,
    LATE,
    st.sampled_from(SHAPES[1:3]),
    st.sampled_from([0, 6]),
)
def test_estimates_of_the_spark_tier_say_the_same(
    spark: SparkSession, cuts: Any, window: tuple[int, int], late: str, shape: Any, few: int
) -> None:
    """All of them by Spark, and some in the driver."""
    tables = [batch(*rows) for rows in cuts]
    prods = [sw.estimates(every=0)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(near, "FEW", few)
        check(spark, shape(*window), tables, "spark", prods=prods, slack=2, late=late)


@pytest.mark.spec("prodding:F26")
@settings(max_examples=8)
@given(CUTS, CUTS, WINDOW, st.sampled_from(["drop", "revise"]))
def test_estimates_above_a_join_say_the_same(
    spark: SparkSession, left: Any, right: Any, window: tuple[int, int], late: str
) -> None:
    tables = [
        {"a": batch(*one), "b": batch(*other)} for one, other in zip(left, right, strict=False)
    ]
    prods = [sw.estimates(every=0)]
    check(spark, over_a_join(*window), tables, "columnar", prods=prods, slack=2, late=late)


@pytest.mark.spec("prodding:F38")
@settings(max_examples=10)
@given(CUTS, WINDOW, st.integers(0, 8), PRODS)
def test_finals_of_a_prodded_query_are_those_of_the_interpreter(
    spark: SparkSession, cuts: Any, window: tuple[int, int], slack: int, prods: Any
) -> None:
    tables = [batch(*rows) for rows in cuts]
    sink = ran(spark, two_levels(*window), tables, "columnar", slack=slack, estimates=prods)
    query = two_levels(*window).query("q", sw.slack(slack))
    replay = [{k: v for k, v in row if k not in HIDDEN} for row in replayed(query, tables)]
    expected = sorted(_plain(row) for row in replay)
    assert sorted(row for _, row in told(sink)) == expected
