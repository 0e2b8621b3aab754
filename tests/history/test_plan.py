"""Plans as people read them out of a start event."""

from __future__ import annotations

import pytest

from slackwater.history.plan import Plan, read_plan
from tests.events.story import SECOND, plan


def test_a_plan_is_streams_states_and_answers() -> None:
    read = read_plan(plan())
    assert [(node.kind, node.label) for node in read.nodes] == [
        ("stream", "readings"), ("state", "panes"), ("query", "fixed"), ("query", "bounded"),
    ]  # fmt: skip
    state = read.nodes[1].id
    assert read.edges == (
        ("stream/readings", state), (state, "query/fixed"), (state, "query/bounded"),
    )  # fmt: skip
    assert read.queries["fixed"].contract == "slack 2s"
    assert read.queries["bounded"].contract == "90 % of results within 2 %"
    assert read.queries["bounded"].window == (10 * SECOND, 2 * SECOND, 0)


def test_a_plan_says_when_estimates_are_given() -> None:
    read = read_plan(plan())
    assert read.queries["fixed"].prods == "as early as 90 % accurate; every 1s"
    assert read.queries["bounded"].prods is None
    sources = [
        {"every_us": 0}, {"aggressiveness": 0.3, "where": "k > 1"}, {"label": "new"}, "odd",
        {"accuracy": 10**400, "label": "?"},
    ]  # fmt: skip
    value = {"queries": {"q": {}}, "contracts": {"q": {"estimates": sources}}}
    words = "every batch; at aggressiveness 0.3 where k > 1; new; ?"
    assert read_plan(value).queries["q"].prods == words
    value["contracts"]["q"]["estimates"] = []
    assert read_plan(value).queries["q"].prods == "on request only"


def test_a_join_is_a_node_between_its_inputs_and_what_follows() -> None:
    value = {
        "queries": {
            "j": {
                "join": {"inputs": {"a": "s1", "b": "s2"}, "emit": "ordered"},
                "stages": [{"state": "s3", "window": [5, 5, 0]}],
            }
        },
        "contracts": {"j": {"min_recall": 0.95, "confidence": 0.9}},
    }
    read = read_plan(value)
    assert [(node.kind, node.depth) for node in read.nodes] == [
        ("stream", 0), ("stream", 0), ("state", 1), ("state", 1), ("join", 2), ("state", 3),
        ("query", 4),
    ]  # fmt: skip
    assert read.queries["j"].contract == "recall at least 95 % in 90 % of periods"
    assert read.queries["j"].streams == ("a", "b")


@pytest.mark.parametrize("value", [None, [], {"queries": []}, {"queries": {"q": {"stages": 3}}}])
def test_a_plan_that_is_none_is_empty(value: object) -> None:
    assert isinstance(read_plan(value), Plan)
