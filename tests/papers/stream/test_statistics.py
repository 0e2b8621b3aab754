from __future__ import annotations

import numpy as np
import pytest

from slackwater.errors import CheckpointError, SlackwaterError
from slackwater.papers.stream.recent import RecentParams
from slackwater.papers.stream.statistics import Statistics, StatisticsParams, StatisticsState
from slackwater.stats.adwin import AdwinParams
from slackwater.stats.histogram import coarse
from slackwater.units import SECOND

G = 10_000


def stream(count: int, late_us: int, seed: int) -> list[int]:
    draws = np.random.default_rng(seed)
    time = np.cumsum(draws.integers(1_000, 3_000, count))
    late = draws.random(count) < 0.4
    return (time - np.where(late, draws.integers(1, late_us, count), 0)).tolist()


def fed(params: StatisticsParams, ts: list[int]) -> Statistics:
    statistics = Statistics.start(params)
    for instant in ts:
        statistics.update(instant)
    return statistics


@pytest.mark.spec("qddh:F030", "qddh:F031", "qddh:F032")
def test_the_histogram_is_that_of_the_tuples_in_recent_history() -> None:
    ts = stream(3200, 50_000, 1)
    ts += [ts[-1] + instant for instant in stream(1600, 900_000, 2)]
    statistics = fed(StatisticsParams(), ts)
    progress = np.maximum.accumulate(ts)
    delays = (progress - ts)[statistics.window.dropped :].tolist()
    counts = np.bincount([coarse(delay, G) for delay in delays])
    assert statistics.counts.tolist() == counts.tolist()
    assert 3100 <= statistics.window.dropped <= 3500, "the change is found where it happened"
    assert statistics.max_recent == coarse(max(delays), G) * G
    assert statistics.max_delay == max(progress - ts)


@pytest.mark.spec("qddh:F032")
def test_the_largest_delay_is_kept_when_recent_history_has_forgotten_it() -> None:
    ts = stream(640, 2 * SECOND, 3)
    ts += [ts[-1] + 3 * SECOND + instant for instant in stream(6400, 20_000, 4)]
    statistics = fed(StatisticsParams(window=RecentParams(4 * SECOND)), ts)
    assert statistics.max_recent <= 30_000
    assert statistics.max_delay > SECOND


@pytest.mark.spec("qddh:F033", "qddh:F035")
def test_rate_and_late_quantile_are_those_of_the_stream() -> None:
    statistics = fed(StatisticsParams(), stream(6400, 50_000, 5))
    assert statistics.rate is not None
    assert statistics.rate * SECOND == pytest.approx(500, rel=0.05)
    assert 45_000 < statistics.late < 51_000


@pytest.mark.parametrize("window", [AdwinParams(), RecentParams(SECOND)])
def test_it_goes_on_from_its_saved_state(window: AdwinParams | RecentParams) -> None:
    params = StatisticsParams(window=window)
    ts = stream(1500, 400_000, 6)
    whole = fed(params, ts)
    resumed = Statistics.start(params, fed(params, ts[:777]).snapshot())
    for instant in ts[777:]:
        resumed.update(instant)
    assert resumed.snapshot() == whole.snapshot()
    assert resumed.counts.tolist() == whole.counts.tolist()


def test_state_that_does_not_fit_is_refused() -> None:
    adaptive = fed(StatisticsParams(), [1, 2]).snapshot()
    with pytest.raises(CheckpointError, match="another kind"):
        Statistics.start(StatisticsParams(window=RecentParams(5)), adaptive)
    with pytest.raises(CheckpointError, match="version 8"):
        Statistics.start(StatisticsParams(), StatisticsState(version=8))
    with pytest.raises(SlackwaterError, match="granularity 0"):
        StatisticsParams(granularity=0)
