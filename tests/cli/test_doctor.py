"""A machine is examined: what is there, what is not, and how to get it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from slackwater.cli.main import app
from slackwater.spark import connector, doctor

cli = CliRunner()


def test_a_machine_that_runs_these_tests_has_what_a_session_needs() -> None:
    result = cli.invoke(app, ["doctor", "--json"])
    assert result.exit_code == 0, result.output
    found = {one["name"]: one for one in json.loads(result.stdout)["checks"]}
    assert all(one["ok"] for one in found.values() if one["needed"])
    assert {"Python", "Java", "Spark", "Kafka connector", "extra postgres"} <= set(found)


def test_what_is_missing_is_told_with_the_way_to_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(connector.FOLDER, str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setitem(doctor.EXTRAS, "delta", ("no-such-package",))
    result = cli.invoke(app, ["doctor"])
    assert result.exit_code == 1
    assert "missing  Java: Spark needs Java, and none was found" in result.stdout
    assert "apt-get install openjdk" in result.stdout
    assert f"absent   Kafka connector: not in {tmp_path}" in result.stdout
    assert "sw.local_session(kafka=True)" in result.stdout
    assert "absent   extra delta: no no-such-package" in result.stdout
    assert "pip install 'slackwater[delta]'" in result.stdout
