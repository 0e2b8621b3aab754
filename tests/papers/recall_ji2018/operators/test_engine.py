from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.papers.recall_ji2018.operators.engine import (
    Engine,
    OneJoin,
    Outcome,
    ParallelJoin,
    SyncedTree,
)
from slackwater.papers.recall_ji2018.operators.join_manager import JoinManager, JoinManagerParams
from slackwater.papers.recall_ji2018.operators.oracle import exact_join
from slackwater.papers.recall_ji2018.operators.tree import JoinTree
from slackwater.papers.recall_ji2018.operators.windows import StreamWindows
from slackwater.papers.stream.kslack import KSlack, KSlackParams
from slackwater.stats.arrival import Arrival, Delayed
from tests.papers.recall_ji2018.operators.disordered import (
    THREE,
    TWO,
    Row,
    identities,
    joined,
    largest_delay,
    long_streams,
    rows,
    shapes,
)

WIDE = replace(THREE, windows=StreamWindows.of(dict.fromkeys("abc", 100_000)))
SHAPES = shapes("abc")


def whole(payload: object) -> object:
    return payload


def engines() -> list[Engine]:
    trees: list[Engine] = [SyncedTree(THREE, JoinTree.of(shape)) for shape in SHAPES]
    parallel: list[Engine] = [
        ParallelJoin(THREE, dict.fromkeys("abc", whole), instances) for instances in (1, 2, 3)
    ]
    return [OneJoin(THREE), *trees, *parallel]


def managed(engine: Engine, k: int | str) -> JoinManager:
    return JoinManager(JoinManagerParams(k), THREE, engine)  # type: ignore[arg-type]


def moved(moves: list[tuple[str, int]], policy: int | str) -> list[dict[str, int]]:
    arrivals = [Arrival(stream, n, ts, 1) for n, (stream, ts) in enumerate(moves)]
    query = replace(TWO, windows=StreamWindows.of({"a": 3, "b": 3}))
    manager = JoinManager(JoinManagerParams(policy), query)  # type: ignore[arg-type]
    return [result.times for result in joined(manager, arrivals)]


@pytest.mark.spec("qddh:F025", "qddh:F081")
def test_a_late_tuple_loses_its_partner_unless_it_is_waited_for() -> None:
    moves = [("b", 3), ("a", 7), ("b", 9), ("a", 2), ("a", 12), ("b", 13)]
    lost = {"a": 2, "b": 3}
    assert lost not in moved(moves, "none")
    assert lost in moved(moves, 5)


@pytest.mark.spec("qddh:F025", "qddh:F023")
def test_a_stream_that_lags_behind_needs_no_slack() -> None:
    moves = [("a", 5), ("a", 8), ("b", 7), ("b", 9), ("a", 10)]
    found = moved(moves, "none")
    assert {"a": 5, "b": 7} in found
    assert [max(times.values()) for times in found] == [7, 8, 9, 10, 10]


@pytest.mark.spec("qddh:F025", "qddh:F090", "qddh:F091")
@given(rows("abc"), st.integers(0, 5))
def test_with_enough_slack_every_engine_gives_all_true_results(
    arrivals: list[Row], extra: int
) -> None:
    true = identities(exact_join(THREE, arrivals))
    k = largest_delay(arrivals) + extra
    for engine in engines():
        assert identities(joined(managed(engine, k), arrivals)) == true


@pytest.mark.spec("qddh:F025", "qddh:F081", "qddh:F090", "qddh:F091")
@given(rows("abc"), st.integers(0, 8) | st.just("none"))
def test_with_any_slack_results_are_true_and_none_comes_twice(
    arrivals: list[Row], k: int | str
) -> None:
    true = identities(exact_join(THREE, arrivals))
    for engine in engines():
        assert identities(joined(managed(engine, k), arrivals)) <= true


@pytest.mark.spec("qddh:F025", "qddh:F090")
@given(rows("abc"), st.integers(0, 8))
def test_results_of_one_join_and_of_a_tree_leave_in_order(arrivals: list[Row], k: int) -> None:
    for engine in engines()[:5]:
        results = joined(managed(engine, k), arrivals)
        assert all(one.ts <= other.ts for one, other in pairwise(results))


@pytest.mark.spec("qddh:F090")
def test_results_of_a_tree_carry_the_delay_of_the_tuple_that_caused_them() -> None:
    arrivals = long_streams("abc", 3)
    delays, times = {}, dict.fromkeys("abc", -1)
    for a in arrivals:
        times[a.stream] = max(times[a.stream], a.ts)
        delays[a.stream, a.seq] = times[a.stream] - a.ts
    tree = SyncedTree(WIDE, JoinTree.of((("a", "b"), "c")))
    results = joined(JoinManager(JoinManagerParams(10**6), WIDE, tree), arrivals)
    assert results
    for result in results:
        newest = max(result.parts, key=lambda part: part.ts)
        caused = result.trigger.arrival
        assert caused.ts == newest.ts
        assert result.delay == delays[caused.stream, caused.seq]


@pytest.mark.spec("qddh:F090", "qddh:F091")
def test_every_raw_tuple_enters_once_and_results_are_told_with_their_cause() -> None:
    arrivals = long_streams("abc", 2)
    tree: Engine = SyncedTree(WIDE, JoinTree.of((("a", "b"), "c")))
    for engine in (tree, ParallelJoin(WIDE, dict.fromkeys("abc", whole), 2)):
        slacks = {name: KSlack[int].start(KSlackParams(400_000)) for name in "abc"}
        outcomes = [
            o for a in arrivals for d in slacks[a.stream].update(a) for o in engine.update(d)
        ]
        outcomes += [o for name in "abc" for d in slacks[name].flush() for o in engine.update(d)]
        outcomes += engine.flush()
        results = [result for outcome in outcomes for result in outcome.results]
        entered = [outcome.trigger.arrival.seq for outcome in outcomes if outcome.has_entered]
        assert sorted(entered) == list(range(len(arrivals)))
        assert sum(len(outcome.results) for outcome in outcomes) == len(results)
        assert identities(results) == identities(exact_join(WIDE, arrivals))
        assert all(outcome.cross is None for outcome in outcomes)
        caused = {}
        for outcome in outcomes:
            caused[outcome.trigger.arrival.seq] = outcome.of_trigger
        assert sum(caused.values()) == len(results)


@pytest.mark.spec("qddh:F091")
def test_where_nobody_knows_all_windows_the_cross_product_is_that_of_the_rates() -> None:
    arrivals = long_streams("abc", 4, late_ms=1)
    manager = JoinManager(
        JoinManagerParams(0), WIDE, ParallelJoin(WIDE, dict.fromkeys("abc", whole), 2)
    )
    joined(manager, arrivals)
    one = Outcome(Delayed(arrivals[0], 0), 0, True, False, None, (), 0)
    per_window = 100 * 0.1  # a hundred a second for a tenth of a second
    assert manager._cross(one) == pytest.approx(per_window**2, rel=0.1)
