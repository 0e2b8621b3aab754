"""Joins find what a definition finds, in whatever order rows are worked on; states do not leak."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slackwater.papers.precedence_works2015.operators.lossy import LossyTally
from slackwater.papers.precedence_works2015.operators.offline import offline
from slackwater.papers.precedence_works2015.operators.row import Source
from slackwater.precede.pcql import Window
from slackwater.precede.plan import INITIAL, RankPlan
from slackwater.units import SECOND
from tests.papers.precedence_works2015.examples import at_random, executor, sources
from tests.precede.stocks import ONE, PIPELINE, RC1, RC2, RC3, THREE, TWO, news

TIME, ROWS = Window(micros=15 * SECOND), Window(rows=6)
RANKED = RankPlan(((ONE, RC2), (TWO, RC3), (THREE, RC2)), ((news("s1", 2), (RC1,)),))
PLANS = st.sampled_from([INITIAL, RANKED, RankPlan(((ONE, RC3),))])


def by_definition(rows: list[Source], window: Window) -> Counter[tuple[tuple[str, int], ...]]:
    """Three loops over all rows; the newest of two members stands for both."""
    found: Counter[tuple[tuple[str, int], ...]] = Counter()
    by_stream = {name: [row for row in rows if row.stream == name] for name in "SNB"}
    order = {row.number: row for row in rows}

    def meet(a: Source, b: Source) -> bool:
        old, new = sorted((a, b), key=lambda row: row.number)
        if window.rows is None:
            return new.ts - old.ts <= (window.micros or 0)
        since = [n for n in range(old.number, new.number) if order[n].stream == old.stream]
        return len(since) <= window.rows

    def agree(a: Source, b: Source) -> bool:
        x, y = a.values[f"{a.stream}.sector"], b.values[f"{b.stream}.sector"]
        return bool(x & y) if isinstance(x, frozenset) and isinstance(y, frozenset) else x == y

    for s in by_stream["S"]:
        for n in (n for n in by_stream["N"] if agree(s, n) and meet(s, n)):
            newest = max(s, n, key=lambda row: row.number)
            for b in (b for b in by_stream["B"] if agree(s, b) and meet(newest, b)):
                found[(("B", b.seq), ("N", n.seq), ("S", s.seq))] += 1
    return found


@pytest.mark.spec("precedence:PR-11", "precedence:PR-19", "precedence:PR-10")
@settings(max_examples=30)
@given(st.integers(0), st.sampled_from([TIME, ROWS]), PLANS, st.booleans(), st.booleans())
def test_every_combination_is_found_once_in_any_order(
    seed: int, window: Window, plan: RankPlan, sets: bool, late: bool
) -> None:
    rows = at_random(seed, 60, sets=sets)
    one = executor(plan, window=window)
    for source in rows:
        one.arrive(source)
        if not late:
            one.work(1.0)
    one.work(1e9)
    expected = by_definition(rows, window)
    assert Counter(one.given) == expected
    assert offline(PIPELINE, window, rows) == expected


@pytest.mark.spec("precedence:PR-10")
def test_a_row_of_several_sectors_is_found_once_however_many_they_share() -> None:
    both = frozenset({"c", "d"})
    rows = sources([("S", 1, both, 1), ("N", 2, both, 0), ("B", 3, frozenset({"d", "e"}), 0)])
    rows += [Source("B", 4, 3, 1, 0, {"B.sector": frozenset({"e"})})]
    one = executor()
    for source in rows:
        one.arrive(source)
    one.work(1e9)
    assert one.given == [(("B", 0), ("N", 0), ("S", 0))]


@pytest.mark.spec("precedence:PR-28")
@settings(max_examples=30)
@given(st.integers(0), st.sampled_from([TIME, ROWS]), PLANS, st.floats(0.3, 3))
def test_purging_by_punctuations_loses_nothing_and_leaks_nothing(
    seed: int, window: Window, plan: RankPlan, pace: float
) -> None:
    rows = at_random(seed, 120, until=120 * SECOND)
    one = executor(plan, window=window, period=2 * SECOND)
    ends = iter(range(SECOND, 10_000 * SECOND, SECOND))
    now = next(ends)
    for source in rows:
        while source.ts >= now:
            one.work(pace)
            one.advance(now)
            now = next(ends)
        one.arrive(source)
    one.work(1e9)
    one.advance(now)
    assert Counter(one.given) == by_definition(rows, window)
    assert all(told <= now for told in one.punctuations.done.values())
    if window.rows is None:
        one.advance(now + 60 * SECOND)
        assert [join.size for join in one.joins.values()] == [0, 0]


@pytest.mark.spec("precedence:PR-28")
def test_a_punctuation_waits_for_the_oldest_row_that_waits() -> None:
    one = executor(RankPlan(((ONE, RC2),)), period=SECOND)
    for source in sources([("S", 100, "c", 0), ("S", 3 * SECOND + 1, "c", 1)]):
        one.arrive(source)
    one.advance(5 * SECOND)
    assert one.punctuations.done["S"] == 5 * SECOND - 1
    assert "op1" not in one.punctuations.done
    one.work(1.5)
    one.advance(6 * SECOND)
    assert one.punctuations.done["op2"] == 6 * SECOND - 1


@pytest.mark.spec("precedence:PR-35")
@given(
    st.lists(st.integers(0, 12), min_size=1, max_size=600),
    st.sampled_from([0.01, 0.05, 0.2]),
    st.floats(0.25, 0.6),  # more than the error, else nothing is promised
)
def test_lossy_counting_keeps_its_promises(values: list[int], error: float, share: float) -> None:
    tally, truth = LossyTally(error), Counter[int]()
    for value in values:
        tally.update(value)
        truth[value] += 1
        assert all(
            truth[v] - error * tally.total <= f <= truth[v]
            for v, (f, _) in tally.kept.items()
            if isinstance(v, int)
        )
    total = len(values)
    found = tally.get(share * total)
    assert {v for v, n in truth.items() if n >= share * total} <= {*found}
    assert all(count >= (share - error) * total - 1e-9 for count in found.values())
    lost = [v for v in truth if v not in tally.kept]
    assert all(truth[v] <= error * total for v in lost)
