"""Trees that change at random, under any contract and in any place, change no result.

Compared with the same join by one tree for ever, and with DuckDB from scratch where nothing but a
fixed slack decides what comes too late.
"""

from __future__ import annotations

import random
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import slackwater as sw
from slackwater.control.adapt import Adapt, Adapting, AdaptMemory
from slackwater.control.controller import Moment
from slackwater.control.join_plan import is_settled, track_of
from slackwater.control.orders import Proposal
from slackwater.control.records import Tier
from slackwater.control.request import Request
from slackwater.control.step import CONTROLLERS, Controllers
from slackwater.events import log
from slackwater.execute.limits import Limits
from slackwater.plan.tree import JoinNode, read_tree
from slackwater.query.stream import Query
from tests.driver import Driver, batch
from tests.examples import examples
from tests.properties.test_engines_agree import PLACES
from tests.properties.test_joins_agree import (
    CASES,
    Case,
    expected,
    random_case,
    random_tree,
    rows_in,
    stream_of,
)
from tests.story import ending, leftovers

TIERS: tuple[Tier, ...] = ("columnar", "spark")
CONTRACTS = st.sampled_from(["fixed", "revised", "recall", "recall revised"])


class Restless(Adapt):
    """Proposes any tree, again and again, as long as nobody else has chosen or a change goes on."""

    def __init__(self, seed: int, often: float) -> None:
        self.draw, self.often = random.Random(seed), often

    def step(
        self, params: Adapting, moment: Moment, memory: AdaptMemory
    ) -> tuple[Proposal, AdaptMemory]:
        found, after = super().step(params, moment, memory)
        if is_settled(moment.memory) or self.draw.random() > self.often:
            return found, after
        tree = read_tree(random_tree(self.draw, list(params.join.graph.names)))
        assert isinstance(tree, JoinNode)
        return replace(found, tree=tree, best=1.0, predicted=1.0), after


def restless(seed: int, often: float = 0.5) -> Controllers:
    mine = Restless(seed, often)
    return tuple(mine if isinstance(one, Adapt) else one for one in CONTROLLERS)


def under(case: Case, contract: str, order: str, **more: Any) -> Query:
    terms: dict[str, Any] = {} if "revised" not in contract else {"late": "revise", "keep": "3 s"}
    promise = sw.slack(case.slack)
    if "recall" in contract:
        promise = sw.min_recall(0.7, over="8 s")  # type: ignore[assignment]
    return case.stream(order).query("q", promise, **terms, **more)


def lived(
    query: Query, cuts: list[dict[str, Any]], folder: Path, driver: Driver, draw: random.Random
) -> tuple[list[Any], list[dict[str, Any]]]:
    """Trees asked for at random, by people and by a controller; restarts and other places, too.

    Gives what was asked for, and the changes that were told.
    """
    asked: list[Any] = []
    fan_in, often = draw.choice((2, 8)), draw.choice((0.0, 0.4))
    names = [one.name for one in query.stream.base.inputs]  # type: ignore[union-attr]

    def made(tier: Tier) -> Any:
        options = {"limits": Limits(fan_in=fan_in), "tier": tier}
        return driver.make_loop((query,), folder, controllers=restless(7, often), **options)

    loop = made(driver.tier)
    try:
        for number, cut in enumerate(cuts):
            if draw.random() < 0.15:
                loop.close()
                loop = made(draw.choice(TIERS))
            if draw.random() < 0.15:
                loop.pin = draw.choice(TIERS)
            if draw.random() < 0.45:
                tree = "adaptive" if draw.random() < 0.3 else random_tree(draw, list(names))
                how = draw.choice(["moving", "parallel"])
                asked.append((number, tree, how))
                loop.inbox.put(Request(f"r{number}", "q", tree=tree, how=how))
            tables: Any = {name: batch(*rows) for name, rows in cut.items()}
            driver.feed(loop, tables, number)
        loop.finish()
    finally:
        loop.close()
    events = [e for e in log.read(folder / "events.jsonl") if e["event"] == "migration"]
    return asked, events


