"""The baseline that deadlocks, the choice between the others, and small boxes instead of one."""

from __future__ import annotations

from random import Random

import pytest

from slackwater.errors import SlackwaterError
from slackwater.papers.adaptive_zhu2006.operators.box import Box
from slackwater.papers.adaptive_zhu2006.operators.choosing import (
    Demands,
    Measured,
    choose,
    making_units,
)
from slackwater.papers.adaptive_zhu2006.operators.engine import Engine
from slackwater.papers.adaptive_zhu2006.operators.join import JoinParams
from slackwater.papers.adaptive_zhu2006.operators.moving import move_state
from slackwater.papers.adaptive_zhu2006.operators.oracle import expected
from slackwater.papers.adaptive_zhu2006.operators.pausing import pause_drain_resume
from slackwater.papers.adaptive_zhu2006.operators.plan import (
    Condition,
    Plan,
    Project,
    Select,
    Source,
    tree,
)
from slackwater.papers.adaptive_zhu2006.operators.query import Column, Query
from slackwater.papers.adaptive_zhu2006.operators.stepwise import TrackInSteps, move_in_steps
from slackwater.papers.adaptive_zhu2006.operators.windows import Windows
from slackwater.papers.adaptive_zhu2006.operators.work import UnitCost
from slackwater.papers.adaptive_zhu2006.workload import arrivals as arriving
from slackwater.papers.adaptive_zhu2006.workload import set_1
from tests.papers.adaptive_zhu2006.operators.random_plans import (
    LEFT,
    RIGHT,
    chain,
    random_arrivals,
)

OLD, NEW = Box((LEFT,)), Box((RIGHT,))


@pytest.mark.spec("adaptive:MIG-03")
def test_a_plan_without_states_is_exchanged_by_pause_drain_and_resume() -> None:
    query = Query({"A": ("v", "w")}, (), Windows.same(10))
    condition, drop = Condition(Column("A", "v"), "=", 1), frozenset((Column("A", "w"),))
    old: Plan = Select(Project(Source("A"), drop), condition)
    new: Plan = Project(Select(Source("A"), condition), drop)
    arrivals = random_arrivals(Random(1), query, 40)
    engine = Engine(query, old, model="none", seed=3)
    engine.run(arrivals[:20])
    inside = engine.queue_lengths()[1]
    for _ in range(20):
        if not inside:
            engine.operators[old.input].consume(0)
            inside = engine.queue_lengths()[1]
    assert inside > 0  # something to drain
    assert pause_drain_resume(engine, Box((new,))) == 0
    engine.run(arrivals[20:])
    engine.settle()
    assert engine.roots == (new,)
    assert engine.records() == expected(query, arrivals, [condition], drop)


@pytest.mark.spec("adaptive:MIG-03")
def test_with_joins_it_waits_for_ever_or_loses_results() -> None:
    query, missed = chain(), 0
    for seed in range(4):
        arrivals = random_arrivals(Random(seed), query, 80)
        engine = Engine(query, LEFT)
        engine.run(arrivals[:30])
        before = engine.memory()
        with pytest.raises(SlackwaterError, match="MIGRATION_DEADLOCK"):
            pause_drain_resume(engine, NEW)
        assert engine.roots == (LEFT,)
        assert pause_drain_resume(engine, NEW, drops_states=True) == before > 0
        engine.run(arrivals[30:])
        wanted = expected(query, arrivals)
        assert not engine.records() - wanted
        missed += (wanted - engine.records()).total()
    assert missed > 0


def measured(query: Query, rate: float, units_per_ms: float) -> Measured:
    selectivities = dict(zip(query.edges, (0.1, 0.05, 0.02), strict=True))
    return Measured(dict.fromkeys("ABCD", rate), selectivities, units_per_ms)


@pytest.mark.spec("adaptive:MIG-27")
def test_what_moving_costs_is_reckoned_from_rates_and_is_near_what_it_does() -> None:
    query = set_1(1000).query
    # S_BC: 100 pairs and 5 rows; S_BCD: 50 pairs and 1 row
    assert making_units(query, OLD, NEW, measured(query, 10, 1)) == pytest.approx(156)
    assert making_units(query, NEW, NEW, measured(query, 10, 1)) == 0
    for window in (2000, 5000):
        load = set_1(window)
        engine = Engine(load.query, LEFT, joins=JoinParams("hash", charged="nested"))
        engine.run(arriving(load, 4 * window, 3))
        before = UnitCost().of(engine.work)
        move_state(engine, NEW)
        done = UnitCost().of(engine.work) - before
        model = making_units(load.query, OLD, NEW, measured(load.query, 10, 1))
        assert 0.6 < done / model < 1.6


