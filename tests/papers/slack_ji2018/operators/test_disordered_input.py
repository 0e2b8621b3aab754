"""Disorder, delay, bursts and silence (prodding §1.1): accepted as they come, nothing is sorted."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.papers.slack_ji2018.operators.oracle import exact_results
from slackwater.papers.slack_ji2018.operators.source import Recorded, replay
from slackwater.papers.slack_ji2018.operators.swa import SWA, SWAParams, WindowResult
from slackwater.papers.stream.baselines import NoSlack, fixed_slack
from slackwater.papers.stream.delay import DelayTracker
from slackwater.papers.stream.monoids import SUM
from slackwater.papers.stream.windows import TimeWindow
from slackwater.stats.arrival import Arrival, arrivals_with

PARAMS = SWAParams(TimeWindow(60, 20, closed="left"), SUM)


def worst_delay(stream: list[Arrival[int]]) -> int:
    tracker = DelayTracker.start()
    return max(tracker.update(arrival.ts).delay for arrival in stream)


def answers(stream: list[Arrival[int]], k: int) -> list[tuple[int, int]]:
    swa: SWA[int] = SWA.start(PARAMS, fixed_slack(k))
    results = [result for arrival in stream for result in swa.update(arrival)]
    return [(result.end, result.value) for result in results + swa.finish()]


def exact(stream: list[Arrival[int]]) -> list[tuple[int, int]]:
    return [(result.end, result.value) for result in exact_results(PARAMS, stream)]


def shuffled(times: list[int], seed: int) -> list[Arrival[int]]:
    mixed = list(times)
    random.Random(seed).shuffle(mixed)
    return arrivals_with(mixed, [ts * 7 % 11 for ts in mixed])


INPUTS = {
    "disordered": list(range(0, 600, 7)),
    "bursty": [ts for ts in range(0, 600, 30) for _ in range(1 + 40 * (ts % 90 == 0))],
    "silent": [*range(0, 100, 5), *range(50_000, 50_100, 5)],
}


@pytest.mark.spec("prodding:F2")
@pytest.mark.parametrize("kind", INPUTS)
def test_shuffled_input_gives_the_results_of_ordered_input_if_the_slack_suffices(
    kind: str,
) -> None:
    ordered = exact(shuffled(INPUTS[kind], seed=0))
    for seed in range(5):
        stream = shuffled(INPUTS[kind], seed)
        assert answers(stream, worst_delay(stream)) == ordered


@pytest.mark.spec("prodding:F2")
@given(st.lists(st.tuples(st.integers(0, 400), st.integers(0, 90)), min_size=1, max_size=60))
def test_delayed_input_gives_exact_results_if_the_slack_suffices(
    sent: list[tuple[int, int]],
) -> None:
    by_arrival = sorted(sent, key=lambda row: row[0] + row[1])
    stream = arrivals_with([ts for ts, _ in by_arrival], [1] * len(sent))
    assert answers(stream, worst_delay(stream)) == exact(stream)


@pytest.mark.spec("prodding:F2")
@given(st.lists(st.integers(0, 400), min_size=1, max_size=60), st.integers(0, 400))
def test_too_little_slack_loses_tuples_but_neither_invents_nor_doubles_any(
    times: list[int], k: int
) -> None:
    stream = arrivals_with(times, [1] * len(times))
    whole = dict(exact(stream))
    found = answers(stream, k)
    assert len(dict(found)) == len(found), "a window answers once"
    assert all(0 < value <= whole[end] for end, value in found)


@pytest.mark.spec("prodding:F2")
def test_a_replayed_burst_after_a_silence_is_answered_like_the_same_tuples_at_leisure() -> None:
    stream = shuffled(INPUTS["disordered"], seed=3)
    bursts = [Recorded(10**9 * (arrival.seq // 40), arrival) for arrival in stream]
    now = 0

    def sleep(micros: int) -> None:
        nonlocal now
        now += micros

    replayed = list(replay(bursts, clock=lambda: now, sleep=sleep))
    assert now == 2 * 10**9
    assert answers(replayed, worst_delay(replayed)) == exact(stream)


@pytest.mark.spec("prodding:F2")
def test_a_silent_stream_is_answered_by_heartbeats_without_waiting_for_its_next_tuple() -> None:
    swa: SWA[int] = SWA.start(PARAMS, NoSlack.start())
    (lonely,) = arrivals_with([30], [5])
    assert swa.update(lonely) == []
    assert swa.advance_to(45) == [WindowResult(end=40, value=5, rows=1, emitted_at=45)]
    assert [result.end for result in swa.advance_to(10_000)] == [60, 80]
