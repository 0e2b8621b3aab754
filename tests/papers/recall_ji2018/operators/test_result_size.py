from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.errors import CheckpointError, SlackwaterError
from slackwater.papers.recall_ji2018.operators.result_size import (
    ResultSizeParams,
    ResultSizes,
    ResultSizeState,
)

SIZES = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=12)


def monitor_of(sizes: list[tuple[int, int]], params: ResultSizeParams) -> ResultSizes:
    monitor = ResultSizes.start(params)
    for produced, true in sizes:
        monitor.update(produced)
        monitor.close(true)
    return monitor


@pytest.mark.spec("qddh:F039")
@given(SIZES, st.integers(1, 6))
def test_sums_reach_back_one_period_or_one_interval_less(
    sizes: list[tuple[int, int]], intervals: int
) -> None:
    monitor = monitor_of(sizes, ResultSizeParams(10 * intervals, 10))
    last, less = sizes[-intervals:], sizes[len(sizes) - intervals + 1 :]
    if len(sizes) < intervals:
        less = sizes
    assert monitor.produced() == sum(produced for produced, _ in last)
    assert monitor.true() == sum(true for _, true in last)
    assert monitor.produced(but_one=True) == sum(produced for produced, _ in less)
    assert monitor.true(but_one=True) == sum(true for _, true in less)


@pytest.mark.spec("qddh:F039")
def test_the_open_interval_does_not_count_before_it_ends() -> None:
    monitor = monitor_of([(5, 6)], ResultSizeParams(30, 10))
    monitor.update(3)
    monitor.update(4)
    assert monitor.produced() == 5
    monitor.close(8)
    assert (monitor.produced(), monitor.true()) == (12, 14)


@given(SIZES, SIZES)
def test_a_monitor_continues_from_state_saved_as_json(
    before: list[tuple[int, int]], after: list[tuple[int, int]]
) -> None:
    params = ResultSizeParams(30, 10)
    saved = json.loads(json.dumps(monitor_of(before, params).snapshot().to_json()))
    resumed = ResultSizes.start(params, ResultSizeState.from_json(saved))
    for produced, true in after:
        resumed.update(produced)
        resumed.close(true)
    assert resumed.snapshot() == monitor_of(before + after, params).snapshot()


def test_saved_state_of_an_unknown_version_is_refused() -> None:
    with pytest.raises(CheckpointError, match="version 99"):
        ResultSizes.start(ResultSizeParams(2, 1), ResultSizeState(version=99))


@pytest.mark.parametrize(("period", "interval"), [(10, 20), (10, 0), (25, 10)])
def test_a_period_is_a_whole_number_of_intervals(period: int, interval: int) -> None:
    with pytest.raises(SlackwaterError, match="whole number"):
        ResultSizeParams(period, interval)
