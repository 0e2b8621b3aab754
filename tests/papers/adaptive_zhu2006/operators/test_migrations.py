"""A migration changes no result: any plans, any moment, both strategies, all execution models."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.errors import SlackwaterError
from slackwater.papers.adaptive_zhu2006.operators.box import Box, check_equivalent
from slackwater.papers.adaptive_zhu2006.operators.engine import Engine
from slackwater.papers.adaptive_zhu2006.operators.join import JoinParams
from slackwater.papers.adaptive_zhu2006.operators.matching import Place, by_schema
from slackwater.papers.adaptive_zhu2006.operators.moving import move_state
from slackwater.papers.adaptive_zhu2006.operators.oracle import expected
from slackwater.papers.adaptive_zhu2006.operators.parallel import ParallelTrack
from slackwater.papers.adaptive_zhu2006.operators.plan import inputs_of, tree
from slackwater.papers.adaptive_zhu2006.operators.row import Row
from tests.examples import examples
from tests.papers.adaptive_zhu2006.operators.random_plans import (
    LEFT,
    RIGHT,
    chain,
    random_arrivals,
    random_plan,
    random_query,
)

SEEDS = st.integers(0, 10**9)


def run_polled(engine: Engine, arrivals: list, track: ParallelTrack) -> None:
    for one in arrivals:
        engine.run([one])
        track.poll()
    engine.finish()
    if not track.is_over:
        track.end()
    engine.settle()


@pytest.mark.deep
@pytest.mark.spec(
    "adaptive:SUB-09",
    "adaptive:SUB-10",
    "adaptive:SUB-11",
    "adaptive:SUB-16",
    "adaptive:SUB-17",
    "adaptive:SUB-19",
)
@examples(30, 300)
@given(SEEDS, st.integers(2, 5), st.sampled_from(["total", "semi", "none"]))
def test_every_plan_gives_the_results_by_definition_in_every_model(
    seed: int, streams: int, model: str
) -> None:
    random = Random(seed)
    query = random_query(random, streams)
    arrivals = random_arrivals(random, query)
    plan = random_plan(random, sorted(query.columns))
    purge = "min-max" if model == "none" else random.choice(["max", "tight", "min-max"])
    joins = JoinParams(random.choice(["nested", "hash"]), purge)
    engine = Engine(query, plan, model=model, joins=joins, seed=seed)
    engine.run(arrivals)
    engine.finish()
    assert engine.records() == expected(query, arrivals)


@pytest.mark.deep
@pytest.mark.spec("adaptive:MIG-06", "adaptive:MIG-07")
@pytest.mark.spec("adaptive:MIG-09", "adaptive:MIG-25", "adaptive:MIG-26")
@examples(40, 400)
@given(SEEDS, st.integers(2, 5), st.sampled_from(["share", "copy"]))
def test_moving_state_changes_no_result_however_often_and_between_any_plans(
    seed: int, streams: int, moving: str
) -> None:
    random = Random(seed)
    query = random_query(random, streams)
    arrivals = random_arrivals(random, query)
    names = sorted(query.columns)
    engine = Engine(query, random_plan(random, names))
    for number, one in enumerate(arrivals):
        if number % 15 == 8:
            move_state(engine, Box((random_plan(random, names),)), moving=moving)
        engine.run([one])
    engine.finish()
    assert engine.records() == expected(query, arrivals)


@pytest.mark.deep
@pytest.mark.spec("adaptive:MIG-11", "adaptive:MIG-13", "adaptive:MIG-26")
@examples(40, 400)
@given(
    SEEDS,
    st.integers(2, 5),
    st.sampled_from(["total", "semi", "none"]),
    st.sampled_from(["flush", "merge"]),
)
def test_parallel_track_changes_no_result_in_any_model(
    seed: int, streams: int, model: str, order: str
) -> None:
    random = Random(seed)
    query = random_query(random, streams)
    arrivals = random_arrivals(random, query)
    names = sorted(query.columns)
    engine = Engine(query, random_plan(random, names), model=model, seed=seed)
    engine.run(arrivals[:25])
    track = ParallelTrack(engine, Box((random_plan(random, names),)), order=order)
    run_polled(engine, arrivals[25:], track)
    assert engine.records() == expected(query, arrivals)


@pytest.mark.spec("adaptive:MIG-05", "adaptive:MIG-07")
def test_the_example_matches_inputs_by_schema_and_makes_what_the_new_box_lacks() -> None:
    query = chain()
    matches = by_schema(Box((LEFT,)), Box((RIGHT,)), query)
    bcd = inputs_of(RIGHT)[1]
    bc = inputs_of(bcd)[0]
    assert set(matches) == {Place(RIGHT, 0), Place(bc, 0), Place(bc, 1), Place(bcd, 1)}
    engine = Engine(query, LEFT)
    engine.run(random_arrivals(Random(3), query))
    done = move_state(engine, Box((RIGHT,)))
    assert done.made == [Place(bcd, 0), Place(RIGHT, 1)]
    assert len(done.dropped) == 2  # S_AB, S_ABC
    # an m-way child: S_BCD of (B C D) is made from three states at once
    done = move_state(engine, Box((tree("(B C D) A"),)))
    assert done.made == []
    move_state(engine, Box((tree("A B C D"),)))
    assert len(move_state(engine, Box((tree("(B C D) A"),))).made) == 1


@pytest.mark.spec("adaptive:MIG-10")
def test_without_recomputation_results_are_missed_and_none_is_wrong() -> None:
    query, missed = chain(), 0
    for seed in range(5):
        arrivals = random_arrivals(Random(seed), query)
        engine = Engine(query, LEFT)
        engine.run(arrivals[:30])
        move_state(engine, Box((RIGHT,)), recompute=False)
        engine.run(arrivals[30:])
        wanted = expected(query, arrivals)
        assert not engine.records() - wanted
        missed += (wanted - engine.records()).total()
    assert missed > 0


def parallel(seed: int, suppression: str) -> tuple[Engine, list[Row]]:
    query = chain()
    arrivals = random_arrivals(Random(seed), query, 80)
    engine = Engine(query, LEFT)
    engine.run(arrivals[:30])
    track = ParallelTrack(engine, Box((RIGHT,)), suppression=suppression)
    run_polled(engine, arrivals[30:], track)
    return engine, arrivals


@pytest.mark.spec("adaptive:MIG-11", "adaptive:MIG-02")
def test_suppressing_below_the_root_loses_what_is_new_below_and_old_above() -> None:
    lost = set()
    for seed in range(8):
        engine, arrivals = parallel(seed, "everywhere")
        right, _ = parallel(seed, "root")
        wanted = expected(engine.query, arrivals)
        assert right.records() == wanted
        assert not engine.records() - wanted
        missing = wanted - engine.records()
        lost |= {cases(row) for row in right.results[0] if row.record in missing}
    # new A and B with an old C or D; new A, B and C with an old D: cases 8, 14, 15
    assert {"NNOO", "NNON", "NNNO"} & lost
    assert lost <= {"NNOO", "NNON", "NNNO"}


@pytest.mark.spec("adaptive:MIG-11", "adaptive:MIG-02")
def test_without_suppression_exactly_the_all_new_results_of_the_old_box_come_twice() -> None:
    doubled = 0
    for seed in range(5):
        engine, arrivals = parallel(seed, "nowhere")
        wanted = expected(engine.query, arrivals)
        assert not wanted - engine.records()
        twice = engine.records() - wanted
        assert {cases(row) for row in engine.results[0] if row.record in twice} <= {"NNNN"}
        doubled += twice.total()
    assert doubled > 0


@pytest.mark.spec("adaptive:MIG-02")
def test_all_sixteen_cases_of_old_and_new_come_out() -> None:
    seen: set[str] = set()
    for seed in range(20):
        engine, _ = parallel(seed, "root")
        seen |= {cases(row) for row in engine.results[0]}
    assert len(seen) == 16


def cases(row: Row) -> str:
    return "".join("N" if row.parts[name].epoch else "O" for name in "ABCD")


@pytest.mark.spec("adaptive:MIG-12")
def test_held_back_results_come_out_of_order_unless_they_are_merged() -> None:
    disordered = {}
    for order in ("flush", "merge"):
        disordered[order] = 0
        for seed in range(12):
            query = chain()
            arrivals = random_arrivals(Random(seed), query, 80)
            engine = Engine(query, LEFT)
            engine.run(arrivals[:30])
            track = ParallelTrack(engine, Box((RIGHT,)), order=order)
            run_polled(engine, arrivals[30:], track)
            times = [row.max_ts for row in engine.results[0]]
            disordered[order] += sum(a > b for a, b in pairwise(times))
            assert engine.records() == expected(query, arrivals)
    assert disordered["merge"] == 0 < disordered["flush"]


@pytest.mark.spec("adaptive:MIG-13")
def test_the_monitor_ends_only_when_all_flags_are_set_in_one_scan() -> None:
    query = chain()
    arrivals = random_arrivals(Random(1), query, 80)
    engine = Engine(query, LEFT)
    engine.run(arrivals[:30])
    track = ParallelTrack(engine, Box((RIGHT,)))
    partly = 0
    for one in arrivals[30:]:
        engine.run([one])
        flags = list(track.flags().values())
        partly += any(flags) and not all(flags)
        assert track.poll() == all(flags)
        if track.is_over:
            break
    assert track.is_over
    assert partly > 0
    assert not engine.beside
    assert track.held() == 0


@pytest.mark.spec("adaptive:MIG-01")
@pytest.mark.parametrize("strategy", ["moving", "parallel"])
def test_a_part_of_a_plan_is_exchanged_under_the_operators_above_it(strategy: str) -> None:
    query = chain()
    for seed in range(4):
        arrivals = random_arrivals(Random(seed), query, 80)
        below, above = tree("(A B) C"), tree("((A B) C) D")
        engine = Engine(query, above)
        engine.run(arrivals[:30])
        top = engine.operators[above]
        new, old = Box((tree("A (B C)"),)), Box((below,))
        if strategy == "moving":
            move_state(engine, new, old=old)
            engine.run(arrivals[30:])
        else:
            with pytest.raises(SlackwaterError, match="MIGRATION_ORDER_LOST"):
                ParallelTrack(Engine(query, above), new, old=old)
            track = ParallelTrack(engine, new, old=old, order="merge")
            run_polled(engine, arrivals[30:], track)
        assert top in engine.operators.values()
        assert engine.roots == (tree("(A (B C)) D"),)
        assert engine.records() == expected(query, arrivals)


@pytest.mark.spec("adaptive:MIG-01")
@pytest.mark.parametrize("strategy", ["moving", "parallel"])
def test_a_box_may_have_several_roots_over_shared_operators(strategy: str) -> None:
    query = chain(names="ABC")
    old = (tree("A B"), tree("(A B) C"))
    new = (tree("A B"), tree("A (B C)"))
    for seed in range(4):
        arrivals = random_arrivals(Random(seed), query, 80)
        engine, calm = Engine(query, *old), Engine(query, *old)
        assert len(engine.operators) == 2  # A B is one operator for both
        calm.run(arrivals)
        engine.run(arrivals[:30])
        if strategy == "moving":
            move_state(engine, Box(new))
            engine.run(arrivals[30:])
        else:
            run_polled(engine, arrivals[30:], ParallelTrack(engine, Box(new)))
        assert [engine.records(n) for n in (0, 1)] == [calm.records(n) for n in (0, 1)]


@pytest.mark.spec("adaptive:MIG-01")
def test_boxes_that_differ_in_inputs_or_meaning_are_refused() -> None:
    query = chain()
    check_equivalent(Box((LEFT,)), Box((RIGHT,)), query)
    with pytest.raises(SlackwaterError, match="MIGRATION_BOX_DIFFERENT"):
        check_equivalent(Box((LEFT,)), Box((tree("(A B) C"),)), query)
    with pytest.raises(SlackwaterError, match="MIGRATION_BOX_DIFFERENT"):
        check_equivalent(Box((LEFT,)), Box((LEFT,), (tree("A B"),)), query)
