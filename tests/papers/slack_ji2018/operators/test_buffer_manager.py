from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.disorder.feedback import PDParams
from slackwater.disorder.threshold import Moments, Requirement, coverage_threshold
from slackwater.errors import CheckpointError, SlackwaterError
from slackwater.papers.slack_ji2018.operators.adaptation import (
    Adaptation,
    AdaptationParams,
    AdaptationState,
)
from slackwater.papers.slack_ji2018.operators.buffer_manager import (
    BufferManager,
    ManagerParams,
    ManagerState,
    Warmup,
)
from slackwater.papers.slack_ji2018.operators.calibration import CalibrationParams
from slackwater.papers.slack_ji2018.operators.coverage import Coverage
from slackwater.papers.slack_ji2018.operators.oracle import exact_results
from slackwater.papers.slack_ji2018.operators.quality import errors_of, fulfilment
from slackwater.papers.slack_ji2018.operators.swa import SWA, SWAParams
from slackwater.papers.stream.baselines import NoSlack, fixed_slack
from slackwater.papers.stream.monoids import COUNT
from slackwater.papers.stream.quantile import LateQuantileParams
from slackwater.papers.stream.recent import RecentParams
from slackwater.papers.stream.statistics import StatisticsParams
from slackwater.papers.stream.windows import TimeWindow
from slackwater.stats.arrival import Arrival, arrivals
from slackwater.units import SECOND
from tests.papers.slack_ji2018.operators.disordered import (
    QUERY,
    after,
    managed,
    path,
    stream,
    tuples,
)

ONE_PERCENT = AdaptationParams(Requirement("sum", 0.01))
PD = replace(ONE_PERCENT, method="pd")
CALIBRATED = replace(ONE_PERCENT, calibration=CalibrationParams())
POLICIES = [ONE_PERCENT, PD, CALIBRATED, "none", "max", 50_000]
NAMES = ["am", "pd", "calibrated", "none", "max", "fixed"]


@pytest.mark.spec("qddh:F050", "qddh:F052")
@pytest.mark.parametrize("k", [None, 0, 30_000])
def test_no_slack_and_fixed_slack_are_the_plain_aggregate(k: int | None) -> None:
    rows = tuples(stream(3, late_us=80_000))
    manager = managed("none" if k is None else k)
    swa: SWA[int] = SWA.start(QUERY, NoSlack.start() if k is None else fixed_slack(k))
    for arrival in rows:
        assert manager.update(arrival) == swa.update(arrival)
        assert manager.slack == (k or 0)
    assert manager.finish() == swa.finish()


@pytest.mark.spec("qddh:F051")
def test_the_largest_delay_is_waited_for_as_soon_as_it_is_seen() -> None:
    manager = managed("max")
    largest, time = 0, 0
    for arrival in tuples(stream(3, late_us=200_000)):
        manager.update(arrival)
        time = max(time, arrival.ts)
        largest = max(largest, time - arrival.ts)
        assert manager.slack == largest


@pytest.mark.spec("qddh:F051")
def test_waiting_for_the_largest_delay_errs_only_where_it_has_to_learn() -> None:
    rows = tuples(stream(20, late_us=200_000))
    manager = managed("max")
    results = [*(result for result, _ in path(manager, rows)), *manager.finish()]
    errors = errors_of(results, {r.end: r.value for r in exact_results(QUERY, rows)})
    assert (errors[:20] > 0).any()
    assert (errors[20:] == 0).all()


@pytest.mark.spec("qddh:F063")
@pytest.mark.parametrize("during", ["max", "zero"])
def test_nothing_is_decided_before_the_warm_up_is_over(during: Warmup) -> None:
    manager = managed(ONE_PERCENT, warmup=2 * SECOND, during_warmup=during)
    rows = tuples(stream(4, late_us=80_000))
    assert manager.adaptation is not None
    for arrival in rows:
        manager.update(arrival)
        time, first = manager.statistics.time, manager.statistics.first
        assert time is not None
        assert first is not None
        if time - first < 2 * SECOND:
            assert manager.slack == (manager.statistics.max_delay if during == "max" else 0)
            assert manager.adaptation.threshold is None
    assert manager.adaptation.threshold is not None
    assert manager.slack % 10_000 == 0


