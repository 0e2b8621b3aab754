"""What is measured of a running join becomes what plans are compared by."""

from __future__ import annotations

import pytest

from slackwater.optimize.facts import Count, Facts, Sample, in_turn, named, names_of
from slackwater.plan.graph import JoinGraph, equal_classes, per_stream

OWNER = {"a_k": "a", "b_k": "b", "b_j": "b", "c_j": "c"}
GRAPH = JoinGraph(
    ("a", "b", "c"),
    per_stream([10, 10, 10]),
    equal_classes([("a_k", "b_k"), ("b_j", "c_j")], OWNER),
    (),
)
COME = {"a": 100, "b": 200, "c": 50}
HELD = {"a": 1_000, "b": 2_000, "c": 500}
WIDTHS = {"a": 16.0, "b": 24.0, "c": 8.0}
AB = in_turn("a", "b")


def facts(**pairs: float) -> Facts:
    """After a batch in which all new rows would have made so many pairs."""
    counted = {in_turn(*name.split("_")): found for name, found in pairs.items()}
    sample = Sample("(a b c)", 0.1, counted)
    return Facts().came(COME, HELD, WIDTHS).learned(sample, {})


@pytest.mark.spec("adaptive:MET-01", "adaptive:MET-02", "adaptive:MET-03")
def test_rates_selectivities_and_sizes_of_states_are_what_was_counted() -> None:
    found = facts(a_b=400.0, b_c=1_000.0)
    known = found.known(GRAPH)
    assert known.arriving == (100.0, 200.0, 50.0)
    assert known.held == (1_100.0, 2_200.0, 550.0)
    assert known.share(0b011) == pytest.approx(400 / (100 * 2_000), rel=0.01)
    assert known.share(0b110) == pytest.approx(1_000 / (200 * 500), rel=0.01)
    assert known.share(0b111) == pytest.approx(known.share(0b011) * known.share(0b110))


def test_nothing_is_compared_before_every_pair_was_looked_at() -> None:
    assert not facts(a_b=400.0).is_enough(GRAPH)
    assert facts(a_b=400.0, b_c=1_000.0).is_enough(GRAPH)


def test_what_was_counted_is_forgotten_when_it_changes() -> None:
    found = facts(a_b=400.0, b_c=1_000.0)
    for _ in range(3):
        sample = Sample("(a b c)", 0.1, {AB: 40_000.0})
        found = found.came(COME, HELD, WIDTHS).learned(sample, {})
    assert found.known(GRAPH).share(0b011) == pytest.approx(0.2, rel=0.05)


def test_combinations_that_are_more_than_pairs_let_expect_correct_larger_ones() -> None:
    found = facts(a_b=400.0, b_c=1_000.0)
    plain = found.known(GRAPH)
    sample = Sample("((a b) c)", 0.1, {}, {AB: 600})
    found = found.learned(sample, {AB: 200.0})
    known = found.known(GRAPH)
    for some in (0b011, 0b111):
        assert known.share(some) == pytest.approx(3 * plain.share(some), rel=0.01)
    assert known.share(0b110) == plain.share(0b110)


def test_pairs_that_are_known_anew_are_not_counted_twice() -> None:
    found = facts(a_b=400.0, b_c=1_000.0)
    before = found.known(GRAPH).share(0b011)
    expected = found.expectation(GRAPH).rate(0b011)
    # ten times as many meet, which pairs and combinations both tell
    sample = Sample("((a b) c)", 0.1, {AB: 4_000.0}, {AB: round(10 * expected)})
    found = found.learned(sample, {AB: expected})
    assert found.known(GRAPH).share(0b011) == pytest.approx(10 * before, rel=0.02)


def test_rows_that_are_held_make_what_they_made_until_they_are_replaced() -> None:
    found = facts(a_b=400.0, b_c=1_000.0).came(COME, HELD, WIDTHS)
    before = found.stock(GRAPH).share(0b011)
    found = found.learned(Sample("(a b c)", 0.1, {AB: 40_000.0}), {})
    found = found.learned(Sample("(a b c)", 0.1, {AB: 40_000.0}), {})
    new = found.known(GRAPH).share(0b011)
    shares = []
    for _ in range(40):
        found = found.came(COME, HELD, WIDTHS)
        shares.append(found.stock(GRAPH).share(0b011))
    # of eleven parts of a, and of b, one is new
    assert shares[0] == pytest.approx(new + (10 / 11) ** 2 * (before - new))
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(new, rel=0.01)


def test_what_is_rare_is_not_impossible() -> None:
    assert Count(0.0, 1_000_000.0).share > 0


def test_tasks_that_work_at_the_same_time_add_their_counts_and_not_their_time() -> None:
    one = Sample("(a b)", 0.2, {AB: 3.0}, {AB: 5})
    other = Sample("(a b)", 0.3, {AB: 4.0}, {AB: 7})
    assert one + other == Sample("(a b)", 0.3, {AB: 7.0}, {AB: 12})


def test_a_set_has_one_name() -> None:
    assert named({"b", "a"}) == named(frozenset({"a", "b"})) == AB
    assert names_of(named({"x y", "a"})) == ["a", "x y"]


@pytest.mark.spec("adaptive:TRG-04")
def test_what_grows_is_expected_to_grow_on_and_what_shrinks_is_not() -> None:
    held, found = dict(HELD), facts(a_b=400.0)
    for _ in range(20):
        held = {name: rows + 100 for name, rows in held.items()}
        found = found.came(COME, held, WIDTHS)
    assert found.growth("c", 2) == pytest.approx(1 + 2 * 100 / held["c"], rel=0.01)
    for _ in range(20):
        held = {name: rows - 10 for name, rows in held.items()}
        found = found.came(COME, held, WIDTHS)
    assert found.growth("c", 2) == 1.0
    assert Facts().growth("a", 2) == 1.0


def test_rates_swing_by_the_largest_factor_of_an_input_that_comes() -> None:
    found = facts(a_b=400.0)
    assert found.swing({}) == 1.0
    assert found.swing(COME) == 1.0
    assert found.swing({"a": 300.0, "b": 50.0, "c": 0.0}) == 4.0
