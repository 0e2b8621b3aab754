"""The demo runs and says what it did."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from typer.testing import CliRunner

from slackwater.cli.main import app
from slackwater.cli.overload import queries
from slackwater.plan.build import check
from slackwater.plan.stage import lay_out

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


@pytest.mark.slow
def test_the_demo_of_an_overload_tells_of_ranks(spark: SparkSession, tmp_path: Path) -> None:
    picture = tmp_path / "demo.svg"
    command = ["demo", "--overload", "--seconds", "6", "--json", "--keep", str(tmp_path / "kept")]
    result = cli.invoke(app, [*command, "--picture", str(picture)])
    assert result.exit_code == 0, result.stderr
    summary = json.loads(result.stdout)
    assert set(summary["queries"]) == {"by_rank", "as_they_come"}
    for query in summary["queries"].values():
        ranks = query["backlog"]["ranks"]
        assert [one["rank"] for one in ranks] == ["1", "2", "none"]
        assert all(
            one["admitted"] == one["worked"] + one["waiting"] + one["expired"] + one["shed"]
            for one in ranks
        )
    assert sum(one["admitted"] for one in ranks) == summary["rows"]
    assert "demo&#160;--overload" in picture.read_text()


def test_the_overload_of_the_demo_is_the_same_join_twice_with_the_same_budget() -> None:
    first, second = lay_out(check(queries(60))).queries
    assert first.costly is not None
    assert second.costly is not None
    assert first.costly.budget == second.costly.budget
    assert (first.costly.precedence, second.costly.precedence) == ("prune", "none")
    assert first.join is not None
    assert second.join is not None
    assert first.join.graph == second.join.graph


def test_the_demo_does_not_write_into_a_folder_with_something_in_it(tmp_path: Path) -> None:
    (tmp_path / "precious").touch()
    result = cli.invoke(app, ["demo", "--keep", str(tmp_path)])
    assert result.exit_code == 2
    assert "[FOLDER_NOT_EMPTY]" in result.stderr