@pytest.mark.spec("qddh:F063", "qddh:F034")
def test_the_threshold_is_recalculated_now_and_then_from_the_newest_window() -> None:
    manager = managed(ONE_PERCENT)
    changes: list[int] = []
    last: float | None = None
    for result, _ in path(manager, tuples(stream(12, late_us=80_000))):
        assert manager.adaptation is not None
        if manager.adaptation.threshold != last:
            last = manager.adaptation.threshold
            changes.append(result.emitted_at)
    gaps = np.diff(changes)
    assert len(changes) >= 6
    assert gaps.min() >= SECOND
    assert gaps.max() < 1.3 * SECOND
    # values 1..8, uniform: mean 4.5, variance 5.25; 500 tuples a second
    expected = coverage_threshold(ONE_PERCENT.requirement, Moments(500, 4.5, 5.25))
    assert last == pytest.approx(expected, abs=3e-4)


@pytest.mark.spec("qddh:F036")
def test_a_straggler_is_missing_where_fired_and_received_where_not() -> None:
    query = SWAParams(TimeWindow(1000, 100), COUNT, value=lambda _: 1)
    manager: BufferManager[None] = BufferManager.start(ManagerParams("none"), query)
    manager.update(Arrival("s", 0, 1049, None))
    manager.update(Arrival("s", 1, 1301, None))
    before = dict(manager.swa.counters.snapshot())
    manager.update(Arrival("s", 2, 1050, None))
    gains = {}
    for end, new in manager.swa.counters.snapshot():
        old = before.get(end, Coverage(0, 0))
        gains[end] = (new.received - old.received, new.missing - old.missing)
    missed = dict.fromkeys((1100, 1200, 1300), (0, 1))
    received = dict.fromkeys(range(1400, 2001, 100), (1, 0))
    assert {end: gain for end, gain in gains.items() if gain != (0, 0)} == missed | received


@pytest.mark.spec("qddh:F036")
def test_counters_are_forgotten_once_no_straggler_is_expected() -> None:
    manager = managed(ONE_PERCENT)
    list(path(manager, tuples(stream(20, late_us=300_000))))
    assert manager.statistics.time is not None
    oldest = manager.swa.counters.ends()[0]
    assert oldest >= manager.statistics.time - SECOND
    assert oldest <= manager.statistics.time - manager.statistics.max_delay


@pytest.mark.spec("qddh:F064")
@pytest.mark.parametrize("share", [0.6, 0.99])
def test_coverage_is_measured_as_far_back_as_most_stragglers_reach(share: float) -> None:
    statistics = StatisticsParams(late=LateQuantileParams(share))
    manager = managed("none", statistics=statistics)
    rows = tuples(stream(8, late_us=700_000))
    list(path(manager, rows))
    assert manager.seen is not None
    found = manager.seen.measured()
    assert found is not None
    assert manager.statistics.time is not None
    look_back = manager.statistics.time - found[0]
    assert manager.statistics.late <= look_back < manager.statistics.late + SECOND // 10
    truth = next(
        r for r in exact_results(replace(QUERY, aggregate=COUNT), rows) if r.end == found[0]
    )
    received = manager.swa.counters.get(found[0]).received
    assert found[1] >= received / truth.value, "what is measured early is too high, if anything"


@pytest.mark.spec("qddh:F064")
def test_a_longer_look_back_measures_closer_to_the_truth() -> None:
    rows = tuples(stream(8, late_us=700_000))
    truth = {r.end: r.value for r in exact_results(replace(QUERY, aggregate=COUNT), rows)}
    too_high = []
    for share in (0.3, 0.99):
        manager = managed("none", statistics=StatisticsParams(late=LateQuantileParams(share)))
        errors = []
        for result, _ in path(manager, rows):
            assert manager.seen is not None
            found = manager.seen.measured() if result.end > 3 * SECOND else None
            if found is not None:
                received = manager.swa.counters.get(found[0]).received
                errors.append(found[1] - received / truth[found[0]])
        too_high.append(np.mean(errors))
    assert too_high[0] > 5 * too_high[1] >= 0


