"""Changing the order of a join that runs: plain Spark loses, doubles or fails; Slackwater not."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "replan_plain_spark.py"


@pytest.mark.slow
def test_a_small_run_tells_what_each_way_loses_and_doubles(tmp_path: Path) -> None:
    out, small = tmp_path / "out.json", ["--rows", "400", "--window", "3", "--batches", "10"]
    subprocess.run([sys.executable, str(SCRIPT), *small, "--json", str(out)], check=True)
    found = json.loads(out.read_text(encoding="utf-8"))
    again, from_here, same, ours = found["ways"]
    assert found["results"] > 0
    assert (again["lost"], again["rows_again"]) == (0, 3 * 3 * 400)
    assert again["twice"] > 0
    assert from_here["lost"] > 0
    assert from_here["twice"] == 0
    assert same["says"] != "nothing" or same["lost"] + same["twice"] > 0
    assert (ours["lost"], ours["twice"], ours["rows_again"]) == (0, 0, 0)
    assert ours["says"] == "((b c) a)"