@pytest.mark.spec("adaptive:MIG-09", "adaptive:MIG-11", "adaptive:MIG-25", "adaptive:MIG-26")
@pytest.mark.deep
@pytest.mark.slow
@examples(10, 100)
@given(CASES, CONTRACTS, PLACES, st.integers(0, 1 << 32))
def test_trees_that_change_at_random_change_no_result_under_any_contract(
    given_case: tuple[int, str, str, int, int], contract: str, driver: Driver, seed: int
) -> None:
    case, _ = random_case(*given_case)
    cuts = stream_of(given_case[-1], case.names, 12, 5 if len(case.names) < 4 else 3)
    written = f"({' '.join(case.names)})"
    with tempfile.TemporaryDirectory() as top:
        still, moved = Path(top) / "still", Path(top) / "moved"
        tables: list[Any] = [{n: batch(*rows) for n, rows in cut.items()} for cut in cuts]
        Driver().run((under(case, contract, written),), tables, still)
        query = under(case, contract, "adaptive")
        story = lived(query, cuts, moved, driver, random.Random(seed))
        assert ending(moved) == ending(still), story
        assert leftovers(moved) == []
        if contract == "fixed":
            count = sum(ending(moved).get("results/q", Counter()).values())
            assert count == len(expected(case, cuts)), story


# the batch in which a track ends ------------------------------------------------------------------


CHAIN = Case(("a", "b", "c"), ("a.k = b.k", "b.k = c.k"), dict.fromkeys("abc", 2), 0, "immediate")
LEFT, RIGHT = "((a b) c)", "(a (b c))"
SLOW = pytest.mark.slow


def tracked(
    folder: Path, driver: Driver, *, back: str | None = None, to: Tier | None = None
) -> tuple[list[Any], list[Any]]:
    """From LEFT to RIGHT side by side; in the batch in which that ends, ``back`` to LEFT so, or
    with the state moved ``to`` another place.
    """
    cuts, sink = stream_of(5, CHAIN.names, 8, 9), sw.memory()
    query = CHAIN.stream(LEFT).query("q", sw.slack(CHAIN.slack), sink=sink)
    loop, ended = driver.make_loop((query,), folder), None
    try:
        for number, cut in enumerate(cuts):
            if number == 1:
                loop.inbox.put(Request("there", "q", tree=RIGHT, how="parallel"))
            memory = loop.state.of("q")
            track = track_of(memory)
            is_last = track is not None and track.until < (memory.watermark or 0) and ended is None
            if is_last and back is not None:
                loop.inbox.put(Request("back", "q", tree=LEFT, how=back))
            if is_last and to is not None:
                loop.state = replace(loop.state, tier=to)
                loop.pin = to
            driver.feed(loop, {name: batch(*rows) for name, rows in cut.items()}, number)
            if is_last:
                ended, now = number, track_of(loop.state.of("q"))
                assert now is None or now.since == number  # a new one, if any
        assert ended is not None
        loop.finish()
    finally:
        loop.close()
    return rows_in(sink, CHAIN), expected(CHAIN, cuts)


@pytest.mark.spec("adaptive:MIG-25")
@pytest.mark.parametrize("back", ["moving", pytest.param("parallel", marks=SLOW)])
@pytest.mark.parametrize(
    "driver", [Driver(), pytest.param(Driver("spark"), marks=SLOW)], ids=["driver", "tasks"]
)
def test_a_way_back_in_the_batch_in_which_a_track_ends_doubles_nothing(
    tmp_path: Path, driver: Driver, back: str
) -> None:
    """What the old tree kept is still there, all new combinations among it, and is made anew."""
    found, wanted = tracked(tmp_path, driver, back=back)
    assert found == wanted
    told = [e for e in log.read(tmp_path / "events.jsonl") if e["event"] == "replan"]
    assert [e["reason"] for e in told] == [None, None]


@pytest.mark.parametrize("to", ["spark", pytest.param("columnar", marks=SLOW)])
def test_the_state_may_move_in_the_batch_in_which_a_track_ends(tmp_path: Path, to: Tier) -> None:
    """States that nobody reads any more are on their way out, and not in the way."""
    found, wanted = tracked(tmp_path, Driver("spark" if to == "columnar" else "columnar"), to=to)
    assert found == wanted
