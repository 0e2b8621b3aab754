"""Moving state where operators are at different times: cuts, what is put back, what is lost."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.errors import SlackwaterError
from slackwater.papers.adaptive_zhu2006.operators.box import Box
from slackwater.papers.adaptive_zhu2006.operators.closure import unclosed
from slackwater.papers.adaptive_zhu2006.operators.engine import Engine
from slackwater.papers.adaptive_zhu2006.operators.moving import move_state
from slackwater.papers.adaptive_zhu2006.operators.oracle import expected
from slackwater.papers.adaptive_zhu2006.operators.plan import tree
from slackwater.papers.adaptive_zhu2006.operators.synchronising import localise, synchronise
from tests.examples import examples
from tests.papers.adaptive_zhu2006.operators.random_plans import (
    LEFT,
    RIGHT,
    chain,
    random_arrivals,
    random_plan,
    random_query,
)
from tests.papers.adaptive_zhu2006.operators.test_drain_and_closure import NEW, ahead

SEEDS = st.integers(0, 10**9)
LOST = (("A", 1), ("B", 1), ("C", 2))


@pytest.mark.spec("adaptive:MIG-23", "adaptive:MIG-21")
@pytest.mark.parametrize("cut", ["none", "now", "smallest"])
def test_the_counter_example_loses_a_result_unless_the_box_is_synchronised(cut: str) -> None:
    engine = ahead()
    if cut != "none":
        assert synchronise(engine, is_smallest=cut == "smallest") == 4
        assert unclosed(engine, Box((NEW,))) == []
    move_state(engine, Box((NEW,)))
    engine.finish()
    assert (LOST in [row.identity for row in engine.results[0]]) is (cut != "none")


@pytest.mark.deep
@pytest.mark.spec("adaptive:MIG-21")
@examples(40, 400)
@given(SEEDS, st.integers(2, 4), st.sampled_from(["semi", "none"]), st.booleans())
def test_after_a_cut_by_punctuations_states_move_without_loss(
    seed: int, streams: int, model: str, is_smallest: bool
) -> None:
    random = Random(seed)
    query = random_query(random, streams)
    arrivals = random_arrivals(random, query)
    names = sorted(query.columns)
    engine = Engine(query, random_plan(random, names), model=model, seed=seed)
    for number, one in enumerate(arrivals):
        if number in (25, 40):
            synchronise(engine, is_smallest=is_smallest)
            new = Box((random_plan(random, names),))
            assert unclosed(engine, new) == []
            move_state(engine, new)
        engine.run([one])
    engine.finish()
    assert engine.records() == expected(query, arrivals)


@pytest.mark.spec("adaptive:MIG-21")
def test_the_smallest_cut_leaves_later_tuples_where_they_wait() -> None:
    query, left = chain(), {}
    arrivals = random_arrivals(Random(2), query)
    for is_smallest in (False, True):
        engine = Engine(query, LEFT, model="semi")
        for one in arrivals[:30]:
            engine.push(one)
        cut = synchronise(engine, is_smallest=is_smallest)
        first = max(min(a.ts for a in arrivals if a.stream == name) for name in "ABCD")
        assert cut == (first if is_smallest else arrivals[29].ts)
        left[is_smallest] = engine.queue_lengths()[0]
        move_state(engine, Box((RIGHT,)))
        engine.run(arrivals[30:])
        engine.finish()
        assert engine.records() == expected(query, arrivals)
    assert left[False] == 0 < left[True]


def unsynchronised(seed: int, *, is_local: bool) -> tuple[int, int, list[int]]:
    """A run with a migration: results that it missed, wrong ones, and rows put back."""
    random = Random(seed)
    query = random_query(random, random.randint(3, 4), window=4)
    arrivals = random_arrivals(random, query)
    names = sorted(query.columns)
    engine = Engine(query, random_plan(random, names), model="none", seed=seed)
    back = []
    for number, one in enumerate(arrivals):
        if number in (25, 40):
            new = Box((random_plan(random, names),))
            if is_local:
                back.append(localise(engine, new))
                assert localise(engine, new) == 0  # each is put back once
            move_state(engine, new)
        engine.run([one])
    engine.finish()
    wanted = expected(query, arrivals)
    missed, wrong = wanted - engine.records(), engine.records() - wanted
    return missed.total(), wrong.total(), back


@pytest.mark.deep
@pytest.mark.spec("adaptive:MIG-22")
@examples(40, 400)
@given(SEEDS)
def test_what_is_put_back_locally_makes_up_for_what_was_purged(seed: int) -> None:
    assert unsynchronised(seed, is_local=True)[:2] == (0, 0)


@pytest.mark.spec("adaptive:MIG-22", "adaptive:MIG-23")
def test_without_putting_anything_back_results_are_lost() -> None:
    runs = [unsynchronised(seed, is_local=False) for seed in range(60)]
    assert sum(missed for missed, _, _ in runs) > 0
    assert sum(sum(unsynchronised(seed, is_local=True)[2]) for seed in range(20)) > 0


@pytest.mark.spec("adaptive:MIG-22")
def test_a_combination_that_was_purged_is_put_back_into_a_state_that_matches() -> None:
    query, old = chain(window=2), LEFT
    engine = Engine(query, old, model="none")
    arrivals = [
        query.single(name, ts, ts, (0,) * len(query.columns[name]))
        for name, ts in (("A", 1), ("B", 1), ("C", 1), ("D", 2), ("C", 10))
    ]
    for one in arrivals:
        engine.push(one)
    low, middle, top = engine.operators.values()
    for operator, port in ((low, 0), (low, 1), (middle, 0), (middle, 1), (middle, 1), (top, 0)):
        operator.consume(port)
    assert [len(state) for state in middle.states] == [0, 2]  # C 10 has purged AB, D 2 waits
    new = Box((tree("((A B) D) C"),))
    assert localise(engine, new) == 1
    move_state(engine, new)
    engine.settle()
    assert engine.records() == expected(query, arrivals)
    assert len(engine.results[0]) == 1


@pytest.mark.spec("adaptive:MIG-22")
def test_a_semi_synchronised_box_is_not_synchronised_locally() -> None:
    with pytest.raises(SlackwaterError, match="MIGRATION_DRAIN_BLOCKED"):
        localise(ahead(), Box((NEW,)))
