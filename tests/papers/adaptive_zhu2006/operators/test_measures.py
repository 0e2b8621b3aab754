"""What is measured of a run: rates, selectivities, states, queues, results, memory, work, gaps."""

from __future__ import annotations

import pytest

from slackwater.papers.adaptive_zhu2006.operators.box import Box
from slackwater.papers.adaptive_zhu2006.operators.digest import Digest
from slackwater.papers.adaptive_zhu2006.operators.engine import Engine
from slackwater.papers.adaptive_zhu2006.operators.heuristic import selectivities
from slackwater.papers.adaptive_zhu2006.operators.join import JoinParams
from slackwater.papers.adaptive_zhu2006.operators.measures import bytes_kept, rates
from slackwater.papers.adaptive_zhu2006.operators.moving import move_state
from slackwater.papers.adaptive_zhu2006.operators.plan import tree
from slackwater.papers.adaptive_zhu2006.operators.row import Row
from slackwater.papers.adaptive_zhu2006.operators.work import UnitCost
from slackwater.papers.adaptive_zhu2006.timed import (
    TimedRun,
    check_undisturbed,
    run_timed,
    throughput_ratio,
)
from slackwater.papers.adaptive_zhu2006.workload import Load, arrivals
from tests.papers.adaptive_zhu2006.operators.random_plans import chain

OLD, LOW = tree("(A B) C"), tree("A B")
LOAD = Load.steady(1000, (20, 40, 50), (0.2, 0.1))


def pushed(*streams: str, model: str = "total") -> Engine:
    """Tuples with equal keys, a millisecond apart."""
    query = chain(window=100, names="ABC")
    engine = Engine(query, OLD, model=model)
    for ts, stream in enumerate(streams):
        engine.push(query.single(stream, ts, ts, (0,) * len(query.columns[stream])))
    return engine


@pytest.mark.spec("adaptive:MET-01", "adaptive:MET-02")
def test_rates_and_selectivities_are_measured_from_the_tuples_of_a_while() -> None:
    stream = arrivals(LOAD, 20_000, 5)
    recent = [one for one in stream if one.ts >= 10_000]
    found = rates(recent, 10_000)
    assert found == {s: sum(one.stream == s for one in recent) / 10 for s in "ABC"}
    assert found == pytest.approx({"A": 50, "B": 25, "C": 20}, rel=0.2)
    query = LOAD.query
    for edge, value in selectivities(query, recent).items():
        left, right = (
            [one.value(end.name) for one in recent if one.stream == end.stream]
            for end in (edge.left, edge.right)
        )
        matches = sum(a == b for a in left for b in right)
        assert value == pytest.approx(matches / (len(left) * len(right)))
    assert list(selectivities(query, recent).values()) == pytest.approx([0.2, 0.1], rel=0.2)


@pytest.mark.spec("adaptive:MET-03", "adaptive:MET-07", "adaptive:MET-08")
def test_states_intermediate_rows_and_memory_are_counted() -> None:
    engine = pushed("A", "A", "B", "B", "C")
    assert engine.state_sizes() == {LOW: [2, 2], OLD: [4, 1]}
    assert engine.intermediate() == 4
    assert engine.memory() == 9
    # words: columns and a time for each of 2 A (v, k0), 2 B (v, k0, k1), 4 AB and 1 C (v, k1)
    assert bytes_kept(engine) == 8 * (2 * 3 + 2 * 4 + 4 * 7 + 3)


@pytest.mark.spec("adaptive:MET-04", "adaptive:MET-07")
def test_queues_before_the_plan_and_inside_it_are_counted_apart() -> None:
    engine = pushed("A", "A", "B", "C", "C", "C", model="none")
    assert engine.queue_lengths() == (3, 0)  # the longest input queue
    low = engine.operators[LOW]
    for port in (0, 0, 1):
        low.consume(port)
    assert engine.queue_lengths() == (3, 2)
    assert engine.intermediate() == 2  # none is kept yet, two wait
    engine.settle()
    assert engine.queue_lengths() == (0, 0)
    assert len(engine.results[0]) == 6


@pytest.mark.spec("adaptive:MET-05", "adaptive:MET-06", "adaptive:MET-09")
def test_results_over_time_and_work_in_units_and_in_time_belong_together() -> None:
    stream = arrivals(LOAD, 4_000, 1)
    engine = Engine(LOAD.query, OLD, joins=JoinParams("hash", charged="nested"))
    run = run_timed(engine, stream, 50.0, lambda _: None, until=1e9)
    assert run.results_until(run.end) == run.digest.count > 0
    halves = [run.output_rate(0, 2000), run.output_rate(2000, 4000)]
    assert sum(halves) * 2 == run.results_until(4000)
    assert run.units == UnitCost().of(engine.work)
    assert run.units == engine.work.probed + engine.work.inserted + engine.work.purged
    assert run.busy == pytest.approx(run.units / 50)
    calm = Engine(LOAD.query, OLD, joins=JoinParams("hash"))
    calm.run(stream)
    assert len(calm.results[0]) == run.digest.count
    assert calm.work.probed < engine.work.probed  # a hash probe looks at matches alone


