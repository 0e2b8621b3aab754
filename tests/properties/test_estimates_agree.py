"""Estimates: finals do not notice them, and each says what its windows would have said just then.

The oracle of an estimate is the interpreter with the stream ended at that batch: ending it closes
every open window with what is there.
"""

from __future__ import annotations

import random
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import slackwater as sw
from slackwater.execute.limits import Limits
from slackwater.execute.sinks import MemorySink
from slackwater.plan.build import check as checked
from slackwater.plan.stage import lay_out
from slackwater.query.stream import Query, Stream
from slackwater.replay.interpreter import Interpreter, Row
from tests.driver import Driver, batch, readings
from tests.examples import examples
from tests.properties.test_engines_agree import CUTS, LATE, PLAIN, WINDOW, one_level, two_levels

PRODS = st.lists(
    st.one_of(
        st.builds(lambda every: sw.estimates(every=every), st.integers(0, 9)),
        st.builds(lambda p: sw.estimates(aggressiveness=p / 10), st.integers(0, 9)),
        st.just(sw.estimates(accuracy=0.9)),
    ),
    min_size=1,
    max_size=3,
)
HIDDEN = ("emitted_at", "coverage", "kind", "boundary", "prod", "tuples")
Told = tuple[tuple[str, Any], ...]
Feed = Callable[["Above", int], list[Row]]  # gives an interpreter the batch of this number


def summed_up(size: int, slide: int) -> Stream:
    """A level whose answers may be negative, and one above it that naive folding gets wrong."""
    sums = readings().window(f"{size} s", f"{slide} s").group_by("k").aggregate(s="sum(v - 8)")
    return sums.window("12 s").aggregate(
        low="min(s)", top="max(s)", all="sum(s)", groups="count(*)", mean="avg(s)"
    )


def three_levels(size: int, slide: int) -> Stream:
    grouped = one_level(size, slide).where("n < 6").window("12 s", "4 s")
    sizes = grouped.group_by("s > 10 AS big").aggregate(windows="count(*)", rows="sum(n)")
    above = sizes.where("rows > 0").window("24 s")
    return above.aggregate(most="max(rows)", sum="sum(windows)")


def four_levels(size: int, slide: int) -> Stream:
    return three_levels(size, slide).window("48 s").aggregate(least="min(most)", n="count(*)")


def joined() -> Stream:
    left, right = readings(name="a"), readings(name="b")
    return sw.join(left, right.where("v > 0"), on="k", within="3 s")


def over_a_join(size: int, slide: int) -> Stream:
    window = joined().select("a.v AS v").window(f"{size} s", f"{slide} s")
    return window.aggregate(n="count(*)", s="sum(v)")


SHAPES = [one_level, two_levels, summed_up, three_levels, four_levels]


class Above(Interpreter):
    """An interpreter that may also be given results of a join, with the clock of its streams, and
    that can be asked what ending its stream would say.
    """

    def ended(self) -> list[Row]:
        """What the end of the stream would close now; it goes on as if nobody had asked."""
        before = self.watermark, self._levels
        self._levels = [
            replace(level, rows=dict(level.rows), told=dict(level.told)) for level in self._levels
        ]
        try:
            return self.finish()
        finally:
            self.watermark, self._levels = before

    def take(self, results: pa.Table | None, clock: int | None) -> list[Row]:
        before = self.watermark
        if clock is not None:
            reached = clock - self.plan.slack
            self.watermark = reached if before is None else max(before, reached)
        if results is None:
            return self._climb(None, [], before)
        return self._climb(results, results["event_time"].cast(pa.int64()).to_pylist(), before)


def replayed(query: Query, feed: Feed, count: int) -> tuple[list[list[Row]], list[list[Row]]]:
    """What each of so many batches brings out, and what ending the stream after it would close."""
    interpreter = Above(lay_out(checked([query])).queries[0], "ts")
    given, ended = [], []
    for number in range(count):
        given.append(feed(interpreter, number))
        ended.append(interpreter.ended())
    interpreter.close()
    return given, ended


