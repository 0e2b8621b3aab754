"""A new capability is one class: nobody else has to know it."""

from __future__ import annotations

import json
from dataclasses import dataclass

from tests.control.test_step import Hand, policy, query

from slackwater.control.controller import Controller, Moment
from slackwater.control.records import ControlState, Decision, Explanation, Feedback, Measured
from slackwater.control.saved import plain, read_decision, read_state
from slackwater.control.step import CONTROLLERS, learn, step
from slackwater.control.watermark import Closing
from slackwater.execute.batch import Outcome
from slackwater.execute.deliver import Delivered
from slackwater.execute.report import Done, Stopwatch, batch_report
from slackwater.plan.stage import QueryPlan
from slackwater.runs.catalog import Catalog
from slackwater.units import SECOND


@dataclass(frozen=True, slots=True)
class Rung:
    """How often the bell was rung so far."""

    times: int = 0


@dataclass(frozen=True, slots=True)
class Ring:
    """Ring the bell, for windows that closed up to an instant."""

    times: int
    upto: int | None


class Bell(Controller[str, Rung, Ring]):
    """Rings whenever windows close."""

    name = "bell"
    memory = Rung
    order = Ring

    def parameters(self, query: QueryPlan) -> str | None:
        return query.name if query.name != "silent" else None

    def step(self, params: str, moment: Moment, memory: Rung) -> tuple[Ring, Rung]:
        closing = moment.find(Closing)
        assert closing is not None
        times = memory.times + (closing.upto != closing.after)
        return Ring(times, closing.upto), Rung(times)

    def notices(self, params: str, moment: Moment, terms: Ring) -> list[str]:
        return ["the bell rings"] if terms.times == 1 else []

    def learn(self, query: str, memory: Rung, feedback: Feedback) -> Rung:
        return Rung(memory.times - 1) if query in feedback.measured else memory

    def explain(self, terms: Ring) -> Explanation:
        return {"rung": terms.times}


WITH_BELL = (*CONTROLLERS, Bell())


class Ringing(Hand):
    """Steps with one controller more than usual."""

    def see(self, *times: float | None, **more: object) -> Decision:
        super().see(*times, **more)  # type: ignore[arg-type]
        assert self.last is not None
        seen, before = self.last
        decision, self.state = step(self.policy, seen, before, WITH_BELL)
        return decision


def rung(*times: float) -> tuple[Decision, ControlState]:
    hand = Ringing(policy(query(name="q"), query(name="silent")))
    decision = None
    for time in times:
        decision = hand.see(time)
    assert decision is not None
    return decision, hand.state


def test_a_controller_decides_and_remembers() -> None:
    decision, state = rung(5, 12, 12, 25)
    assert decision.queries["q"].find(Ring) == Ring(3, 25 * SECOND)
    assert state.of("q").find(Rung) == Rung(3)
    assert decision.queries["silent"].find(Ring) is None
    assert state.of("silent").find(Rung) is None


def test_a_controller_explains_itself_in_the_decision_and_in_the_batch_event() -> None:
    decision, state = rung(5, 12)
    assert decision.queries["q"].controllers["bell"] == {"rung": 2}
    done = Done(decision, Outcome(), Delivered({}, {}, {}), state)
    report = batch_report(done, Catalog(), Stopwatch())
    assert report["queries"]["q"]["controllers"]["bell"] == {"rung": 2}
    assert "bell" not in report["queries"]["silent"]["controllers"]


def test_what_a_controller_says_to_people_names_its_query() -> None:
    assert rung(5)[0].notices == ("query q: the bell rings",)
    assert rung(5, 12)[0].notices == ()


def test_memory_and_order_of_a_controller_are_saved_with_all_others() -> None:
    decision, state = rung(5, 12)
    assert read_state(json.loads(json.dumps(plain(state))), WITH_BELL) == state
    assert read_decision(json.loads(json.dumps(plain(decision))), WITH_BELL) == decision


def test_a_controller_learns_what_executing_a_batch_measured() -> None:
    _, state = rung(5, 12)
    hand = Hand(policy(query(name="q"), query(name="silent")))
    after = learn(hand.policy, state, Feedback({"q": Measured()}), WITH_BELL)
    assert after.of("q").find(Rung) == Rung(1)
    assert learn(hand.policy, state, Feedback(), WITH_BELL) == state


def test_names_of_controllers_differ() -> None:
    names = [one.name for one in CONTROLLERS]
    assert len({*names}) == len(names)


def test_without_controllers_nothing_is_decided() -> None:
    hand = Hand(policy(query(wait=3)))
    hand.see(10)
    assert hand.last is not None
    decision, state = step(hand.policy, *hand.last, ())
    assert decision.queries["q"].upto is None
    assert state.of("q").controllers == {}
