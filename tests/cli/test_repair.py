"""The repair command tells what it finds and does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from slackwater.cli.main import app
from slackwater.control.records import ControlState
from slackwater.runs.checkpoint import Checkpoint
from slackwater.runs.manifest import Manifest

cli = CliRunner()


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    """A checkpoint of three batches without state, the newest manifest unreadable."""
    checkpoint = Checkpoint.open(tmp_path / "state", "p", {"streams": {}, "queries": {}})
    for batch in range(3):
        checkpoint.commit(Manifest(batch, ControlState(), (), {}))
    checkpoint.close()
    checkpoint.manifest_path(2).write_text("{")
    return checkpoint.folder


def test_a_dry_run_says_what_would_be_removed(damaged: Path) -> None:
    result = cli.invoke(app, ["repair", str(damaged), "--dry-run"])
    assert result.exit_code == 0, result.stderr
    assert "would remove  manifest/00000002.json" in result.stdout
    assert "would go back to batch 1; 1 batch will be read again" in result.stdout
    assert (damaged / "manifest" / "00000002.json").exists()


def test_a_repair_says_what_it_did_and_a_second_has_nothing_to_do(damaged: Path) -> None:
    first = cli.invoke(app, ["repair", str(damaged)])
    assert "back at batch 1" in first.stdout
    second = cli.invoke(app, ["repair", str(damaged)])
    assert "is sound (batch 1); nothing to do" in second.stdout


def test_json_is_one_report(damaged: Path) -> None:
    report = json.loads(cli.invoke(app, ["repair", str(damaged), "--json"]).stdout)
    assert (report["batch"], report["newest"], report["dry_run"]) == (1, 2, False)
    assert len(report["damage"]) == 1


def test_a_checkpoint_with_all_its_history_goes_back_to_the_beginning(damaged: Path) -> None:
    for path in (damaged / "manifest").iterdir():
        path.write_text("{")
    result = cli.invoke(app, ["repair", str(damaged)])
    assert "back at the beginning; 3 batches will be read again" in result.stdout