def from_tables(tables: Sequence[pa.Table]) -> Feed:
    return lambda interpreter, number: interpreter.feed(tables[number])


def from_results(results: MemorySink, tables: Sequence[Any]) -> Feed:
    """Of a join that other tests compare with a join of all rows at once."""
    return lambda interpreter, number: interpreter.take(
        results.batches.get(number), clock(tables[: number + 1])
    )


def clock(tables: Sequence[Any]) -> int | None:
    """The largest time seen, of the stream that is behind; ``None`` if one has seen none."""
    parts = [table if isinstance(table, dict) else {"r": table} for table in tables]
    seen = {
        name: [t for part in parts for t in part[name]["ts"].cast(pa.int64()).to_pylist()]
        for name in parts[0]
    }
    times = [max((t for t in some if t is not None), default=None) for some in seen.values()]
    known = [time for time in times if time is not None]
    return min(known) if len(known) == len(times) else None


def answered(rows: Sequence[Row], *hidden: str) -> list[Told]:
    """Answers of the interpreter as a sink has them."""
    instant = pa.timestamp("us", "UTC")
    found = []
    for row in rows:
        start, end = pa.array([row["__start"], row["__end"]], instant).to_pylist()
        shown = {k: v for k, v in row.items() if not k.startswith("__")}
        found.append(plain({"window_start": start, "window_end": end, **shown}, *hidden))
    return found


def plain(row: Row, *hidden: str) -> Told:
    """All of a row but what differs from run to run, or stands beside the values of an estimate."""
    shown = {k: v for k, v in row.items() if k not in (*HIDDEN, *hidden) and not _is_beside(k, row)}
    return tuple((name, _rounded(value)) for name, value in sorted(shown.items()))


def _is_beside(name: str, row: Row) -> bool:
    stem, _, end = name.rpartition("_")
    return end in ("scaled", "low", "high") and stem in row


def _rounded(value: Any) -> Any:
    return round(value, 6) if isinstance(value, float) else value


def finals(sink: MemorySink) -> Counter[tuple[int, Told]]:
    """Finals and revisions with their batch."""
    return Counter(
        (number, plain(row))
        for number, table in sink.batches.items()
        for row in table.to_pylist()
        if row["kind"] != "estimate"
    )


def estimated(sink: MemorySink) -> dict[int, set[Told]]:
    """Estimates by batch, as far as there are any."""
    found = {
        number: {plain(row, "revision") for row in table.to_pylist() if row["kind"] == "estimate"}
        for number, table in sink.batches.items()
    }
    return {number: rows for number, rows in found.items() if rows}


