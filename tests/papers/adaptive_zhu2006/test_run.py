"""A small version of the experiments, and what is kept of the full ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from slackwater.papers.adaptive_zhu2006.draw import draw_all
from slackwater.papers.adaptive_zhu2006.run import PAPER, figures
from slackwater.papers.verdict import judge
from tests.papers.expectations import expected, expected_in_a_quick_run


@pytest.fixture(scope="module")
def data() -> dict[str, Any]:
    return PAPER.measure(True)


@pytest.mark.papers
def test_a_quick_run_gives_what_is_expected_of_it(data: dict[str, Any], tmp_path: Path) -> None:
    found = judge(figures(data), PAPER.folder / "expected.json", is_quick=True)
    assert {one.figure for one in found} == expected_in_a_quick_run(PAPER.folder)
    assert [one for one in found if not one.is_expected] == []
    assert all(path.stat().st_size > 5_000 for path in draw_all(data, tmp_path))


@pytest.mark.papers
@pytest.mark.spec("adaptive:MET-10", "adaptive:MIG-24")
def test_parallel_track_takes_two_windows_and_one_with_tight_purges(data: dict[str, Any]) -> None:
    dense = [row for row in data["migration over rates"] if row["delay_b"] == 20]
    assert all(1.8 < row["track_max"] < 2.1 for row in dense)
    assert all(0.9 < row["track_tight"] < 1.2 for row in dense)
    longest = max(data["migration over windows"], key=lambda row: row["window"])
    assert 0.3 < longest["moving_units"] / longest["model_units"] < 1.5


@pytest.mark.papers
@pytest.mark.spec("adaptive:OPT-21")
def test_an_optimiser_by_measured_selectivities_follows_every_swap(data: dict[str, Any]) -> None:
    [_, once], [_, often] = data["one swap"], data["swaps"]
    assert [plan for _, plan in once["migrations"]] == ["((B C) A)"]
    assert [plan for _, plan in often["migrations"]] == ["((B C) A)", "((A B) C)"]


@pytest.mark.papers
def test_of_plans_under_limits_those_live_that_the_model_qualifies(data: dict[str, Any]) -> None:
    rows = {(r["set"], r["plan"]): r for r in data["resources"] if r["purge"] == "tight"}
    for (name, plan), row in rows.items():
        if (name, plan) != ("4", "mjoin"):  # has work left over at the end, and memory
            assert row["is_qualified"] or name == "2" or row["exhausted"] is not None
            assert not row["is_qualified"] or row["exhausted"] is None
    assert rows["2", "mjoin"]["longest_queue"] > 20 * rows["2", "bjtree"]["longest_queue"]
    early = [rows["4", plan]["early_results"] for plan in ("bjtree", "hybrid", "mjoin")]
    assert early == sorted(early, reverse=True)


def test_what_is_kept_lies_where_it_is_expected() -> None:
    found = judge(figures(PAPER.kept()), PAPER.folder / "expected.json", is_quick=False)
    assert {one.figure for one in found} == set(expected(PAPER.folder))
    assert [one for one in found if not one.is_expected] == []


@pytest.mark.papers
@pytest.mark.spec("adaptive:DIS-14")
def test_after_a_drop_of_rates_parallel_track_delays_results_less(data: dict[str, Any]) -> None:
    rows = {row["setting"]: row for row in data["rates drop"]}
    assert rows["LM+PTLB"]["delay_ms"] < rows["LM+MSLB"]["delay_ms"]
    assert rows["LM+MSLB"]["made_rows"] > 0  # plans differ, so what moves lacks states
