"""Orders by rank: best where predicates form a tree, never worse than greed (OPT-04 to 08)."""

from __future__ import annotations

import random
import time

import pytest

from slackwater.optimize.cost import Pairs, Units, probes
from slackwater.optimize.known import Known, pairwise
from slackwater.optimize.order import Block, best_orders, by_rank, greedy_order, spanning_tree
from tests.optimize.graphs import best_sequence, drawn

SEED = time.time_ns()
GOLDEN = pairwise(
    {"A": 10.0, "B": 2.0, "C": 10.0, "D": 10.0},
    {("A", "B"): 0.9, ("A", "C"): 0.3, ("C", "D"): 0.01},
)
SINGLES = [0b1, 0b10, 0b100, 0b1000]


def ranked(known: Known, first: int, *, cartesian: bool = False, pairs: Pairs = "produced") -> str:
    parts = [1 << number for number in range(len(known.names))]
    edges = spanning_tree(known, parts, cartesian=cartesian)
    order = by_rank(known, parts, first, Units(pairs=pairs), edges)
    return "".join(known.names[number] for number in order)


def met(known: Known, order: str) -> float:
    """Pairs of all rows of the first input."""
    sequence = [1 << known.names.index(name) for name in order]
    return known.rate(sequence[0]) * probes(known, sequence, Units())


@pytest.mark.spec("adaptive:OPT-04", "adaptive:OPT-07")
@pytest.mark.parametrize(
    ("first", "order", "pairs"),
    [(0, "ACDB", 38.4), (1, "BACD", 77.4), (2, "CDAB", 9.4), (3, "DCAB", 9.4)],
)
def test_a_rank_looks_ahead_where_greed_does_not(first: int, order: str, pairs: float) -> None:
    assert ranked(GOLDEN, first) == order
    assert met(GOLDEN, order) == pytest.approx(pairs)
    if first == 0:
        greedy = "".join("ABCD"[n] for n in greedy_order(GOLDEN, SINGLES, 0))
        assert (greedy, met(GOLDEN, greedy)) == ("ABCD", pytest.approx(77.4))


@pytest.mark.spec("adaptive:OPT-04")
def test_ranks_of_blocks() -> None:
    c, d = Block((2,), 3.0, 3.0), Block((3,), 0.1, 0.1)
    assert (c.rank, d.rank) == (pytest.approx(2 / 3), pytest.approx(-9))
    both = c.then(d)
    assert (both.grown, both.work) == (pytest.approx(0.3), pytest.approx(3.3))
    assert both.rank == pytest.approx(-0.212, abs=1e-3)
    assert Block((1,), 0.0, 0.0).rank < -1e300  # nothing is left after it: first of all


@pytest.mark.spec("adaptive:OPT-04")
@pytest.mark.parametrize("pairs", ["produced", "inspected"])
def test_orders_of_trees_are_the_best_without_products(pairs: Pairs) -> None:
    draw, units = random.Random(SEED), Units(pairs=pairs)
    for _ in range(60):
        known = drawn(draw, draw.randint(4, 6))
        parts = [1 << number for number in range(len(known.names))]
        for first in range(len(parts)):
            order = [known.names.index(name) for name in ranked(known, first, pairs=pairs)]
            found = probes(known, [parts[n] for n in order], units)
            assert found == pytest.approx(best_sequence(known, first, units)), f"seed {SEED}"


@pytest.mark.spec("adaptive:OPT-07")
def test_greed_is_often_worse_and_never_better() -> None:
    draw, worse = random.Random(SEED), 0
    for _ in range(200):
        known = drawn(draw, 5)
        order = [1 << n for n in greedy_order(known, [1 << n for n in range(5)], 0)]
        greedy, best = probes(known, order, Units()), best_sequence(known, 0, Units())
        assert greedy >= best * (1 - 1e-9), f"seed {SEED}"
        worse += greedy > best * (1 + 1e-9)
    assert worse > 0, f"seed {SEED}"


@pytest.mark.spec("adaptive:OPT-05")
def test_the_lightest_edges_are_kept_of_a_cycle() -> None:
    shares = {("A", "B"): 0.1, ("B", "C"): 0.5, ("A", "C"): 0.2}
    known = pairwise({"A": 1.0, "B": 10.0, "C": 2.0}, shares)
    # sizes AB 1, BC 10, AC 0.4: the heaviest closes the cycle, though C's predicate keeps more
    assert sorted(spanning_tree(known, [1, 2, 4], cartesian=False)) == [(1, 0), (2, 0)]
    by_size = pairwise({"A": 1.0, "B": 10.0, "C": 2.0}, shares | {("A", "C"): 0.05})
    assert (2, 0) in spanning_tree(by_size, [1, 2, 4], cartesian=False)


@pytest.mark.spec("adaptive:OPT-06")
def test_a_product_of_two_slow_inputs_may_come_first() -> None:
    known = pairwise({"A": 100.0, "B": 1.0, "C": 10.0}, {("A", "B"): 0.5, ("A", "C"): 0.04}, 5.0)

    def pairs(order: str) -> float:
        sequence = [1 << known.names.index(name) for name in order]
        return probes(known, sequence, Units())

    assert (pairs("BAC"), pairs("BCA")) == (pytest.approx(750), pytest.approx(550))
    chosen = best_orders(known, [1, 2, 4], Units())[1]
    assert [known.names[number] for number in chosen] == ["B", "C", "A"]
    assert ranked(known, 1, cartesian=False) == "BAC"


@pytest.mark.spec("adaptive:OPT-06", "adaptive:OPT-08")
def test_every_input_has_an_order_and_the_better_of_both_kinds() -> None:
    draw, helped, hurt = random.Random(SEED), 0, 0
    for _ in range(150):
        known = drawn(draw, 5, draw.choice(["tree", "cyclic"]))
        parts = [1 << number for number in range(5)]
        for first, order in enumerate(best_orders(known, parts, Units())):
            assert sorted(order) == list(range(5))
            assert order[0] == first
            chosen = probes(known, [parts[n] for n in order], Units())
            with_, without = (
                probes(
                    known,
                    [1 << known.names.index(n) for n in ranked(known, first, cartesian=c)],
                    Units(),
                )
                for c in (True, False)
            )
            assert chosen == pytest.approx(min(with_, without)), f"seed {SEED}"
            helped += with_ < without * (1 - 1e-9)
            hurt += with_ > without * (1 + 1e-9)
    assert helped, f"seed {SEED}"  # both happen: that is why both are tried (E7)
    assert hurt, f"seed {SEED}"