@pytest.mark.spec("adaptive:MET-11")
def test_the_silence_of_a_migration_is_the_longest_gap_between_results() -> None:
    run = TimedRun([(10.0, 1), (12.0, 3), (30.0, 1)])
    assert run.longest_gap(0, 40) == 18
    assert run.longest_gap(11, 14) == 2
    gaps, done = {}, []
    load = Load.steady(600, (20, 20, 20), (0.5, 0.5))
    stream = arrivals(load, 1_200, 1)
    for is_moved in (False, True):
        engine = Engine(load.query, OLD, joins=JoinParams("hash"))

        def migrate(now: float, engine: Engine = engine, is_moved: bool = is_moved) -> None:
            if is_moved and now >= 800 and engine.roots == (OLD,):
                before = UnitCost().of(engine.work)
                move_state(engine, Box((tree("A (B C)"),)))
                done.append(UnitCost().of(engine.work) - before)

        timed = run_timed(engine, stream, 10.0, migrate, until=1e9)
        gaps[is_moved] = timed.longest_gap(750, timed.end)
    # while states are made the processor is busy, so that no result can come
    assert gaps[True] >= done[0] / 10 > 0
    assert gaps[True] >= gaps[False]


@pytest.mark.spec("adaptive:MET-15")
def test_the_throughput_ratio_is_of_results_within_the_same_time() -> None:
    one = TimedRun([(10.0, 4), (20.0, 6), (30.0, 90)])
    other = TimedRun([(5.0, 3), (25.0, 5)])
    assert throughput_ratio(one, other, 0, 20) == 10 / 3
    assert throughput_ratio(one, other, 20, 30) == 18


@pytest.mark.spec("adaptive:MET-15")
def test_a_plan_that_needs_more_than_there_is_gives_less_and_enough_for_both_is_equal() -> None:
    load = Load.steady(1000, (20, 20, 20), (0.02, 0.5))
    stream = arrivals(load, 4_000, 3)
    ratios = []
    for units in (30.0, 500.0):
        good, bad = (
            run_timed(
                Engine(load.query, tree(plan), joins=JoinParams("hash", charged="nested")),
                stream,
                units,
                lambda _: None,
                until=4_000,
            )
            for plan in ("(A B) C", "A (B C)")
        )
        ratios.append(throughput_ratio(good, bad, 1_000, 4_000))
        waits = [max(count for _, count in run.queue) for run in (good, bad)]
        assert (waits[1] > 2 * waits[0]) is (units == 30.0)
    assert ratios[0] > 1.3
    assert ratios[1] == pytest.approx(1, abs=0.01)


@pytest.mark.spec("adaptive:MIG-09", "adaptive:MIG-10")
@pytest.mark.parametrize("recompute", [True, False])
def test_a_run_that_a_migration_changed_is_told_from_one_left_alone(recompute: bool) -> None:
    load = Load.steady(600, (20, 20, 20), (0.3, 0.3))
    stream = arrivals(load, 1_500, 4)
    engine = Engine(load.query, OLD, joins=JoinParams("hash"))

    def migrate(now: float) -> None:
        if now >= 800 and engine.roots == (OLD,):
            move_state(engine, Box((tree("A (B C)"),)), recompute=recompute)

    run = run_timed(engine, stream, 100.0, migrate, until=1e9)
    calm = Engine(load.query, OLD, joins=JoinParams("hash"))
    if recompute:
        check_undisturbed([run], calm, stream)
    else:
        with pytest.raises(AssertionError, match="of a plan left alone"):
            check_undisturbed([run], calm, stream)


def test_a_digest_sees_what_is_missing_doubled_or_wrong_and_not_the_order() -> None:
    query = chain(window=100, names="AB")
    rows = [Row.of(query.single("A", n, n, (0, n))) for n in range(3)]
    other = Row.of(query.single("A", 2, 2, (0, 7)))
    whole = Digest().with_rows(rows)
    assert Digest().with_rows(rows[2:]).with_rows(rows[1::-1]) == whole
    for wrong in (rows[:2], [*rows, rows[0]], [*rows[:2], rows[0]], [*rows[:2], other]):
        assert Digest().with_rows(wrong) != whole
