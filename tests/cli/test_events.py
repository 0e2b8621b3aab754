"""The event log, printed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from slackwater.cli.main import app
from slackwater.events.log import EventLog
from slackwater.runs.objects.located import WORK, copy_of
from tests.cli.reports import START, report

cli = CliRunner()


def write_events(folder: Path) -> None:
    log = EventLog(folder / "events.jsonl", now=lambda: START)
    log.write("start", pipeline="abc", batch=-1)
    log.write("batch", **report(0))
    log.write("error", batch=1, error="disk full")
    log.close()


def test_events_are_lines_for_people(tmp_path: Path) -> None:
    write_events(tmp_path)
    lines = cli.invoke(app, ["events", str(tmp_path)]).stdout.splitlines()
    assert lines[0] == "start  2024-01-01 00:00:00  batch -1  started  pipeline abc"
    assert lines[1].startswith("batch 0  2024-01-01 00:00:00  columnar  rows 100")
    assert "sums 2 answers, 5 late, 1 aside" in lines[1]
    assert lines[2] == "error  2024-01-01 00:00:00  batch 1  disk full"


def test_events_as_json_are_the_log_itself(tmp_path: Path) -> None:
    write_events(tmp_path)
    lines = cli.invoke(app, ["events", str(tmp_path), "--json"]).stdout.splitlines()
    assert json.loads(lines[1]) == {"event": "batch", **report(0)}


def test_a_folder_without_events_is_refused(tmp_path: Path) -> None:
    result = cli.invoke(app, ["events", str(tmp_path)])
    assert result.exit_code == 2
    assert "[CHECKPOINT_MISSING]" in result.stderr


def test_of_a_checkpoint_in_a_store_the_copy_on_this_machine_is_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(WORK, str(tmp_path))
    copy = copy_of("s3://bucket/job")
    result = cli.invoke(app, ["events", "s3://bucket/job/"])
    assert result.exit_code == 2
    assert "[CHECKPOINT_MISSING]" in result.stderr
    assert copy.name in result.stderr
    copy.mkdir()
    write_events(copy)
    result = cli.invoke(app, ["events", "s3://bucket/job", "--json"])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout.splitlines()[1])["batch"] == 0
