"""Prices of work are learned from how long batches took, and carry over to plans not seen."""

from __future__ import annotations

import random
from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.optimize.cost import Units, Work
from slackwater.optimize.seconds import GUESS, Seconds

PRICES = (5e-7, 2e-7, 1e-8, 2e-3, 4e-3)


def took(work: Work, prices: tuple[float, ...] = PRICES) -> float:
    done = (work.rows, work.pairs, work.scanned, work.probes, 1.0)
    return sum(price * amount for price, amount in zip(prices, done, strict=True))


def some_work(draw: random.Random) -> Work:
    return Work(
        draw.uniform(1e4, 2e5), draw.uniform(1e4, 2e6), draw.uniform(1e5, 5e6), draw.randint(2, 12)
    )


@given(st.integers(0, 2**32))
def test_plans_that_were_not_seen_are_predicted_from_those_that_were(seed: int) -> None:
    draw, known = random.Random(seed), Seconds()
    for _ in range(40):
        work = some_work(draw)
        known = known.after(work, took(work) * draw.uniform(0.9, 1.1))
    errors = []
    for _ in range(20):
        work = some_work(draw)
        errors.append(abs(known.predicted(work) / took(work) - 1))
    assert median(errors) < 0.25, seed


def test_before_the_first_batch_the_guess_counts() -> None:
    units = Seconds().units()
    assert units == Units(insert=GUESS[0], delete=0.0, pair=GUESS[1], scan=GUESS[2], probe=GUESS[3])


@given(st.floats(0.1, 10))
def test_one_batch_tells_how_fast_the_machine_is(speed: float) -> None:
    work = Work(1e5, 1e6, 1e6, 4)
    known = Seconds().after(work, speed * took(work, GUESS))
    assert known.predicted(work) == pytest.approx(speed * took(work, GUESS), rel=0.01)
    assert known.units().pair == pytest.approx(speed * GUESS[1], rel=0.05)


@given(st.integers(0, 2**32))
def test_no_kind_of_work_has_a_negative_price(seed: int) -> None:
    draw, known = random.Random(seed), Seconds()
    for _ in range(10):
        known = known.after(some_work(draw), draw.uniform(0.001, 1.0))
    units = known.units()
    assert min(units.insert, units.pair, units.scan, units.probe, known.base) > 0


def test_the_error_of_predictions_is_kept() -> None:
    work, known = Work(1e5, 1e6, 1e6, 4), Seconds()
    known = known.after(work, 0.2)
    assert known.wrong is None
    known = known.after(work, 0.4)
    assert known.wrong == pytest.approx(0.5, rel=0.05)
