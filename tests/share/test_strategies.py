"""Configurations: the running example, the rule, and the best of all plans."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.errors import SlackwaterError
from slackwater.share.configuration import Chain, Configuration, memory, place
from slackwater.share.greedy import greedy
from slackwater.share.naive import candidates, naive
from slackwater.share.opt import opt
from slackwater.share.rule import shared_levels
from slackwater.share.strategies import STRATEGIES
from slackwater.share.tree import Facts, Operator, check, filtered, source, window
from slackwater.share.unshared import unshared
from tests.share.trees import G3, g3, plans

SHARED = {"S3": (1,), "F6": (1,), "F8": (2,)}
PUSHED = {"F6": (2,), "F8": (3,), "F9": (1,)}


@pytest.mark.spec("qddh:F104", "qddh:F106", "qddh:F107", "qddh:F108")
@pytest.mark.parametrize(
    ("kept", "by_greedy", "by_opt"),
    [
        ((0.4, 0.7, 0.3, 0.4), (SHARED, 182), (PUSHED, 171)),
        ((0.9, 0.9, 0.9, 0.9), (SHARED, 352), (SHARED, 352)),
        ((0.2, 0.3, 0.3, 0.4), (PUSHED, 79), (PUSHED, 79)),
        ((0.5, 0.8, 0.9, 0.9), (SHARED, 294), (SHARED, 294)),
    ],
)
def test_the_running_example_has_its_golden_numbers(
    kept: tuple[float, ...],
    by_greedy: tuple[dict[str, tuple[int, ...]], float],
    by_opt: tuple[dict[str, tuple[int, ...]], float],
) -> None:
    facts = g3(*kept)
    for strategy, (buffers, rows) in ((greedy, by_greedy), (opt, by_opt)):
        found = strategy(G3, facts)
        assert found.buffers == buffers
        assert memory(G3, facts, found) == pytest.approx(rows)
    assert memory(G3, facts, naive(G3, facts)) == pytest.approx(by_opt[1])


@pytest.mark.spec("qddh:F106", "qddh:F104")
def test_the_running_example_has_nine_candidates_with_the_printed_relations() -> None:
    f6, f7, f8, f9 = kept = (0.4, 0.7, 0.3, 0.4)
    k3, k4, k5, r = 2, 3, 1, 100
    facts = g3(*kept)
    # rows: choices of F7, columns: choices of S3, from all shared to nothing shared
    rows = [
        [
            memory(
                G3, facts, place(G3, facts, {"S3": s, "F7": f, "F6": (2,), "F8": (3,), "F9": (1,)})
            )
            for s in ((1, 2), (1,), ())
        ]
        for f in ((1, 3), (1,), ())
    ]
    for column in range(3):
        assert rows[1][column] - rows[0][column] == pytest.approx(r * f7 * (f8 - 1) * (k4 - k5))
        left = k5 if column == 2 else 0
        assert rows[2][column] - rows[1][column] == pytest.approx(r * f7 * (f8 + f9 - 1) * left)
    for number, share in enumerate((f7, f7, f7 * (f8 + f9))):
        assert rows[number][1] - rows[number][0] == pytest.approx(r * (f6 - 1) * (k3 - k5))
        assert rows[number][2] - rows[number][1] == pytest.approx(r * (f6 + share - 1) * k5)
    found = [memory(G3, facts, one) for one in candidates(G3, facts)]
    assert sorted(found) == pytest.approx(sorted(value for row in rows for value in row))


@pytest.mark.spec("qddh:F103")
def test_a_branch_of_three_filters_is_pushed_down_from_the_tail() -> None:
    k3, k1, k2 = 2, 5, 9
    for (f3, f1, f2), kept in {
        (0.4, 0.4, 1.0): (k3, k1, k2),  # nothing below costs less
        (0.9, 0.6, 0.4): (k3, k1),  # .4 < 1, .4 + .6 is a tie: sharing stays
        (0.4, 0.3, 0.4): (k3,),
        (0.2, 0.3, 0.4): (),
    }.items():
        levels, _ = shared_levels([(k3, f3), (k1, f1), (k2, f2)])
        assert levels == kept
        root = source("S", *(filtered(f"F{n}", window(f"Q{n}")) for n in (1, 2, 3)))
        facts = Facts({"Q1": k1, "Q2": k2, "Q3": k3}, {"F1": f1, "F2": f2, "F3": f3}, 10)
        costs = [
            k2,
            k1 + f2 * (k2 - k1),
            k3 + f1 * (k1 - k3) + f2 * (k2 - k3),
            f1 * k1 + f2 * k2 + f3 * k3,
        ]
        assert memory(root, facts, opt(root, facts)) == pytest.approx(10 * min(costs))
    assert shared_levels([(2, 0.1), (9, 1.0)]) == ((2, 9), 1.0)  # one that is no filter


@pytest.mark.spec("qddh:F102", "qddh:F105")
def test_a_chain_gives_each_reader_its_own_wait() -> None:
    root = source("S", window("A1"), window("A2"), window("A3"))
    facts = Facts({"A3": 2, "A1": 5, "A2": 9}, {}, 10)
    [chain] = opt(root, facts).chains
    assert chain.sizes == (2, 3, 4)
    assert {child: chain.place(child) for child in ("A3", "A1", "A2")} == {
        "A3": 1,
        "A1": 2,
        "A2": 3,
    }
    assert chain.waits() == facts.slacks
    assert memory(root, facts, Configuration((chain,))) == 90
    alone = unshared(root, facts)
    assert alone.buffers == {"S": (5, 9, 2)}
    assert memory(root, facts, alone) == 160


def test_a_query_that_waits_for_nobody_has_no_buffer() -> None:
    root = source("S", window("now"), filtered("F", window("later")))
    facts = Facts({"now": 0, "later": 4}, {"F": 0.5}, 10)
    for name, strategy in STRATEGIES:
        found = strategy(root, facts)
        assert found.waits(root) == {"now": 0, "later": 4}, name
        assert "S" not in found.buffers


@pytest.mark.spec("qddh:F105", "qddh:F106", "qddh:F107", "qddh:F108", "qddh:F104")
@given(plans())
def test_opt_is_the_best_and_every_query_waits_as_long_as_it_asked(
    plan: tuple[Operator, Facts],
) -> None:
    root, facts = plan
    rows = {}
    for name, strategy in STRATEGIES:
        found = strategy(root, facts)
        assert found.waits(root) == facts.slacks
        for path in root.paths():  # invariant 13, from the sizes themselves
            assert _waited(found, path) == facts.slacks[path[-1].name]
        rows[name] = memory(root, facts, found)
    assert rows["opt"] == pytest.approx(rows["naive"])
    assert rows["opt"] <= rows["greedy"] + 1e-9
    assert rows["opt"] <= rows["unshared"] + 1e-9


@pytest.mark.spec("qddh:F108")
def test_filters_in_a_row_that_nobody_fused_are_looked_through() -> None:
    root = source("S", filtered("all", filtered("some", window("Q"))))
    facts = Facts({"Q": 2}, {"all": 1.0, "some": 0.7}, 100)
    assert opt(root, facts).buffers == naive(root, facts).buffers == {"some": (2,)}


def _waited(found: Configuration, path: tuple[Operator, ...]) -> int:
    total = 0
    for operator, child in pairwise(path):
        [chain] = [one for one in found.below(operator.name) if child.name in dict(one.targets)]
        total += sum(chain.sizes[: chain.place(child.name)])
    return total


@pytest.mark.spec("qddh:F107")
def test_greedy_fails_exactly_where_the_source_work_says() -> None:
    worse = 0
    for f6 in (0.2, 0.5, 0.9):
        for f7 in (0.3, 0.6, 0.9):
            for f8, f9 in ((0.3, 0.4), (0.6, 0.6)):
                facts = g3(f6, f7, f8, f9)
                lost = memory(G3, facts, greedy(G3, facts)) - memory(G3, facts, opt(G3, facts))
                fails = f8 + f9 < 1 and f6 < 1 and f6 + f7 >= 1 > f6 + f7 * (f8 + f9)
                assert (lost > 1e-9) == fails
                worse += fails
    assert worse


@pytest.mark.parametrize(
    ("root", "facts", "word"),
    [
        (source("S", window("a"), window("a")), Facts({"a": 1}, {}), "twice"),
        (source("S", filtered("F")), Facts({}, {"F": 0.5}), "0 readers"),
        (source("S", window("a")), Facts({}, {}), "slack of 'a' is None"),
        (source("S", window("a")), Facts({"a": -1}, {}), "slack of 'a' is -1"),
        (source("S", filtered("F", window("a"))), Facts({"a": 1}, {"F": 1.5}), "'F' is 1.5"),
        (source("S", source("T", window("a"))), Facts({"a": 1}, {}), "wrong place"),
        (source("S", window("a")), Facts({"a": 1}, {}, -1.0), "rate"),
    ],
)
def test_trees_and_facts_that_mean_nothing_are_refused(
    root: Operator, facts: Facts, word: str
) -> None:
    with pytest.raises(SlackwaterError, match=word) as refused:
        check(root, facts)
    assert refused.value.condition == "SHARING_INVALID"


def test_naive_refuses_what_would_take_it_for_ever() -> None:
    wide = [
        filtered(f"F{n}", *(filtered(f"G{n}.{k}", window(f"{n}.{k}")) for k in range(3)))
        for n in range(12)
    ]
    root = source("S", *wide)
    slacks = {query: number for number, query in enumerate(root.queries, start=1)}
    kept = {one.name: 0.3 for one in root.walk() if one.kind == "filter"}
    with pytest.raises(SlackwaterError, match="too many") as refused:
        naive(root, Facts(slacks, kept))
    assert refused.value.condition == "SEARCH_TOO_LARGE"


@given(st.lists(st.tuples(st.integers(0, 5), st.floats(0, 1)), min_size=1))
def test_what_stays_shared_are_the_least_patient(children: list[tuple[int, float]]) -> None:
    levels, _ = shared_levels(children)
    assert list(levels) == sorted({slack for slack, _ in children})[: len(levels)]


def test_a_chain_without_levels_is_no_buffer() -> None:
    assert Chain("v", 3, (), (("c", 3),)).total == 0
