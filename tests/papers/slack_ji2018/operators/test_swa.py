from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.errors import CheckpointError
from slackwater.papers.slack_ji2018.operators.coverage import Coverage
from slackwater.papers.slack_ji2018.operators.oracle import exact_results
from slackwater.papers.slack_ji2018.operators.relations import istream
from slackwater.papers.slack_ji2018.operators.swa import (
    SWA,
    FireOn,
    LatePolicy,
    SWAParams,
    SWAState,
    WindowResult,
)
from slackwater.papers.stream.baselines import NoSlack, fixed_slack
from slackwater.papers.stream.kslack import KSlack, KSlackParams
from slackwater.papers.stream.monoids import AVG, COUNT, MAX, MIN, SUM, Monoid, quantile
from slackwater.papers.stream.windows import TimeWindow
from slackwater.stats.arrival import Arrival, arrivals, arrivals_with

# §3.3: COUNT over (0, 10]; ts 4 and ts 8 arrive after ts 10. The arrivals 11, 12, 13 give ts 4 a
# delay of 7, as erratum E4 needs it.
COUNT_EXAMPLE = [1, 2, 3, 5, 6, 7, 9, 10, 11, 4, 12, 8, 13, 14, 15, 16]
TEN = SWAParams(TimeWindow(10, 10), COUNT)
MILLISECONDS = SWAParams(TimeWindow(1000, 100), COUNT)

WINDOW = st.builds(
    TimeWindow, st.integers(1, 12), st.integers(1, 12), st.sampled_from(["right", "left"])
)
STREAM = st.lists(st.integers(-20, 40), max_size=40)
SLACK = st.integers(0, 30)
ANY_SLACK = 10**6


def run(params: SWAParams, stream: list[int], k: int) -> tuple[SWA[None], list[WindowResult]]:
    swa: SWA[None] = SWA.start(params, fixed_slack(k))
    results = [result for arrival in arrivals(stream) for result in swa.update(arrival)]
    return swa, results + swa.finish()


def answers(results: list[WindowResult]) -> list[tuple[int, Any, int]]:
    return [(result.end, result.value, result.rows) for result in results]


@pytest.mark.spec("qddh:F009", "qddh:F069")
@pytest.mark.parametrize(("k", "count"), [(None, 8), (0, 8), (1, 8), (2, 9), (3, 10), (5, 10)])
def test_waiting_longer_counts_eight_nine_and_then_all_ten_tuples(
    k: int | None, count: int
) -> None:
    params = replace(TEN, fire_on="reach")
    swa: SWA[None] = SWA.start(params, NoSlack.start() if k is None else fixed_slack(k))
    results = [result for arrival in arrivals(COUNT_EXAMPLE) for result in swa.update(arrival)]
    assert (results[0].end, results[0].value) == (10, count)
    assert exact_results(params, arrivals(COUNT_EXAMPLE))[0].value == 10


@pytest.mark.spec("qddh:F026")
@pytest.mark.parametrize(
    ("policy", "count", "coverage"), [("insert_useful", 10, 1.0), ("drop_all_late", 9, 0.9)]
)
def test_erratum_e4_holds_under_both_late_tuple_policies(
    policy: LatePolicy, count: int, coverage: float
) -> None:
    swa, results = run(replace(TEN, late=policy), COUNT_EXAMPLE, k=5)
    assert (results[0].end, results[0].value) == (10, count)
    assert swa.counters.get(10).share == coverage
    assert swa.late == 1


@pytest.mark.spec("qddh:F026")
def test_a_late_tuple_counts_as_missing_where_fired_and_as_received_elsewhere() -> None:
    swa: SWA[None] = SWA.start(MILLISECONDS, NoSlack.start())
    swa.update(Arrival("s", 0, 1049, None))
    fired = swa.update(Arrival("s", 1, 1301, None))
    assert fired[-1].end == 1300
    before = dict(swa.counters.snapshot())
    swa.update(Arrival("s", 2, 1050, None))
    nothing = Coverage(0, 0)
    gains = {}
    for end, new in swa.counters.snapshot():
        old = before.get(end, nothing)
        gains[end] = (new.received - old.received, new.missing - old.missing)
    missed = dict.fromkeys((1100, 1200, 1300), (0, 1))
    received = dict.fromkeys(range(1400, 2001, 100), (1, 0))
    assert {end: gain for end, gain in gains.items() if gain != (0, 0)} == missed | received


@pytest.mark.spec("qddh:F026")
def test_a_late_tuple_that_no_future_window_needs_is_dropped() -> None:
    swa, results = run(TEN, [5, 11, 3, 21, 12, 2, 22], k=0)
    assert answers(results) == [(10, 1, 1), (20, 1, 1), (30, 2, 2)]
    assert (swa.late, swa.dropped) == (3, 3)
    assert [swa.counters.get(end).missing for end in (10, 20, 30)] == [2, 1, 0]


