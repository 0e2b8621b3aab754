from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.errors import SlackwaterError
from slackwater.papers.slack_ji2018.operators.release import release_order
from slackwater.papers.stream.baselines import fixed_slack
from slackwater.stats.arrival import arrivals


def by_heap(stream: list[int], k: int) -> tuple[list[int], list[int]]:
    """Order and release points by the buffer itself."""
    buffer = fixed_slack(k)
    order: list[int] = []
    points = [len(stream)] * len(stream)
    for arrival in arrivals(stream):
        for delayed in buffer.update(arrival):
            order.append(delayed.arrival.seq)
            points[delayed.arrival.seq] = arrival.seq
    return order + [delayed.arrival.seq for delayed in buffer.flush()], points


@pytest.mark.spec("qddh:F020")
def test_the_golden_trace_leaves_in_the_same_order_without_a_loop() -> None:
    release = release_order([1, 4, 3, 5, 7, 8, 6], k=1)
    assert release.order.tolist() == [0, 2, 1, 3, 4, 6, 5]
    assert release.points.tolist() == [1, 3, 3, 4, 5, 7, 7]
    assert release.released == 5


@pytest.mark.spec("qddh:F020", "qddh:F052")
@given(st.lists(st.integers(-30, 60), max_size=60), st.integers(0, 50))
def test_the_vectorised_order_is_the_order_of_the_buffer(stream: list[int], k: int) -> None:
    release = release_order(stream, k)
    assert (release.order.tolist(), release.points.tolist()) == by_heap(stream, k)


def test_a_negative_slack_is_refused() -> None:
    with pytest.raises(SlackwaterError, match="k is -1"):
        release_order([1], -1)
