from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.papers.slack_ji2018.operators.oracle import exact_results
from slackwater.papers.slack_ji2018.operators.swa import FireOn, SWAParams
from slackwater.papers.stream.monoids import COUNT, SUM
from slackwater.papers.stream.windows import TimeWindow
from slackwater.stats.arrival import arrivals, arrivals_with

WINDOW = st.builds(
    TimeWindow, st.integers(1, 12), st.integers(1, 12), st.sampled_from(["right", "left"])
)
ROWS = st.lists(st.tuples(st.integers(-30, 30), st.integers(-9, 9)), max_size=40)


@pytest.mark.spec("qddh:F009")
@given(WINDOW, ROWS)
def test_the_oracle_answers_every_window_with_all_of_its_tuples(
    window: TimeWindow, rows: list[tuple[int, int]]
) -> None:
    stream = arrivals_with([ts for ts, _ in rows], [value for _, value in rows])
    by_scope = {
        end: SUM.of([value for ts, value in rows if window.contains(end, ts)])
        for end in sorted({end for ts, _ in rows for end in window.ends_of(ts)})
    }
    results = exact_results(SWAParams(window, SUM), stream)
    assert {result.end: result.value for result in results} == by_scope
    assert [result.end for result in results] == list(by_scope)


@pytest.mark.spec("qddh:F009")
@given(st.permutations([1, 2, 2, 10, 10, 11, 20, 35]))
def test_the_exact_answer_does_not_depend_on_the_order_of_arrival(stream: list[int]) -> None:
    results = exact_results(SWAParams(TimeWindow(10, 10), COUNT), arrivals(stream))
    assert [(result.end, result.value) for result in results] == [(10, 5), (20, 2), (40, 1)]


@pytest.mark.spec("qddh:F009")
@pytest.mark.parametrize("fire_on", ["pass", "reach", "watermark"])
def test_the_exact_answer_does_not_depend_on_the_firing_rule(fire_on: FireOn) -> None:
    params = replace(SWAParams(TimeWindow(10, 10), COUNT), fire_on=fire_on)
    assert [result.value for result in exact_results(params, arrivals([10, 10, 3, 11]))] == [3, 1]
