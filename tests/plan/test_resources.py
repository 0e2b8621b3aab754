"""Limits of a pipeline: each join whose plan is open gets its part of them."""

from __future__ import annotations

import random
import time
from typing import Any

import pytest

import slackwater as sw
from slackwater import testing
from slackwater.plan.build import check
from slackwater.plan.resources import ResourcePlan, parts
from slackwater.plan.stage import lay_out
from slackwater.query.stream import Query


def query(name: str, order: str = "adaptive", resources: Any = None) -> Query:
    a, b = (testing.rows(one, time="ts", ts="timestamp", k="bigint") for one in "ab")
    joined = sw.join(a, b, on="k", within="1 s", order=order)
    return joined.select("a.k AS k").query(name, resources=resources)


def limits(*queries: Query, **total: Any) -> dict[str, ResourcePlan | None]:
    plan = lay_out(check(queries, sw.resources(**total)))
    return {one.name: one.find(ResourcePlan) for one in plan.queries}


def test_open_joins_share_the_limits_of_their_pipeline() -> None:
    found = limits(query("p"), query("q"), query("fixed", "written"), memory="1 MB", cpu=0.8)
    part = ResourcePlan(500_000, 0.4)
    assert found == {"p": part, "q": part, "fixed": None}


def test_the_tighter_limit_counts_and_leaves_the_rest_to_others() -> None:
    tight, wide = sw.resources(memory=100_000), sw.resources(memory="1 GB", cpu=0.25)
    found = limits(query("p", resources=tight), query("q", resources=wide), memory="1 MB", cpu=0.75)
    assert found == {"p": ResourcePlan(100_000, 0.5), "q": ResourcePlan(900_000, 0.25)}


def test_a_limit_that_the_pipeline_does_not_state_is_that_of_the_query() -> None:
    own = sw.resources(cpu=0.5)
    assert limits(query("p", resources=own), memory=10) == {"p": ResourcePlan(10, 0.5)}


def test_parts_never_exceed_the_total_and_none_is_cut_below_an_equal_part() -> None:
    seed = time.time_ns()
    draw = random.Random(seed)
    for _ in range(200):
        own = [draw.choice([None, draw.uniform(0.1, 50)]) for _ in range(draw.randint(1, 8))]
        total = draw.uniform(1, 100)
        found = parts(total, own)
        assert sum(one or 0 for one in found) <= total * (1 + 1e-9), seed
        for part, asked in zip(found, own, strict=True):
            assert part is not None
            wanted = float("inf") if asked is None else asked
            assert part >= min(wanted, total / len(own)) * (1 - 1e-9), seed
            assert part <= wanted, seed


def test_limits_of_a_pipeline_are_checked_like_those_of_a_query() -> None:
    with pytest.raises(sw.QueryError) as error:
        sw.pipeline(query("q", "written"), resources=sw.resources(memory="much", cpu=0))
    found = [(one.condition, one.where) for one in error.value.problems]
    assert sorted(condition for condition, _ in found) == [
        "RESOURCES_CPU",
        "RESOURCES_MEMORY",
        "RESOURCES_PLACE",
    ]
    assert all(where.startswith("pipeline") for _, where in found)


def test_a_pipeline_hands_its_limits_to_its_joins() -> None:
    whole = sw.pipeline(query("p"), query("q"), resources=sw.resources(memory="2 kB"))
    assert [one.find(ResourcePlan) for one in whole.plan.queries] == [ResourcePlan(1_000)] * 2
