"""Tables that rows look something up in: versions, refresh, and what may be wrong with them."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest

import slackwater as sw
from slackwater.errors import QueryError, SlackwaterError, SourceError
from slackwater.events import log
from slackwater.execute.loop import Loop
from slackwater.plan.build import check
from slackwater.plan.explain import explain_text
from slackwater.plan.stage import lay_out
from slackwater.query.stream import Query, Stream
from slackwater.runs.checkpoint import Checkpoint
from tests.driver import Batch, Driver, batch, feed, make_loop, readings, run
from tests.execute.test_crash import PLACES, die_until_done
from tests.execute.test_outer_join import shown
from tests.story import batches, ending, leftovers

NAMES = pa.table({"k": [1, 2, None], "name": ["one", "two", "none"], "size": [10, 20, 0]})


def counted(rows: Stream, **terms: Any) -> Query:
    windows = rows.window("5 s").group_by("names.name AS name")
    return windows.aggregate(n="count(*)", s="sum(v)").query("q", **terms)


def notices(folder: Path) -> list[str]:
    return [e["text"] for e in log.read(folder / "events.jsonl") if e["event"] == "notice"]


@pytest.mark.parametrize(
    ("how", "wanted"),
    [("inner", [("one", 2, 5), ("two", 1, 2)]),
     ("left", [("one", 2, 5), ("two", 1, 2), (None, 2, 7)])],
)  # fmt: skip
def test_rows_find_their_row_of_a_table(
    how: str, wanted: list[Any], tmp_path: Path, driver: Driver
) -> None:
    sink, names = sw.memory(), sw.table("names", NAMES)
    rows = [batch((1, 1, 1), (2, 2, 2), (3, 3, 3)), batch((4, 1, 4), (4, None, 4))]
    driver.run((counted(readings().lookup(names, on="k", how=how), sink=sink),), rows, tmp_path)
    assert shown(sink, "name", "n", "s") == wanted


def test_columns_of_tables_are_columns_of_the_stream(tmp_path: Path, driver: Driver) -> None:
    """In filters and expressions, by keys that are computed, and one table after the other."""
    sink = sw.memory()
    names, sizes = (
        sw.table("names", NAMES),
        sw.table("sizes", pa.table({"s": [10], "t": ["small"]})),
    )
    rows = readings().where("v < 9").lookup(names, on="k - 1 = names.k").where("size < 99")
    found = rows.lookup(sizes, on="names.size = sizes.s").select(
        "r.k AS k", "upper(name) AS n", "t AS t"
    )
    joined = sw.join(found.named("a"), readings(name="b"), on="a.k = b.k", within="9 s")
    query = joined.select("a.k AS k", "a.n AS n", "a.t AS t", "b.v AS v").query("q", sink=sink)
    tables: Batch = {
        "r": batch((1, 2, 1), (1, 3, 1), (1, 4, 1), (1, 2, 9)),
        "b": batch((2, 2, 5), (2, 3, 6)),
    }
    driver.run((query,), [tables], tmp_path)
    assert shown(sink, "k", "n", "t", "v") == [(2, "ONE", "small", 5), (3, "TWO", None, 6)]


@pytest.mark.parametrize("form", ["parquet", "csv", "folder", "pandas", "function"])
def test_tables_are_read_from_wherever_they_are(form: str, tmp_path: Path) -> None:
    whole = NAMES.slice(0, 2)
    source: Any = tmp_path / f"names.{form}"
    if form == "parquet":
        pq.write_table(whole, source)
    elif form == "csv":
        pc.write_csv(whole, source)
    elif form == "folder":
        source = tmp_path / "names.parquet"
        source.mkdir()
        pq.write_table(whole.slice(0, 1), source / "a.parquet")
        pq.write_table(whole.slice(1), source / "b.parquet")
    else:
        source = pd.DataFrame(whole.to_pydict()) if form == "pandas" else (lambda: whole)
    names = sw.table("names", source)
    assert dict(names.schema.to_json())["name"] == "string"
    sink = sw.memory()
    query = counted(readings().lookup(names, on="k", how="inner"), sink=sink)
    run((query,), [batch((1, 1, 1), (2, 2, 2), (3, 3, 3))], tmp_path / "ck")
    assert shown(sink, "name", "n") == [("one", 1), ("two", 1)]


@dataclass
class Changing:
    """A table that is another one each time it is read, or cannot be."""

    versions: list[Any]
    read: list[int] = field(default_factory=list)

    def __call__(self) -> Any:
        number = min(len(self.read), len(self.versions) - 1)
        self.read.append(number)
        found = self.versions[number]
        if isinstance(found, Exception):
            raise found
        return found


def version(name: str) -> pa.Table:
    return pa.table({"k": [1], "name": [name]})


def test_a_row_meets_the_version_of_its_batch(tmp_path: Path, driver: Driver) -> None:
    source, sink = Changing([version("a"), version("a"), version("b"), version("c")]), sw.memory()
    names = sw.table("names", source, refresh="10 s")
    query = counted(readings().lookup(names, on="k"), sink=sink)
    rows = [batch((1, 1, 1)), batch((9, 1, 1)), batch((12, 1, 1)), batch((13, 1, 1)),
            batch((21, 1, 1)), batch((22, 1, 1))]  # fmt: skip
    driver.run((query,), rows, tmp_path)
    assert shown(sink, "name", "n") == [("a", 1), ("a", 1), ("a", 1), ("b", 1), ("b", 1), ("c", 1)]
    assert notices(tmp_path) == [
        "table 'names' was read again: 1 rows",
        "table 'names' was read again: 1 rows",
    ]


def test_a_table_that_did_not_change_is_not_written_again(tmp_path: Path) -> None:
    source = Changing([version("a")])
    query = counted(readings().lookup(sw.table("names", source, refresh=0), on="k"))
    loop = make_loop((query,), tmp_path)
    for number in range(3):
        feed(loop, batch((number, 1, 1)), number)
    assert [run.batch for run in loop.catalog.at("table-names")] == [0]
    loop.close()
    assert len(source.read) == 5  # for its columns, at the start, and after each batch
    assert notices(tmp_path) == []


BAD = {
    "is gone": (RuntimeError("no route"), "its function failed: RuntimeError: no route"),
    "has other columns": (pa.table({"k": [1]}), "has no column name"),
    "has other types": (pa.table({"k": ["x"], "name": ["a"]}), "table 'names'"),
    "has a key twice": (pa.table({"k": [1, 1], "name": ["a", "b"]}), "has 2 rows with k = 1"),
}


@pytest.mark.parametrize("what", BAD)
def test_the_old_version_goes_on_if_a_table(what: str, tmp_path: Path) -> None:
    bad, said = BAD[what]
    source, sink = Changing([version("a"), version("a"), bad, version("b")]), sw.memory()
    names = sw.table("names", source, refresh=0)
    query = counted(readings().lookup(names, on="k"), sink=sink)
    run((query,), [batch((n * 5, 1, 1)) for n in range(3)], tmp_path)
    assert shown(sink, "name", "n") == [("a", 1), ("a", 1), ("b", 1)]
    [first, second] = notices(tmp_path)[:2]
    assert said in first
    assert "the version of batch 0 goes on" in first
    assert "was read again" in second


def test_a_table_that_is_not_there_at_the_start_stops_the_pipeline(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"TABLE_UNREADABLE.*is missing"):
        sw.table("names", tmp_path / "none.parquet")
    with pytest.raises(SourceError, match="TABLE_SOURCE"):
        sw.table("names", tmp_path / "names.xlsx")
    with pytest.raises(SourceError, match="TABLE_SOURCE"):
        sw.table("names", 7)
    with pytest.raises(SourceError, match="TABLE_TYPE"):
        sw.table("names", pa.table({"d": pa.array([1], pa.duration("s"))}))
    late = sw.table("names", tmp_path / "none.parquet", schema={"k": "bigint", "name": "string"})
    with pytest.raises(SourceError, match="is missing"):
        make_loop((counted(readings().lookup(late, on="k")),), tmp_path / "ck")
    twice = sw.table("names", pa.table({"k": [1, 1], "name": ["a", "b"]}))
    with pytest.raises(SourceError, match="TABLE_KEYS"):
        make_loop((counted(readings().lookup(twice, on="k")),), tmp_path / "ck")


def test_a_restart_goes_on_with_the_version_in_force(tmp_path: Path, driver: Driver) -> None:
    source, sink = Changing([version("a"), version("a"), version("b")]), sw.memory()
    query = counted(readings().lookup(sw.table("names", source), on="k"), sink=sink)
    for number in range(2):
        loop = driver.make_loop((query,), tmp_path)
        driver.feed(loop, batch((number, 1, 1)), number)
        loop.close()
    loop = driver.make_loop((query,), tmp_path)
    loop.finish()
    loop.close()
    assert shown(sink, "name", "n") == [("a", 2)]
    assert len(source.read) == 2  # its columns, and once at the start


def test_a_repeated_batch_sees_what_it_saw(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also the first one, which no manifest is before."""
    source, sink = Changing([version("a"), version("a"), version("b")]), sw.memory()
    query = counted(readings().lookup(sw.table("names", source), on="k"), sink=sink)
    loop = make_loop((query,), tmp_path)

    def die(*_: Any) -> None:
        raise SlackwaterError("DEAD", "before the manifest")

    with monkeypatch.context() as patched:
        patched.setattr(Checkpoint, "commit", die)
        with pytest.raises(SlackwaterError, match="DEAD"):
            feed(loop, batch((1, 1, 1)), 0)
    loop.close()
    loop = make_loop((query,), tmp_path)
    feed(loop, batch((1, 1, 1)), 0)
    loop.finish()
    loop.close()
    assert shown(sink, "name", "n") == [("a", 1)]


