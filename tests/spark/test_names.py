"""A person's names do not meet those of the engine: every name works, or is refused by itself."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.dataset as ds
import pytest
from pyspark.sql import functions as F

import slackwater as sw
from slackwater.errors import QueryError
from slackwater.execute.sinks import MemorySink
from slackwater.query.schema import Column, Schema
from slackwater.query.stream import Query, Stream, StreamDef
from slackwater.spark.pipeline import Pipeline
from tests.spark.driver import frame, make_loop

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

INSTANT = pa.timestamp("us", "UTC")
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
TIERS = ("columnar", pytest.param("spark", marks=pytest.mark.slow))

# names that people have: every one of them works, in every role
ODD = (
    'quo"te', "back`tick", "it's", "x.y", "a b", "new\nline\t", "%s", "{0}", "*", "$first",
    ":after", "select", "Group", "ünï日🙂", "1st", "a;b=(c),", "back\\slash", "a--b/*", "s0_v", "_",
    "p", "r", "c", "rows", "seen", "age", "self", "x" * 300,
)  # fmt: skip


# the hardest of them: planning wide statements takes Spark long
HARDEST = ('quo"te', "back`tick", "x.y", "new\nline\t", "*", ":after", "Group", "r", "seen", "self")


def quoted(name: str) -> str:
    return f"`{name.replace('`', '``')}`"


def stream(name: str, columns: tuple[str, ...]) -> Stream:
    kinds = [Column("ts", "timestamp"), Column("k", "bigint")]
    kinds += [Column(one, "bigint") for one in columns]
    return Stream(StreamDef(name, Schema(tuple(kinds)), "ts", max_ahead=None))


def table(columns: tuple[str, ...], seconds: range) -> pa.Table:
    """A row for each second; every column has values of its own."""
    data: dict[str, Any] = {
        "ts": pa.array([BEGIN + timedelta(seconds=s) for s in seconds], INSTANT),
        "k": pa.array([s % 2 for s in seconds], pa.int64()),
    }
    for number, name in enumerate(columns):
        data[name] = pa.array([(s % 2) * 100 + number for s in seconds], pa.int64())
    return pa.table(data)


def by_window(rows: Stream, keys: list[str], /, **values: str) -> Stream:
    return rows.window("10 s").group_by(*keys).aggregate(**values)


def in_every_role(names: tuple[str, ...], sinks: dict[str, MemorySink]) -> tuple[Query, ...]:
    """A query for each thing that can have a name."""
    raw, other = stream("r", names), stream("s", names)
    columns = [quoted(name) for name in names]
    sums = {name: f"sum({quoted(name)})" for name in names}
    keys = by_window(raw, [f"k + {n} AS {c}" for n, c in enumerate(columns)], out="count(*)")
    values = by_window(raw, ["k"], **sums)
    joined = sw.join(raw.named("x y"), other.named("`"), on=["k", columns[0]], within="0 s")
    made = {
        "columns": by_window(raw, columns, out="count(*)"),
        "keys": by_window(keys, columns, out="sum(out)"),
        "values": by_window(values, [], **sums),
        "join": joined.select(*(f"`x y`.{column}" for column in columns)),
        "above": by_window(joined, [f"````.{columns[1]}"], out=f"sum(`x y`.{columns[2]})"),
    }
    late = {"columns": "side", "keys": "revise", "values": "revise"}
    return tuple(
        one.query(what, sw.slack("0 s"), sink=sinks[what], late=late.get(what, "drop"))
        for what, one in made.items()
    )


def wanted(what: str, names: tuple[str, ...], rows: DataFrame) -> DataFrame:
    """The same by plain Spark."""
    columns = [F.col(quoted(name)) for name in names]
    groups = rows.groupBy(F.window("ts", "10 seconds").start.alias("window_start"), *columns)
    if what == "columns":
        return groups.agg(F.count("*").alias("out"))
    by_time = F.window("ts", "10 seconds").start.alias("window_start")
    if what == "keys":
        keys = [(F.col("k") + n).alias(name) for n, name in enumerate(names)]
        return rows.groupBy(by_time, *keys).agg(F.count("*").alias("out"))
    if what == "values":
        sums = [F.sum(quoted(name)).alias(name) for name in names]
        return rows.groupBy(by_time).agg(*sums)
    if what == "join":
        return rows.select(*columns)
    return rows.groupBy(by_time, columns[1]).agg(F.sum(columns[2]).alias("out"))


def tuples(table: pa.Table, keys: int | None) -> list[tuple[Any, ...]]:
    """The newest answer of each group (all where there are none), without labels."""
    labels = ("window_end", "event_time", "boundary", "kind", "coverage", "emitted_at", "revision")
    shown = table.select([name for name in table.column_names if name not in labels])
    rows = [tuple(row.values()) for row in shown.to_pylist()]
    if keys is None:
        return sorted(rows)
    said = table["revision"].to_pylist() if "revision" in table.column_names else [0] * len(rows)
    ordered = sorted(zip(said, rows, strict=True))
    return sorted({row[:keys]: row for _, row in ordered}.values())


@pytest.mark.parametrize(
    ("tier", "names"),
    [("columnar", ODD), pytest.param("spark", HARDEST, marks=pytest.mark.slow)],
)
def test_every_name_works_in_every_role(
    spark: SparkSession, tmp_path: Path, tier: str, names: tuple[str, ...]
) -> None:
    keys = {
        "columns": len(names) + 1,
        "keys": len(names) + 1,
        "values": 1,
        "join": None,
        "above": 2,
    }
    sinks = {what: MemorySink() for what in keys}
    none = {name: table(names, range(0)) for name in ("r", "s")}
    loop = make_loop(spark, in_every_role(names, sinks), tmp_path, empty=none, tier=tier)
    parts = [table(names, seconds) for seconds in (range(12), range(12, 40), range(3, 5))]
    try:
        for number, rows in enumerate(parts):
            loop.process(frame(spark, loop, {"r": rows, "s": rows}, none), number)
        loop.finish()
    finally:
        loop.close()
    for what, sink in sinks.items():
        usable = parts if what in ("keys", "values") else parts[:2]  # the last are late
        expected = wanted(what, names, spark.createDataFrame(pa.concat_tables(usable))).toArrow()
        found = sink.table()
        assert found is not None
        assert tuples(found, keys[what]) == tuples(expected, keys[what]), what
    aside = ds.dataset(tmp_path / "side" / "columns", partitioning="hive").to_table()
    assert aside.select(["k", *names]).to_pylist() == parts[2].select(["k", *names]).to_pylist()


@pytest.mark.parametrize("tier", TIERS)
def test_texts_that_look_like_ours_are_only_texts(
    spark: SparkSession, tmp_path: Path, tier: str
) -> None:
    """Literals, with estimates and a contract beside them."""
    raw = stream("r", ("v",))
    texts = ("$first", "$upto", ":after", "FROM h0", "__rows", "{0}", "%s", "it's")
    said = {f"t{n}": f"concat({literal(text)}, max(k))" for n, text in enumerate(texts)}
    sinks = MemorySink(), MemorySink(), MemorySink()
    keyed = by_window(raw, ["k", "concat('$after', k) AS `$k`"], **said, age="sum(v)")
    queries = (
        keyed.query(
            "said", sink=sinks[0], estimates=sw.estimates(every="1 s", where="`$k` <> '$last'")
        ),
        by_window(raw, ["k AS `it's`"], n="count(*)", m="max(v)").query(
            "promised", sw.max_error(0.5, confidence=0.5, of=["n"], at_most="1 s"), sink=sinks[1]
        ),
        sw.join(
            raw.named("a"),
            raw.named("b"),
            on=["a.k = b.k AND concat(a.k, ':low0') <> ''"],
            within="0 s",
        )
        .select("concat(a.k, '$live0') AS x")
        .query("joined", sink=sinks[2]),
    )
    none = {"r": table(("v",), range(0))}
    loop = make_loop(spark, queries, tmp_path, empty=none, tier=tier)
    try:
        for number, seconds in enumerate((range(12), range(12, 40))):
            loop.process(frame(spark, loop, {"r": table(("v",), seconds)}, none), number)
        loop.finish()
    finally:
        loop.close()
    found = sinks[0].table()
    assert found is not None
    assert {"final", "estimate"} <= set(found["kind"].to_pylist())
    for row in found.to_pylist():
        assert row["$k"] == f"$after{row['k']}"
        assert [row[f"t{n}"] for n in range(len(texts))] == [f"{t}{row['k']}" for t in texts]
    assert sum(r["age"] for r in found.to_pylist() if r["kind"] == "final") == 20 * 100
    assert sinks[1].table().num_rows == 8  # type: ignore[union-attr]
    assert set(sinks[2].table()["x"].to_pylist()) == {"0$live0", "1$live0"}  # type: ignore[union-attr]


def literal(text: str) -> str:
    return "'" + text.replace("'", "\\'") + "'"


def refused(*queries: Query) -> list[tuple[str, str]]:
    with pytest.raises(QueryError) as error:
        Pipeline(queries)
    return [(problem.condition, str(problem)) for problem in error.value.problems]


def summed(key: str, value: str = "n") -> Query:
    return by_window(stream("r", ("v",)), [f"k AS {quoted(key)}"], **{value: "count(*)"}).query("q")


@pytest.mark.parametrize("name", ["__ts", "__x", "__", "kind", "Window_Start", "boundary", "PANE"])
def test_a_result_column_that_the_engine_has_is_refused_by_its_name(name: str) -> None:
    assert [(c, name in text) for c, text in refused(summed(name))] == [("NAME_RESERVED", True)]
    if name != "PANE":  # only keys stand beside it
        assert [c for c, _ in refused(summed("k", name))] == ["NAME_RESERVED"]


@pytest.mark.parametrize("name", ["__ts", "__passes", "__beat", "_reason", "_Time"])
def test_a_column_of_a_stream_that_the_engine_has_is_refused_if_it_is_read(name: str) -> None:
    raw = stream("r", (name,))
    reading = by_window(raw, [], n=f"sum({quoted(name)})")
    for query in (reading.query("q"), by_window(raw, [], n="count(*)").query("q", late="side")):
        assert [(c, repr(name) in text) for c, text in refused(query)] == [("NAME_RESERVED", True)]
    Pipeline((by_window(raw, [], n="count(*)").query("q"),))  # it is not read


def test_names_that_differ_in_case_only_are_refused_by_both() -> None:
    raw, two = stream("r", ("v",)), stream("r", ("v", "V"))
    for query in (
        by_window(raw, ["k", "v AS K"], n="count(*)").query("q"),
        by_window(raw, ["k"], n="count(*)", N="sum(v)").query("q"),
        by_window(raw, ["k"], K="count(*)").query("q"),
        by_window(raw.select("k", "v AS ä", "v AS Ä"), ["k"], n="count(*)").query("q"),
        by_window(two, ["k"], n="sum(V)").query("q"),
        sw.join(raw, raw.named("R"), on="k", within="1 s").select("r.k AS k").query("q"),
        sw.join(raw.named("a"), raw.named("b"), on="k", within="1 s")
        .select("a.k AS k", "b.k AS K")
        .query("q"),
    ):
        assert all("NAME" in c and "case only" in text for c, text in refused(query))
    assert [
        c
        for c, _ in refused(
            by_window(raw, ["k"], n="count(*)").query("a"),
            summed("k"),
            by_window(raw, ["k"], n="count(*)").query("A"),
        )
    ] == ["NAME_TWICE"]
    by_window(two, ["k"], n="count(*)")
    Pipeline((by_window(two, ["k"], n="count(*)").query("q"),))  # neither is read


def test_names_that_are_none_are_refused() -> None:
    raw = stream("r", ("v",))
    one = by_window(raw, ["k"], n="count(*)")
    assert [c for c, _ in refused(one.query(""))] == ["NAME_INVALID"]
    assert [c for c, _ in refused(one.query("a/b"))] == ["NAME_INVALID"]
    assert [c for c, _ in refused(one.query("x" * 300))] == ["NAME_INVALID"]
    assert [c for c, _ in refused(summed("k", ""))] == ["NAME_INVALID"]
    assert [c for c, _ in refused(summed("k", "\ud800"))] == ["NAME_RESERVED"]
    assert "NAME_INVALID" in [
        c for c, _ in refused(by_window(stream("", ()), [], n="count(*)").query("q"))
    ]
    for name in ("", "_", "__", "__a"):
        joined = sw.join(raw.named(name), raw.named("b"), on="k", within="1 s")
        query = joined.select("b.k AS k").query("q")
        assert [(c, repr(name) in text) for c, text in refused(query)] == [("NAME_RESERVED", True)]


def test_a_column_that_a_contract_or_estimates_add_is_refused_where_they_are() -> None:
    raw = stream("r", ("v",))
    bound = sw.max_error(0.1, of=["n"])
    for name in ("rows", "within", "n_true", "N_error"):
        keyed = by_window(raw, [f"k AS {name}"], n="count(*)")
        assert [(c, repr(name) in t) for c, t in refused(keyed.query("q", bound))] == [
            ("NAME_RESERVED", True)
        ]
        Pipeline((keyed.query("q"),))
    for name in ("tuples", "Prod", "n_low", "n_scaled"):
        keyed = by_window(raw, [f"k AS {name}"], n="count(*)")
        prods = sw.estimates(every="1 s")
        assert [c for c, _ in refused(keyed.query("q", estimates=prods))] == ["NAME_RESERVED"]


def test_a_key_with_the_name_of_a_partial_is_refused() -> None:
    raw = stream("r", ("v",))
    parts = Pipeline((by_window(raw, ["k"], n="sum(v)").query("q"),)).plan.queries[0].base.state
    name = parts.partials[0].name
    query = by_window(raw, [f"k AS {name}"], n="sum(v)").query("q")
    assert [(c, repr(name) in text) for c, text in refused(query)] == [("NAME_RESERVED", True)]
