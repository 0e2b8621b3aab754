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
