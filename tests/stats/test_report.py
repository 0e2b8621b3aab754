from __future__ import annotations

import json
from collections import Counter
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.errors import SlackwaterError
from slackwater.papers.stream.delay import DelayTracker
from slackwater.stats.report import disorder_report

TRACE = [1, 4, 3, 5, 7, 8, 6]


@pytest.mark.spec("qddh:F011")
def test_the_report_of_the_golden_trace_counts_its_two_late_tuples() -> None:
    report = disorder_report(TRACE, granularity=1, interval=5)
    assert (report.rows, report.late, report.correlated) == (7, 2, 0)
    assert report.share_late == pytest.approx(2 / 7)
    assert report.max_delay == 2
    assert report.mean_delay == pytest.approx(3 / 7)
    assert report.histogram == ((0, 5), (1, 1), (2, 1))


@pytest.mark.spec("qddh:F011")
def test_the_coarse_delay_is_rounded_up_so_that_only_tuples_in_order_are_zero() -> None:
    delays = (0, 1, 9, 10, 11, 20, 21)
    report = disorder_report([100, *(100 - delay for delay in delays)], granularity=10)
    assert report.histogram == ((0, 2), (1, 3), (2, 2), (3, 1))


@pytest.mark.spec("qddh:F011")
def test_delay_over_time_follows_the_progress_of_the_stream() -> None:
    intervals = disorder_report(TRACE, granularity=1, interval=5).over_time
    assert [(slot.start, slot.rows, slot.max_delay) for slot in intervals] == [(0, 3, 1), (5, 4, 2)]
    assert [slot.mean_delay for slot in intervals] == pytest.approx([1 / 3, 1 / 2])


@pytest.mark.spec("qddh:F011")
def test_delay_over_time_follows_arrival_times_where_they_are_recorded() -> None:
    arrived = [10, 11, 12, 29, 30, 31, 32]
    intervals = disorder_report(TRACE, arrived=arrived, interval=10).over_time
    assert [(slot.start, slot.rows, slot.max_delay) for slot in intervals] == [
        (10, 3, 1),
        (20, 1, 0),
        (30, 3, 2),
    ]


@pytest.mark.spec("qddh:F011")
@given(st.lists(st.integers(-100, 100), max_size=60), st.integers(1, 20), st.integers(1, 30))
def test_the_vectorised_report_agrees_with_the_tuple_at_a_time_statistics(
    stream: list[int], granularity: int, interval: int
) -> None:
    report = disorder_report(stream, granularity=granularity, interval=interval)
    tracker = DelayTracker.start()
    delays = [tracker.update(ts).delay for ts in stream]
    counts = tracker.get()
    assert (report.rows, report.late) == (counts.seen, counts.late)
    assert report.correlated == counts.correlated
    assert report.max_delay == (counts.max_delay if stream else None)
    assert dict(report.histogram) == Counter(ceil(delay / granularity) for delay in delays)
    assert sum(slot.rows for slot in report.over_time) == len(stream)
    assert max((s.max_delay for s in report.over_time), default=None) == report.max_delay


def test_a_report_is_a_json_value() -> None:
    text = json.loads(json.dumps(disorder_report(TRACE, granularity=1, interval=5).to_json()))
    assert text["histogram"] == [[0, 5], [1, 1], [2, 1]]
    assert text["over_time"][0]["max_delay"] == 1
    assert text["share_late"] == pytest.approx(2 / 7)


def test_nothing_is_known_about_an_empty_stream() -> None:
    report = disorder_report([])
    assert (report.rows, report.late, report.histogram, report.over_time) == (0, 0, (), ())
    assert (report.share_late, report.max_delay, report.mean_delay) == (None, None, None)


@pytest.mark.parametrize("wrong", [{"granularity": 0}, {"interval": -1}])
def test_a_width_that_is_not_positive_is_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(SlackwaterError, match=f"{next(iter(wrong))} is"):
        disorder_report(TRACE, **wrong)


def test_arrival_times_of_another_length_are_refused() -> None:
    with pytest.raises(SlackwaterError, match="7 ts, 2 arrived"):
        disorder_report(TRACE, arrived=[1, 2])
