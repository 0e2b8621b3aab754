"""Costs of plans: the formulas and figures of spec adaptive 3.4, 7.1 and 11."""

from __future__ import annotations

import pytest

from slackwater.optimize.cost import Cost, Units
from slackwater.optimize.known import Known, members, pairwise
from slackwater.optimize.plan import Space
from slackwater.plan.tree import JoinNode, read_tree

CHAIN3 = (("A", "B"), ("B", "C"))
CHAIN4 = (*CHAIN3, ("C", "D"))
AS_IN_SOURCE = JoinNode(("A", "B", "C"), ((1, 2), (0, 2), (1, 0)))  # A-B-C, B-A-C, C-B-A
SETS = {
    1: pairwise(dict.fromkeys("ABC", 20.0), dict(zip(CHAIN3, (0.05, 0.5), strict=True)), 5.0),
    2: pairwise(
        {"A": 20.0, "B": 20.0, "C": 50.0}, dict(zip(CHAIN3, (0.02, 0.5), strict=True)), 15.0
    ),
    3: pairwise(dict.fromkeys("ABCD", 10.0), dict(zip(CHAIN4, (0.1, 0.15, 0.1), strict=True)), 15),
    4: pairwise(
        dict.fromkeys("ABCD", 20.0), dict(zip(CHAIN4, (0.02, 0.2, 0.05), strict=True)), 50.0
    ),
}


def cost(known: Known, tree: str, pairs: str = "produced") -> Cost:
    space = Space(known, Units(pairs=pairs))  # type: ignore[arg-type]
    return space.cost(space.best(read_tree(tree)))


@pytest.mark.spec("adaptive:OPT-01", "adaptive:OPT-02")
@pytest.mark.parametrize(
    ("number", "tree", "produced", "inspected", "memory"),
    [
        (1, "(A B C)", 16_320, 126_120, 300),
        (1, "((A B) C)", 15_720, 34_520, 800),
        (2, "(A B C)", 142_920, 2_457_180, 1_350),
        (2, "((A B) C)", 135_900, 282_660, 3_150),
        (3, "(A B C D)", 216_680, 2_121_080, 600),
        (3, "((A B) (C D))", 204_380, 1_357_280, 5_100),
        (3, "((A B) C D)", 210_530, 1_739_180, 2_850),
        (4, "(A B C D)", 16_445_960, 445_880_160, 4_000),
        (4, "((A B) (C D))", 16_008_560, 80_085_760, 74_000),
        (4, "((A B) C D)", 16_164_560, 200_881_760, 24_000),
    ],
)
def test_the_sets_of_the_source_cost_what_its_formulas_say(
    number: int, tree: str, produced: int, inspected: int, memory: int
) -> None:
    known = SETS[number]
    assert cost(known, tree) == Cost(pytest.approx(produced), pytest.approx(memory))
    assert cost(known, tree, "inspected").cpu == pytest.approx(inspected)


@pytest.mark.spec("adaptive:OPT-01")
def test_every_term_of_the_formulas_is_there() -> None:
    a, b, c, ab, bc, window = 3.0, 5.0, 7.0, 0.1, 0.02, 4.0
    known = pairwise({"A": a, "B": b, "C": c}, {("A", "B"): ab, ("B", "C"): bc}, window)
    units = Units(insert=2.0, delete=3.0, pair=11.0)
    space = Space(known, units)
    kept, triple = (a + b + c) * 5.0, a * b * c * ab * bc * window**2
    mjoin = space.cost(AS_IN_SOURCE)
    made = b * c * bc * window + 2 * a * b * ab * window + 3 * triple
    assert mjoin.cpu == pytest.approx(kept + made * 11.0)  # (4.2)
    assert mjoin.memory == pytest.approx((a + b + c) * window)  # (4.3)
    binary = space.cost(space.best(read_tree("((A B) C)")))
    pairs = 2 * a * b * ab * window
    assert binary.cpu == pytest.approx(kept + 3 * triple * 11.0 + pairs * (11.0 + 5.0))  # (4.4)
    assert binary.memory == pytest.approx((a + b + c) * window + a * b * ab * window**2)  # (4.5)


@pytest.mark.spec("adaptive:OPT-03")
@pytest.mark.parametrize("selectivity", [0.001, 0.05, 0.2, 0.9])
def test_a_state_saves_work_if_making_it_again_is_dearer_than_keeping_it(
    selectivity: float,
) -> None:
    known = pairwise(
        dict.fromkeys("ABC", 20.0), {("A", "B"): selectivity, ("B", "C"): 0.1}, window=5.0
    )
    again = 20 * 20 * 0.1 * 5.0  # of BC, for rows of C
    keeping = 2 * 20 * 20 * selectivity * 5.0 * 2.0  # S_AB: rows in and out
    space = Space(known)
    binary = space.cost(read_tree("((A B) C)"))
    saved = space.cost(AS_IN_SOURCE).cpu - binary.cpu
    assert saved == pytest.approx(again - keeping)
    assert (saved > 0) == (again > keeping)
    assert space.cost(AS_IN_SOURCE).memory < binary.memory


def test_rates_and_sizes_of_combinations() -> None:
    known = SETS[1]
    pair, triple = known.set_of(read_tree("(A B)")), known.everything
    assert known.size(pair) == pytest.approx(500)
    assert known.rate(pair) == pytest.approx(2 * 500 / 5)
    assert known.rate(triple) == pytest.approx(15_000)
    assert known.kept(pair, 0b100) == pytest.approx(0.5)
    assert list(members(0b1011)) == [0, 1, 3]


def test_windows_of_inputs_may_differ() -> None:
    known = pairwise({"a": 10.0, "b": 10.0}, {("a", "b"): 0.5}, {"a": 2.0, "b": 30.0})
    assert known.held == (20.0, 300.0)
    assert known.rate(0b11) == pytest.approx(0.5 * (10 * 300 + 10 * 20))


@pytest.mark.spec("adaptive:TRG-04")
def test_memory_is_that_of_soon_and_combinations_take_what_they_were_found_to() -> None:
    known = pairwise({"a": 10.0, "b": 20.0}, {("a", "b"): 0.1}, window=5.0)
    plain = Space(known, widths=(8.0, 4.0))
    assert plain.held(0b01) == 50 * 8.0
    assert plain.held(0b11) == 50 * 100 * 0.1 * 12.0
    soon = Space(known, widths=(8.0, 4.0), bulk=2.0, growth=(1.5, 1.0))
    assert soon.held(0b01) == 1.5 * plain.held(0b01)
    assert soon.held(0b10) == plain.held(0b10)
    assert soon.held(0b11) == 1.5 * 2.0 * plain.held(0b11)
    assert soon.work(soon.node("ab")) == plain.work(plain.node("ab"))


def test_dominance_is_in_both_and_limits_count_in_both() -> None:
    cheap = Cost(1.0, 5.0)
    assert cheap.dominates(Cost(2.0, 5.0))
    assert cheap.dominates(Cost(1.0, 6.0))
    assert not cheap.dominates(cheap)
    assert not cheap.dominates(Cost(0.5, 9.0))
    assert cheap.within(Cost(1.0, 5.0))
    assert not cheap.within(Cost(1.0, 4.9))
