"""What was written by this version, and by the one before, reads back."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pytest
from tests.control.scenarios import SCENARIOS, Scenario

from slackwater.control.accuracy import Accuracy
from slackwater.control.orders import Work
from slackwater.control.prods import ProdMemory
from slackwater.control.records import (
    ControlState,
    Decision,
    Feedback,
    Measured,
    Observation,
    Policy,
    qualities,
)
from slackwater.control.request import Request
from slackwater.control.saved import plain, read_after, read_decision, read_state
from slackwater.control.step import learn, start, step
from slackwater.disorder.error_slack import ErrorSlackState
from slackwater.errors import CheckpointError
from slackwater.estimate.band import Hits
from slackwater.estimate.monitor import MonitorParams, MonitorState, Pairs, take
from slackwater.estimate.running import Running
from slackwater.plan.estimates import EstimatePlan

RECORDED = Path(__file__).parent / "recorded"


def recorded(name: str) -> Any:
    return json.loads((RECORDED / f"{name}.json").read_text())


def learned(scenario: Scenario, decision: Decision, state: ControlState) -> ControlState:
    """What is remembered once a batch of a story was executed."""
    told = scenario.batches[decision.batch]
    order = decision.queries["q"].window_order or decision.queries["q"].period_order
    measured = Measured(*told.measured, unseen=0 if order is None else order.unseen)
    prods = scenario.plan.queries[0].find(EstimatePlan)
    sources = () if prods is None else prods.sources
    accuracy = Accuracy(sources={one.label: Running(*told.accuracy) for one in sources})
    feedback = Feedback({"q": measured}, {"q": told.found}, {"q": accuracy})
    return learn(Policy(scenario.plan), state, feedback)


def followed(scenario: Scenario) -> Iterator[tuple[Decision, ControlState]]:
    """Every decision of a story, and what is remembered after it."""
    policy = Policy(scenario.plan)
    state = start(policy)
    for number, told in enumerate(scenario.batches):
        requests = (Request("p1", "q"),) if number == 5 else ()
        seen = Observation(number, told.panes, 100, 1_000_000 + number, sums=told.sums)
        seen = replace(seen, distinct=told.distinct, requests=requests)
        decision, state = step(policy, seen, state)
        yield decision, state
        state = learned(scenario, decision, state)


Told = TypeVar("Told", ControlState, Decision)


def without_oldest(record: Told) -> Told:
    """As version 4 had it: the smallest event time of a stream was not told then."""
    streams = {name: replace(one, oldest=None) for name, one in record.streams.items()}
    return replace(record, streams=streams)


def without_new(state: ControlState) -> ControlState:
    """Without what version 4 did not know of."""
    queries = {
        name: replace(
            memory, controllers={k: v for k, v in memory.controllers.items() if k != "adapt"}
        )
        for name, memory in state.queries.items()
    }
    return replace(without_oldest(state), queries=queries)


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_number_is_that_of_the_version_before(name: str) -> None:
    found = []
    for decision, _ in followed(SCENARIOS[name]()):
        query = decision.queries["q"]
        why = query.controllers.get("error_slack") or query.controllers.get("recall_slack") or {}
        reasons = [why.get("phase"), why.get("margin")]
        told = [query.slack, query.after, query.upto, query.late, *reasons, [*decision.notices]]
        found.append(told)
    assert found == recorded(f"{name}-trace")


@pytest.mark.parametrize("name", SCENARIOS)
def test_state_of_version_4_is_understood(name: str) -> None:
    scenario = SCENARIOS[name]()
    *_, (decision, state) = followed(scenario)
    manifest = recorded(f"{name}-manifest")
    found = read_state(manifest["control"], manifest=manifest)
    assert found == without_new(learned(scenario, decision, state))


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_decision_of_version_4_is_carried_out_as_it_was_decided(name: str) -> None:
    scenario = SCENARIOS[name]()
    *_, (earlier, past), (decision, state) = followed(scenario)
    old = recorded(f"{name}-decision")
    found = read_decision(old["decision"])
    assert found.queries["q"].orders == {
        name: _as_told_then(order)
        for name, order in decision.queries["q"].orders.items()
        if name not in ("join_plan", "adapt")
    }
    explained = decision.queries["q"].controllers
    for controller, why in found.queries["q"].controllers.items():
        assert why == explained[controller]
    same = {"orders": {}, "controllers": {}}
    assert replace(found.queries["q"], **same) == replace(decision.queries["q"], **same)
    assert replace(found, queries={}) == replace(without_oldest(decision), queries={})
    before = learned(scenario, earlier, past)
    found_after = read_after(old["after"], before)
    assert without_new(found_after) == without_new(state)


@pytest.mark.parametrize("name", SCENARIOS)
def test_all_that_is_remembered_reads_back(name: str) -> None:
    for decision, state in followed(SCENARIOS[name]()):
        assert read_state(json.loads(json.dumps(plain(state)))) == state
        assert read_decision(json.loads(json.dumps(plain(decision)))) == decision


def test_numbers_that_json_has_no_word_for_survive() -> None:
    *_, (_, state) = followed(SCENARIOS["error"]())
    memory = state.of("q")
    odd = ErrorSlackState(expected=math.inf, values=((math.nan, 0.0, -math.inf),))
    memory = replace(memory, controllers={**memory.controllers, "error_slack": odd})
    text = json.dumps(plain(replace(state, queries={"q": memory})))
    found = read_state(json.loads(text)).of("q").find(ErrorSlackState)
    assert found is not None
    assert found.expected == math.inf
    assert math.isnan(found.values[0][0])
    assert found.values[0][2] == -math.inf


@pytest.mark.parametrize("version", [3, 99])
def test_another_version_is_refused(version: int) -> None:
    with pytest.raises(CheckpointError, match="STATE_VERSION_UNKNOWN"):
        read_state({**plain(ControlState()), "version": version})


def test_what_a_controller_that_is_gone_left_behind_is_forgotten() -> None:
    *_, (_, state) = followed(SCENARIOS["error"]())
    written = plain(state)
    written["queries"]["q"]["controllers"]["gone"] = {"some": "thing"}
    assert read_state(written) == state


def test_what_executing_a_batch_measured_is_remembered_until_it_was_looked_at() -> None:
    *_, (decision, state) = followed(SCENARIOS["error"]())
    policy = Policy(SCENARIOS["error"]().plan)
    before = qualities(state)["q"]
    after = learn(policy, state, Feedback({"q": Measured(10, 9, (1.0,), unseen=2)}))
    found = qualities(after)["q"]
    assert (found.results, found.within) == (before.results + 10, before.within + 9)
    assert found.unseen == before.unseen + 2
    assert found.last.results == 10
    _, later = step(policy, Observation(decision.batch + 1, {}, 100, 0), after)
    assert qualities(later)["q"] == replace(found, last=Measured())


def test_the_accuracy_that_version_4_kept_beside_the_state_is_understood() -> None:
    draw = np.random.default_rng(1)
    known = MonitorState()
    for _ in range(3):
        ages, accuracies = draw.random(40), 100 * draw.random(40)
        groups = draw.choice(["a", "b"], 40)
        pairs = Pairs(ages, accuracies, 1 + draw.random(40), draw.random(40), groups)
        known = take(MonitorParams(), known, pairs)
    manifest = recorded("expensive-manifest")
    known = replace(known, ages=tuple((n, replace(one, hits=Hits())) for n, one in known.ages))
    form = json.loads(json.dumps(known.to_json()))
    form["ages"] = [one[:5] for one in form["ages"]]  # bands were not judged then
    manifest["judged"]["q"]["columns"] = {"n": form}
    memory = read_state(manifest["control"], manifest=manifest).of("q").find(ProdMemory)
    assert memory is not None
    assert memory.accuracy.columns == {"n": known}
    assert memory.accuracy.sources["every-1"].pairs == 40 * 29


def _as_told_then(order: object) -> object:
    """Version 4 told neither how long rows wait, nor what became of them, nor the budget."""
    if not isinstance(order, Work):
        return order
    return replace(order, oldest=None, weight=0, books=(), budget=None)
