"""The command as a whole: errors are messages, not tracebacks."""

from __future__ import annotations

import os
import signal
from importlib.metadata import version
from pathlib import Path

import pytest
from typer.testing import CliRunner

from slackwater.cli import main
from slackwater.cli.drive import interruptible
from tests.cli.toml import GENERATED, write

cli = CliRunner()


def test_version_is_that_of_the_package() -> None:
    result = cli.invoke(main.app, ["--version"])
    assert (result.exit_code, result.stdout) == (0, f"slackwater {version('slackwater')}\n")


def test_an_error_goes_to_stderr_with_condition_and_hint_and_exit_code_2(tmp_path: Path) -> None:
    result = cli.invoke(main.app, ["repair", str(tmp_path)])
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "[CHECKPOINT_MISSING]" in result.stderr
    assert "hint: give the folder" in result.stderr


def test_all_problems_of_a_document_are_told_at_once(tmp_path: Path) -> None:
    text = GENERATED.replace("slide", "slied").replace("avg(value)", "avg(valeu)")
    result = cli.invoke(main.app, ["explain", str(write(tmp_path, text))])
    assert result.exit_code == 2
    assert "did you mean 'slide'?" in result.stderr


def test_ctrl_c_ends_with_130(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("slackwater.cli.commands.explain.load", interrupted)
    assert cli.invoke(main.app, ["explain", "x.toml"]).exit_code == 130


def test_the_first_ctrl_c_asks_to_stop_and_the_second_breaks_off() -> None:
    before = signal.getsignal(signal.SIGINT)
    with interruptible() as stop:
        os.kill(os.getpid(), signal.SIGINT)
        assert stop.is_set()
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before
