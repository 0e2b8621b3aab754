"""A group-by below a join by a key, by foreign key: on its way there a second one is needed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.errors import SlackwaterError
from slackwater.papers.adaptive_zhu2006.operators.box import Box
from slackwater.papers.adaptive_zhu2006.operators.engine import Engine
from slackwater.papers.adaptive_zhu2006.operators.key_moving import PushDown, pull_up
from slackwater.papers.adaptive_zhu2006.operators.plan import (
    Group,
    KeyJoin,
    Source,
    tree,
)
from slackwater.papers.adaptive_zhu2006.operators.query import Column, Query, edges
from slackwater.papers.adaptive_zhu2006.operators.row import Single
from slackwater.papers.adaptive_zhu2006.operators.special_group import ParallelGroups
from slackwater.papers.adaptive_zhu2006.operators.windows import Windows
from tests.examples import examples
from tests.papers.adaptive_zhu2006.operators.test_grouping import AGGREGATE, BY_HAND, given_by

SEEDS = st.integers(0, 10**9)
WINDOW, UNTIL = 4, 24
# AStream(aid, a2), BStream(bid, aid, b3); A.aid = B.aid, grouped by B.aid (key, foreign key)
QUERY = Query(
    {"A": ("aid", "a2"), "B": ("bid", "aid", "b3")}, edges("A.aid=B.aid"), Windows.same(WINDOW)
)
KEY, VALUE = Column("B", "aid"), Column("B", "b3")


def above(aggregate: str) -> Group:
    return Group(tree("A B"), (KEY,), VALUE, aggregate, counts="oldest")


def below(aggregate: str) -> KeyJoin:
    return KeyJoin((Source("A"), Group(Source("B"), (KEY,), VALUE, aggregate, "sliding")))


def stream(seed: int) -> list[Single]:
    """Every key once in A; tuples of B whose key was there, is there, or comes later."""
    random, found, key = Random(seed), [], 0
    for ts in range(UNTIL):
        units: list[tuple[str, tuple[int, ...]]] = []
        for _ in range(random.randint(0, 1)):
            units.append(("A", (key, 0)))
            key += 1
        for number in range(random.randint(0, 5)):
            wanted = max(0, key + random.randint(-3, 2))
            units.append(("B", (10 * ts + number, wanted, random.randint(-5, 9))))
        random.shuffle(units)
        found += [QUERY.single(s, ts, 10 * ts + n, v) for n, (s, v) in enumerate(units)]
    return found


def by_definition(arrivals: list[Single], aggregate: str) -> Counter:
    """For every unit the groups of the pairs that are in the window when it is over."""
    found: Counter = Counter()
    for ts in range(UNTIL):
        inside = [one for one in arrivals if ts - WINDOW < one.ts <= ts]
        keys = {one.value("aid") for one in inside if one.stream == "A"}
        groups: dict[object, list[int]] = {}
        for one in inside:
            if one.stream == "B" and one.value("aid") in keys:
                groups.setdefault(one.value("aid"), []).append(one.value("b3"))
        for key, values in groups.items():
            found[ts, key, BY_HAND[aggregate](values)] += 1
    return found


def run(
    engine: Engine,
    arrivals: list[Single],
    acts: dict[int, Callable[[], object]],
    after: Callable[[], object] = lambda: None,
) -> None:
    """Units one after the other; something is done before the tuples of some numbers."""
    number = 0
    for ts in range(UNTIL):
        for one in (one for one in arrivals if one.ts == ts):
            acts.get(number, lambda: None)()
            engine.push(one)
            after()
            number += 1
        engine.punctuate(ts)


@AGGREGATE
@pytest.mark.deep
@pytest.mark.spec("adaptive:MIG-20")
@examples(4, 60)
@given(SEEDS)
def test_one_group_by_below_a_join_by_a_key_gives_what_one_above_gives(
    aggregate: str, seed: int
) -> None:
    arrivals = stream(seed)
    for plan in (above(aggregate), below(aggregate)):
        engine = Engine(QUERY, plan)
        run(engine, arrivals, {})
        assert given_by(engine) == by_definition(arrivals, aggregate)


@pytest.mark.spec("adaptive:MIG-20")
def test_if_a_pair_counts_from_its_newest_tuple_on_it_does_not() -> None:
    """b meets a; then a leaves the window, and the pair would count on."""
    newest = Group(tree("A B"), (KEY,), VALUE)
    found = []
    for plan in (newest, above("sum"), below("sum")):
        engine = Engine(QUERY, plan)
        arrivals = [QUERY.single("A", 0, 0, (7, 0)), QUERY.single("B", 2, 0, (0, 7, 5))]
        run(engine, arrivals, {})
        found.append(sorted(ts for ts, *_ in given_by(engine)))
    assert found == [[2, 3, 4, 5], [2, 3], [2, 3]]


@AGGREGATE
@pytest.mark.deep
@pytest.mark.spec("adaptive:MIG-20")
@examples(4, 60)
@given(SEEDS, st.integers(3, 60))
def test_on_its_way_down_a_temporary_group_by_keeps_all_results_right(
    aggregate: str, seed: int, at: int
) -> None:
    arrivals, moves = stream(seed), []
    engine = Engine(QUERY, above(aggregate))
    run(
        engine,
        arrivals,
        {at: lambda: moves.append(PushDown(engine, below(aggregate)))},
        lambda: moves and moves[0].poll(),
    )
    assert given_by(engine) == by_definition(arrivals, aggregate)
    if moves and moves[0].is_over:
        assert engine.roots == (below(aggregate),)
        assert [type(one.node) for one in engine.running] == [Group, KeyJoin]


@pytest.mark.spec("adaptive:MIG-20")
def test_without_it_old_tuples_are_missing_from_their_groups() -> None:
    wrong = 0
    for seed in range(5):
        arrivals = stream(seed)
        engine = Engine(QUERY, above("sum"))
        act = lambda: PushDown(engine, below("sum"), is_collected=False)  # noqa: E731, B023
        run(engine, arrivals, {20: act})
        found, wanted = given_by(engine), by_definition(arrivals, "sum")
        changed = arrivals[20].ts if len(arrivals) > 20 else UNTIL
        late = changed + 2 * WINDOW
        assert {r: n for r, n in found.items() if r[0] < changed} == {
            r: n for r, n in wanted.items() if r[0] < changed
        }
        assert {r: n for r, n in found.items() if r[0] >= late} == {
            r: n for r, n in wanted.items() if r[0] >= late
        }
        wrong += found != wanted
    assert wrong == 5


@pytest.mark.spec("adaptive:MIG-20")
def test_a_tuple_without_a_partner_meets_it_after_the_migration() -> None:
    """Key 7: one tuple of B before the migration, its partner and another one after it."""
    given_results = {}
    for is_collected in (True, False):
        engine = Engine(QUERY, above("sum"))
        engine.push(QUERY.single("B", 0, 0, (0, 7, 5)))
        engine.punctuate(0)
        move = PushDown(engine, below("sum"), is_collected=is_collected)
        engine.push(QUERY.single("A", 1, 0, (7, 0)))
        engine.push(QUERY.single("B", 1, 1, (1, 7, 3)))
        engine.punctuate(1)
        given_results[is_collected] = given_by(engine)
        assert move.poll() is not is_collected  # the old tuple is in the state of the join
    assert given_results[True] == Counter({(1, 7, 8): 1})
    # each on its own: the old pair, and the aggregate of what is new
    assert given_results[False] == Counter({(1, 7, 5): 1, (1, 7, 3): 1})


@pytest.mark.spec("adaptive:MIG-20")
def test_it_goes_when_the_old_tuples_are_purged_from_the_join() -> None:
    engine = Engine(QUERY, above("sum"))
    engine.push(QUERY.single("A", 0, 0, (7, 0)))
    engine.push(QUERY.single("B", 0, 0, (0, 7, 5)))
    move = PushDown(engine, below("sum"))
    ended = None
    for ts in range(12):
        engine.push(QUERY.single("A", ts, ts + 1, (ts + 10, 0)))
        engine.push(QUERY.single("B", ts, ts + 1, (ts + 1, ts + 10, 1)))
        engine.punctuate(ts)
        if move.poll() and ended is None:
            ended = ts
    assert ended == WINDOW + 1  # the first unit whose tuples of A are past the window of the old
    assert engine.roots == (below("sum"),)


@AGGREGATE
@pytest.mark.deep
@pytest.mark.spec("adaptive:MIG-20")
@examples(4, 60)
@given(SEEDS, st.integers(3, 60))
def test_it_comes_back_above_the_join_with_the_pairs_that_are_there(
    aggregate: str, seed: int, at: int
) -> None:
    arrivals = stream(seed)
    engine = Engine(QUERY, below(aggregate))
    run(engine, arrivals, {at: lambda: pull_up(engine, above(aggregate))})
    assert given_by(engine) == by_definition(arrivals, aggregate)


@pytest.mark.deep
@pytest.mark.spec("adaptive:MIG-19", "adaptive:MIG-20")
@pytest.mark.parametrize("aggregate", ["count", "sum", "min", "max"])
@examples(4, 60)
@given(SEEDS, st.integers(3, 25))
def test_on_two_tracks_a_special_group_by_is_enough_as_elsewhere(
    aggregate: str, seed: int, at: int
) -> None:
    arrivals, tracks = stream(seed), []
    engine = Engine(QUERY, above(aggregate))
    run(
        engine,
        arrivals,
        {at: lambda: tracks.append(ParallelGroups(engine, Box((below(aggregate),))))},
        lambda: tracks and tracks[0].poll(),
    )
    assert given_by(engine) == by_definition(arrivals, aggregate)
    if tracks and tracks[0].is_over:
        assert engine.roots == (below(aggregate),)


def test_what_is_no_group_by_above_a_join_by_its_key_is_refused() -> None:
    by_other = Group(Source("B"), (Column("B", "bid"),), VALUE, "sum", "sliding")
    olds = (tree("A B"), Group(tree("A B"), (KEY,), VALUE), above("max"), above("sum"))
    news = (*(below("sum"),) * 3, KeyJoin((Source("A"), by_other)))
    for old, new in zip(olds, news, strict=True):
        engine = Engine(QUERY, old)
        with pytest.raises(SlackwaterError, match="MIGRATION_BOX_DIFFERENT"):
            PushDown(engine, new)
        assert engine.roots == (old,)
    for old, new in ((above("sum"), above("sum")), (below("max"), above("sum"))):
        engine = Engine(QUERY, old)
        with pytest.raises(SlackwaterError, match="MIGRATION_BOX_DIFFERENT"):
            pull_up(engine, new)
        assert engine.roots == (old,)
