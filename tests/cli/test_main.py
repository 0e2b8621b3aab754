"""The command as a whole: errors are messages, and each command loads only what it needs."""

from __future__ import annotations

import inspect
import json
import os
import signal
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from typer.testing import CliRunner

from slackwater.cli import main
from slackwater.cli.drive import interruptible
from tests.cli.toml import GENERATED, write
from tests.events.story import ended

cli = CliRunner()
ENGINES = {"pyspark", "pandas", "pyarrow", "duckdb", "matplotlib", "sqlglot"}
LOADED = """
import contextlib, io, json, sys
from slackwater.cli.main import app
with contextlib.redirect_stdout(io.StringIO()) as said, contextlib.suppress(SystemExit):
    app(sys.argv[1:])
assert said.getvalue(), "the command said nothing"
print(json.dumps(sorted(sys.modules)))
"""


def loaded(*words: str) -> set[str]:
    """The modules in a process that ran a command."""
    command = [sys.executable, "-c", LOADED, *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return set(json.loads(done.stdout))


def test_version_is_that_of_the_package() -> None:
    result = cli.invoke(main.app, ["--version"])
    assert (result.exit_code, result.stdout) == (0, f"slackwater {version('slackwater')}\n")


@pytest.mark.parametrize("words", [["--version"], ["--help"]], ids=lambda words: words[0])
def test_to_say_what_there_is_nothing_is_loaded(words: list[str]) -> None:
    found = loaded(*words)
    assert found.isdisjoint({*ENGINES, "numpy", "slackwater.history", "slackwater.query"})


@pytest.mark.parametrize(
    "words", [["watch", "--once"], ["events"], ["metrics"]], ids=lambda w: w[0]
)
def test_who_reads_events_loads_no_engine(tmp_path: Path, words: list[str]) -> None:
    found = loaded(*words, str(ended(tmp_path, 3)))
    assert "slackwater.events.tail" in found
    assert found.isdisjoint(ENGINES)


def test_the_report_is_written_without_an_engine(tmp_path: Path) -> None:
    found = loaded("report", str(ended(tmp_path, 3)), "-o", str(tmp_path / "r.html"))
    assert found.isdisjoint(ENGINES)


def test_the_page_is_served_without_an_engine() -> None:
    found = loaded("dashboard", "--help")
    assert "slackwater.dashboard.serve" in found
    assert found.isdisjoint(ENGINES)


def test_advice_is_given_without_spark(tmp_path: Path) -> None:
    rows = tmp_path / "rows.csv"
    rows.write_text("ts,v\n" + "".join(f"{n},{n % 3}\n" for n in range(1, 200)))
    words = ["--time", "ts", "--time-unit", "s", "--window", "10s", "--aggregate", "sum(v)"]
    found = loaded("advise", str(rows), *words)
    assert "slackwater.replay.advise" in found
    assert found.isdisjoint({"pyspark", "matplotlib"})


@pytest.mark.parametrize("command", ["estimate", "prod", "replan", "repair"])
def test_who_reads_a_checkpoint_loads_no_spark(command: str) -> None:
    assert "pyspark" not in loaded(command, "--help")


@pytest.mark.parametrize("command", main.COMMANDS, ids=lambda command: command.name)
def test_the_list_of_commands_says_of_each_what_it_says_itself(command: main.Command) -> None:
    own = inspect.cleandoc(command.load().help or "").split("\n\n", maxsplit=1)[0]
    assert command.summary == " ".join(own.split())


def test_a_command_that_is_not_there_is_told_with_what_is_meant() -> None:
    result = cli.invoke(main.app, ["wathc"])
    assert result.exit_code == 2
    assert "watch" in result.stderr


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


@pytest.mark.parametrize("asked", [signal.SIGINT, signal.SIGTERM])
def test_the_first_signal_asks_to_stop_and_the_second_breaks_off(asked: signal.Signals) -> None:
    before = signal.getsignal(asked)
    with interruptible() as stop:
        os.kill(os.getpid(), asked)
        assert stop.is_set()
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), asked)
    assert signal.getsignal(asked) is before