@dataclass(frozen=True)
class Rewriting(Driver):
    """Before each batch the table becomes another one."""

    path: Path = Path()

    def make_loop(self, queries: Any, folder: Path, **options: Any) -> Loop[Any]:
        if not self.path.exists():
            self.write(0)
        return Driver.make_loop(self, queries, folder, **options)

    def feed(self, loop: Loop[Any], table: Batch, number: int | None = None) -> None:
        self.write(number or 0)
        Driver.feed(self, loop, table, number)

    def write(self, number: int) -> None:
        keys = [key for key in range(4) if (key + number) % 3]
        names = [f"{number}-{key}" for key in keys]
        pq.write_table(pa.table({"k": pa.array(keys, pa.int64()), "name": names}), self.path)


@pytest.mark.slow
@pytest.mark.kill
@PLACES
def test_death_at_any_write_meets_the_same_versions(driver: Driver, tmp_path: Path) -> None:
    def told(path: Path) -> tuple[Query, ...]:
        schema = {"k": "bigint", "name": "string"}
        names = sw.table("names", path, refresh="3 s", schema=schema)
        found = readings("1 day").lookup(names, on="k", how="inner")
        joined = sw.join(
            found.named("a"), readings("1 day").named("b"), on="a.k = b.k", within="2 s"
        )
        return (
            counted(found),
            joined.select("a.names_name AS name", "b.v AS v").query("joined", sw.slack("1 s")),
        )

    tables = batches(6)
    calm = Rewriting(driver.tier, tmp_path / "first.parquet")
    calm.run(told(calm.path), tables, tmp_path / "calm")
    again = Rewriting(driver.tier, tmp_path / "second.parquet")
    folder = tmp_path / "killed"
    reaper = die_until_done(told(again.path), tables, folder, driver=again)
    assert ending(folder) == ending(tmp_path / "calm")
    assert len(ending(folder)["results/q"]) > 4
    assert leftovers(folder) == []
    assert [point for point in reaper.deaths if "write" in point and "table-names" in point]