@pytest.mark.spec("qddh:F026", "qddh:F069")
@given(WINDOW, STREAM, SLACK)
def test_every_tuple_is_received_or_missing_in_every_window_it_belongs_to(
    window: TimeWindow, stream: list[int], k: int
) -> None:
    swa, results = run(SWAParams(window, COUNT), stream, k)
    got = {result.end: result.rows for result in results}
    for end in {end for ts in stream for end in window.ends_of(ts)}:
        coverage = swa.counters.get(end)
        belonging = sum(window.contains(end, ts) for ts in stream)
        assert coverage.received + coverage.missing == belonging
        assert coverage.received == got.get(end, 0)


@pytest.mark.spec("qddh:F069")
@given(WINDOW, STREAM, SLACK, SLACK)
def test_a_larger_slack_never_lowers_the_coverage_of_a_window(
    window: TimeWindow, stream: list[int], k: int, more: int
) -> None:
    less, _ = run(SWAParams(window, COUNT), stream, k)
    wide, _ = run(SWAParams(window, COUNT), stream, k + more)
    assert less.counters.ends() == wide.counters.ends()
    for end in less.counters.ends():
        assert less.counters.get(end).received <= wide.counters.get(end).received


@pytest.mark.spec("qddh:F009", "qddh:F069")
@given(WINDOW, STREAM, st.integers(60, 70))
def test_with_slack_of_the_largest_delay_all_results_are_exact_and_complete(
    window: TimeWindow, stream: list[int], k: int
) -> None:
    params = SWAParams(window, COUNT)
    swa, results = run(params, stream, k)
    assert answers(results) == answers(exact_results(params, arrivals(stream)))
    assert all(coverage.share == 1 for _, coverage in swa.counters.snapshot())
    assert (swa.late, swa.dropped) == (0, 0)


@pytest.mark.spec("qddh:F069")
@given(WINDOW, STREAM, SLACK, st.sampled_from(["pass", "watermark"]))
def test_an_ordered_stream_is_covered_completely_whatever_the_slack(
    window: TimeWindow, stream: list[int], k: int, fire_on: FireOn
) -> None:
    swa, _ = run(SWAParams(window, COUNT, fire_on=fire_on), sorted(stream), k)
    assert all(coverage.share == 1 for _, coverage in swa.counters.snapshot())


def test_firing_on_reach_misses_tuples_of_one_instant_even_in_order() -> None:
    stream = [9, 10, 10, 11]
    reach, _ = run(replace(TEN, fire_on="reach"), stream, k=0)
    strict, _ = run(TEN, stream, k=0)
    assert reach.counters.get(10) == Coverage(2, 1)
    assert strict.counters.get(10) == Coverage(3, 0)


@pytest.mark.spec("qddh:F005", "qddh:F069")
@pytest.mark.parametrize(
    ("aggregate", "value"),
    [(COUNT, 3), (SUM, 15), (AVG, 5.0), (MIN, 1), (MAX, 10), (quantile(0.5), 4.0)],
)
def test_every_aggregate_answers_a_sliding_window(
    aggregate: Monoid[Any, Any, Any], value: float
) -> None:
    params = SWAParams(TimeWindow(10, 4), aggregate, value=lambda payload: payload["v"])
    rows = [{"v": v} for v in (10, 4, 1, 99)]
    swa: SWA[dict[str, int]] = SWA.start(params, fixed_slack(0))
    stream = arrivals_with([3, 5, 12, 13], rows)
    results = [result for arrival in stream for result in swa.update(arrival)]
    assert [result.end for result in results] == [4, 8, 12]
    assert results[-1].value == value


@pytest.mark.spec("qddh:F069")
def test_a_user_defined_monoid_is_an_aggregate_like_any_other() -> None:
    longest = Monoid("", str, lambda a, b: max(a, b, key=len), str.upper)
    swa: SWA[str] = SWA.start(SWAParams(TimeWindow(10, 10), longest), NoSlack.start())
    words = arrivals_with([1, 2, 3, 11], ["a", "ccc", "bb", ""])
    assert [result.value for word in words for result in swa.update(word)] == ["CCC"]


@pytest.mark.spec("qddh:F008")
@given(WINDOW, STREAM)
def test_the_fused_operator_is_window_then_aggregate_then_istream(
    window: TimeWindow, stream: list[int]
) -> None:
    tuples = arrivals(sorted(stream))
    ends = sorted({end for ts in stream for end in window.ends_of(ts)})
    results: list[tuple[int, int]] = []
    relation = []
    for end in ends:
        results = [*results, (end, COUNT.of(list(window.content(tuples, end))))]
        relation.append(results)
    composed = [row for _, row in istream(relation)]
    _, fused = run(SWAParams(window, COUNT), sorted(stream), k=0)
    assert [(result.end, result.value) for result in fused] == composed


