"""Group-bys over sliding windows, and their way below a join and back while the plan runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.errors import SlackwaterError
from slackwater.papers.adaptive_zhu2006.operators import moving
from slackwater.papers.adaptive_zhu2006.operators.box import Box
from slackwater.papers.adaptive_zhu2006.operators.engine import Engine
from slackwater.papers.adaptive_zhu2006.operators.moving import move_state
from slackwater.papers.adaptive_zhu2006.operators.oracle import combinations_of
from slackwater.papers.adaptive_zhu2006.operators.parallel import ParallelTrack
from slackwater.papers.adaptive_zhu2006.operators.plan import Group, Join, Plan, Source, tree
from slackwater.papers.adaptive_zhu2006.operators.query import Column, Query, edges
from slackwater.papers.adaptive_zhu2006.operators.row import Single
from slackwater.papers.adaptive_zhu2006.operators.special_group import ParallelGroups
from slackwater.papers.adaptive_zhu2006.operators.windows import Windows
from tests.examples import examples

SEEDS = st.integers(0, 10**9)
WINDOW, UNTIL = 4, 24
# AStream(aid, a2), BStream(bid, b2, b3); A.a2 = B.b2, grouped by B.b2 (many to many)
QUERY = Query(
    {"A": ("aid", "a2"), "B": ("bid", "b2", "b3")}, edges("A.a2=B.b2"), Windows.same(WINDOW)
)
KEY, VALUE = Column("B", "b2"), Column("B", "b3")
BY_HAND: dict[str, Callable[[list[int]], float]] = {
    "count": len,
    "sum": sum,
    "min": min,
    "max": max,
    "avg": lambda values: sum(values) / len(values),
}
AGGREGATE = pytest.mark.parametrize("aggregate", sorted(BY_HAND))


def above(aggregate: str) -> Plan:
    return Group(tree("A B"), (KEY,), VALUE, aggregate)


def below(aggregate: str) -> Plan:
    """A group-by of every time unit below the join, and the same one above."""
    lower = Group(Source("B"), (KEY,), VALUE, aggregate, "unit")
    return Group(Join((Source("A"), lower)), (KEY,), VALUE, aggregate)


def stream(seed: int) -> list[Single]:
    random, found = Random(seed), []
    for ts in range(UNTIL):
        for number in range(random.randint(0, 5)):
            name = random.choice("AB")
            key, seq = random.randrange(2), 10 * ts + number
            values = (seq, key) if name == "A" else (seq, key, random.randint(-5, 9))
            found.append(QUERY.single(name, ts, seq, values))
    return found


def by_definition(arrivals: list[Single], aggregate: str) -> Counter:
    found: Counter = Counter()
    rows = combinations_of(QUERY, arrivals)
    for ts in range(UNTIL):
        groups: dict[object, list[int]] = {}
        for row in rows:
            if ts - WINDOW < row.max_ts <= ts:
                groups.setdefault(KEY.of(row), []).append(VALUE.of(row))
        for key, values in groups.items():
            found[ts, key, BY_HAND[aggregate](values)] += 1
    return found


def given_by(engine: Engine) -> Counter:
    singles = (row.parts["="] for row in engine.results[0])
    return Counter((one.ts, one.value("key")[0], one.value("value")) for one in singles)


def run(engine: Engine, arrivals: list[Single], at: int, act: Callable[[], object]) -> None:
    """Units one after the other; something is done before the tuple of this number."""
    number = 0
    for ts in range(UNTIL):
        for one in (one for one in arrivals if one.ts == ts):
            if number == at:
                act()
            engine.push(one)
            number += 1
        engine.punctuate(ts)


@pytest.mark.spec("adaptive:SUB-12")
def test_a_value_that_leaves_the_window_is_taken_back_from_its_group() -> None:
    query = Query({"C": ("c1", "c2")}, (), Windows.same(3))
    plan = Group(Source("C"), (Column("C", "c1"),), Column("C", "c2"))
    engine = Engine(query, plan)
    for ts, values in enumerate([(1, 4), (1, 6), (2, 22), (1, 3)]):
        engine.push(query.single("C", ts, ts, values))
        engine.punctuate(ts)
    sums: dict[int, dict[int, float]] = {}
    for row in engine.results[0]:
        one = row.parts["="]
        sums.setdefault(one.ts, {})[one.value("key")[0]] = one.value("value")
    assert sums[2] == {1: 10, 2: 22}
    assert sums[3] == {1: 10 - 4 + 3, 2: 22}
    assert engine.state_sizes() == {plan: [3]}  # all tuples of the window, no more
    for ts in (4, 5, 6):
        engine.punctuate(ts)
    assert engine.state_sizes() == {plan: [0]}
    assert max(row.max_ts for row in engine.results[0]) == 5  # an empty group is not given


@AGGREGATE
@pytest.mark.deep
@pytest.mark.spec("adaptive:SUB-12")
@examples(8, 100)
@given(SEEDS)
def test_every_aggregate_of_every_window_is_that_of_its_rows(aggregate: str, seed: int) -> None:
    arrivals = stream(seed)
    for plan in (above(aggregate), below(aggregate)):
        engine = Engine(QUERY, plan)
        run(engine, arrivals, -1, lambda: None)
        assert given_by(engine) == by_definition(arrivals, aggregate)


@AGGREGATE
@pytest.mark.deep
@pytest.mark.spec("adaptive:MIG-18")
@examples(8, 100)
@given(SEEDS, st.integers(5, 40), st.booleans())
def test_a_group_by_goes_below_a_join_and_back_by_moving_state(
    aggregate: str, seed: int, at: int, is_down: bool
) -> None:
    arrivals = stream(seed)
    plans = [above(aggregate), below(aggregate)]
    old, new = plans if is_down else plans[::-1]
    engine = Engine(QUERY, old)
    run(engine, arrivals, at, lambda: move_state(engine, Box((new,))))
    assert given_by(engine) == by_definition(arrivals, aggregate)


@pytest.mark.spec("adaptive:MIG-18")
@pytest.mark.parametrize("is_down", [True, False], ids=["down", "up"])
def test_without_the_states_of_group_bys_results_are_wrong(
    is_down: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    plans = [above("sum"), below("sum")]
    old, new = plans if is_down else plans[::-1]
    monkeypatch.setattr(moving, "move_groups", lambda *_: None)
    wrong = 0
    for seed in range(5):
        arrivals = stream(seed)
        engine = Engine(QUERY, old)
        run(engine, arrivals, 20, lambda: move_state(engine, Box((new,))))  # noqa: B023
        wrong += given_by(engine) != by_definition(arrivals, "sum")
    assert wrong > 0


@pytest.mark.spec("adaptive:MIG-18")
def test_only_what_the_lower_group_by_has_not_given_goes_to_the_join() -> None:
    engine = Engine(QUERY, below("sum"))
    for ts, seq, value in ((0, 1, 5), (0, 2, 6), (1, 3, 7), (1, 4, 8)):
        engine.punctuate(ts - 1)
        engine.push(QUERY.single("B", ts, seq, (seq, 0, value)))
    move_state(engine, Box((above("sum"),)))
    # one partial aggregate of unit 0, and both tuples of unit 1
    assert engine.state_sizes()[tree("A B")] == [0, 3]
    engine.push(QUERY.single("A", 1, 0, (0, 0)))
    engine.punctuate(1)
    assert given_by(engine) == Counter({(1, 0, 26): 1})


@pytest.mark.deep
@pytest.mark.spec("adaptive:MIG-19")
@pytest.mark.parametrize("aggregate", ["count", "sum", "min", "max"])
@examples(8, 100)
@given(SEEDS, st.integers(5, 25), st.booleans())
def test_a_special_group_by_puts_the_shares_of_both_tracks_together(
    aggregate: str, seed: int, at: int, is_down: bool
) -> None:
    arrivals = stream(seed)
    plans = [above(aggregate), below(aggregate)]
    old, new = plans if is_down else plans[::-1]
    engine = Engine(QUERY, old)
    tracks: list[ParallelGroups] = []

    def begin() -> None:
        tracks.append(ParallelGroups(engine, Box((new,))))

    number = 0
    for ts in range(UNTIL):
        for one in (one for one in arrivals if one.ts == ts):
            if number == at:
                begin()
            engine.push(one)
            number += 1
        engine.punctuate(ts)
        if tracks:
            tracks[0].poll()
    assert given_by(engine) == by_definition(arrivals, aggregate)
    if tracks and tracks[0].is_over:
        assert engine.roots == (new,)


@pytest.mark.spec("adaptive:MIG-19")
def test_the_special_group_by_goes_when_nothing_old_is_left() -> None:
    engine = Engine(QUERY, above("sum"))
    arrivals = [one for one in stream(3) if one.ts < 8]
    for ts in range(8):
        for one in (one for one in arrivals if one.ts == ts):
            engine.push(one)
        engine.punctuate(ts)
    track = ParallelGroups(engine, Box((below("sum"),)))
    assert not track.poll()
    for ts in range(8, 20):
        for name in "AB":
            engine.push(QUERY.single(name, ts, 10 * ts, (ts, 0, 1)[: 2 + (name == "B")]))
        engine.punctuate(ts)
        if track.poll():
            break
    assert track.is_over
    assert engine.beside == []
    assert engine.roots == (below("sum"),)


@pytest.mark.spec("adaptive:MIG-19")
def test_without_it_each_plan_gives_its_own_share() -> None:
    arrivals, wrong = stream(5), []
    for order in ("merge", "flush"):
        engine = Engine(QUERY, above("count"))
        new = Box((below("count"),))
        run(engine, arrivals, 20, lambda: ParallelTrack(engine, new, order=order))  # noqa: B023
        wrong.append(given_by(engine) != by_definition(arrivals, "count"))
    assert wrong == [True, True]


@pytest.mark.spec("adaptive:MIG-19")
def test_an_average_is_refused_for_two_tracks() -> None:
    engine = Engine(QUERY, above("avg"))
    with pytest.raises(SlackwaterError, match="MIGRATION_NOT_DISTRIBUTIVE"):
        ParallelGroups(engine, Box((below("avg"),)))
    assert (engine.beside, engine.epoch) == ([], 0)
