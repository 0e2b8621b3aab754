from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

from slackwater.papers.prodding_bhat2011.operators.generate import (
    BURST_SECONDS,
    ascending,
    bursts,
    dense,
    load,
    normal,
    traffic,
    uniform,
)
from slackwater.papers.prodding_bhat2011.operators.measures import accuracies, pairs
from slackwater.papers.prodding_bhat2011.operators.plan import Plan, WindowQuery, paned
from slackwater.papers.prodding_bhat2011.operators.sources import (
    closing,
    preprocessed,
    punctuated,
    tuples,
)
from slackwater.papers.stream.monoids import MAX


@pytest.mark.spec("prodding:F42")
@pytest.mark.parametrize(("density", "per_window"), [(0.95, 600), (0.944, 536)])
def test_density_gives_the_number_of_tuples_per_window(density: float, per_window: int) -> None:
    rows = dense(2000, uniform(), density=density, seed=4)
    assert len(rows) / 2000 * 30 == pytest.approx(per_window, rel=0.05)
    assert {row["ts"] for row in rows} == set(range(2000))
    assert [row["ts"] for row in rows] == sorted(row["ts"] for row in rows)


@pytest.mark.spec("prodding:F42")
def test_values_follow_their_distribution_and_a_seed_gives_them_again() -> None:
    flat_ = np.array([row["value"] for row in dense(1000, uniform(), seed=1)])
    assert (flat_.min(), flat_.max()) == (0, 999)
    assert flat_.mean() == pytest.approx(500, abs=10)
    bell = np.array([row["value"] for row in dense(1000, normal(500, 400), seed=1)])
    assert bell.mean() == pytest.approx(500, abs=15)
    assert bell.std() == pytest.approx(400, rel=0.03)
    assert dense(50, uniform(), seed=1) == dense(50, uniform(), seed=1)
    assert dense(50, uniform(), seed=1) != dense(50, uniform(), seed=2)


@pytest.mark.spec("prodding:F43")
def test_traffic_has_a_record_every_twenty_seconds_and_a_daily_profile() -> None:
    rows = traffic(24, seed=1, second=10)
    assert {row["ts"] % 200 for row in rows} == {0}
    assert 0.98 * 4320 < len(rows) < 4320  # some are missing
    night = np.mean([row["volume"] for row in rows if row["ts"] < 36_000])
    noon = np.mean([row["volume"] for row in rows if 396_000 < row["ts"] < 468_000])
    assert night == pytest.approx(4.1, abs=0.5)
    assert noon == pytest.approx(13.8, abs=0.5)


@pytest.mark.spec("prodding:F43")
@pytest.mark.parametrize("repetitions", [1, 2])
@pytest.mark.parametrize("arrivals", ["random", "at once"])
def test_bursts_have_their_spikes_where_the_source_work_has_them(
    repetitions: int, arrivals: Literal["random", "at once"]
) -> None:
    rows = bursts(repetitions, arrivals=arrivals, seed=1, second=1000)
    assert [row["ts"] for row in rows] == sorted(row["ts"] for row in rows)
    assert all(row["ts"] % 1000 == 0 for row in rows) == (arrivals == "at once")
    assert len(rows) == pytest.approx(14_000 * repetitions, rel=0.08)
    counts = Counter(row["ts"] // 1000 for row in rows)
    for start in range(0, repetitions * BURST_SECONDS, BURST_SECONDS):
        assert counts[start + 30] > 550
        assert counts[start + 31] <= 60
        assert min(counts[start + 53], counts[start + 54]) >= 400
        assert counts[start + 62] > 750
        assert all(200 <= counts[start + n] <= 420 for n in range(63, 76))
    counter = np.array([row["counter"] for row in rows])
    assert 0 <= counter.min() <= counter.max() < 4000


@pytest.mark.spec("prodding:F45")
def test_rising_values_are_poison_for_an_early_maximum() -> None:
    def mean(rows: object) -> float:
        recording = [*punctuated(tuples(rows), 10), closing(300, 330)]  # type: ignore[arg-type]
        asked = preprocessed(recording, 10, 10, [0.5])
        results = Plan(paned(WindowQuery(10, 10, MAX))).run(asked)
        return float(accuracies(pairs(results)).mean())

    assert mean(ascending(300, 10)) == pytest.approx(50, abs=1)
    assert mean(dense(300, uniform(), seed=1)) > 99


@pytest.mark.spec("prodding:F43")
def test_a_recording_is_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "detector.csv"
    path.write_text("starttime,volume,status\n20,7,ok\n0,3,ok\n", encoding="utf-8")
    rows = load(path, {"ts": "starttime", "volume": "volume", "status": "status"}, second=10)
    assert rows == [
        {"ts": 200, "volume": 7.0, "status": "ok"},
        {"ts": 0, "volume": 3.0, "status": "ok"},
    ]


@pytest.mark.spec("prodding:F43")
def test_a_recording_of_access_points_is_read_with_names_and_messages(tmp_path: Path) -> None:
    path = tmp_path / "syslog.csv"
    path.write_text(
        "timestamp,access_point_name,counter,message\n"
        '30,AcadBldg10AP1,17,"associated, then left"\n'
        "31,ResBldg3AP2,18,\n",
        encoding="utf-8",
    )
    names = {"ts": "timestamp", "ap": "access_point_name", "counter": "counter", "said": "message"}
    assert load(path, names, second=1000) == [
        {"ts": 30_000, "ap": "AcadBldg10AP1", "counter": 17.0, "said": "associated, then left"},
        {"ts": 31_000, "ap": "ResBldg3AP2", "counter": 18.0, "said": ""},
    ]
