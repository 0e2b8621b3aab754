"""``slackwater papers``: a work that takes no time, and a figure that can be made to move."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from slackwater.cli.main import app
from slackwater.papers import catalogue
from slackwater.papers.paper import LOG, Paper, Results

RUNNER = CliRunner()


@pytest.fixture
def measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Results:
    """What the only work in the catalogue will measure."""
    folder = tmp_path / "toy_nobody1999"
    folder.mkdir()
    entry = {"paper": "about 1", "claim": [0.9, 1.1], "ours": [1, 2], "quick": [5, 6]}
    (folder / "expected.json").write_text(json.dumps({"figures": {"gain": entry}}))
    results: Results = {"gain": 1.5}

    def measure(is_quick: bool) -> Results:
        LOG.info("halfway")
        return {"gain": results["gain"] + 4 * is_quick}

    def draw(data: Results, where: Path) -> list[Path]:
        (where / "gain.png").write_text(str(data["gain"]))
        return [where / "gain.png"]

    toy = Paper("toy_nobody1999", "A toy", "nobody", 1, folder, measure, dict, draw)
    monkeypatch.setattr(catalogue, "PAPERS", (toy,))
    return results


def test_works_are_listed_with_their_source(measured: Results) -> None:
    told = RUNNER.invoke(app, ["papers", "list"])
    assert told.exit_code == 0
    assert "toy_nobody1999" in told.stdout
    assert "nobody" in told.stdout


def test_a_run_shows_paper_ours_range_and_verdict(measured: Results) -> None:
    told = RUNNER.invoke(app, ["papers", "run", "toy_nobody1999"])
    assert told.exit_code == 0
    row = next(line for line in told.stdout.splitlines() if "gain" in line)
    cells = [cell.strip() for cell in row.strip("│ ").split("│")]
    assert cells == ["gain", "about 1", "1.5", "1 … 2", "differs", "as expected"]
    assert "figures: 1, outside: 0" in told.stdout


def test_a_figure_outside_its_range_ends_with_one(measured: Results) -> None:
    measured["gain"] = 3.0
    told = RUNNER.invoke(app, ["papers", "run", "toy_nobody1999"])
    assert told.exit_code == 1
    assert "OUTSIDE" in told.stdout
    assert "outside: 1" in told.stdout


def test_a_quick_run_has_ranges_of_its_own_and_files_are_written(
    measured: Results, tmp_path: Path
) -> None:
    out, plot = tmp_path / "a" / "out.json", tmp_path / "b"
    asked = ["papers", "run", "toy_nobody1999", "--quick", "--json", str(out), "--plot", str(plot)]
    assert RUNNER.invoke(app, asked).exit_code == 0
    document = json.loads(out.read_text(encoding="utf-8"))
    assert document["figures"] == document["results"] == {"gain": 5.5}
    assert document["verdicts"][0]["is_expected"]
    assert (plot / "gain.png").read_text() == "5.5"


def test_json_to_standard_output_is_nothing_but_json(measured: Results) -> None:
    measured["gain"] = 3.0
    told = RUNNER.invoke(app, ["papers", "run", "toy_nobody1999", "--json", "-"])
    assert told.exit_code == 1
    assert json.loads(told.stdout)["paper"] == "toy_nobody1999"


def test_progress_is_handed_on_and_the_logger_left_as_it_was(measured: Results) -> None:
    said: list[str] = []
    before = (LOG.level, list(LOG.handlers))
    catalogue.paper("toy_nobody1999").run(tell=said.append)
    assert said == ["halfway"]
    assert (LOG.level, list(LOG.handlers)) == before


def test_an_unknown_work_is_refused_with_those_there_are(measured: Results) -> None:
    told = RUNNER.invoke(app, ["papers", "run", "toy"])
    assert told.exit_code == 2
    assert "PAPER_UNKNOWN" in told.stderr
    assert "toy_nobody1999" in told.stderr


def test_a_folder_that_cannot_be_made_is_told_before_the_work(
    measured: Results, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    asked = ["papers", "run", "toy_nobody1999", "--plot", str(tmp_path / "file" / "x")]
    told = RUNNER.invoke(app, asked)
    assert told.exit_code == 2
    assert "STORAGE_FAILED" in told.stderr


def test_the_command_is_known_without_loading_the_experiments() -> None:
    code = "import sys, slackwater.cli.commands.papers; print('{PLACE}' in sys.modules)"
    code = code.replace("{PLACE}", "slackwater.papers.catalogue")
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "False"
