"""A quick run of the experiments gives the figures that are expected of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from slackwater.papers.concurrent_ji2018.draw import draw_all
from slackwater.papers.concurrent_ji2018.run import PAPER, figures
from slackwater.papers.verdict import judge
from tests.papers.expectations import expected, expected_in_a_quick_run


@pytest.mark.papers
@pytest.mark.spec("qddh:F109", "qddh:F116")
def test_a_quick_run_gives_what_is_expected_of_it(tmp_path: Path) -> None:
    data = PAPER.measure(True)
    found = judge(figures(data), PAPER.folder / "expected.json", is_quick=True)
    assert {one.figure for one in found} == expected_in_a_quick_run(PAPER.folder)
    assert [one for one in found if not one.is_expected] == []
    assert all(path.stat().st_size > 5_000 for path in draw_all(data, tmp_path))


@pytest.mark.spec("qddh:F116")
def test_what_is_kept_lies_where_it_is_expected() -> None:
    found = judge(figures(PAPER.kept()), PAPER.folder / "expected.json", is_quick=False)
    assert {one.figure for one in found} == set(expected(PAPER.folder))
    assert [one for one in found if not one.is_expected] == []
