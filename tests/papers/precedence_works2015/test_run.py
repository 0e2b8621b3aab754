"""A small version of the experiments, and what is kept of the full ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from slackwater.papers.precedence_works2015.draw import draw_all
from slackwater.papers.precedence_works2015.run import PAPER, figures
from slackwater.papers.verdict import judge
from tests.papers.expectations import expected, expected_in_a_quick_run


@pytest.fixture(scope="module")
def data() -> dict[str, Any]:
    return PAPER.measure(True)


@pytest.mark.papers
@pytest.mark.spec("precedence:PR-75", "precedence:PR-76")
def test_a_quick_run_gives_what_is_expected_of_it(data: dict[str, Any], tmp_path: Path) -> None:
    found = judge(figures(data), PAPER.folder / "expected.json", is_quick=True)
    assert {one.figure for one in found} == expected_in_a_quick_run(PAPER.folder)
    assert [one for one in found if not one.is_expected] == []
    assert all(path.stat().st_size > 5_000 for path in draw_all(data, tmp_path))


@pytest.mark.papers
@pytest.mark.spec("precedence:PR-89")
def test_metrics_of_each_run_are_there(data: dict[str, Any]) -> None:
    rows = {row["system"]: row for row in data["effectiveness"]}
    assert rows["PR"]["examined"] > rows["PR-Prune"]["examined"] > rows["PP"]["examined"] > 0
    assert rows["PR"]["delay_s"] > rows["PR-Prune"]["delay_s"] > 0
    assert all(row["search_s"] > 0 for row in rows.values() if row["plans"])
    for row in rows.values():
        assert [sum(level) for level in zip(*row["series"], strict=True)] == row["each"][0]
        assert row["units"]["joins"] > 0
        assert row["state"] > 0


@pytest.mark.spec(
    "precedence:PR-82", "precedence:PR-83", "precedence:PR-84", "precedence:PR-85",
    "precedence:PR-86", "precedence:PR-87", "precedence:PR-88",
)  # fmt: skip
def test_what_is_kept_lies_where_it_is_expected() -> None:
    kept = PAPER.kept()
    found = judge(figures(kept), PAPER.folder / "expected.json", is_quick=False)
    assert {one.figure for one in found} == set(expected(PAPER.folder))
    assert [one for one in found if not one.is_expected] == []
    mixes = {"DS1", "DS25", "DS50", "DS75", "DS100"}
    assert {row["mix"] for row in kept["effectiveness"]} == mixes
    thrice = [*kept["overhead"], *(r for r in kept["effectiveness"] if r["mix"] == "DS1")]
    assert [row["seeds"] for row in thrice] == [[1, 2, 3]] * 12
    cases = {(row["joins"], row["paths"]) for row in kept["complexity"]}
    assert cases == {(2, 1), (4, 1), (8, 1), (8, 2), (8, 4), (8, 8)}
    assert {row["paths"] for row in kept["searching"]} == {1, 2, 4, 8}
    rows = {row["system"]: row for row in kept["effectiveness"] if row["mix"] == "DS1"}
    assert rows["Trad"]["expired"][0] > rows["PR-Prune"]["expired"][0]
    assert rows["PP"]["promising_expired"][0] > rows["PR"]["promising_expired"][0]