def refused(query: Query, folder: Path) -> set[str]:
    with pytest.raises(QueryError) as caught:
        make_loop((query,), folder)
    return {problem.condition for problem in caught.value.problems}


def test_lookups_that_cannot_be_are_refused(tmp_path: Path) -> None:
    names, rows = sw.table("names", NAMES), readings()
    other = readings(name="b").lookup(sw.table("names", NAMES.slice(1)), on="k")
    two = sw.join(rows.lookup(names, on="k"), other, on="r.k = b.k", within="1 s")
    cases: list[tuple[Stream, str]] = [
        (rows.lookup(names, on="k", how="outer"), "LOOKUP_HOW"),
        (rows.lookup(names, on=()), "LOOKUP_ON"),
        (rows.lookup(names, on="v > names.k"), "LOOKUP_ON"),
        (rows.lookup(names, on="names.k = names.size"), "LOOKUP_ON"),
        (rows.lookup(names, on="k = names.name"), "TYPE_MISMATCH"),
        (rows.lookup(names, on="k = names.speed"), "COLUMN_UNKNOWN"),
        (rows.select("k", "v").lookup(names, on="k"), "LOOKUP_PLACE"),
        (rows.lookup(names, on="k").lookup(names, on="k"), "LOOKUP_TWICE"),
        (rows.costly(5).lookup(names, on="k"), "LOOKUP_COSTLY"),
        (rows.lookup(sw.table("names", NAMES, refresh="-1 s"), on="k"), "DURATION_NEGATIVE"),
        (rows.lookup(sw.table("a b", NAMES), on="k = `a b`.k"), "NAME_INVALID"),
        (two, "TABLE_TWICE"),
    ]  # fmt: skip
    for number, (stream, condition) in enumerate(cases):
        query = stream.window("5 s").aggregate(n="count(*)").query("q")
        assert condition in refused(query, tmp_path / str(number)), condition
    side = counted(rows.lookup(names, on="k", how="inner"), late="side", side=sw.memory())
    assert refused(side, tmp_path / "side") == {"LOOKUP_SIDE"}


def test_another_table_needs_another_checkpoint_and_another_place_does_not(tmp_path: Path) -> None:
    first = counted(readings().lookup(sw.table("names", NAMES), on="k"))
    make_loop((first,), tmp_path).close()
    elsewhere = sw.table("names", NAMES.slice(0, 1), refresh="1 hour")
    make_loop((counted(readings().lookup(elsewhere, on="k")),), tmp_path).close()
    schema = {"k": "bigint", "name": "string", "size": "int"}
    wider = counted(readings().lookup(sw.table("names", NAMES, schema=schema), on="k"))
    with pytest.raises(SlackwaterError, match="CHECKPOINT"):
        make_loop((wider,), tmp_path).close()


def test_a_plan_tells_of_its_tables() -> None:
    names = sw.table("names", NAMES, refresh="1 hour")
    found = readings().lookup(names, on="k")
    joined = sw.join(found.named("a"), readings(name="b"), on="a.k = b.k", within="1 s")
    text = explain_text(lay_out(check((counted(found), joined.query("j")))))
    assert "stream r, looked up in names" in text
    assert "a: stream r, looked up in names, rows wait" in text
    assert "table names: read every 1h, unique by k" in text
