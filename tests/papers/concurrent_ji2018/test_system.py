"""Queries that say what they need, and chains that follow."""

from __future__ import annotations

import pytest

from slackwater.papers.concurrent_ji2018.measure import exact
from slackwater.papers.concurrent_ji2018.operators.system import System, SystemParams
from slackwater.papers.concurrent_ji2018.workload import Row, plan_1, plan_2, plan_3, stream
from slackwater.share.calculator import CalculatorParams
from slackwater.share.tree import Operator
from slackwater.share.trigger import EAGER, LAZY
from slackwater.share.unshared import unshared
from slackwater.stats.arrival import Arrival
from slackwater.units import SECOND

MINUTES = 0.12


@pytest.fixture(scope="module")
def one_stream() -> list[Arrival[Row]]:
    return stream(MINUTES, 1)


@pytest.fixture(scope="module")
def two_streams() -> list[Arrival[Row]]:
    return stream(MINUTES, 2)


def run(arrivals: list[Arrival[Row]], params: SystemParams, number: int = 1) -> System:
    planned = plan_1() if number == 1 else plan_2(2 * SECOND)
    system = System(planned.plan(), params)
    system.run(arrivals)
    return system


def waits(system: System) -> dict[str, int]:
    """What the chains of the first source make each query wait."""
    found = {}
    for chains in system.trees["S1"].chains.values():
        for chain in chains:
            found |= dict(chain.chain.targets)
    return {query: found[query] for query in system.queries if query in found}


@pytest.mark.spec("qddh:F109")
def test_each_query_gets_the_slack_that_its_own_manager_asks_for(
    one_stream: list[Arrival[Row]],
) -> None:
    asked: dict[str, list[int]] = {}
    system = System(plan_1().plan(), SystemParams())
    original = system._reports

    def listening() -> dict[str, int]:
        reports = original()
        for query, slack in reports.items():
            asked.setdefault(query, []).append(slack)
        return reports

    system._reports = listening  # type: ignore[method-assign]
    system.run(one_stream)
    assert set(asked) == {"Q1", "Q2", "Q3"}
    assert min(len(reports) for reports in asked.values()) > 20  # with every window
    last = {query: reports[-1] for query, reports in asked.items()}
    assert waits(system) == last
    assert last["Q2"] > last["Q3"]  # 1 % over a second, 10 % over five


@pytest.mark.spec("qddh:F109", "qddh:F110")
def test_joins_report_too_and_the_lazy_wait_for_all(two_streams: list[Arrival[Row]]) -> None:
    made = {}
    for trigger in (EAGER, LAZY):
        params = SystemParams(calculator=CalculatorParams(trigger=trigger))
        system = run(two_streams, params, 2)
        made[trigger] = len(system.measured.applying)
        assert system.skipped == 0
    assert 0 < made[LAZY] < made[EAGER]


@pytest.mark.spec("qddh:F116")
def test_what_is_buffered_and_what_configurations_take_is_measured(
    one_stream: list[Arrival[Row]],
) -> None:
    shared = run(one_stream, SystemParams())
    alone = run(one_stream, SystemParams(calculator=CalculatorParams(unshared)))
    assert sum(shared.measured.held) < sum(alone.measured.held)
    took = shared.measured
    assert len(took.computing) == len(took.applying) > 0
    assert min(took.computing) > 0
    assert took.resizing
    assert took.moving


def test_without_waiting_nothing_is_held_and_the_worst_so_far_is_waited_for(
    one_stream: list[Arrival[Row]],
) -> None:
    none = run(one_stream, SystemParams("none"))
    assert set(none.measured.held) == {0}
    params = SystemParams("max", CalculatorParams(checks_profit=False))
    most = run(one_stream, params)
    worst = most.joined.max_delay
    assert waits(most) == {"Q1": worst, "Q2": worst, "Q3": worst}


@pytest.mark.spec("qddh:F116")
def test_sharing_changes_no_answer_where_nothing_is_taken_for_a_duplicate(
    one_stream: list[Arrival[Row]],
) -> None:
    shared = run(one_stream, SystemParams(by="identity"))
    alone = run(one_stream, SystemParams(calculator=CalculatorParams(unshared), by="identity"))
    for query in shared.queries:
        one, other = shared.queries[query], alone.queries[query]
        assert one.results == other.results  # type: ignore[union-attr]
        assert one.latency == other.latency


@pytest.mark.spec("qddh:F100")
def test_plans_have_the_trees_that_the_text_tells_of() -> None:
    def outline(one: Operator) -> object:
        name = one.name.split(": ")[-1]
        return {name: [outline(child) for child in one.children]} if one.children else name

    trees = plan_3(SECOND).plan().trees
    assert outline(trees["S1"]) == {
        "S1": [{"F2": [{"F3": ["Q2"]}, {"F4": ["Q4"]}]}, {"F7": ["Q5", "Q6"]}, {"F1": ["Q1"]}]
    }
    assert outline(trees["S2"]) == {"S2": [{"F5": ["Q4", "Q5"]}, {"F6": ["Q3", "Q6"]}]}


def test_true_results_are_of_the_rows_that_a_query_sees(one_stream: list[Arrival[Row]]) -> None:
    planned = plan_1()
    spec = planned.specs[0]
    seen = planned.wants("Q1", "S1")
    total = sum(one.payload.value for one in one_stream if seen(one.payload))
    each = exact(planned, spec, one_stream)
    assert sum(each.values()) == pytest.approx(total * 5)  # windows of .5 s every .1 s
