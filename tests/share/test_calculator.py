"""When to configure again, what it costs, and what readers risk by it."""

from __future__ import annotations

import json

import pytest

from slackwater.codec import pack, unpack
from slackwater.errors import CheckpointError, SlackwaterError
from slackwater.share.calculator import (
    CalculatorParams,
    CalculatorState,
    Seen,
    learned,
    start,
    step,
)
from slackwater.share.change import can_stay, moves, sizes_only
from slackwater.share.configuration import Chain, Configuration
from slackwater.share.penalty import Penalty, is_worth
from slackwater.share.selectivity import Selectivities, Selectivity
from slackwater.share.tree import source, window
from slackwater.share.trigger import EAGER, HALF_LAZY, LAZY, Trigger
from slackwater.share.unshared import unshared
from tests.share.trees import G3

KEPT = {"F6": 0.4, "F7": 0.7, "F8": 0.3, "F9": 0.4}


def seen(**reports: int) -> Seen:
    return Seen(reports, KEPT, 100.0)


@pytest.mark.spec("qddh:F110")
@pytest.mark.parametrize(
    ("trigger", "expected"), [(EAGER, [0, 1, 3]), (HALF_LAZY, [1, 3]), (LAZY, [3])]
)
def test_a_trigger_waits_for_its_share_of_the_queries(
    trigger: Trigger, expected: list[int]
) -> None:
    params = CalculatorParams(trigger=trigger)
    state, at = start(params, G3, seen(Q3=2, Q4=3, Q5=1)), []
    for number, report in enumerate((seen(Q3=4), seen(Q4=5), seen(Q4=5), seen(Q5=2))):
        change, state = step(params, G3, report, state)
        at += [number] if change else []
    assert at == expected
    if trigger is LAZY:
        assert change is not None
        assert change.configuration.waits(G3) == {"Q3": 4, "Q4": 5, "Q5": 2} == change.slacks


@pytest.mark.spec("qddh:F110")
def test_the_same_slack_again_changes_nothing() -> None:
    for trigger in (EAGER, LAZY):
        params = CalculatorParams(trigger=trigger)
        state = start(params, G3, seen(Q3=2, Q4=3, Q5=1))
        change, after = step(params, G3, seen(Q3=2, Q4=3, Q5=1), state)
        assert change is None
        assert after.configuration == state.configuration


@pytest.mark.spec("qddh:F115")
def test_a_change_that_takes_longer_than_it_saves_is_not_made() -> None:
    penalty = Penalty().after(10, 30.0).after(20, 50.0).after(30, 70.0)
    assert penalty.expected(100) == pytest.approx(10 + 2 * 100)
    assert is_worth(penalty, 100, [(400, 180)])
    assert not is_worth(penalty, 100, [(400, 200)])
    assert is_worth(penalty, 10**9, [(400, 200), (5, 6)])  # quality first
    assert is_worth(Penalty(), 100, [(2, 1)])  # nothing is known against it
    assert not is_worth(Penalty(), 0, [(2, 2)])
    assert Penalty().after(5, 3.0).after(5, 5.0).expected(50) == pytest.approx(4.0)

    params = CalculatorParams()
    state = start(params, G3, seen(Q3=20, Q4=30, Q5=10))
    dear = learned(learned(state, 0, 0.0), 100, 1000.0)
    change, kept = step(params, G3, seen(Q4=29), dear)
    assert change is None
    assert (kept.skipped, kept.configuration) == (1, state.configuration)
    change, _ = step(CalculatorParams(checks_profit=False), G3, seen(Q4=29), dear)
    assert change is not None
    change, _ = step(params, G3, seen(Q4=31), dear)
    assert change is not None


