"""The simulated cluster: routes, queues, moves, and what is seen of them."""

from __future__ import annotations

import random
from functools import partial

import pytest

from slackwater.papers.robust_lei2014.market import market, planned, truth
from slackwater.papers.robust_lei2014.operators.batcher import Batcher
from slackwater.papers.robust_lei2014.operators.cluster import Cluster, Node, Work
from slackwater.papers.robust_lei2014.operators.monitor import (
    Monitor,
    Seen,
    Statistic,
    correlated,
    independent,
)
from slackwater.papers.robust_lei2014.operators.strategy import Robust, strategy
from slackwater.papers.robust_lei2014.operators.token import Token
from slackwater.papers.robust_lei2014.runtime import NODES, averages, interval, run, swinging
from slackwater.papers.robust_lei2014.workload import Script, constant, square

WORK = Work((0.01, 0.02, 0.005), lambda now: (0.5, 0.25, 1.0))


def cluster(placement: tuple[int, ...], nodes: int, end: float = 600.0) -> Cluster:
    return Cluster(WORK, placement, [Node() for _ in range(nodes)], end)


@pytest.mark.spec("robust:F130")
def test_a_token_is_a_stack_of_the_operators_to_come() -> None:
    token, met = Token.of((2, 0, 1)), []
    while token.next is not None:
        met.append(token.next)
        token = token.popped(token.next)
    assert met == [2, 0, 1]
    with pytest.raises(ValueError, match="on its way to 2"):
        Token.of((2, 0, 1)).popped(0)


@pytest.mark.spec("robust:F131")
def test_batches_have_a_hundred_rows_at_least_and_a_thousand_at_most() -> None:
    batcher: Batcher[int] = Batcher()
    sizes = []
    for row in range(250):
        batcher.put(row)
        sizes += [len(batch) for batch in batcher.take()]
    assert sizes == [100, 100]
    for row in range(2_160):
        batcher.put(row)
    taken = [list(batch) for batch in batcher.take()]
    assert [len(batch) for batch in taken] == [1000, 1000, 210]
    assert list(batcher.take()) == []
    batcher.put(7)
    assert list(batcher.take()) == []
    assert list(batcher.take(is_end=True)) == [[7]]


def test_a_batch_takes_what_its_operators_take() -> None:
    known = cluster((0, 1, 0), 2)
    known.at(0.0, lambda: known.accept(100.0, (0, 1, 2)))
    known.run()
    # 100 rows of 10 ms, 50 of 20, 12.5 of 5
    assert known.seconds / known.rows == pytest.approx(1.0 + 1.0 + 0.0625)
    assert known.busy == pytest.approx([1.0, 1.0, 0.0625])
    assert sum(known.given) == pytest.approx(12.5)


@pytest.mark.spec("robust:F135")
def test_what_comes_out_is_the_same_by_every_order_and_placement() -> None:
    draw, results = random.Random(1), set()
    for _ in range(30):
        known = cluster(tuple(draw.randrange(3) for _ in range(3)), 3)
        for at in range(20):
            order = tuple(draw.sample(range(3), 3))
            known.at(draw.random() * 20 + at, partial(known.accept, 100.0, order))
        known.run()
        results.add(round(sum(known.given), 9))
    assert results == {20 * 12.5}


@pytest.mark.spec("robust:F134")
def test_batches_on_their_way_finish_by_their_old_route() -> None:
    known = cluster((0, 0, 0), 1)
    for number in range(40):
        order = (0, 1, 2) if number < 20 else (2, 1, 0)
        known.at(0.1 * number, partial(known.accept, 100.0, order))
    known.run()
    assert sum(known.given) == pytest.approx(40 * 12.5)
    assert known.rows == 4000.0


@pytest.mark.spec("robust:F140")
def test_a_node_that_has_too_much_has_a_queue_that_grows() -> None:
    calm, busy = cluster((0, 1, 2), 3, 60.0), cluster((0, 0, 0), 1, 60.0)
    for known in (calm, busy):
        for at in range(60):
            known.at(float(at), partial(known.accept, 90.0, (0, 1, 2)))
        known.run()
    assert max(calm.queued) <= 1
    assert max(busy.queued) > 20
    assert busy.seconds > 5 * calm.seconds
    assert sum(busy.given) < sum(calm.given)


