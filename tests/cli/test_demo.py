"""The demo runs and says what it did."""

from __future__ import annotations

import json
from pathlib import Path

from pyspark.sql import SparkSession
from typer.testing import CliRunner

from slackwater.cli.main import app

cli = CliRunner()


def test_the_demo_prints_one_json_summary_and_nothing_else(
    spark: SparkSession, tmp_path: Path
) -> None:
    picture = tmp_path / "demo.svg"
    command = ["demo", "--seconds", "2", "--json", "--keep", str(tmp_path / "kept")]
    result = cli.invoke(app, [*command, "--picture", str(picture)])
    assert result.exit_code == 0, result.stderr
    summary = json.loads(result.stdout)
    assert summary["command"] == "demo"
    assert summary["rows"] > 0
    assert set(summary["queries"]) == {"overview", "quick", "bounded"}
    assert set(summary["batch_ms"]) == {"median", "p95"}
    assert summary["queries"]["quick"]["late_policy"] == "revise"
    assert Path(summary["results"]["overview"]).is_dir()
    assert picture.read_text().startswith("<svg")


def test_the_demo_does_not_write_into_a_folder_with_something_in_it(tmp_path: Path) -> None:
    (tmp_path / "precious").touch()
    result = cli.invoke(app, ["demo", "--keep", str(tmp_path)])
    assert result.exit_code == 2
    assert "[FOLDER_NOT_EMPTY]" in result.stderr
