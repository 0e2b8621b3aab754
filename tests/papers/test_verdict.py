"""Figures that are kept lie where they are expected, and an expectation can fail."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from slackwater.papers.catalogue import PAPERS
from slackwater.papers.paper import Paper
from slackwater.papers.verdict import Verdict, judge
from tests.papers.expectations import expected, expected_in_a_quick_run

EVERY = pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.name)


def judged(paper: Paper, **moved: float) -> tuple[Verdict, ...]:
    found = {**paper.figures(paper.kept()), **moved}
    return judge(found, paper.folder / "expected.json", is_quick=False)


@EVERY
def test_results_that_are_kept_are_as_expected(paper: Paper) -> None:
    found = judged(paper)
    assert {one.figure for one in found} == expected(paper.folder).keys()
    assert [one for one in found if not one.is_expected] == []


@EVERY
def test_every_range_can_be_left_on_both_sides(paper: Paper) -> None:
    """None is open, none is wider than its middle is large, but for what a clock measured."""
    for name, entry in expected(paper.folder).items():
        for low, high in filter(None, (entry["ours"], entry.get("quick"))):
            is_timed = "time/" in name
            assert low <= high < 1e8, name
            assert is_timed or high - low <= max(abs(high + low) / 2, 4), name


@EVERY
def test_a_figure_that_moves_is_noticed(paper: Paper) -> None:
    for name in list(expected(paper.folder))[::7]:
        far = 2 * abs(expected(paper.folder)[name]["ours"][1]) + 1
        assert [v.figure for v in judged(paper, **{name: far}) if not v.is_expected] == [name]


@EVERY
def test_quick_runs_have_expectations(paper: Paper) -> None:
    assert len(expected_in_a_quick_run(paper.folder)) >= 10


@EVERY
def test_a_readme_tells_of_the_command_and_shows_pictures_that_exist(paper: Paper) -> None:
    text = (paper.folder / "README.md").read_text(encoding="utf-8")
    assert f"slackwater papers run {paper.name}" in text
    shown = re.findall(r"\((results/[^)]*)\)", text)
    assert shown
    assert [path for path in shown if not (paper.folder / path).is_file()] == []


def expectations(folder: Path) -> Path:
    path = folder / "expected.json"
    entry = {"paper": "1", "claim": [0, 1], "ours": [1, 2], "quick": [3, None]}
    path.write_text(json.dumps({"figures": {"a": entry, "b": {**entry, "quick": None}}}))
    return path


def test_a_quick_run_is_judged_by_its_own_ranges(tmp_path: Path) -> None:
    path = expectations(tmp_path)
    assert judge({"a": 3.5, "b": 9}, path, is_quick=True) == (
        Verdict("a", "1", 3.5, False, (3, None)),
    )
    assert [one.is_expected for one in judge({"a": 1.5, "b": 1}, path, is_quick=True)] == [False]
    found = judge({"a": 1.5, "b": 1}, path, is_quick=False)
    assert [(one.is_expected, one.holds) for one in found] == [(True, False), (True, True)]


def test_a_figure_that_did_not_come_out_is_not_as_expected(tmp_path: Path) -> None:
    first, second = judge({"a": 1.5}, expectations(tmp_path), is_quick=False)
    assert first.is_expected
    assert second == Verdict("b", "1", None, None, (1, 2))
    assert not second.is_expected
