from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.stats.histogram import DelayHistogram, coarse
from slackwater.stats.panes import PaneCount

DELAYS = st.lists(st.integers(-5, 500), max_size=60)


@pytest.mark.spec("qddh:F030")
@pytest.mark.parametrize(
    ("delay", "bucket"), [(-3, 0), (0, 0), (1, 1), (10, 1), (11, 2), (20, 2), (21, 3)]
)
def test_a_bucket_holds_the_delays_up_to_its_upper_edge(delay: int, bucket: int) -> None:
    assert coarse(delay, 10) == bucket


@pytest.mark.spec("qddh:F030")
@given(DELAYS, DELAYS)
def test_histograms_of_two_partitions_add_up(one: list[int], other: list[int]) -> None:
    merged = DelayHistogram.of_delays(one, 7).merge(DelayHistogram.of_delays(other, 7))
    assert merged == DelayHistogram.of_delays(one + other, 7)
    assert merged.rows == len(one) + len(other)


@pytest.mark.spec("qddh:F030")
def test_the_cumulative_shares_of_the_golden_distribution() -> None:
    shares = DelayHistogram.of({0: 6, 1: 2, 2: 1, 3: 1}).cumulative()
    assert np.allclose(shares, [0.6, 0.8, 0.9, 1.0])


@pytest.mark.spec("qddh:F032")
@given(DELAYS.filter(bool))
def test_the_highest_bucket_is_that_of_the_largest_delay(delays: list[int]) -> None:
    assert DelayHistogram.of_delays(delays, 10).highest == coarse(max(delays), 10)


@pytest.mark.spec("qddh:F035")
@given(DELAYS, st.floats(0.01, 1.0))
def test_the_late_quantile_is_exact_up_to_the_granularity(delays: list[int], share: float) -> None:
    late = sorted(d for d in delays if d > 0)
    found = DelayHistogram.of_delays(delays, 10).late_quantile(share)
    if not late:
        assert found == 0
        return
    rank = max(0, int(np.ceil(share * len(late) - 1e-9)) - 1)
    assert found == coarse(late[rank], 10)


@pytest.mark.spec("qddh:F030")
def test_rows_of_a_pane_are_spread_between_its_oldest_and_its_newest() -> None:
    pane = PaneCount(pane=0, passes=True, rows=30, low=100, high=120)
    found = DelayHistogram.of_panes([pane], clock=150, granularity=10)
    assert found.counts == ((3, 10), (4, 10), (5, 10))


def test_rows_ahead_of_the_clock_are_in_order_and_rows_without_pane_do_not_count() -> None:
    ahead = PaneCount(pane=200, passes=True, rows=5, low=200, high=220)
    failed = PaneCount(pane=None, passes=False, rows=7, low=100, high=220)
    assert DelayHistogram.of_panes([ahead, failed], 150, 10).counts == ((0, 5),)
    assert DelayHistogram.of_panes([ahead], None, 10).counts == ((0, 5),)


@given(st.integers(1, 300), st.integers(0, 5000), st.integers(0, 5000))
def test_spreading_a_pane_loses_no_row(rows: int, low: int, width: int) -> None:
    pane = PaneCount(0, True, rows, low, low + width)
    found = DelayHistogram.of_panes([pane], 6000, 10)
    assert found.rows == rows
    edges = (coarse(6000 - low - width, 10), coarse(6000 - low, 10))
    assert all(edges[0] <= bucket <= edges[1] for bucket, _ in found.counts)
