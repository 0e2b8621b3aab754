"""Plans whose joins lie on several machines are changed, by either strategy."""

from __future__ import annotations

from collections import Counter

import pytest

from slackwater.papers.adaptive_zhu2006.machines.message import Message, Wire
from slackwater.papers.adaptive_zhu2006.machines.operator_level import (
    DistributedTrack,
    Shipped,
    by_network,
    moving_state,
)
from slackwater.papers.adaptive_zhu2006.operators.engine import Engine, Model
from slackwater.papers.adaptive_zhu2006.operators.oracle import expected
from slackwater.papers.adaptive_zhu2006.operators.plan import Plan, inputs_of, nodes_of, tree
from slackwater.papers.adaptive_zhu2006.workload import Load, arrivals

LOAD = Load.steady(400, (40, 40, 40, 40, 40), (0.3, 0.3, 0.3, 0.3))
OLD, NEW = tree("(((A B) C) D) E"), tree("((A B) C) (D E)")  # the two joins at the top change
UNTIL = 2_000


def homes(plan: Plan, *names: str) -> dict[Plan, str]:
    """The machines of the joins of a plan, lower ones first."""
    joins = [node for node in nodes_of(plan) if inputs_of(node)]
    return dict(zip(joins, names, strict=True))


TABLE = homes(OLD, "M1", "M2", "M1", "M2")
NEXT = homes(NEW, "M1", "M2", "M2", "M1")


def said(log: list[Message]) -> list[str]:
    return list(dict.fromkeys(message.kind for message in log))


@pytest.mark.spec("adaptive:DIS-04")
@pytest.mark.parametrize("model", ["total", "none"])
def test_moving_state_over_machines_loses_and_doubles_nothing(model: Model) -> None:
    stream, wire = arrivals(LOAD, UNTIL, 1), Wire()
    engine = Engine(LOAD.query, OLD, model=model, seed=3)
    engine.run([one for one in stream if one.ts < UNTIL // 2])
    shipped = moving_state(engine, TABLE, NEW, NEXT, wire)
    engine.run([one for one in stream if one.ts >= UNTIL // 2])
    engine.finish()
    assert engine.records() == Counter(expected(LOAD.query, stream))
    assert said(wire.log) == [
        "RequestSyncTime",
        "SyncTime",
        "GlobalSyncTime",
        "ExecutionSynced",
        "Deactivate",
        "Deactivated",
        "NewSubplan",
        "Installed",
        "RequestState",
        "State",
        "RequestInputs",
        "Inputs",
        "OwnStates",
        "StateFilled",
        "Activate",
        "Activated",
        "Resume",
        "Resumed",
    ]
    assert shipped.states > 0
    assert shipped.rows == sum(m.value or 0 for m in wire.log if m.kind in ("State", "Inputs"))


def test_what_stays_where_it_is_is_not_shipped() -> None:
    engine, wire = Engine(LOAD.query, OLD), Wire()
    engine.run(arrivals(LOAD, UNTIL, 1))
    alone = moving_state(engine, homes(OLD, *["M1"] * 4), NEW, homes(NEW, *["M1"] * 4), wire)
    assert (alone.states, alone.inputs) == (0, 0)
    assert alone.moved.made


@pytest.mark.spec("adaptive:DIS-05")
def test_parallel_track_over_machines_ends_when_all_of_them_have_nothing_old() -> None:
    stream, wire = arrivals(LOAD, UNTIL, 2), Wire()
    engine = Engine(LOAD.query, OLD)
    engine.run([one for one in stream if one.ts < UNTIL // 2])
    track, ended = DistributedTrack(engine, TABLE, NEW, NEXT, wire), 0
    for one in (one for one in stream if one.ts >= UNTIL // 2):
        engine.push(one)
        if not ended and track.poll():
            ended = one.ts
    engine.finish()
    assert engine.records() == Counter(expected(LOAD.query, stream))
    assert LOAD.window < ended - UNTIL // 2 < 4 * LOAD.window
    purged = [message.sender for message in wire.log if message.kind == "OldPurged"]
    assert sorted(purged) == ["M1", "M2"]
    assert said(wire.log)[-3:] == ["OldPurged", "RemoveOldBox", "Removed"]
    assert ("M1", "M2") in track.crossing


@pytest.mark.spec("adaptive:DIS-06")
def test_the_network_decides_for_what_sends_less() -> None:
    rates = {"A": 100.0, "B": 50.0}
    assert by_network(Shipped(states=500, inputs=90).rows, rates, 2_000) == "moving"
    assert by_network(Shipped(states=600, inputs=1).rows, rates, 2_000) == "parallel"