@pytest.mark.spec("qddh:F066")
@pytest.mark.parametrize("base", [ONE_PERCENT, CALIBRATED], ids=["plain", "calibrated"])
def test_trying_one_slack_after_the_other_takes_the_same_path(base: AdaptationParams) -> None:
    rows = tuples(stream(8, late_us=300_000))
    at_once = list(path(managed(base), rows))
    literally = list(path(managed(replace(base, is_literal=True)), rows))
    assert literally == at_once
    assert len({slack for _, slack in at_once}) > 2


@pytest.mark.parametrize("policy", POLICIES, ids=NAMES)
@pytest.mark.parametrize("cut", [900, 3333])
def test_a_killed_manager_takes_the_path_of_one_that_never_stopped(
    policy: AdaptationParams | str | int, cut: int
) -> None:
    rows = tuples(after(stream(6, late_us=60_000), stream(4, late_us=500_000, seed=2)))
    steady, stopped = managed(policy), managed(policy)
    before = list(path(stopped, rows[:cut]))
    resumed: BufferManager[int] = BufferManager.start(stopped.params, QUERY, stopped.snapshot())
    assert before + list(path(resumed, rows[cut:])) == list(path(steady, rows))
    assert resumed.finish() == steady.finish()
    assert resumed.snapshot() == steady.snapshot()


@pytest.mark.spec("qddh:F067")
def test_calibration_moves_the_slack_by_what_was_measured_and_only_if_asked() -> None:
    model_only = managed(ONE_PERCENT)
    corrected = managed(replace(CALIBRATED, calibration=CalibrationParams(0.2)))
    # a share of late tuples that swings too fast for the window of recent history to follow
    parts = [stream(0.5, late_us=200_000, share=0.1 + 0.6 * (n % 2), seed=n) for n in range(40)]
    ts = parts[0]
    for part in parts[1:]:
        ts = after(ts, part)
    rows = tuples(ts)
    slack = [np.mean([k for _, k in path(m, rows)][100:]) for m in (model_only, corrected)]
    assert slack[1] != slack[0]
    assert corrected.adaptation is not None
    assert corrected.adaptation.snapshot().calibration.error != 0
    assert model_only.adaptation is not None
    assert model_only.adaptation.snapshot().calibration.error == 0


@pytest.mark.spec("qddh:F031", "qddh:F060")
@pytest.mark.parametrize("window", ["adwin", "fixed"])
def test_the_slack_recovers_after_a_sudden_shift_in_both_directions(window: str) -> None:
    quiet, wild = stream(20, late_us=30_000), stream(20, late_us=900_000, seed=2)
    rows = tuples(after(after(quiet, wild), stream(20, late_us=30_000, seed=3)))
    statistics = StatisticsParams()
    if window == "fixed":
        statistics = StatisticsParams(window=RecentParams(3 * SECOND))
    manager = managed(ONE_PERCENT, statistics=statistics)
    seen = list(path(manager, rows))
    truth = {result.end: result.value for result in exact_results(QUERY, rows)}

    def during(begin: int, end: int) -> tuple[float, float]:
        part = [(r, k) for r, k in seen if begin * SECOND < r.end <= end * SECOND]
        errors = errors_of([r for r, _ in part], {r.end: truth[r.end] for r, _ in part})
        return fulfilment(errors, 0.01), float(np.mean([k for _, k in part]))

    before, shifted, back = during(10, 20), during(25, 39), during(46, 59)
    assert min(before[0], shifted[0], back[0]) >= 0.9
    assert shifted[1] > 20 * before[1]
    assert back[1] < shifted[1] / 10


@pytest.mark.spec("qddh:F060")
@pytest.mark.parametrize("epsilon", [0.001, 0.01, 0.05])
def test_on_a_steady_stream_the_requirement_is_kept(epsilon: float) -> None:
    rows = tuples(stream(40, late_us=400_000))
    manager = managed(replace(ONE_PERCENT, requirement=Requirement("sum", epsilon)))
    results = [*(result for result, _ in path(manager, rows)), *manager.finish()]
    errors = errors_of(results, {r.end: r.value for r in exact_results(QUERY, rows)})
    assert fulfilment(errors, epsilon) >= 0.95