@pytest.mark.spec("robust:F181")
def test_while_an_operator_moves_its_batches_wait_and_nothing_is_lost() -> None:
    still, moving = cluster((0, 0, 0), 2), cluster((0, 0, 0), 2)
    for known in (still, moving):
        for at in range(30):
            known.at(float(at), partial(known.accept, 50.0, (0, 1, 2)))
    moving.at(10.5, lambda: moving.move([1], (0, 1, 0), [0.0, 5.0, 0.0]))
    still.run()
    moving.run()
    assert moving.placement == (0, 1, 0)
    assert (moving.moves, moving.paused) == (1, 5.0)
    assert sum(moving.given) == pytest.approx(sum(still.given))
    assert moving.seconds != still.seconds


@pytest.mark.spec("robust:F137")
def test_what_is_measured_is_smoothed_and_ages() -> None:
    known = Statistic(0.4, half_life=2.0, stale_after=2)
    assert known.value == 0.4
    known = known.after(0.8)
    assert known.value == 0.8
    known = known.after(0.0)
    assert known.value == pytest.approx(0.8 * 0.5**0.5)
    assert known.raw == 0.0
    for expected in (known.value, known.value, 0.4):
        known = known.after(None)
        assert known.value == expected
    both = Monitor({"rate": Statistic(1.0), "share": Statistic(0.5)}).after({"share": 0.2})
    assert both.point == (1.0, 0.2)  # in the order of the dimensions
    assert Seen(rows_in=200, rows_out=50).selectivity == 0.25
    assert Seen().selectivity is None


@pytest.mark.spec("robust:F138")
def test_what_reaches_an_operator_is_not_what_a_marked_batch_shows() -> None:
    """Rows that pass the first filter are those that would pass the second, too."""
    rows = list(range(1000))
    filters = [lambda row: row < 500, lambda row: row < 400]
    assert independent(rows, filters) == [0.5, 0.4]
    assert correlated(rows, filters, (0, 1)) == [0.5, 0.8]
    assert correlated(rows, filters, (1, 0)) == [1.0, 0.4]
    assert correlated(rows, [lambda row: False, *filters], (0, 1, 2)) == [0.0, None, None]


def test_the_market_turns_the_best_order_around() -> None:
    query = market(1, 200.0, 0.12)
    usual, news = (1.0, 1.5, 0.5, 1.0), (1.0, 0.5, 1.5, 1.0)
    cheap_first, dear_first = query.optimize(usual), query.optimize(news)
    assert set(cheap_first[:5]) == set(range(5, 10))
    assert set(dear_first[:4]) <= set(range(5))
    assert query.cost(cheap_first, news) > 2 * query.cost(dear_first, news)
    script = Script(constant(2.0), square(10.0, 1.0, -1.0), constant(0.0), 2.0)
    assert truth(script, 0.0) == (2.0, 1.5, 0.5, 1.0)
    assert truth(script, 6.0) == (2.0, 0.5, 1.5, 1.0)
    assert [one.is_certain for one in planned().dimensions] == [False, False, False, True]
    assert query.cost(cheap_first, (1, 1, 1, 1)) == pytest.approx(0.12 * 5)


@pytest.mark.spec("robust:F207", "robust:F208", "robust:F139")
def test_runs_repeat_themselves_and_are_told_with_an_interval() -> None:
    script = swinging(constant(1.0), 1.0)
    rows = [run("rld", script, NODES, 2.0, seed) for seed in (1, 2, 3)]
    again = run("rld", script, NODES, 2.0, 1)
    timed = {"classified"}  # that is a clock of the machine
    assert {k: v for k, v in again.items() if k not in timed} == {
        k: v for k, v in rows[0].items() if k not in timed
    }
    middle, half = interval(rows, "seconds")["rld"]
    assert middle == averages(rows, "seconds")["rld"]
    assert half > 0
    assert sum(rows[0]["minutes"]) == pytest.approx(rows[0]["given"], rel=0.2)
    assert rows[0]["moves"] == 0
    assert 0 < rows[0]["classified"] < 0.02


@pytest.mark.spec("robust:F169")
def test_after_a_drift_new_plans_cover_what_the_old_ones_do_not() -> None:
    """The same hour for both; only one of them exchanges its plans."""
    script = Script(constant(1.0), square(120.0, 1.0, -1.0), square(1e6, 1.0, 1.0), 1.0)
    plain, adaptive = (run(name, script, NODES, 12.0, 3) for name in ("rld", "arld"))  # type: ignore[arg-type]
    assert plain["exchanges"] == 0
    assert adaptive["exchanges"] >= 1
    query = market(3, 200.0, 0.12)
    before = strategy("rld", query, NODES, 5.0)
    assert isinstance(before, Robust)
    assert before._covered(planned()) > 0.9
