"""What a real server refuses is told clearly, and once it is mended nothing is lost or doubled."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

import slackwater as sw
from slackwater.execute.sinks import Checkable, Sink, TableResults, Target
from slackwater.runs.checkpoint import Owner
from tests.services.cluster import Cluster

pytestmark = pytest.mark.services

SCHEMA = pa.schema({"k": pa.int64(), "name": pa.string()})
MINE = Owner("1234", "/checkpoints/mine", "results of query 'q'")
OTHERS = Owner("5678", "/checkpoints/other", "results of query 'p'")


def sink(postgres: Cluster, **options: Any) -> Sink:
    told = {"password": sw.secret(env="ANSWERS_PASSWORD"), "patience": "2 s", **options}
    return sw.postgres("answers", postgres.url, **told)


def opened(postgres: Cluster, last: int = -1, **options: Any) -> Sink:
    found = sink(postgres, **options)
    found.open(target())
    found.recover(last)
    return found


def target(owner: Owner = MINE) -> Target:
    return Target("q", schema=SCHEMA, keys=("k",), owner=owner)


def rows(*pairs: tuple[int, str | None]) -> TableResults:
    columns = [list(column) for column in zip(*pairs, strict=True)]
    return TableResults(pa.table(columns, schema=SCHEMA))


def shown(postgres: Cluster) -> list[tuple[object, ...]]:
    return postgres.rows("SELECT k, name FROM answers ORDER BY k")


def test_wrong_credentials(postgres: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANSWERS_PASSWORD", "hunter2")
    with pytest.raises(sw.SinkError, match=r"SINK_CREDENTIALS.*127\.0\.0\.1") as caught:
        opened(postgres)
    assert "hunter2" not in str(caught.value)
    with pytest.raises(sw.SinkError, match="SINK_CREDENTIALS"):
        opened(postgres, password=None)


def test_a_table_with_other_columns_is_refused_with_all_that_is_wrong(postgres: Cluster) -> None:
    postgres.run("CREATE TABLE answers (k bigint, note text NOT NULL)")
    with pytest.raises(sw.SinkError) as caught:
        opened(postgres)
    text = caught.value.message
    assert caught.value.condition == "SINK_COLUMNS"
    assert "has no column name text, _batch bigint" in text
    assert "wants a value for note" in text


def test_a_column_of_another_type_is_refused_by_the_servers_word(postgres: Cluster) -> None:
    postgres.run("CREATE TABLE answers (k bigint, name integer, _batch bigint)")
    with pytest.raises(sw.SinkError, match=r"SINK_COLUMNS.*\"name\" is of type integer"):
        opened(postgres)


def test_a_table_of_ones_own_may_have_more_and_wider_columns(postgres: Cluster) -> None:
    postgres.run(
        "CREATE TABLE answers (id serial PRIMARY KEY, name varchar(9), k numeric, _batch bigint, "
        "at timestamptz NOT NULL DEFAULT now())"
    )
    found = opened(postgres)
    found.prepare(0, rows((1, "a"), (2, None)))
    found.commit(0)
    assert shown(postgres) == [(1, "a"), (2, None)]


def test_newest_rows_need_an_index_that_finds_them(postgres: Cluster) -> None:
    postgres.run("CREATE TABLE answers (k bigint, name text, _batch bigint)")
    with pytest.raises(sw.SinkError, match="SINK_COLUMNS") as caught:
        opened(postgres, mode="latest")
    assert "CREATE UNIQUE INDEX" in caught.value.hint


def test_a_constraint_that_rows_of_others_make_fail_loses_nothing(postgres: Cluster) -> None:
    postgres.run("CREATE TABLE answers (k bigint UNIQUE, name text, _batch bigint)")
    postgres.run("INSERT INTO answers VALUES (2, 'not ours', NULL)")
    found = opened(postgres)
    found.prepare(0, rows((1, "a"), (2, "b")))
    with pytest.raises(sw.SinkError, match=r"SINK_CONFLICT.*\(k\)=\(2\)"):
        found.commit(0)
    assert shown(postgres) == [(2, "not ours")]
    postgres.run("DELETE FROM answers WHERE name = 'not ours'")
    opened(postgres, last=0)  # the manifest was there: the next start finishes it
    assert shown(postgres) == [(1, "a"), (2, "b")]


def test_newest_rows_never_replace_those_of_others(postgres: Cluster) -> None:
    postgres.run("CREATE TABLE answers (k bigint UNIQUE, name text, _batch bigint)")
    postgres.run("INSERT INTO answers VALUES (2, 'not ours', NULL)")
    found = opened(postgres, mode="latest")
    found.prepare(0, rows((1, "a"), (2, "b")))
    with pytest.raises(sw.SinkError, match=r"SINK_CONFLICT.*k = 2"):
        found.commit(0)
    assert shown(postgres) == [(2, "not ours")]


def test_a_value_that_no_column_takes_is_told_before_its_batch_is_done(postgres: Cluster) -> None:
    found = opened(postgres)
    with pytest.raises(sw.SinkError, match=r"SINK_VALUE|SINK_FAILED"):
        found.prepare(0, rows((1, "a\0b")))
    found = opened(postgres)
    found.prepare(0, rows((1, "ab")))
    found.commit(0)
    assert shown(postgres) == [(1, "ab")]


def test_a_table_that_goes_in_mid_run_is_not_made_again_as_if_it_were_new(
    postgres: Cluster,
) -> None:
    found = opened(postgres)
    found.prepare(0, rows((1, "a")))
    found.commit(0)
    postgres.run("ALTER TABLE answers RENAME TO moved")
    found.prepare(1, rows((2, "b")))
    with pytest.raises(sw.SinkError, match="SINK_TABLE_MISSING"):
        found.commit(1)
    with pytest.raises(sw.SinkError, match="SINK_TABLE_MISSING"):
        opened(postgres, last=1)
    postgres.run("ALTER TABLE moved RENAME TO answers")
    opened(postgres, last=1)
    assert shown(postgres) == [(1, "a"), (2, "b")]


def test_answers_of_others_are_refused_and_left_as_they_are(postgres: Cluster) -> None:
    found = sink(postgres)
    found.open(target(OTHERS))
    found.prepare(0, rows((1, "a")))
    found.commit(0)
    with pytest.raises(sw.SinkError, match=r"SINK_OCCUPIED.*'p' of the checkpoint in .*/other"):
        opened(postgres)
    postgres.run("DROP TABLE slackwater_outputs")
    with pytest.raises(sw.SinkError, match="SINK_OCCUPIED"):
        opened(postgres)
    assert shown(postgres) == [(1, "a")]


def test_whoever_was_there_before_is_fenced_off(postgres: Cluster) -> None:
    old = opened(postgres)
    old.prepare(0, rows((1, "old")))
    new = opened(postgres)
    for late in (lambda: old.commit(0), lambda: old.prepare(0, rows((1, "old")))):
        with pytest.raises(sw.SinkError, match="SINK_FENCED"):
            late()
    new.prepare(0, rows((1, "new")))
    new.commit(0)
    assert shown(postgres) == [(1, "new")]


def test_a_commit_whose_answer_got_lost_is_not_done_twice(postgres: Cluster) -> None:
    found = opened(postgres)
    found.prepare(0, rows((1, "a")))
    found.commit(0)
    found.commit(0)
    opened(postgres, last=0)
    assert shown(postgres) == [(1, "a")]


def test_a_server_that_stays_away_is_told_and_its_return_is_enough(
    postgres: Cluster, caplog: pytest.LogCaptureFixture
) -> None:
    found = opened(postgres)
    found.prepare(0, rows((1, "a")))
    postgres.stop("immediate")
    try:
        with pytest.raises(sw.SinkError, match="SINK_UNREACHABLE"):
            found.commit(0)
        assert "trying again" in caplog.text
    finally:
        postgres.start()
    opened(postgres, last=0)
    assert shown(postgres) == [(1, "a")]


def test_an_output_that_never_had_rows_has_no_table_and_misses_none(postgres: Cluster) -> None:
    """As late rows: their columns are known with the first of them."""
    late = Target("q", "late rows", owner=MINE)
    for last in (-1, 0, 4):
        found = sink(postgres)
        found.open(late)
        found.recover(last)
    found.prepare(5, rows((1, "a")))
    found.commit(5)
    assert shown(postgres) == [(1, "a")]


def test_newest_rows_cannot_go_back_and_say_so(postgres: Cluster) -> None:
    found = opened(postgres, mode="latest")
    for batch in range(3):
        found.prepare(batch, rows((1, str(batch))))
        found.commit(batch)
    with pytest.raises(sw.SinkError, match=r"SINK_AHEAD.*batch 2.*from batch 0"):
        opened(postgres, last=0, mode="latest")


def test_looking_beforehand_changes_nothing(postgres: Cluster) -> None:
    found = sink(postgres)
    assert isinstance(found, Checkable)
    assert found.check(target()).endswith("will be made")
    assert postgres.rows("SELECT 1 FROM pg_tables WHERE schemaname = 'public'") == []
    opened(postgres)
    before = postgres.rows("SELECT * FROM slackwater_outputs")
    assert found.check(target()).endswith("is there")
    assert postgres.rows("SELECT * FROM slackwater_outputs") == before


def test_values_come_back_as_they_went(postgres: Cluster) -> None:
    from datetime import UTC, date, datetime
    from decimal import Decimal

    table = pa.table(
        {
            "flag": pa.array([True, None]),
            "tiny": pa.array([-1, None], pa.int8()),
            "small": pa.array([-2, None], pa.int16()),
            "whole": pa.array([3, None], pa.int32()),
            "large": pa.array([2**62, None]),
            "single": pa.array([0.5, None], pa.float32()),
            "double": pa.array([float("inf"), None]),
            "text": pa.array(['a"b,\\\n', ""]),
            "bytes": pa.array([b"\x00\xff", None]),
            "day": pa.array([date(2026, 1, 2), None]),
            "instant": pa.array(
                [datetime(1999, 1, 1, tzinfo=UTC), None], pa.timestamp("us", "UTC")
            ),
            "clock": pa.array([1_767_225_600_000_000, None], pa.timestamp("us")),
            "money": pa.array([Decimal("12.30"), None], pa.decimal128(9, 2)),
            "several": pa.array([[1, None], None], pa.list_(pa.int64())),
            "repeated": pa.array(["x", None]).dictionary_encode(),
        }
    )
    found = sink(postgres)
    found.open(Target("q", "late rows"))  # columns are known with the first rows
    found.recover(-1)
    found.prepare(0, TableResults(table))
    found.commit(0)
    names = ", ".join(f'"{name}"' for name in table.column_names)
    read = postgres.rows(f"SELECT {names} FROM answers ORDER BY flag NULLS LAST")
    assert read == [tuple(row.values()) for row in table.to_pylist()]
