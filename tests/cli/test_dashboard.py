"""The commands that hand over to the process without Spark."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from slackwater.cli import dashboard
from slackwater.cli.main import app
from slackwater.errors import SlackwaterError
from tests.events.story import ended

CODE = "from slackwater.cli.main import main; main()"


def handed_over(monkeypatch: pytest.MonkeyPatch, *words: str) -> list[str]:
    """The command line that a command hands over to."""
    caught: list[list[str]] = []

    def note(_: str, command: list[str]) -> None:
        caught.append(command)
        raise SystemExit(0)

    monkeypatch.setattr("os.execv", note)
    assert CliRunner().invoke(app, list(words)).exit_code == 0
    return caught[0][3:]


def test_every_option_is_handed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    assert handed_over(monkeypatch, "dashboard", "a", "b", "--port", "0") == [
        "serve", "--host", "127.0.0.1", "--port", "0", "--", "a", "b",
    ]  # fmt: skip
    assert handed_over(monkeypatch, "report", "a", "-o", "x.html") == [
        "report", "--output", "x.html", "--", "a",
    ]  # fmt: skip
    assert handed_over(monkeypatch, "metrics", "a", "--otlp", "http://c", "--every", "5") == [
        "metrics", "--every", "5.0", "--otlp", "http://c", "--", "a",
    ]  # fmt: skip


def test_a_report_is_written(tmp_path: Path) -> None:
    folder = ended(tmp_path / "run", 5)
    words = ["report", str(folder), "-o", str(tmp_path / "r.html")]
    done = subprocess.run(
        [sys.executable, "-c", CODE, *words], capture_output=True, text=True, timeout=60, check=True
    )
    assert "opens without a server" in done.stdout
    assert "<!doctype html>" in (tmp_path / "r.html").read_text()


def test_the_page_process_does_not_load_spark() -> None:
    code = "import sys, slackwater.dashboard.__main__; print(sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(json.loads(done.stdout.replace("'", '"')))
    assert loaded.isdisjoint({"pyspark", "pandas", "pyarrow", "duckdb", "matplotlib"})


def test_the_page_beside_a_run_ends_with_it(tmp_path: Path) -> None:
    with dashboard.page_beside(ended(tmp_path / "run", 3), 0) as address:
        assert address.startswith("http://127.0.0.1:")
    with (
        pytest.raises(SlackwaterError, match="PAGE_FAILED"),
        dashboard.page_beside(tmp_path / "nowhere", 0),
    ):
        pass
