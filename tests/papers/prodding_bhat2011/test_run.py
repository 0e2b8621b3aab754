"""A small version of the experiments: the shapes, on minutes of the streams."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from slackwater.papers.prodding_bhat2011.bursts import burst_experiment
from slackwater.papers.prodding_bhat2011.draw import draw_all
from slackwater.papers.prodding_bhat2011.run import PAPER, figures, run
from slackwater.papers.prodding_bhat2011.scale import QUICK
from slackwater.papers.verdict import judge
from tests.papers.expectations import expected_in_a_quick_run

pytestmark = pytest.mark.papers


@pytest.fixture(scope="module")
def data() -> dict[str, Any]:
    return run(QUICK)


def curve(data: dict[str, Any], values: str, function: str, offset: int) -> list[float]:
    return [
        row["accuracy"]
        for row in data["curves"]
        if (row["values"], row["function"], row["offset"]) == (values, function, offset)
    ]


@pytest.mark.spec("prodding:F62")
def test_prods_change_no_final_and_hold_none_up_in_virtual_time(data: dict[str, Any]) -> None:
    for row in data["overhead"]:
        assert row["is_equal"]
        assert row["with_s"] == row["without_s"]


@pytest.mark.spec("prodding:F62", "prodding:F43")
def test_an_early_sum_of_traffic_is_good_to_some_percent(data: dict[str, Any]) -> None:
    placed, earlier = data["traffic"]
    assert 25 < placed["gain_s"] < earlier["gain_s"] < 65
    assert 91 < earlier["accuracy"] < placed["accuracy"] < 98
    assert earlier["scaled_accuracy"] > earlier["accuracy"]


@pytest.mark.spec("prodding:F62", "prodding:F47")
def test_a_prod_at_thirty_percent_wins_three_seconds(data: dict[str, Any]) -> None:
    [row] = data["uniform"]
    assert row["gain_s"] == pytest.approx(3, abs=0.3)
    assert row["accuracy"] > 98
    gains = [one["gain_window_percent"] for one in data["gains"]]
    assert gains == pytest.approx([10 / 3, 10, 50 / 3], rel=0.05)


@pytest.mark.spec("prodding:F62", "prodding:F48")
def test_means_and_maxima_stay_flat_while_sums_and_counts_fall(data: dict[str, Any]) -> None:
    for values in ("uniform", "normal 400"):
        for function in ("Avg", "Max"):
            assert min(curve(data, values, function, 0)) > 96
        for function in ("Sum", "Count"):
            for offset in (0, 1):
                found = curve(data, values, function, offset)
                missed = [p * 10 + offset for p in QUICK.aggressiveness]
                # the coverage law; boundary windows cost some more
                assert found == pytest.approx([100 * (1 - s / 30) for s in missed], abs=3.5)
                assert found == sorted(found, reverse=True)


@pytest.mark.spec("prodding:F62")
def test_tumbling_windows_are_worse_off_than_sliding_ones(data: dict[str, Any]) -> None:
    for function in ("Sum", "Count"):
        sliding = min(curve(data, "normal 400", function, 0))
        tumbling = min(row["accuracy"] for row in data["tumbling"] if row["function"] == function)
        assert tumbling < sliding - 20


@pytest.mark.spec("prodding:F62", "prodding:F51", "prodding:F44")
def test_in_a_burst_only_windows_with_backlog_have_an_estimate(data: dict[str, Any]) -> None:
    [row] = data["bursts"]
    assert 0.15 < row["pairs"] / row["windows"] < 0.3
    assert 0.9 < row["gain_s"] < 1.7
    assert row["accuracy"] > 92
    early = {window for window, kind, _ in row["series"] if kind == "early"}
    assert set(range(62, 72)) <= early  # backlog is cumulative
    assert not early & set(range(10, 28))


@pytest.mark.spec("prodding:F62", "prodding:F56", "prodding:F57")
def test_dropping_punctures_a_burst_and_waiting_aside_costs_whoever_waits(
    data: dict[str, Any],
) -> None:
    rows = {row["policy"]: row for row in data["sidelining"]["at once"]}
    plain, drop = rows["first in, first out"], rows["drop"]
    assert drop["dropped"] > 1000
    assert drop["max_s"] < 5.1 < plain["max_s"]
    assert drop["early_windows"] < plain["early_windows"]
    for policy in ("idle", "3:1"):
        assert rows[policy]["touched_mean_s"] > plain["touched_mean_s"]
        # only with range punctuations do the other windows profit
        assert rows[f"{policy}, range"]["untouched_max_s"] < plain["untouched_max_s"] - 1
        assert rows[policy]["untouched_max_s"] > plain["untouched_max_s"]
        assert rows[policy]["dropped"] == 0


@pytest.mark.spec("prodding:F62", "prodding:F34", "prodding:F35", "prodding:F36", "prodding:F37")
def test_only_a_prod_in_the_stream_sweeps_the_whole_plan(data: dict[str, Any]) -> None:
    found = {(row["strategy"], row["delay_ms"]): row for row in data["comparators"]}
    assert found["in-stream", 0]["rows_share"] == 1
    for strategy in ("simultaneous", "top only"):
        assert found[strategy, 0]["rows_share"] < 0.8
    assert found["lower only", 0]["estimates"] == 0
    assert found["staggered", 50]["rows_share"] < 0.95
    assert all(row["are_finals_right"] for row in data["comparators"])


@pytest.mark.spec("prodding:F62", "prodding:F38", "prodding:F39")
def test_update_mode_tells_hundreds_of_rows_for_each_that_is_asked_for(
    data: dict[str, Any],
) -> None:
    rows = {row["how"]: row["rows_per_window"] for row in data["baselines"]}
    assert rows["finals only"] == 1
    assert rows["one prod per window"] < 2.1
    assert rows["every change"] > 100


@pytest.mark.spec("prodding:F62", "prodding:F55")
def test_the_controller_settles_near_what_the_target_allows(data: dict[str, Any]) -> None:
    found = data["step response"]
    assert found["settled_windows"] < 150
    assert found["accuracy"] == pytest.approx(90, abs=3)


@pytest.mark.spec("prodding:F62", "prodding:F43")
def test_arrivals_within_a_second_decide_how_many_windows_count() -> None:
    spread = burst_experiment(1, 4.0, "random")
    assert spread["pairs"] > 60
    assert spread["gain_s"] < 1.6
    assert spread["accuracy"] > 95


def test_a_quick_run_gives_what_is_expected_of_it(data: dict[str, Any], tmp_path: Path) -> None:
    found = judge(figures(data), PAPER.folder / "expected.json", is_quick=True)
    assert {one.figure for one in found} == expected_in_a_quick_run(PAPER.folder)
    assert [one for one in found if not one.is_expected] == []
    assert all(path.stat().st_size > 5_000 for path in draw_all(data, tmp_path))
