"""Explaining a document starts nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from typer.testing import CliRunner

from slackwater.cli.main import app
from tests.cli.toml import GENERATED, write
from tests.events.joins import joined
from tests.events.story import ended, ranked

cli = CliRunner()


def test_explain_shows_levels_and_contract(tmp_path: Path) -> None:
    result = cli.invoke(app, ["explain", str(write(tmp_path, GENERATED))])
    assert result.exit_code == 0, result.stderr
    assert "query totals (slack 1s, late rows: revise, revisable for 30s)" in result.stdout
    assert "level 2" in result.stdout


def test_explain_json_is_one_value(tmp_path: Path) -> None:
    result = cli.invoke(app, ["explain", str(write(tmp_path, GENERATED)), "--json"])
    plan = json.loads(result.stdout)
    assert plan["contracts"]["totals"]["slack_us"] == 1_000_000
    assert len(plan["queries"]["totals"]["stages"]) == 2


def test_explain_needs_no_java(tmp_path: Path) -> None:
    path = write(tmp_path, GENERATED)
    script = "from slackwater.cli.main import main; main()"
    command = [sys.executable, "-c", script, "explain", str(path)]
    bare = {**os.environ, "PATH": "", "JAVA_HOME": str(tmp_path)}
    result = subprocess.run(command, env=bare, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert "query totals" in result.stdout


def test_explain_of_a_checkpoint_tells_how_its_run_stands(tmp_path: Path) -> None:
    result = cli.invoke(app, ["explain", str(joined(tmp_path, 40))])
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[0] == "after batch 39"
    assert lines[1].startswith("query fixed (slack 2s")
    assert "  plan in force: (a (b c))" in lines
    assert "  a batch: 12 ms predicted, 10 ms measured (off by +20 %)" in lines
    assert [line for line in lines if "runner-up (a b c), 20 ms a batch" in line]
    assert [line for line in lines if "6 batches side by side, 3 s" in line]
    assert [line for line in lines if line.startswith("query bounded (")]


def test_explain_of_a_checkpoint_tells_what_became_of_each_rank(tmp_path: Path) -> None:
    lines = cli.invoke(app, ["explain", str(ended(tmp_path, 8, made=ranked))]).stdout.splitlines()
    assert "  complete up to rank 1: nothing waits, nothing was given up" in lines
    assert [
        line for line in lines if line.startswith("  rank 2: 160 rows came, 25 of them promising")
    ]
    assert "    promised by 6 values, 120.5 results: orders.k = 7, 8" in lines


def test_explain_of_a_checkpoint_as_json(tmp_path: Path) -> None:
    told = cli.invoke(app, ["explain", str(joined(tmp_path, 24)), "--json"])
    value = json.loads(told.stdout)
    assert value["batch"] == 23
    join = value["queries"]["fixed"]["join"]
    assert (join["tree"], join["limit"], join["held"]) == ("(a (b c))", 30_000, 23_000)
    assert join["migrations"][-1]["batches"] is None
    assert "join" not in value["queries"]["bounded"]


def test_explain_of_a_folder_that_is_no_checkpoint_is_refused(tmp_path: Path) -> None:
    result = cli.invoke(app, ["explain", str(tmp_path)])
    assert result.exit_code == 2
    assert "[CHECKPOINT_MISSING]" in result.stderr
