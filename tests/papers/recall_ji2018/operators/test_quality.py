from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.papers.recall_ji2018.operators.quality import (
    ResultTimes,
    measured_recall,
    period_recall,
    recall_fulfilment,
)

RESULTS = st.dictionaries(st.integers(0, 50), st.integers(1, 9), max_size=20)


@pytest.mark.spec("qddh:F082")
@given(RESULTS, st.integers(0, 60), st.integers(1, 20))
def test_recall_counts_results_by_their_time_within_the_last_period(
    true: dict[int, int], end: int, period: int
) -> None:
    produced = {ts: number // 2 for ts, number in true.items()}
    found = sum(number for ts, number in produced.items() if end - period < ts <= end)
    wanted = sum(number for ts, number in true.items() if end - period < ts <= end)
    (recall,) = period_recall(ResultTimes.of(produced), ResultTimes.of(true), [end], period)
    assert recall == found / wanted if wanted else np.isnan(recall)


@pytest.mark.spec("qddh:F082")
def test_a_good_past_does_not_hide_a_bad_period() -> None:
    true = ResultTimes.of(dict.fromkeys(range(100), 1))
    produced = ResultTimes.of(dict.fromkeys([*range(90), 95], 1))
    assert period_recall(produced, true, [99], period=10)[0] == 0.1
    assert period_recall(produced, true, [99], period=100)[0] == 0.91


@pytest.mark.spec("qddh:F092")
def test_measurements_of_the_first_period_do_not_count() -> None:
    true = ResultTimes.of(dict.fromkeys(range(30), 10))
    produced = ResultTimes.of({ts: 0 if ts < 10 else 9 for ts in range(30)})
    recalls = measured_recall(produced, true, range(0, 30, 5), period=10)
    assert recalls == pytest.approx([0.9 * 1 / 10, 0.9 * 6 / 10, 0.9, 0.9])
    later = measured_recall(produced, true, [5, 20, 25], period=10)
    assert later == pytest.approx([0.9, 0.9])


@pytest.mark.spec("qddh:F092")
def test_fulfilment_is_the_share_of_measurements_with_enough_recall() -> None:
    recalls = np.array([0.94, 0.95, 0.951, 1.0])
    assert recall_fulfilment(recalls, 0.95) == 0.75
    assert recall_fulfilment(recalls, 0.99 * 0.95) == 0.75
    assert recall_fulfilment(recalls, 0.99 * 0.94) == 1.0
    assert recall_fulfilment(np.array([]), 0.9) == 1.0
    nothing = ResultTimes.of({})
    assert measured_recall(nothing, nothing, [1, 2], 1).size == 0
