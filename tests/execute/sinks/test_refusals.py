"""What sinks refuse before anything runs: packages that are missing, modes, secrets in texts."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import slackwater as sw
from slackwater.execute.sinks import TableResults, Target
from slackwater.execute.sinks.mode import newest
from slackwater.execute.sinks.postgresql.columns import columns_of
from slackwater.runs.checkpoint import Owner
from tests.driver import batch, readings, run

URL = "postgresql://me@127.0.0.1:1/answers"
MINE = Owner("1234", "/checkpoints/mine", "results of query 'q'")
OTHERS = Owner("5678", "/checkpoints/other", "results of query 'p'")


@pytest.mark.parametrize(
    ("kind", "package", "module"),
    [
        ("postgres", "psycopg", "postgresql.sink"),
        ("kafka", "confluent_kafka", "topic.sink"),
        ("delta", "deltalake", "delta_lake"),
        ("iceberg", "pyiceberg.catalog", "iceberg_table"),
    ],
)
def test_a_missing_package_is_told_with_its_extra(
    kind: str, package: str, module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [one for one in sys.modules if one.startswith("slackwater.execute.sinks.p")]:
        if "postgresql" in name:
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(sys.modules, f"slackwater.execute.sinks.{module}", raising=False)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(sw.SinkError, match="EXTRA_MISSING") as caught:
        _make(kind)
    assert caught.value.hint == f"pip install 'slackwater[{kind}]'"


def _make(kind: str) -> Any:
    made = {
        "delta": lambda: sw.delta("folder"),
        "iceberg": lambda: sw.iceberg("a.b", "sqlite://"),
        "kafka": lambda: sw.kafka_sink("answers", "127.0.0.1:1"),
        "postgres": lambda: sw.postgres("answers", URL),
    }
    return made[kind]()


def test_packages_of_extras_are_loaded_only_when_used() -> None:
    import subprocess

    code = "import slackwater as sw, sys; sw.memory(); import slackwater.execute.loop; "
    names = "{'psycopg', 'adbc_driver_postgresql', 'deltalake', 'pyiceberg', 'confluent_kafka'}"
    script = f"{code}assert not {names} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.parametrize(
    "make",
    [
        lambda: sw.postgres("answers", "postgresql://me:hunter2@127.0.0.1/answers"),
        lambda: sw.postgres("answers", "host=127.0.0.1 password=hunter2"),
        lambda: sw.iceberg("a.b", "postgresql://me:hunter2@127.0.0.1/answers"),
        lambda: sw.iceberg("a.b", "https://127.0.0.1", properties={"token": "hunter2"}),
        lambda: sw.kafka_sink("t", "h:1", options={"sasl.password": "hunter2"}),
        lambda: sw.kafka_sink("t", "h:1", options={"kafka.ssl.key.password": "hunter2"}),
    ],
)
def test_a_secret_in_a_text_is_refused_and_not_repeated(make: Any) -> None:
    with pytest.raises(sw.SinkError, match="SECRET_IN_TEXT") as caught:
        make()
    assert "hunter2" not in str(caught.value)


def test_what_is_no_address_is_refused_and_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(sw.SinkError, match="SINK_ADDRESS") as caught:
        sw.postgres("answers", "hunter2")
    assert "hunter2" not in str(caught.value)
    assert caught.value.__cause__ is None
    monkeypatch.setenv("ANSWERS_URL", "hunter2")
    sink = sw.postgres("answers", sw.secret(env="ANSWERS_URL"))
    with pytest.raises(sw.SinkError, match="SINK_ADDRESS") as caught:
        sink.open(Target("q"))
    assert "hunter2" not in str(caught.value)


def test_a_server_that_is_away_is_told_by_its_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANSWERS_PASSWORD", "hunter2")
    sink = sw.postgres("answers", URL, password=sw.secret(env="ANSWERS_PASSWORD"))
    with pytest.raises(sw.SinkError, match=r"SINK_UNREACHABLE.*127.0.0.1:1/answers") as caught:
        sink.open(Target("q"))
    assert "hunter2" not in repr(caught.value)


def test_an_address_in_place_of_a_sink_is_not_repeated() -> None:
    told = readings().window("10 s").aggregate(n="count(*)")
    with pytest.raises(sw.QueryError, match=r"SINK_KIND.*an address is not a sink") as caught:
        sw.pipeline(told.query("q", sink="postgresql://me:hunter2@127.0.0.1/answers"))  # type: ignore[arg-type]
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("table", ["", ".", "a.", ".b", "x" * 60])
def test_names_that_no_table_can_have_are_refused(table: str) -> None:
    with pytest.raises(sw.SinkError, match="SINK_TABLE"):
        sw.postgres(table, URL)


def test_modes_that_do_not_exist_are_refused(tmp_path: Path) -> None:
    for make in (lambda: sw.postgres("a", URL, mode="new"), lambda: sw.delta("a", mode="new")):  # type: ignore[arg-type]
        with pytest.raises(sw.SinkError, match="SINK_MODE"):
            make()


def test_rows_that_nothing_tells_apart_have_no_newest(tmp_path: Path) -> None:
    sink = sw.delta(tmp_path / "late", mode="latest")
    with pytest.raises(sw.SinkError, match=r"SINK_NO_KEYS.*late rows of query 'q'"):
        sink.open(Target("q", "late rows"))


def test_columns_that_no_table_can_hold_are_told_all_at_once() -> None:
    kinds = {"a": pa.struct({"x": pa.int64()}), "b": pa.int64(), "c": pa.duration("us")}
    with pytest.raises(sw.SinkError, match=r"SINK_TYPE.*a \(struct.*c \(duration"):
        columns_of(pa.schema(kinds), "table")


def test_two_outputs_may_not_share_a_table(tmp_path: Path) -> None:
    def asked(name: str, **places: Any) -> Any:
        return readings().window("10 s").aggregate(n="count(*)").query(name, **places)

    shared, again = sw.delta(tmp_path / "t"), sw.parquet(tmp_path / "t")
    first, second = sw.postgres("t", URL), sw.postgres("t", URL, mode="latest")
    with pytest.raises(sw.QueryError) as caught:
        sw.pipeline(asked("a", sink=shared, side=first), asked("b", sink=again, side=second))
    found = [(p.condition, p.where) for p in caught.value.problems]
    assert found == [("SINK_TWICE", "query 'b', sink"), ("SINK_TWICE", "query 'b', side")]


def test_a_delta_table_with_answers_of_others_is_refused(tmp_path: Path) -> None:
    sink = sw.delta(tmp_path / "t")
    sink.open(Target("p", owner=OTHERS, schema=pa.schema({"n": pa.int64()})))
    sink.prepare(0, TableResults(pa.table({"n": [1]})))
    sink.commit(0)
    with pytest.raises(sw.SinkError, match="SINK_OCCUPIED"):
        sw.delta(tmp_path / "t").open(Target("q", owner=MINE))


@pytest.mark.parametrize("kind", ["delta", "iceberg"])
def test_tables_with_other_columns_are_refused(tmp_path: Path, kind: str) -> None:
    def make() -> Any:
        if kind == "delta":
            return sw.delta(tmp_path / "t")
        return sw.iceberg("a.t", f"sqlite:///{tmp_path}/c.db", warehouse=tmp_path / "w")

    make().open(Target("q", schema=pa.schema({"n": pa.string()})))
    wanted = pa.schema({"n": pa.int64(), "m": pa.float64()})
    with pytest.raises(sw.SinkError, match=r"SINK_COLUMNS.* n \(int64\), m \(double\)"):
        make().open(Target("q", schema=wanted))


def test_newest_keeps_the_first_of_equal_rows_out() -> None:
    rows = pa.table({"k": [1, None, 1, None], "n": [1, 2, 3, 4]})
    assert sorted(newest(rows, ("k",))["n"].to_pylist()) == [3, 4]


@pytest.mark.parametrize("kind", ["delta", "iceberg"])
def test_results_late_rows_and_quality_are_what_files_would_have(tmp_path: Path, kind: str) -> None:
    """Each output once as files and once as a table, of the same stream."""

    def place(name: str) -> Any:
        if kind == "delta":
            return sw.delta(tmp_path / name)
        return sw.iceberg(f"a.{name}", f"sqlite:///{tmp_path}/c.db", warehouse=tmp_path / "w")

    def asked(**places: Any) -> Any:
        told = readings().window("4 s").group_by("k").aggregate(n="count(*)", s="sum(v)")
        bound = sw.max_error(0.2, confidence=0.8)
        return (told.query("q", bound, late="side", **places),)

    tables = [batch(*((4 * b + i * 0.4, i % 3, i) for i in range(10))) for b in range(30)]
    tables[12] = batch((1, 1, 1), (50, 2, 2))
    run(asked(), tables, tmp_path / "plain")
    run(
        asked(sink=place("results"), side=place("late"), quality=place("quality")),
        tables,
        tmp_path / "checkpoint",
    )
    for output, name in (("results", "results"), ("side", "late"), ("quality", "quality")):
        expected = _files(tmp_path / "plain" / output / "q")
        assert expected, output
        assert _table(place(name)) == expected


def _files(folder: Path) -> list[str]:
    import pyarrow.parquet as pq

    tables = [pq.ParquetFile(f).read() for f in folder.glob("batch=*/*.parquet")]
    return _shown([row for table in tables for row in table.to_pylist()])


def _table(sink: Any) -> list[str]:
    found = sink._table()
    table = (
        found.to_pyarrow_table() if hasattr(found, "to_pyarrow_table") else found.scan().to_arrow()
    )
    return _shown(table.to_pylist())


def _shown(rows: list[dict[str, Any]]) -> list[str]:
    hidden = {"emitted_at"}
    return sorted(str({k: v for k, v in row.items() if k not in hidden}) for row in rows)
