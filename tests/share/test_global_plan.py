"""Queries as one plan: selections moved, shared, fused."""

from __future__ import annotations

import pytest

from slackwater.errors import SlackwaterError
from slackwater.share.global_plan import Selection, Step, Stream, Windowed, global_plan
from slackwater.share.tree import Operator
from tests.share.trees import G3, g3


def selected(predicates: str, stream: str = "s") -> Step:
    """Selections in a row over a stream, as written: ``"a b"``."""
    step: Step = Stream(stream)
    for predicate in predicates.split():
        step = Selection(predicate, step, stream)
    return step


def outline(operator: Operator) -> object:
    name = operator.name.split(": ")[-1]
    return {name: [outline(child) for child in operator.children]} if operator.children else name


@pytest.mark.spec("qddh:F100")
def test_common_predicates_are_shared_and_the_rest_is_fused() -> None:
    queries = {
        "q1": Windowed((selected("x a y"),)),
        "q2": Windowed((selected("a b"),)),
        "q3": Windowed((selected("b a"),)),
        "q4": Windowed((selected("z"),)),
        "q5": Windowed((selected(""),)),
    }
    plan = global_plan(queries)
    assert outline(plan.trees["s"]) == {
        "s": [{"a": [{"b": ["q2", "q3"]}, {"x AND y": ["q1"]}]}, {"z": ["q4"]}, "q5"]
    }


@pytest.mark.spec("qddh:F100")
def test_selections_move_in_front_of_joins_but_not_of_aggregates() -> None:
    join = Windowed((selected("a", "l"), Stream("r")))
    above = Selection("b", Selection("l.x < r.y", Selection("c", join, "l"), None), "r")
    having = Selection("total > 9", Windowed((selected("a", "l"),)), "l")
    plan = global_plan({"join": above, "having": having})
    assert outline(plan.trees["l"]) == {"l": [{"a": [{"c": ["join"]}, "having"]}]}
    assert outline(plan.trees["r"]) == {"r": [{"b": ["join"]}]}
    assert plan.behind == {"join": ("l.x < r.y",), "having": ("total > 9",)}


@pytest.mark.spec("qddh:F100")
def test_a_filter_that_is_no_branch_has_no_filter_below() -> None:
    queries = {f"q{n}": Windowed((selected(" ".join("abcdef"[n : n + 3])),)) for n in range(5)}
    for operator in global_plan(queries).trees["s"].walk():
        if operator.kind == "filter" and not operator.is_branch:
            assert operator.children[0].kind == "window"


@pytest.mark.spec("qddh:F101")
def test_branches_queries_and_sharable_sizes() -> None:
    known = {operator.name: operator for operator in G3.walk()}
    assert [name for name, one in known.items() if one.is_branch] == ["S3", "F7"]
    assert [name for name, one in known.items() if one.is_bottom_branch] == ["F7"]
    assert known["F7"].queries == ("Q4", "Q5")
    facts = g3(0.4, 0.7, 0.3, 0.4)
    assert {name: facts.slack(one) for name, one in known.items()} == {
        "S3": 1, "F6": 2, "Q3": 2, "F7": 1, "F8": 3, "Q4": 3, "F9": 1, "Q5": 1,
    }  # fmt: skip
    path = next(path for path in G3.paths() if path[-1].name == "Q4")
    assert [one.name for one in path] == ["S3", "F7", "F8", "Q4"]
    assert facts.rate_of(path) == pytest.approx(100 * 0.7 * 0.3)


@pytest.mark.parametrize(
    ("query", "word"),
    [
        (Windowed((Stream("s"), Stream("s"))), "twice"),
        (Windowed((Selection("a", Stream("s"), "t"),)), "a stranger"),
    ],
)
def test_queries_that_mean_nothing_are_refused(query: Step, word: str) -> None:
    with pytest.raises(SlackwaterError, match=word):
        global_plan({"q": query})
