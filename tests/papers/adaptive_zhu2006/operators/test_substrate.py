"""Rows, queues, punctuations, purging and order: what plans and migrations stand on."""

from __future__ import annotations

from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.papers.adaptive_zhu2006.operators.engine import Engine
from slackwater.papers.adaptive_zhu2006.operators.join import JoinOperator, JoinParams
from slackwater.papers.adaptive_zhu2006.operators.oracle import expected
from slackwater.papers.adaptive_zhu2006.operators.passing import Split, Union
from slackwater.papers.adaptive_zhu2006.operators.plan import tree
from slackwater.papers.adaptive_zhu2006.operators.query import Query
from slackwater.papers.adaptive_zhu2006.operators.row import Punctuation, Row, Single, time_of
from slackwater.papers.adaptive_zhu2006.operators.shared_queue import SharedQueue
from slackwater.papers.adaptive_zhu2006.operators.windows import Windows
from tests.examples import examples
from tests.papers.adaptive_zhu2006.operators.random_plans import LEFT, chain, random_arrivals


def row(ts: int, stream: str = "A") -> Row:
    return Row.of(Single(stream, ts, ts, (), ()))


@pytest.mark.spec("adaptive:SUB-08")
def test_a_combined_tuple_has_the_times_of_all_its_parts_the_oldest_and_the_newest() -> None:
    pair = row(7).merge(row(4, "B"))
    three = row(9, "C").merge(pair)
    assert (pair.times, pair.min_ts, pair.max_ts) == ({"A": 7, "B": 4}, 4, 7)
    assert (three.times, three.min_ts, three.max_ts) == ({"A": 7, "B": 4, "C": 9}, 4, 9)
    assert three.identity == (("A", 7), ("B", 4), ("C", 9))
    assert time_of(three) == 9
    fresh = pair.stamped(2).merge(row(9, "C"))
    assert (pair.stamped(2).epoch, fresh.epoch) == (2, 0)  # one old part makes it old


@pytest.mark.spec("adaptive:SUB-13")
def test_a_union_merges_as_rows_come_or_in_the_order_of_time() -> None:
    for is_ordered, wanted in ((True, [1, 2, 3, 4, 4]), (False, [1, 2, 3, 4, 4, 9])):
        queues = [SharedQueue(), SharedQueue()]
        union = Union([one.open() for one in queues], is_ordered=is_ordered)
        out = union.output.open()
        for number, ts in ((0, 1), (0, 4), (0, 9), (1, 2), (1, 3), (1, 4)):
            queues[number].append(row(ts))
        union.run()
        # ordered, it keeps the 9: the other queue may still bring something earlier
        assert [time_of(item) for item in out.pending()] == wanted


@pytest.mark.spec("adaptive:SUB-13")
def test_a_split_sends_each_row_where_its_route_says_and_to_several_if_so() -> None:
    source = SharedQueue()
    split = Split(source.open(), 2, lambda item: (0, 1) if time_of(item) > 5 else (1,))
    outs = [one.open() for one in split.outputs]
    for ts in (1, 6, 3):
        source.append(row(ts))
    split.run()
    assert [[time_of(item) for item in out.pending()] for out in outs] == [[6], [1, 6, 3]]


@pytest.mark.spec("adaptive:SUB-14")
def test_consumers_of_a_queue_read_on_their_own_and_the_slowest_decides_what_is_dropped() -> None:
    queue = SharedQueue()
    fast, slow = queue.open(), queue.open()
    for ts in (1, 2, 3):
        queue.append(row(ts))
    assert [time_of(fast.next()) for _ in range(3)] == [1, 2, 3]
    assert (len(fast), len(slow), len(queue.items)) == (0, 3, 3)
    assert time_of(slow.next()) == 1
    assert (len(queue.items), queue.first) == (2, 1)
    behind, ahead = slow.fork(at_end=False), slow.fork(at_end=True)
    queue.append(row(4))
    assert [len(one) for one in (fast, slow, behind, ahead)] == [1, 3, 3, 1]
    slow.close()
    behind.close()
    assert [time_of(item) for item in queue.items] == [4]


