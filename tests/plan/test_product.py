"""Inputs that share no predicate: orders avoid that they meet, and where none does it is told."""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import Any

import pytest

import slackwater as sw
from slackwater import testing
from slackwater.control.request import Request
from slackwater.plan.build import check
from slackwater.plan.join import JoinPlan
from slackwater.plan.product import followed, products, warning
from slackwater.plan.stage import lay_out
from slackwater.plan.tree import JoinNode, read_tree
from slackwater.query.stream import Query
from slackwater.testing import Settings

CHAIN = ("a.k = b.k", "b.j = c.j")


def query(order: str, on: tuple[str, ...] = CHAIN, names: str = "abc", **more: Any) -> Query:
    columns = {"ts": "timestamp", "k": "bigint", "j": "bigint"}
    streams = [testing.rows(name, time="ts", **columns) for name in names]
    joined = sw.join(*streams, on=list(on), within="10 s", order=order, **more)
    return joined.select("a.k AS k").query("q", sink=sw.memory())


def plan(*given: Any, **more: Any) -> JoinPlan:
    found = lay_out(check((query(*given, **more),))).queries[0].join
    assert found is not None
    return found


def tree(text: str) -> JoinNode:
    found = read_tree(text)
    assert isinstance(found, JoinNode)
    return found


def test_as_written_means_along_predicates_and_as_listed_among_those() -> None:
    chain = plan("written")
    assert chain.tree is not None
    assert chain.tree.orders == ((1, 2), (0, 2), (1, 0))  # c probes b before a
    star = plan("written", ("a.k = b.k", "a.j = c.j"))
    assert star.tree is not None
    assert star.tree.orders == ((1, 2), (0, 2), (0, 1))
    assert plan("adaptive").written == chain.tree


def test_products_that_no_order_avoids_are_found() -> None:
    graph = plan("written").graph
    assert products(graph, tree("(a b c)")) == [(frozenset("c"), frozenset("a"))]
    assert products(graph, followed(graph, tree("(a b c)"))) == []
    assert products(graph, followed(graph, tree("((a c) b)"))) == [(frozenset("a"), frozenset("c"))]
    assert products(graph, followed(graph, tree("((a b) c)"))) == []


def test_a_random_connected_join_has_no_products_as_written() -> None:
    seed = time.time_ns()
    draw = random.Random(seed)
    names = "abcdefgh"[: draw.randint(3, 8)]
    pairs = [(draw.randrange(number), number) for number in range(1, len(names))]
    on = tuple(f"{names[one]}.k + {names[other]}.j < 5" for one, other in pairs)
    shuffled = "".join(draw.sample(names, len(names)))
    found = plan("written", on, shuffled)
    assert found.tree is not None
    assert products(found.graph, found.tree) == [], seed


def test_what_is_asked_for_is_not_warned_of() -> None:
    crossed = plan("written", ("a.k = b.k",), cross=True)
    assert crossed.tree is not None
    assert warning(crossed.graph, crossed.tree) == ""


def test_a_predicate_over_three_inputs_leaves_no_order_that_avoids_it() -> None:
    three = plan("written", ("a.k + b.k = c.k",))
    assert three.tree is not None
    said = warning(three.graph, three.tree)
    assert "a and b" in said
    assert "avoids it" not in said


@pytest.mark.parametrize(("order", "told"), [("((a c) b)", 1), ("written", 0), ("((a b) c)", 0)])
def test_a_tree_that_multiplies_is_told_of_once(tmp_path: Path, order: str, told: int) -> None:
    assert len(notices(query(order), tmp_path)) == told


def test_a_tree_that_a_person_asks_for_is_told_of_too(tmp_path: Path) -> None:
    [said] = notices(query("adaptive"), tmp_path, Request("one", "q", tree="((c a) b)"))
    assert "a and c" in said or "c and a" in said
    assert 'order="adaptive" or order="written" avoids it' in said


def notices(one: Query, folder: Path, request: Request | None = None) -> list[str]:
    """What is said of products in four batches without rows."""
    found: list[str] = []
    loop = testing.make_loop((one,), folder, Settings(tier="columnar"))
    try:
        write = loop.events.write
        loop.events.write = lambda kind, **value: (  # type: ignore[method-assign]
            found.append(value["text"]) if kind == "notice" else None,
            write(kind, **value),
        )[-1]
        for number in range(4):
            if number == 1 and request is not None:
                loop.inbox.put(request)
            loop.process(testing.micro(loop, {}), number)
    finally:
        loop.close()
    return [text for text in found if "meet without a predicate" in text]
