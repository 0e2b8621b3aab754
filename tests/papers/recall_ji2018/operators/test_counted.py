from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.papers.recall_ji2018.operators.condition import Equal, same_key
from slackwater.papers.recall_ji2018.operators.counted import CountedJoin, JoinRun, exact_counts
from slackwater.papers.recall_ji2018.operators.engine import JoinQuery
from slackwater.papers.recall_ji2018.operators.interval import IntervalEnd
from slackwater.papers.recall_ji2018.operators.join_manager import JoinManager, JoinManagerParams
from slackwater.papers.recall_ji2018.operators.join_slack import RecallParams
from slackwater.papers.recall_ji2018.operators.oracle import exact_join
from slackwater.papers.recall_ji2018.operators.probe import CommonKey, Probe, Star
from slackwater.papers.recall_ji2018.operators.recording import JoinRecording, JoinTrace
from slackwater.papers.recall_ji2018.operators.requirement import RecallRequirement
from slackwater.papers.recall_ji2018.operators.windows import StreamWindows
from slackwater.papers.stream.recent import RecentParams
from slackwater.papers.stream.statistics import StatisticsParams
from slackwater.units import MILLISECOND, SECOND
from tests.papers.recall_ji2018.operators.disordered import Row, joined, long_streams, rows

ASKED = RecallParams(RecallRequirement(0.95), period=5 * SECOND)
POLICIES = [
    "none",
    "max",
    150 * MILLISECOND,
    ASKED,
    replace(ASKED, selectivity="eq"),
    replace(ASKED, method="pd"),
    replace(ASKED, clock="arrival"),
    replace(ASKED, requirement=RecallRequirement(0.9, "damped"), late="mean"),
]
NAMES = ["none", "max", "fixed", "am", "eq", "pd", "arrival", "damped"]


def recording_of(arrivals: list[Row], names: str) -> JoinRecording:
    ports = [names.index(a.stream) for a in arrivals]
    return JoinRecording.of(ports, [a.ts for a in arrivals], len(names))


def counted(
    params: JoinManagerParams, query: JoinQuery, recording: JoinRecording, probe: Probe
) -> JoinRun:
    windows = tuple(size for _, size in query.windows.sizes)
    return CountedJoin(params, windows, JoinTrace.of(recording, params.statistics), probe).run()


def by_time(results: list[int]) -> list[tuple[int, int]]:
    return sorted(Counter(results).items())


def pairs(run: JoinRun) -> list[tuple[int, float]]:
    return list(zip(run.results.ts.tolist(), np.diff(run.results.upto).tolist(), strict=True))


@pytest.mark.spec("qddh:F025", "qddh:F089")
@pytest.mark.parametrize("policy", POLICIES, ids=NAMES)
@pytest.mark.parametrize("window", [None, RecentParams(3 * SECOND)], ids=["adwin", "fixed"])
def test_counting_gives_what_the_tuple_at_a_time_manager_gives(
    policy: RecallParams | str | int, window: RecentParams | None
) -> None:
    statistics = StatisticsParams() if window is None else StatisticsParams(window=window)
    params = JoinManagerParams(policy, statistics)  # type: ignore[arg-type]
    arrivals = long_streams("abc", 12, keys=12)
    query = JoinQuery(StreamWindows.of({"a": 300_000, "b": 200_000, "c": 100_000}), same_key("abc"))
    ends: list[IntervalEnd] = []
    manager = JoinManager(params, query, on_interval=ends.append)
    results, waited = [], []
    for arrival in arrivals:
        found = [result.ts for result in manager.update(arrival)]
        results += found
        waited += [(manager.clock or 0) - ts for ts in found]
    results += [result.ts for result in manager.finish()]
    probe = CommonKey(3, [a.payload for a in arrivals])
    run = counted(params, query, recording_of(arrivals, "abc"), probe)
    assert pairs(run) == by_time(results)
    assert run.latency == pytest.approx(np.mean(waited))
    assert list(run.intervals) == ends
    assert len(ends) == 11


@given(rows("abc"), st.integers(0, 9) | st.sampled_from(["none", "max"]))
def test_counting_agrees_on_any_input_whatever_the_slack(arrivals: list[Row], k: int | str) -> None:
    params = JoinManagerParams(k)  # type: ignore[arg-type]
    query = JoinQuery(StreamWindows.of({"a": 6, "b": 3, "c": 9}), same_key("abc"))
    results = [result.ts for result in joined(JoinManager(params, query), arrivals)]
    probe = CommonKey(3, [a.payload for a in arrivals])
    run = counted(params, query, recording_of(arrivals, "abc"), probe)
    assert pairs(run) == by_time(results)


@given(rows("abc"))
def test_the_exact_counts_are_those_of_the_ordered_streams(arrivals: list[Row]) -> None:
    query = JoinQuery(StreamWindows.of({"a": 6, "b": 3, "c": 9}), same_key("abc"))
    recording = recording_of(arrivals, "abc")
    exact = exact_counts(recording, (6, 3, 9), CommonKey(3, [a.payload for a in arrivals]))
    true = by_time([result.ts for result in exact_join(query, arrivals)])
    assert list(zip(exact.ts.tolist(), np.diff(exact.upto).tolist(), strict=True)) == true


@given(rows("abcd", keys=27))
def test_a_star_counts_what_its_equalities_give(arrivals: list[Row]) -> None:
    def part(n: int):  # type: ignore[no-untyped-def]
        return lambda key: key // 3**n % 3

    def arm(key: int) -> int:
        return key % 3

    terms = tuple(Equal("a", other, part(n), arm) for n, other in enumerate("bcd"))
    windows = StreamWindows.of(dict.fromkeys("abcd", 8))
    true = by_time([result.ts for result in exact_join(JoinQuery(windows, terms), arrivals)])
    keys = [
        tuple(part(n)(a.payload) for n in range(3)) if a.stream == "a" else arm(a.payload)
        for a in arrivals
    ]
    exact = exact_counts(recording_of(arrivals, "abcd"), (8, 8, 8, 8), Star(3, keys))
    assert list(zip(exact.ts.tolist(), np.diff(exact.upto).tolist(), strict=True)) == true