def ran(tables: Sequence[Any], *queries: Query, driver: Driver = PLAIN, **how: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        driver.run(queries, tables, Path(folder), **how)


def check(stream: Stream, tables: Sequence[Any], driver: Driver = PLAIN, **terms: Any) -> None:
    sink, prods = sw.memory(), terms.pop("prods")
    contract, limits = sw.slack(terms.pop("slack")), terms.pop("limits", Limits())
    query = stream.query("q", contract, sink=sink, estimates=prods, **terms)
    ran(tables, query, driver=driver, limits=limits)
    agree(sink, stream.query("q", contract, **terms), tables, from_tables(tables), prods)


def agree(
    sink: MemorySink, query: Query, tables: Sequence[Any], feed: Feed, prods: Sequence[Any]
) -> None:
    """Finals and estimates are those of the interpreter."""
    given, ended = replayed(query, feed, len(tables))
    told = enumerate([*given, ended[-1]])
    assert finals(sink) == Counter((number, row) for number, rows in told for row in answered(rows))
    for number, said in estimated(sink).items():
        began = clock(tables[: number + 1])
        assert began is not None
        open_now = [row for row in ended[number] if row["__start"] <= began]
        would_say = set(answered(open_now, "revision"))
        assert said <= would_say
        if any(prod.every == 0 for prod in prods):
            assert said == would_say


@pytest.mark.spec("prodding:F21", "prodding:F23", "prodding:F30", "prodding:F38")
@pytest.mark.deep
@examples(20, 200)
@given(CUTS, WINDOW, st.integers(0, 8), LATE, st.sampled_from(SHAPES), PRODS)
def test_estimates_say_what_ending_the_stream_would_and_finals_do_not_change(
    cuts: Any,
    window: tuple[int, int],
    slack: int,
    late: str,
    shape: Any,
    prods: Any,
) -> None:
    tables = [batch(*rows) for rows in cuts]
    terms = {"slack": slack, "late": late}
    check(shape(*window), tables, prods=prods, **terms)


def longer(seed: int = 7) -> list[pa.Table]:
    """Seven batches, half a minute; every fourth row is late."""
    draw = random.Random(seed)

    def row(number: int) -> tuple[float, int, int]:
        late = draw.choice([0, 0, 0, draw.uniform(0, 9)])
        time = 5 * number + draw.uniform(0, 5) - late
        return round(time, 1), draw.randint(0, 2), draw.randint(-5, 20)

    return [batch(*(row(number) for _ in range(9))) for number in range(7)]


def test_every_shape_says_so_in_every_batch_of_a_longer_stream() -> None:
    """Windows of all levels close in it, are open, and are revised: random streams are short."""
    tables, prods = longer(), [sw.estimates(every=0)]
    sinks = {(shape, late): sw.memory() for shape in SHAPES for late in ("drop", "revise")}
    queries = {
        (shape, late): shape(4, 2).query(f"{shape.__name__}_{late}", sw.slack(1), late=late)
        for shape, late in sinks
    }
    asked = (replace(queries[one], sink=sinks[one], estimates=tuple(prods)) for one in sinks)
    ran(tables, *asked)
    for one, sink in sinks.items():
        assert len(estimated(sink)) >= len(tables) - 1  # the first one may begin the clock
        agree(sink, queries[one], tables, from_tables(tables), prods)


def test_windows_below_may_begin_after_the_clock() -> None:
    """[10, 15) is open at 11, its answer goes to [12, 24), and that one's to [0, 24)."""
    tables = [batch((1, 1, 1)), batch((11, 1, 1))]
    prods = [sw.estimates(every=0)]
    check(three_levels(5, 5), tables, prods=prods, slack=2, late="drop")


@pytest.mark.parametrize("shape", [one_level, summed_up])
def test_rows_from_before_the_stream_began_are_estimated_too(shape: Any, tmp_path: Path) -> None:
    """It began at 29 s, and at 30 s only what ended by 12 s is closed: windows of 20 s are open."""
    tables = [batch((29, 1, 1)), batch((20, 1, 1), (30, 1, 1))]
    prods, sink = [sw.estimates(every=0)], sw.memory()
    query = shape(2, 1).query("q", sw.slack(18))
    PLAIN.run([replace(query, sink=sink, estimates=tuple(prods))], tables, tmp_path)
    agree(sink, query, tables, from_tables(tables), prods)
    assert len(estimated(sink)[1]) > 1


@pytest.mark.spec("prodding:F26")
@pytest.mark.deep
@examples(10, 100)
@given(CUTS, CUTS, WINDOW, st.sampled_from(["drop", "revise"]))
def test_estimates_above_a_join_say_the_same(
    left: Any, right: Any, window: tuple[int, int], late: str
) -> None:
    tables = [
        {"a": batch(*one), "b": batch(*other)} for one, other in zip(left, right, strict=False)
    ]
    prods = [sw.estimates(every=0)]
    sinks, pairs = (sw.memory(), sw.memory()), joined().select("a.v AS a_v")
    above = over_a_join(*window)
    query = above.query("q", sw.slack(2), late=late, sink=sinks[0], estimates=prods)
    bare = pairs.query("pairs", sw.slack(2), late=late, sink=sinks[1])
    ran(tables, query, bare)
    plain_query = above.query("q", sw.slack(2), late=late)
    agree(sinks[0], plain_query, tables, from_results(sinks[1], tables), prods)
