from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.papers.prodding_bhat2011.operators.element import DataTuple, Punctuation
from slackwater.papers.prodding_bhat2011.operators.grammar import Grammar
from slackwater.papers.prodding_bhat2011.operators.intervals import IntervalSet
from slackwater.papers.prodding_bhat2011.operators.predicate import Eq, Le, Range
from slackwater.papers.prodding_bhat2011.operators.prod import Prod


def row(ts: int, sensor: int = 0) -> DataTuple:
    return DataTuple({"ts": ts, "sensor": sensor})


@pytest.mark.spec("prodding:F5")
def test_a_tuple_that_breaks_a_promise_is_counted_and_set_aside() -> None:
    grammar = Grammar()
    passed = [
        grammar.take(one, 0)
        for one in (row(4), Punctuation(1, Le(5)), row(4), row(5), row(7), Prod(2, Eq(3)))
    ]
    assert [len(out) for out in passed] == [1, 1, 0, 1, 1, 1]
    assert grammar.side == [row(4)]
    assert grammar.violations == 1


@pytest.mark.spec("prodding:F5")
def test_promises_for_a_group_or_an_interval_or_with_the_bound_itself() -> None:
    grammar = Grammar(is_closed_bound=True)
    grammar.take(Punctuation(1, Le(5), (("sensor", Eq(2)),)), 0)
    grammar.take(Punctuation(2, Range(10, 20)), 0)
    kept = [len(grammar.take(row(ts, s), 0)) for ts, s in ((5, 1), (5, 2), (9, 2), (10, 1))]
    assert kept == [1, 0, 1, 0]
    assert [len(grammar.take(row(ts), 0)) for ts in (20, 21)] == [0, 1]


@pytest.mark.spec("prodding:F57")
@given(st.lists(st.tuples(st.integers(0, 30), st.integers(1, 6)), max_size=12))
def test_intervals_hold_what_was_put_in_and_never_touch(pieces: list[tuple[int, int]]) -> None:
    known, plain = IntervalSet(), set[int]()
    for low, length in pieces:
        whole = known.add(low, low + length)
        plain |= set(range(low, low + length))
        assert set(range(*whole)) <= plain
        assert whole[0] - 1 not in plain
        assert whole[1] not in plain
    assert {n for n in range(-1, 40) if n in known} == plain
    assert len(known) == sum(n - 1 not in plain for n in plain)