@pytest.mark.spec("adaptive:MIG-27")
def test_the_shorter_strategy_is_chosen_and_large_windows_turn_it_around() -> None:
    found = []
    for window in (500, 1000, 2000, 5000, 10_000):
        query = set_1(window).query
        one = choose(query, OLD, NEW, measured(query, 10, 0.5), Demands())
        assert one.track_ms == 2 * window
        assert (one.strategy == "moving") is (one.moving_ms <= one.track_ms)
        found.append(one.strategy)
    assert found == sorted(found)
    assert set(found) == {"moving", "parallel"}


@pytest.mark.spec("adaptive:MIG-27")
def test_aggregates_unknown_states_and_smooth_output_decide_before_lengths() -> None:
    query = set_1(500).query
    now = measured(query, 10, 10)
    assert choose(query, OLD, NEW, now, Demands()).strategy == "moving"
    smooth = choose(query, OLD, NEW, now, Demands(is_smooth=True))
    assert (smooth.strategy, smooth.why) == ("parallel", "smooth output")
    unknown = choose(query, OLD, NEW, now, Demands(has_unknown_states=True))
    assert (unknown.strategy, unknown.why) == ("parallel", "unknown states")
    sums = choose(query, OLD, NEW, now, Demands(True, frozenset(("sum",))))
    assert sums.strategy == "parallel"
    means = choose(query, OLD, NEW, now, Demands(True, frozenset(("sum", "avg"))))
    assert (means.strategy, means.why) == ("moving", "aggregate")
    with pytest.raises(SlackwaterError, match="MIGRATION_IMPOSSIBLE"):
        choose(query, OLD, NEW, now, Demands(False, frozenset(("avg",)), True))


# AB and BC change places, then AB and CD: boxes of two joins that share the join with A
ENDS = tree("((B C) D) A")
OVERLAPPING = (
    (Box((tree("(A B) C"),)), Box((tree("(B C) A"),))),
    (Box((tree("((B C) A) D"),), (tree("B C"),)), Box((ENDS,), (tree("B C"),))),
)
SIX = tree("((A B) C) ((D E) F)")
SIX_ENDS = tree("(A (B C)) (D (E F))")
APART = (
    (Box((tree("(A B) C"),)), Box((tree("A (B C)"),))),
    (Box((tree("(D E) F"),)), Box((tree("D (E F)"),))),
)
CASES = pytest.mark.parametrize(
    ("start", "end", "steps", "names"),
    [(LEFT, ENDS, OVERLAPPING, "ABCD"), (SIX, SIX_ENDS, APART, "ABCDEF")],
    ids=["overlapping", "apart"],
)


@CASES
@pytest.mark.spec("adaptive:MIG-28")
def test_moving_by_small_boxes_makes_the_same_states_as_one_big_box(
    start: Plan, end: Plan, steps: tuple, names: str
) -> None:
    query = chain(names=names)
    for seed in range(3):
        arrivals = random_arrivals(Random(seed), query, 120)
        made, results = [], []
        for is_big in (True, False):
            engine = Engine(query, start)
            engine.run(arrivals[:60])
            whole = ((Box((start,)), Box((end,))),)
            done = move_in_steps(engine, whole if is_big else steps)
            made.append(sum(one.made_rows for one in done))
            assert engine.roots == (end,)
            engine.run(arrivals[60:])
            results.append(engine.records())
        calm = Engine(query, start)
        calm.run(arrivals)
        assert results == [calm.records()] * 2
        assert made[0] == made[1]


@CASES
@pytest.mark.spec("adaptive:MIG-28")
def test_parallel_track_takes_longer_by_small_boxes_and_loses_nothing(
    start: Plan, end: Plan, steps: tuple, names: str
) -> None:
    query = chain(names=names)
    lengths = {True: 0, False: 0}
    for seed in range(3):
        arrivals = random_arrivals(Random(seed), query, 200)
        calm = Engine(query, start)
        calm.run(arrivals)
        for is_big in lengths:
            engine = Engine(query, start)
            engine.run(arrivals[:60])
            whole = ((Box((start,)), Box((end,))),)
            track = TrackInSteps(engine, whole if is_big else steps)
            for one in arrivals[60:]:
                engine.push(one)
                lengths[is_big] += not track.poll()
            assert track.is_over
            assert engine.roots == (end,)
            assert engine.records() == calm.records()
    assert lengths[False] > 1.3 * lengths[True]
