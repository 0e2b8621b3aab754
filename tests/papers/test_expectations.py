"""Figures that are kept lie where they are expected, and an expectation can fail."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from benchmarks.papers import compare
from benchmarks.papers.prodding_bhat2011 import run as prodding
from benchmarks.papers.recall_ji2018 import ablate as recall_ablations
from benchmarks.papers.recall_ji2018 import run as recall
from benchmarks.papers.slack_ji2018 import ablate as slack_ablations
from benchmarks.papers.slack_ji2018 import run as slack

from tests.papers.expectations import expected, expected_in_a_quick_run

PAPERS = pytest.mark.parametrize(
    ("paper", "ablations"),
    [
        pytest.param(slack, slack_ablations, id="slack"),
        pytest.param(recall, recall_ablations, id="recall"),
        pytest.param(prodding, None, id="prodding"),
    ],
)


def read(path: Path, figures: Callable[[dict[str, Any]], dict[str, float]]) -> dict[str, float]:
    return figures(json.loads(path.read_text(encoding="utf-8")))


def kept(paper: ModuleType, ablations: ModuleType | None) -> dict[str, float]:
    found = read(paper.HERE / "results" / "results.json", paper.figures)
    if ablations is not None:
        found |= read(paper.HERE / "results" / ablations.NAME, ablations.figures)
    return found


@PAPERS
def test_results_that_are_kept_are_as_expected(
    paper: ModuleType, ablations: ModuleType | None, capsys: pytest.CaptureFixture[str]
) -> None:
    found = kept(paper, ablations)
    assert expected(paper.HERE).keys() <= found.keys()
    assert paper.check(found, is_quick=False), capsys.readouterr().out


@PAPERS
def test_every_range_can_be_left_on_both_sides(
    paper: ModuleType, ablations: ModuleType | None
) -> None:
    """None is open, none is wider than its middle is large, but for what a clock measured."""
    for name, entry in expected(paper.HERE).items():
        for low, high in filter(None, (entry["ours"], entry.get("quick"))):
            is_timed = "time/" in name
            assert low <= high < 1e8, name
            assert is_timed or high - low <= max(abs(high + low) / 2, 4), name


@PAPERS
def test_a_figure_that_moves_is_noticed(
    paper: ModuleType, ablations: ModuleType | None, capsys: pytest.CaptureFixture[str]
) -> None:
    found = kept(paper, ablations)
    for name in list(expected(paper.HERE))[::7]:
        moved = {**found, name: 2 * abs(expected(paper.HERE)[name]["ours"][1]) + 1}
        assert not paper.check(moved, is_quick=False), name
    assert "NO" in capsys.readouterr().out


@pytest.mark.parametrize("paper", [slack, recall])
def test_quick_runs_have_expectations(paper: ModuleType) -> None:
    assert len(expected_in_a_quick_run(paper.HERE)) >= 10


def test_a_quick_run_is_judged_by_its_own_ranges(tmp_path: Path) -> None:
    path = tmp_path / "expected.json"
    entry = {"paper": "1", "claim": None, "ours": [1, 2], "quick": [3, 4]}
    path.write_text(json.dumps({"figures": {"a": entry, "b": {**entry, "quick": None}}}))
    assert compare.compare({"a": 3.5, "b": 9}, path, is_quick=True)
    assert not compare.compare({"a": 1.5, "b": 1}, path, is_quick=True)
    assert compare.compare({"a": 1.5}, path, is_quick=False)