@pytest.mark.parametrize("report", [{"Q9": 3}, {"Q3": -1}])
def test_reports_that_mean_nothing_are_refused(report: dict[str, int]) -> None:
    params = CalculatorParams()
    state = start(params, G3, seen(Q3=2, Q4=3, Q5=1))
    with pytest.raises(SlackwaterError, match="reports a slack") as refused:
        step(params, G3, seen(**report), state)
    assert refused.value.condition == "SHARING_INVALID"


def test_a_state_is_saved_and_read_again() -> None:
    params = CalculatorParams(trigger=HALF_LAZY)
    state = learned(start(params, G3, seen(Q3=2, Q4=3, Q5=1)), 7, 12.5)
    _, state = step(params, G3, seen(Q3=4), state)
    saved = json.loads(json.dumps(pack(state)))
    read = unpack(saved, CalculatorState)
    assert read == state
    assert step(params, G3, seen(Q4=9), read) == step(params, G3, seen(Q4=9), state)


def test_a_state_of_another_version_is_refused() -> None:
    params = CalculatorParams()
    state = start(params, G3, seen(Q3=2, Q4=3, Q5=1))
    other = CalculatorState(state.slacks, {}, state.configuration, version=9)
    with pytest.raises(CheckpointError):
        step(params, G3, seen(Q3=3), other)
    with pytest.raises(SlackwaterError, match=r"1\.5"):
        Trigger(1.5)


@pytest.mark.spec("qddh:F111", "qddh:F112")
def test_readers_that_wait_less_may_miss_rows_and_those_that_wait_longer_meet_them_twice() -> None:
    old = Configuration((Chain("v", 0, (2, 3), (("v2", 2), ("v3", 2), ("v4", 3))),))
    new = Configuration((Chain("v", 0, (2, 3), (("v2", 2), ("v3", 3), ("v4", 2))),))
    assert {move.child: move.danger for move in moves(old, new)} == {
        "v2": "none", "v3": "duplicate", "v4": "missing",
    }  # fmt: skip
    assert not sizes_only(old, new)
    assert sizes_only(
        old, Configuration((Chain("v", 0, (4, 9), (("v2", 4), ("v3", 4), ("v4", 9))),))
    )


@pytest.mark.spec("qddh:F114")
def test_buffers_stay_unless_a_reader_goes_up_and_waits_longer() -> None:
    old = Chain("v", 0, (2, 5), (("a", 2), ("b", 5)))
    assert can_stay(old, Chain("v", 0, (1, 3), (("a", 3), ("b", 1))))
    assert can_stay(old, Chain("v", 0, (9, 12, 15), (("a", 9), ("b", 15))))
    assert not can_stay(old, Chain("v", 0, (7,), (("a", 7), ("b", 7))))
    assert can_stay(old, Chain("v", 0, (4,), (("a", 4), ("b", 4))))


@pytest.mark.spec("qddh:F040")
def test_selectivities_are_measured_on_rows_that_reach_a_filter() -> None:
    known = Selectivities().after({"a": (100, 40), "b": (40, 10)})
    assert known.of(("a", "b", "unknown")) == {"a": 0.4, "b": 0.25, "unknown": 1.0}
    for _ in range(60):
        known = known.after({"a": (100, 90)})
    assert known.of(("a", "b"))["a"] == pytest.approx(0.9, abs=0.01)  # the past fades
    assert known.of(("b",)) == {"b": 0.25}  # no row, no news
    one, other = Selectivity().after(30, 10), Selectivity().after(10, 10)
    assert one.merge(other).value == 0.5
    with pytest.raises(SlackwaterError, match="kept 5 of 4"):
        Selectivity().after(4, 5)


def test_without_sharing_only_sizes_change() -> None:
    root = source("S", window("a"), window("b"))
    params = CalculatorParams(strategy=unshared)
    state = start(params, root, Seen({"a": 1, "b": 5}, {}, 1.0))
    change, _ = step(params, root, Seen({"a": 9}, {}, 1.0), state)
    assert change is not None
    assert state.configuration is not None
    assert sizes_only(state.configuration, change.configuration)
    assert change.rows == 14
