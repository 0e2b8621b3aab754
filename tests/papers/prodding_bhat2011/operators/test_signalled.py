"""Why prods flow with the data: the alternatives, and what each of them misses."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.errors import SlackwaterError
from slackwater.papers.prodding_bhat2011.operators.channel import Channel
from slackwater.papers.prodding_bhat2011.operators.element import Result
from slackwater.papers.prodding_bhat2011.operators.plan import flat, paned
from slackwater.papers.prodding_bhat2011.operators.signalled import (
    Signalled,
    Strategy,
    answered,
    with_channels,
)
from slackwater.papers.prodding_bhat2011.operators.sources import Timed
from tests.papers.prodding_bhat2011.operators.reference import (
    Item,
    earlies,
    element,
    finals,
    query,
    random_items,
    run,
)

STREAMS = st.integers(0, 10**6).map(lambda seed: random_items(random.Random(seed), 50, 30))


def timed(items: list[Item], pace: int = 1000) -> list[Timed]:
    return [Timed(now * pace, element(item)) for now, item in enumerate(items)]


def rows(results: list[Result]) -> dict[tuple[object, int, object], int]:
    return {(r.prod, r.window, r.group): r.rows for r in results if r.kind == "early"}


def answer(items: list[Item], strategy: Strategy) -> list[Result]:
    return answered(paned(query(30, 10)), strategy, timed(items))


@pytest.mark.spec("prodding:F34", "prodding:F36", "prodding:F37")
@given(STREAMS)
def test_signals_miss_what_is_held_below_and_never_spoil_finals(items: list[Item]) -> None:
    whole = answer(items, "in-stream")
    assert earlies(whole) == earlies(run(flat(query(30, 10)), items))
    top = answer(items, "top only")
    assert earlies(answer(items, "lower only")) == []  # nothing makes the top answer
    for key, known in rows(top).items():
        assert known <= rows(whole)[key]
    strategies: list[Strategy] = ["simultaneous", "top only", "lower only", "staggered"]
    for strategy in strategies:
        assert finals(answer(items, strategy)) == finals(whole)


@pytest.mark.spec("prodding:F34", "prodding:F36")
def test_prodding_all_at_once_estimates_no_more_than_prodding_the_top_alone() -> None:
    """A first prod for each window, so that no earlier one has pushed anything up."""
    items = [one for one in random_items(random.Random(1), 60, 30) if one[0] != "P"]
    for end in range(10, 200, 10):
        place = next(n for n, one in enumerate(items) if one[1] >= end - 3 or one is items[-1])
        with_one = [*items[:place], ("P", end, None, "q"), *items[place:]]
        at_once = answer(with_one, "simultaneous")
        assert earlies(at_once) == earlies(answer(with_one, "top only"))


@pytest.mark.spec("prodding:F36")
def test_the_top_alone_knows_clearly_less() -> None:
    whole = short = 0
    for seed in range(20):
        items = random_items(random.Random(seed), 60, 30)
        whole += sum(rows(answer(items, "in-stream")).values())
        short += sum(rows(answer(items, "top only")).values())
    assert short < 0.8 * whole


@pytest.mark.spec("prodding:F35")
def test_no_fixed_delay_is_safe_for_staggered_signals() -> None:
    shares = []
    for delay in (0, 50, 200, 2000):
        known = whole = 0
        for seed in range(8):
            items = random_items(random.Random(seed), 60, 30)
            full = rows(answered(paned(query(30, 10)), "in-stream", timed(items)))
            plan = with_channels(paned(query(30, 10)), mean=100, seed=seed)
            got = rows(answered(plan, "staggered", timed(items), delay=delay))
            whole += sum(full.values())
            known += sum(min(got.get(key, 0), n) for key, n in full.items())
        shares.append(known / whole)
    assert shares == sorted(shares)
    assert shares[0] < 0.8
    assert shares[2] < 0.99 < shares[3]
    with pytest.raises(SlackwaterError, match="delay is -1"):
        Signalled(paned(query(30, 10)), "staggered", delay=-1)


@pytest.mark.spec("prodding:F35", "prodding:F19")
@given(STREAMS, st.integers(0, 100))
def test_a_prod_in_the_stream_is_right_however_slow_the_channels_are(
    items: list[Item], seed: int
) -> None:
    plan = with_channels(paned(query(30, 10)), mean=5000, seed=seed)
    assert any(isinstance(one, Channel) for one in plan)
    got = answered(plan, "in-stream", timed(items))
    want = run(flat(query(30, 10)), items)
    assert earlies(got) == earlies(want)
    assert finals(got) == finals(want)
