"""Samples of estimates: what is kept of many, and what cannot be drawn."""

from __future__ import annotations

from itertools import pairwise

import pytest

from slackwater.history.samples import NEWEST, Samples, told_samples
from tests.events.story import batch, sample


def told(count: int, most: int = 100) -> Samples:
    samples = Samples(most)
    for number in range(count):
        samples.add(float(number), number, sample(number, number))
    return samples


def batches(samples: Samples, most: int) -> list[int]:
    return [one["batch"] for one in samples.between(-1, 1e9, most)]


def test_of_many_the_older_ones_are_thinned_and_the_newest_stay() -> None:
    samples = told(10_000)
    assert len(samples.kept) <= 100
    assert batches(samples, 1_000)[-NEWEST:] == list(range(10_000 - NEWEST, 10_000))
    older = batches(samples, 1_000)[:-NEWEST]
    assert older[0] == 0
    assert len(older) > 30
    assert {b - a for a, b in pairwise(older)} == {samples.every}  # evenly over the whole run
    few = batches(samples, 20)
    assert len(few) == 20
    assert few == sorted(set(few))
    assert few[-NEWEST:] == list(range(10_000 - NEWEST, 10_000))


def test_values_are_given_as_shares_of_the_final() -> None:
    samples = Samples()
    points = [[1.0, 50.0], [0.5, 25.0], [0.7, None], [0.1], "odd", [0.2, 10**400]]
    samples.add(
        1.0, 1, {"window_end": 9, "column": "n", "group": "g", "final": 50, "points": points}
    )
    [found] = samples.after(0, 10)
    assert found == {
        "at": 1.0, "batch": 1, "end": 9, "column": "n", "group": "g",
        "points": [[0.5, 0.5], [1.0, 1.0]],
    }  # fmt: skip


@pytest.mark.parametrize(
    "change",
    [
        {"final": 0},
        {"final": None},
        {"final": "5"},
        {"points": []},
        {"points": 3},
        {"window_end": []},
    ],
)
def test_what_cannot_be_drawn_is_left_out(change: dict[str, object]) -> None:
    samples = Samples()
    samples.add(1.0, 1, sample(1, 1) | change)
    samples.add(2.0, 2, "odd")
    assert samples.after(0, 10) == []


def test_they_are_found_wherever_a_batch_tells_one() -> None:
    odd = [{}, {"queries": 5}, {"queries": {"q": 5}}, {"queries": {"q": {"estimates": []}}}]
    found = list(told_samples([*odd, batch(4), batch(6)]))
    assert [(name, told["batch"]) for name, told, _ in found] == [("fixed", 6)]