@pytest.mark.spec("adaptive:SUB-15")
def test_a_punctuation_goes_on_when_all_inputs_have_brought_it_and_behind_earlier_rows() -> None:
    query = chain(names="ABC")
    low, top = tree("A B"), tree("(A B) C")
    engine = Engine(query, top, model="none")
    outs = {node: engine.operators[node].output.open() for node in (low, top)}

    def seen(node: object) -> list[float]:
        return [one.ts for one in outs[node].pending() if isinstance(one, Punctuation)]

    for number, name in enumerate("ABC"):
        engine.push(query.single(name, number, 0, (0,) * len(query.columns[name])))
    for name, wanted in (("A", ([], [])), ("C", ([], [])), ("B", ([5], [5]))):
        engine.feeds[name].append(Punctuation(5))
        engine.settle()
        assert (seen(low), seen(top)) == wanted
    assert [isinstance(item, Row) for item in outs[top].pending()] == [True, False]
    for name, ts in (("A", 9), ("B", 7), ("C", 8)):  # the least of them is what all have passed
        engine.feeds[name].append(Punctuation(ts))
    engine.settle()
    assert (seen(low), seen(top)) == ([5, 7], [5, 7])


@pytest.mark.deep
@pytest.mark.spec("adaptive:SUB-18")
@examples(15, 200)
@given(st.integers(0, 10**9))
def test_of_two_results_of_a_join_the_later_has_a_part_that_is_later(seed: int) -> None:
    """Lemma 15.1, whatever the order in which operators run."""
    random, query = Random(seed), chain(names="ABC")
    arrivals = [
        query.single(name, ts, ts, tuple(random.randrange(2) for _ in query.columns[name]))
        for ts in range(40)
        for name in [random.choice("ABC")]
    ]
    engine = Engine(query, tree("(A B) C"), model="none", seed=seed)
    outs = [one.output.open() for one in engine.operators.values()]
    engine.run(arrivals)
    engine.settle()
    for out in outs:
        rows = [item.times for item in out.pending() if isinstance(item, Row)]
        for before, after in combinations(rows, 2):
            assert any(before[name] < after[name] for name in before)


@pytest.mark.spec("adaptive:SUB-18")
def test_without_synchronisation_both_ends_must_be_compared_before_a_row_is_purged() -> None:
    """Lemma 15.2: by newest timestamps alone results are lost, by oldest and newest none."""
    query, missed = chain(), {"max": 0, "min-max": 0}
    purged = 0
    for seed in range(6):
        arrivals = random_arrivals(Random(seed), query, 80)
        for purge in ("max", "min-max"):
            engine = Engine(query, LEFT, model="none", joins=JoinParams(purge=purge), seed=seed)
            engine.run(arrivals)
            engine.settle()
            missed[purge] += (expected(query, arrivals) - engine.records()).total()
            purged += engine.work.purged if purge == "min-max" else 0
    assert missed["min-max"] == 0 < missed["max"]
    assert purged > 0


@pytest.mark.spec("adaptive:SUB-18")
def test_a_join_of_many_inputs_purges_only_what_all_others_have_passed() -> None:
    query, purged = chain(window=4), 0
    for seed in range(12):
        arrivals = random_arrivals(Random(seed), query, 80)
        engine = Engine(query, tree("A B C D"), model="none", seed=seed)
        engine.run(arrivals)
        engine.settle()
        assert engine.records() == expected(query, arrivals)
        purged += engine.work.purged
    assert purged > 0


@pytest.mark.spec("adaptive:SUB-18b")
def test_a_tight_purge_keeps_less_and_gives_the_same() -> None:
    query, kept = chain(), {"max": 0, "tight": 0}
    for seed in range(4):
        arrivals = random_arrivals(Random(seed), query, 80)
        for purge in ("max", "tight"):
            engine = Engine(query, LEFT, joins=JoinParams(purge=purge))
            for one in arrivals:
                engine.push(one)
                kept[purge] += engine.intermediate()
            assert engine.records() == expected(query, arrivals)
    assert kept["tight"] < 0.8 * kept["max"]


@pytest.mark.spec("adaptive:SUB-20")
def test_results_are_in_the_order_of_execution_not_of_arrival() -> None:
    query = Query({"A": (), "B": ()}, (), Windows.same(100))
    plan = tree("A B")
    engine = Engine(query, plan, model="none")
    for ts, (stream, seq) in enumerate([("A", 1), ("A", 2), ("B", 1), ("B", 2), ("A", 3)]):
        engine.push(query.single(stream, ts, seq, ()))
    join = engine.operators[plan]
    assert isinstance(join, JoinOperator)
    for port in (0, 1, 0, 1, 0):  # A1, B1, A2, B2, A3
        join.consume(port)
    engine.collect()
    found = [[one.parts[name].seq for one in engine.results[0]] for name in "AB"]
    assert found == [[1, 2, 1, 2, 3, 3], [1, 1, 2, 2, 1, 2]]
