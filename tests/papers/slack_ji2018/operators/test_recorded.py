from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from slackwater.disorder.threshold import Requirement
from slackwater.errors import SlackwaterError
from slackwater.papers.slack_ji2018.operators.adaptation import AdaptationParams
from slackwater.papers.slack_ji2018.operators.buffer_manager import BufferManager, ManagerParams
from slackwater.papers.slack_ji2018.operators.calibration import CalibrationParams
from slackwater.papers.slack_ji2018.operators.oracle import exact_results
from slackwater.papers.slack_ji2018.operators.recorded import Recorded, Run
from slackwater.papers.slack_ji2018.operators.swa import SWAParams
from slackwater.papers.stream.monoids import SUM
from slackwater.papers.stream.recent import RecentParams
from slackwater.papers.stream.recording import Recording, Trace
from slackwater.papers.stream.statistics import StatisticsParams
from slackwater.papers.stream.windows import TimeWindow
from slackwater.stats.arrival import arrivals_with
from slackwater.units import SECOND
from tests.papers.slack_ji2018.operators.disordered import after, stream

SMALL = StatisticsParams(granularity=3, chunk=4, cap=40)
COUNT_5 = Requirement("count", 0.05)
POLICIES = [
    "none",
    "max",
    0,
    7,
    AdaptationParams(COUNT_5, recalculate_every=20),
    AdaptationParams(COUNT_5, recalculate_every=20, at_least=2, at_most=30),
    AdaptationParams(COUNT_5, recalculate_every=20, calibration=CalibrationParams(0.3)),
    AdaptationParams(COUNT_5, "pd", recalculate_every=20),
]


def one_by_one(
    params: ManagerParams, window: TimeWindow, ts: list[int], values: list[int]
) -> list[tuple[Any, ...]]:
    manager: BufferManager[int] = BufferManager.start(params, SWAParams(window, SUM))
    slacks: list[int] = []
    answer = manager.swa._on_window
    assert answer is not None

    def note(result: Any) -> None:
        answer(result)
        slacks.append(manager.slack)

    manager.swa._on_window = note
    rows = arrivals_with(ts, values)
    results = [result for row in rows for result in manager.update(row)] + manager.finish()
    return [
        (r.end, r.value, r.rows, r.emitted_at, slack)
        for r, slack in zip(results, slacks, strict=True)
    ]


def recorded(
    params: ManagerParams, window: TimeWindow, ts: list[int], values: list[int]
) -> tuple[Run, list[tuple[Any, ...]]]:
    recording = Recording.of(ts, values)
    run = Recorded(params, window, recording, Trace.of(recording, params.statistics)).run()
    columns = (run.ends, run.sums, run.rows, run.emitted_at, run.slack)
    return run, list(zip(*(column.tolist() for column in columns), strict=True))


PD = POLICIES[-1]
FAR = [(0, 1), (-10, 1), (82, 1), (-8, 9)]  # windows fire long after their end, and all at once


@settings(deadline=None)
@example(FAR, TimeWindow(25, 10), PD, 0, "max")
@given(
    st.lists(st.tuples(st.integers(-60, 300), st.integers(1, 9)), max_size=70),
    st.sampled_from([TimeWindow(10, 10), TimeWindow(30, 10), TimeWindow(25, 10)]),
    st.sampled_from(POLICIES),
    st.integers(0, 80),
    st.sampled_from(["max", "zero"]),
)
def test_a_recorded_run_is_the_run_of_its_tuples_one_by_one(
    rows: list[tuple[int, int]], window: TimeWindow, policy: Any, warmup: int, during: Any
) -> None:
    ts, values = [ts for ts, _ in rows], [value for _, value in rows]
    params = ManagerParams(policy, SMALL, warmup=warmup, during_warmup=during)
    assert recorded(params, window, ts, values)[1] == one_by_one(params, window, ts, values)


@pytest.mark.parametrize("policy", ["none", "max", 40_000, "am", "pd", "calibrated"])
@pytest.mark.parametrize("statistics", ["adwin", "fixed"])
def test_so_it_is_on_a_stream_that_changes(policy: str | int, statistics: str) -> None:
    chosen: Any = policy
    if policy in ("am", "pd"):
        chosen = AdaptationParams(Requirement("sum", 0.01), policy)  # type: ignore[arg-type]
    elif policy == "calibrated":
        chosen = AdaptationParams(Requirement("sum", 0.01), calibration=CalibrationParams())
    window = RecentParams(2 * SECOND) if statistics == "fixed" else StatisticsParams().window
    params = ManagerParams(chosen, StatisticsParams(window=window), warmup=2 * SECOND)
    ts = after(stream(5, late_us=40_000), stream(5, late_us=600_000, seed=2))
    values = np.random.default_rng(4).integers(1, 9, len(ts)).tolist()
    swa = TimeWindow(SECOND, SECOND // 10)
    run, rows = recorded(params, swa, ts, values)
    assert rows == one_by_one(params, swa, ts, values)
    exact = exact_results(SWAParams(swa, SUM), arrivals_with(ts, values))
    truth = {result.end: (result.value, result.rows) for result in exact}
    for end, value, count in zip(run.ends, run.exact, run.true_rows, strict=True):
        assert truth[int(end)] == (value, count)


def test_windows_with_gaps_are_refused() -> None:
    recording = Recording.of([1, 2], [1, 1])
    trace = Trace.of(recording, SMALL)
    with pytest.raises(SlackwaterError, match="has gaps"):
        Recorded(ManagerParams("max", SMALL), TimeWindow(5, 10), recording, trace)
