"""A document runs, and its answers are those of a database over all rows."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession
from typer.testing import CliRunner

from slackwater.cli.main import app
from slackwater.cli.perform import Run, places_of
from slackwater.spark.document import load
from tests.cli.toml import FILES, GENERATED, write

START = 1_704_067_200_000_000
cli = CliRunner()


def write_rows(folder: Path) -> None:
    folder.mkdir()
    for number in range(4):
        rows = range(number * 50, number * 50 + 50)
        instants = [START + row * 400_000 - (row % 7) * 3_000_000 for row in rows]
        table = pa.table(
            {
                "ts": pa.array(instants, pa.timestamp("us", tz="UTC")),
                "sensor": [row % 4 for row in rows],
                "value": [float(row % 11) for row in rows],
            }
        )
        pq.write_table(table, folder / f"{number}.parquet")
        os.utime(folder / f"{number}.parquet", (1_700_000_000 + number,) * 2)


def test_a_flushed_run_gives_what_a_database_gives(spark: SparkSession, tmp_path: Path) -> None:
    write_rows(tmp_path / "rows")
    result = cli.invoke(app, ["run", str(write(tmp_path, FILES)), "--flush", "--json"])
    assert result.exit_code == 0, result.stderr

    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert [line["event"] for line in lines] == ["batch", "batch", "batch", "summary"]
    summary = lines[-1]
    assert (summary["rows"], summary["batches"]) == (200, 3)
    assert summary["queries"]["sums"]["finals"] == summary["queries"]["sums"]["answers"] > 0
    assert summary["results"] == {"sums": str(tmp_path / "out" / "sums")}
    assert Path(summary["events"]).exists()

    found = duckdb.sql(
        "SELECT epoch_us(window_start), sensor, n, total FROM "
        f"read_parquet('{tmp_path}/out/sums/*/*.parquet', hive_partitioning=false) ORDER BY 1, 2"
    ).fetchall()
    expected = duckdb.sql(
        "WITH kept AS (SELECT epoch_us(ts) AS t, sensor, value FROM "
        f"read_parquet('{tmp_path}/rows/*.parquet') WHERE value >= 1 AND sensor < 3), "
        "spread AS (SELECT unnest([t - t % 5000000, t - t % 5000000 - 5000000]) AS start, * "
        "FROM kept) SELECT start, sensor, count(*), sum(value) FROM spread "
        "GROUP BY 1, 2 ORDER BY 1, 2"
    ).fetchall()
    assert found == expected


def test_a_run_without_terminal_prints_lines_and_a_summary(
    spark: SparkSession, tmp_path: Path
) -> None:
    write_rows(tmp_path / "rows")
    folder = tmp_path / "elsewhere"
    command = ["run", str(write(tmp_path, FILES)), "--checkpoint", str(folder), "--tier", "spark"]
    result = cli.invoke(app, command)
    assert result.exit_code == 0, result.stderr
    assert "batch 0" in result.stdout
    assert "summary" in result.stdout
    assert "spark tier" in result.stdout
    assert (folder / "events.jsonl").exists()
    assert not (tmp_path / "state").exists()


def test_the_summary_names_the_folders_that_were_given(tmp_path: Path) -> None:
    write_rows(tmp_path / "rows")
    text = FILES.replace("sink = { kind", 'side = { path = "aside" }\nsink = { kind')
    asked = load(write(tmp_path, text))
    run = Run(asked.pipeline.queries, tmp_path / "state", asked.options, "title")
    places = places_of(run)
    assert places["side"] == {"sums": str(tmp_path / "aside")}
    assert places["results"] == {"sums": str(tmp_path / "out" / "sums")}
    plain = replace(run, queries=tuple(replace(q, side=None) for q in run.queries))
    assert places_of(plain)["side"] == {"sums": str(tmp_path / "state" / "side" / "sums")}


def test_a_checkpoint_has_to_be_named(tmp_path: Path) -> None:
    result = cli.invoke(app, ["run", str(write(tmp_path, GENERATED))])
    assert result.exit_code == 2
    assert "--checkpoint FOLDER" in result.stderr


@pytest.mark.parametrize(
    ("text", "condition"),
    [("[source.", "TOML_INVALID"), ("", "KEY_MISSING"), (None, "DOCUMENT_MISSING")],
)
def test_a_document_that_is_none_is_refused(
    tmp_path: Path, text: str | None, condition: str
) -> None:
    path = tmp_path / "none.toml" if text is None else write(tmp_path, text)
    result = cli.invoke(app, ["run", str(path)])
    assert result.exit_code == 2
    assert f"[{condition}]" in result.stderr


def test_flush_with_an_endless_trigger_is_refused(tmp_path: Path) -> None:
    path = str(write(tmp_path, GENERATED))
    command = ["run", path, "--checkpoint", str(tmp_path), "--flush", "--trigger", "1 s"]
    result = cli.invoke(app, command)
    assert result.exit_code == 2
    assert "[FLUSH_ENDLESS]" in result.stderr
