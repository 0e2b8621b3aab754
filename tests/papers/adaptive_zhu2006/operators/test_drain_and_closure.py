"""Before states move: what waits inside the box, and whether what is left may be thrown away."""

from __future__ import annotations

from random import Random

import pytest

from slackwater.errors import SlackwaterError
from slackwater.papers.adaptive_zhu2006.operators import moving
from slackwater.papers.adaptive_zhu2006.operators.box import Box
from slackwater.papers.adaptive_zhu2006.operators.closure import unclosed
from slackwater.papers.adaptive_zhu2006.operators.engine import Engine
from slackwater.papers.adaptive_zhu2006.operators.moving import drain, move_state
from slackwater.papers.adaptive_zhu2006.operators.plan import tree
from slackwater.papers.adaptive_zhu2006.operators.query import edges
from slackwater.papers.adaptive_zhu2006.operators.row import Punctuation
from tests.papers.adaptive_zhu2006.operators.random_plans import (
    LEFT,
    RIGHT,
    chain,
    random_arrivals,
)

OLD, NEW, LOW = tree("(A B) C"), tree("A (B C)"), tree("A B")


def waiting_inside(then_c: int | None) -> Engine:
    """Semi-synchronised, with an AB between the joins and a C in its state."""
    query = chain(names="ABC")
    engine = Engine(query, OLD, model="semi")

    def push(stream: str, ts: int) -> None:
        engine.push(query.single(stream, ts, ts, (0,) * len(query.columns[stream])))

    for stream, ts in (("A", 1), ("C", 2), ("B", 3), ("A", 4)):
        push(stream, ts)
    engine.feeds["B"].append(Punctuation(3))
    low, top = engine.operators[LOW], engine.operators[OLD]
    low.consume(0)
    low.consume(1)
    top.consume(1)
    assert engine.queue_lengths()[1] == 1
    if then_c is not None:
        push("C", then_c)
    return engine


@pytest.mark.spec("adaptive:MIG-04")
def test_what_waits_between_operators_is_drained_before_states_move(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wanted = {(("A", 1), ("B", 3), ("C", 2)), (("A", 1), ("B", 3), ("C", 5))}
    for is_drained in (True, False):
        engine = waiting_inside(then_c=5)
        if not is_drained:
            monkeypatch.setattr(moving, "drain", lambda *_: None)
        move_state(engine, Box((NEW,)))
        assert [len(cursor) for cursor in engine.operators[NEW].inputs] == [1, 0]  # A 4
        engine.finish()
        found = {one.identity for one in engine.results[0]} & wanted
        assert (found == wanted) is is_drained


@pytest.mark.spec("adaptive:MIG-04")
def test_a_drain_that_would_wait_for_an_empty_input_is_refused() -> None:
    engine = waiting_inside(then_c=None)
    with pytest.raises(SlackwaterError, match="MIGRATION_DRAIN_BLOCKED"):
        drain(engine, Box((OLD,)))


@pytest.mark.spec("adaptive:MIG-08")
def test_old_states_are_closed_if_tuples_go_through_one_after_the_other() -> None:
    query = chain()
    for seed in range(5):
        engine, gone = Engine(query, LEFT), 0
        for one in random_arrivals(Random(seed), query, 80):
            engine.push(one)
            gone += engine.work.purged > 0
            assert unclosed(engine, Box((RIGHT,))) == []
        assert gone > 0


def ahead() -> Engine:
    """The counter-example of ch. 15: b1 is gone from S_B, is in S_AB, and c2 has not been read."""
    query = chain(window=2, names="ABC")
    assert query.edges == edges("A.k0=B.k0", "B.k1=C.k1")
    engine = Engine(query, OLD, model="semi")
    for stream, ts in (("A", 1), ("B", 1), ("C", 2), ("C", 3), ("A", 4)):
        engine.push(query.single(stream, ts, ts, (0,) * len(query.columns[stream])))
    engine.feeds["B"].append(Punctuation(4))
    low, top = engine.operators[LOW], engine.operators[OLD]
    for port in (0, 1, 0):  # a1, b1, then a4, which purges b1
        low.consume(port)
    top.consume(0)
    return engine


@pytest.mark.spec("adaptive:MIG-08")
def test_the_checker_finds_what_the_counter_example_would_lose() -> None:
    engine = ahead()
    assert [one.identity for one in unclosed(engine, Box((NEW,)))] == [(("A", 1), ("B", 1))]
    # nothing is left over if the new plan takes S_AB as well
    assert unclosed(engine, Box((tree("C (A B)"),))) == []