@pytest.mark.spec("qddh:F060")
def test_a_looser_requirement_waits_less() -> None:
    rows = tuples(stream(12, late_us=400_000))
    waits = []
    for epsilon in (0.001, 0.01, 0.05, 0.2):
        policy = AdaptationParams(Requirement("sum", epsilon))
        waits.append(np.mean([r.latency for r, _ in path(managed(policy), rows)][60:]))
    assert waits == sorted(waits, reverse=True)
    assert waits[-1] < waits[0] / 4


@pytest.mark.spec("qddh:F068")
@given(st.lists(st.integers(0, 400), min_size=1, max_size=80), st.sampled_from([0.001, 0.05]))
def test_feedback_never_waits_longer_than_the_largest_delay(ts: list[int], epsilon: float) -> None:
    policy = AdaptationParams(Requirement("count", epsilon), method="pd", gains=PDParams(2, 9))
    query = SWAParams(TimeWindow(20, 10), COUNT, value=lambda _: 1)
    manager: BufferManager[None] = BufferManager.start(ManagerParams(policy, warmup=30), query)
    for arrival in arrivals(ts):
        manager.update(arrival)
        assert 0 <= manager.slack <= manager.statistics.max_delay


@pytest.mark.spec("qddh:F068")
def test_feedback_waits_longer_as_long_as_too_much_is_missing() -> None:
    policy = replace(PD, requirement=Requirement("sum", 0.001), gains=PDParams(0.2, 0.0))
    manager = managed(policy, during_warmup="zero", warmup=SECOND)
    slacks = [slack for _, slack in path(manager, tuples(stream(30, late_us=600_000)))]
    assert np.mean(slacks[20:40]) < np.mean(slacks[60:80]) < np.mean(slacks[-20:])


@pytest.mark.parametrize("policy", POLICIES, ids=NAMES)
def test_an_ordered_stream_is_covered_completely_by_every_policy(
    policy: AdaptationParams | str | int,
) -> None:
    rows = tuples(sorted(stream(7, late_us=50_000)))
    manager = managed(policy)
    results = [*(result for result, _ in path(manager, rows)), *manager.finish()]
    exact = exact_results(QUERY, rows)
    assert [(r.end, r.value) for r in results] == [(r.end, r.value) for r in exact]
    assert all(coverage.share == 1 for _, coverage in manager.swa.counters.snapshot())


@pytest.mark.parametrize("policy", [ONE_PERCENT, PD, CALIBRATED], ids=NAMES[:3])
def test_with_at_least_the_largest_delay_all_results_are_exact(policy: AdaptationParams) -> None:
    rows = tuples(stream(7, late_us=300_000))
    manager = managed(replace(policy, at_least=300_000), warmup=0)
    results = [result for result, _ in path(manager, rows)]
    exact = {r.end: r.value for r in exact_results(QUERY, rows)}
    first = min(end for end in exact if end > SECOND)  # the first decision comes with a window
    assert all(r.value == exact[r.end] for r in results if r.end > first)


def test_the_slack_keeps_its_bounds() -> None:
    rows = tuples(stream(8, late_us=300_000))
    bounded = replace(ONE_PERCENT, at_least=70_000, at_most=110_000)
    slacks = {k for r, k in path(managed(bounded), rows) if r.emitted_at > 6 * SECOND}
    assert min(slacks) >= 70_000
    assert max(slacks) == 110_000
    with pytest.raises(SlackwaterError, match="at_most is 1"):
        replace(ONE_PERCENT, at_least=2, at_most=1)


def test_state_that_does_not_fit_is_refused() -> None:
    with pytest.raises(CheckpointError, match="version 5"):
        BufferManager.start(ManagerParams("max"), QUERY, ManagerState(version=5))
    with pytest.raises(CheckpointError, match="another kind of buffer"):
        BufferManager.start(ManagerParams("none"), QUERY, managed("max").snapshot())
    adaptation = managed(ONE_PERCENT).adaptation
    assert adaptation is not None
    with pytest.raises(CheckpointError, match="version 4"):
        Adaptation.start(ONE_PERCENT, adaptation._model, AdaptationState(version=4))