@pytest.mark.spec("qddh:F008")
def test_equal_answers_of_neighbouring_windows_are_both_emitted() -> None:
    _, results = run(TEN, [5, 15, 25], k=0)
    assert answers(results) == [(10, 1, 1), (20, 1, 1), (30, 1, 1)]


@pytest.mark.spec("qddh:F021")
def test_a_size_set_by_a_fired_window_counts_for_the_next_release() -> None:
    buffer: KSlack[None] = KSlack.start(KSlackParams(10))
    swa = SWA.start(TEN, buffer, on_window=lambda _: buffer.set_size(15))
    tuples = arrivals([9, 11, 12, 13, 23])
    for arrival in tuples[:-1]:
        assert swa.update(arrival) == []
    (result,) = swa.update(tuples[-1])
    assert (result.end, buffer.size) == (10, 15)
    assert [delayed.ts for delayed in buffer.flush()] == [12, 13, 23], (
        "12 and 13 were due at K = 10"
    )


def test_a_result_tells_how_far_the_stream_had_progressed() -> None:
    _, results = run(TEN, [9, 11, 14], k=3)
    assert (results[0].emitted_at, results[0].latency) == (14, 4)


def test_empty_windows_are_skipped_or_given_as_asked() -> None:
    stream = [5, 41]
    _, some = run(TEN, stream, k=0)
    _, every = run(replace(TEN, emit_empty=True), stream, k=0)
    assert answers(some) == [(10, 1, 1), (50, 1, 1)]
    assert answers(every) == [(10, 1, 1), (20, 0, 0), (30, 0, 0), (40, 0, 0), (50, 1, 1)]


def test_a_long_silence_costs_nothing() -> None:
    _, results = run(SWAParams(TimeWindow(10, 1), COUNT), [5, 10**15], k=0)
    assert [result.rows for result in results] == [1] * 20


def test_windows_that_leave_gaps_ignore_what_falls_between_them() -> None:
    swa, results = run(SWAParams(TimeWindow(2, 10), COUNT), [1, 5, 9, 10, 11, 19], k=0)
    assert answers(results) == [(10, 2, 2), (20, 1, 1)]
    assert (swa.late, swa.dropped) == (0, 0)


@pytest.mark.spec("qddh:F022")
def test_a_heartbeat_fires_the_windows_of_an_idle_stream() -> None:
    swa: SWA[None] = SWA.start(TEN, fixed_slack(2))
    for arrival in arrivals([4, 9]):
        assert swa.update(arrival) == []
    assert swa.advance_to(12) == [], "a tuple of ts 10 would still be in time"
    assert answers(swa.advance_to(13)) == [(10, 2, 2)]
    assert swa.advance_to(500) == []


@pytest.mark.spec("qddh:F022")
def test_the_end_of_the_stream_fires_every_window_that_holds_a_tuple() -> None:
    swa: SWA[None] = SWA.start(SWAParams(TimeWindow(10, 5), COUNT), fixed_slack(ANY_SLACK))
    for arrival in arrivals([12, 3]):
        assert swa.update(arrival) == []
    assert answers(swa.finish()) == [(5, 1, 1), (10, 1, 1), (15, 1, 1), (20, 1, 1)]
    assert swa.finish() == []


@given(WINDOW, STREAM, STREAM, SLACK, st.sampled_from(["pass", "reach", "watermark"]))
def test_an_operator_continues_from_saved_state_as_if_never_stopped(
    window: TimeWindow, before: list[int], after: list[int], k: int, fire_on: FireOn
) -> None:
    params = SWAParams(window, quantile(0.5), value=lambda _: 1, fire_on=fire_on)
    steady: SWA[None] = SWA.start(params, fixed_slack(k))
    buffer = fixed_slack(k)
    stopped: SWA[None] = SWA.start(params, buffer)
    tuples = arrivals(before + after)
    for arrival in tuples[: len(before)]:
        assert steady.update(arrival) == stopped.update(arrival)
    resumed_buffer = KSlack.start(KSlackParams(k), buffer.snapshot())
    resumed: SWA[None] = SWA.start(params, resumed_buffer, stopped.snapshot())
    for arrival in tuples[len(before) :]:
        assert steady.update(arrival) == resumed.update(arrival)
    assert steady.finish() == resumed.finish()
    assert steady.snapshot() == resumed.snapshot()
    assert resumed.time == max(before + after, default=None)


def test_saved_state_of_an_unknown_version_is_refused() -> None:
    with pytest.raises(CheckpointError, match="version 99"):
        SWA.start(TEN, fixed_slack(0), SWAState(version=99))
