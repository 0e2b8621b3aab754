"""Rates and selectivities of a query's own join, as what its plans are compared by."""

from __future__ import annotations

import random
import time
from itertools import combinations, pairwise

import pytest

import slackwater as sw
from slackwater.optimize.known import Known, members
from slackwater.optimize.statistics import connected, known_of
from slackwater.plan.build import check
from slackwater.plan.graph import JoinGraph
from slackwater.plan.stage import lay_out
from tests.driver import readings

SEED = time.time_ns()


def graph_of(names: str, *on: str, within: str = "10 s") -> JoinGraph:
    joined = sw.join(*(readings(name=name) for name in names), on=list(on), within=within)
    query = joined.query("q", sw.slack("1 s"))
    join = lay_out(check((query,))).queries[0].join
    assert join is not None
    return join.graph


def shares(**given: float) -> dict[frozenset[str], float]:
    return {frozenset(pair): kept for pair, kept in given.items()}


def sets(known: Known, some: str) -> int:
    return sum(1 << known.names.index(name) for name in some)


def test_rates_and_patience_give_what_is_held() -> None:
    known = known_of(graph_of("ab", "a.k = b.k"), {"a": 5.0, "b": 7.0}, shares(ab=0.1))
    assert known.arriving == (5.0, 7.0)
    assert known.held == (50.0, 70.0)
    assert known.size(0b11) == pytest.approx(350.0)


def test_columns_that_are_all_equal_are_one_predicate() -> None:
    graph = graph_of("abc", "a.k = b.k", "b.k = c.k")
    rates = dict.fromkeys("abc", 1.0)
    known = known_of(graph, rates, shares(ab=1 / 20, ac=1 / 30, bc=1 / 30))  # 10, 20, 30 keys
    assert known.share(0b111) == pytest.approx(1 / (20 * 30))
    assert known.share(sets(known, "bc")) == pytest.approx(1 / 30)
    implied = known_of(graph, rates, shares(ab=1 / 20, bc=1 / 30))
    assert implied.share(sets(implied, "ac")) == pytest.approx(1 / 30)
    assert implied.share(0b111) == pytest.approx(1 / (20 * 30))


@pytest.mark.spec("adaptive:SUB-04")
def test_predicates_of_different_columns_are_taken_as_independent() -> None:
    graph = graph_of("abc", "a.k = b.k", "b.v = c.v", "a.v < c.k")
    known = known_of(graph, dict.fromkeys("abc", 1.0), shares(ab=0.1, bc=0.2, ac=0.5))
    assert known.share(0b111) == pytest.approx(0.01)
    assert known.share(sets(known, "ac")) == pytest.approx(0.5)
    assert {"".join(sorted(pair)) for pair in connected(graph)} == {"ab", "bc", "ac"}


def test_one_key_of_all_inputs_is_estimated_as_distinct_values_would() -> None:
    draw = random.Random(SEED)
    names = "abcde"
    graph = graph_of(names, *(f"{a}.k = {b}.k" for a, b in pairwise(names)))
    keys = {name: draw.randint(2, 1000) for name in names}
    given = {frozenset({a, b}): 1 / max(keys[a], keys[b]) for a, b in combinations(names, 2)}
    known = known_of(graph, dict.fromkeys(names, 1.0), given)
    for some in range(1, 1 << 5):
        mine = sorted(keys[names[number]] for number in members(some))
        expected = 1.0
        for larger in mine[1:]:
            expected /= larger
        assert known.share(some) == pytest.approx(expected), f"seed {SEED}"


@pytest.mark.parametrize(
    ("rates", "given", "said"),
    [
        ({"a": 1.0, "b": 1.0}, {}, "the rate of 'c' is missing"),
        ({"a": 1.0, "b": 1.0, "c": 0.0}, {}, "the rate of 'c' is 0"),
        ({"a": 1.0, "b": 1.0, "c": float("nan")}, {}, "the rate of 'c' is nan"),
        ({"a": 1.0, "b": 1.0, "c": 1.0, "d": 1.0}, {}, "no input 'd'"),
        ({"a": 1.0, "b": 1.0, "c": 1.0}, {"ac": 0.5}, "no predicate connects a-c"),
        ({"a": 1.0, "b": 1.0, "c": 1.0}, {"ab": 1.5}, "the selectivity of a-b is 1.5"),
    ],
)
def test_what_cannot_be_is_refused(
    rates: dict[str, float], given: dict[str, float], said: str
) -> None:
    graph = graph_of("abc", "a.k = b.k", "b.v = c.v")
    with pytest.raises(sw.SlackwaterError, match=said) as error:
        known_of(graph, rates, shares(**given))
    assert error.value.condition == "STATISTICS_INVALID"
