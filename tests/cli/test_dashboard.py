"""The commands that read events only, and the page beside a run."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from slackwater.cli.main import app
from slackwater.cli.page import page_beside
from slackwater.dashboard.settings import PORT
from slackwater.errors import SlackwaterError
from tests.events.story import ended

cli = CliRunner()


def test_every_option_of_the_page_arrives(monkeypatch: pytest.MonkeyPatch) -> None:
    caught: list[tuple[object, ...]] = []

    def note(checkpoints: list[Path], settings: object, *, tell: object, until_eof: bool) -> None:
        caught.append((checkpoints, settings, until_eof))

    monkeypatch.setattr("slackwater.dashboard.commands.serve", note)
    monkeypatch.setenv("SLACKWATER_TOKEN", "long-enough")
    assert cli.invoke(app, ["dashboard", "a", "b", "--port", "0", "--host", "::1"]).exit_code == 0
    assert cli.invoke(app, ["dashboard", "a"]).exit_code == 0
    (first, given, _), (_, usual, until_eof) = caught
    assert first == [Path("a"), Path("b")]
    assert (given.host, given.port, given.token) == ("::1", 0, "long-enough")  # type: ignore[attr-defined]
    assert (usual.host, usual.port, until_eof) == ("127.0.0.1", PORT, False)  # type: ignore[attr-defined]


def test_metrics_are_sent_where_they_are_wanted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    caught: list[tuple[str, float]] = []

    def note(endpoint: str, every: float) -> None:
        caught.append((endpoint, every))
        raise KeyboardInterrupt

    monkeypatch.setattr("slackwater.dashboard.otel.sender", note)
    words = ["metrics", str(ended(tmp_path, 2)), "--otlp", "http://c", "--every", "5"]
    assert cli.invoke(app, words).exit_code == 130
    assert caught == [("http://c", 5.0)]


def test_a_report_is_written(tmp_path: Path) -> None:
    folder = ended(tmp_path / "run", 5)
    done = cli.invoke(app, ["report", str(folder), "-o", str(tmp_path / "r.html")])
    assert done.exit_code == 0, done.stderr
    assert "opens without a server" in done.stdout
    assert "<!doctype html>" in (tmp_path / "r.html").read_text()


def test_the_page_beside_a_run_ends_with_it(tmp_path: Path) -> None:
    with page_beside(ended(tmp_path / "run", 3), 0) as address:
        assert address.startswith("http://127.0.0.1:")
    with (
        pytest.raises(SlackwaterError, match="PAGE_FAILED"),
        page_beside(tmp_path / "nowhere", 0),
    ):
        pass
