"""What a query says of ranks is checked when it is built, all problems at once."""

from __future__ import annotations

from typing import Any

import pytest

import slackwater as sw
from slackwater.errors import QueryError
from slackwater.plan.build import check
from slackwater.plan.explain import explain_text, explain_value
from slackwater.plan.pace import paced
from slackwater.plan.stage import PipelinePlan, describe, lay_out
from slackwater.query.stream import Stream
from tests.driver import readings


def pairs(**terms: Any) -> Stream:
    return sw.join(readings(name="a"), readings(name="b"), on="k", within="2 s", **terms)


def problems(stream: Stream, contract: Any = None, **terms: Any) -> list[str]:
    with pytest.raises(QueryError) as refused:
        check([stream.query("q", contract, **terms)])
    return [problem.condition for problem in refused.value.problems]


def planned(stream: Stream, **terms: Any) -> PipelinePlan:
    return lay_out(check([stream.query("q", **terms)]))


@pytest.mark.spec("precedence:PR-01")
@pytest.mark.parametrize(
    ("rank", "condition"),
    [
        (sw.rank("a.x = 1", budget=5), "COLUMN_UNKNOWN"),
        (sw.rank("k = 1", budget=5), "COLUMN_AMBIGUOUS"),
        (sw.rank("a.v = b.v", budget=5), "RANK_STREAMS"),
        (sw.rank("1 = 1", budget=5), "RANK_STREAMS"),
        (sw.rank("a.v + 1", budget=5), "TYPE_MISMATCH"),
        (sw.rank("a.v >", budget=5), "SQL_UNPARSABLE"),
        (sw.rank(budget=5), "RANK_EMPTY"),
        (sw.rank("a.v = 1", budget=0), "RANK_BUDGET"),
        (sw.rank("a.v = 1", budget="0 s"), "RANK_BUDGET"),
        (sw.rank("a.v = 1", budget="soon"), "DURATION_INVALID"),
        (sw.rank("a.v = 1", budget=5, precedence="best"), "RANK_PRECEDENCE"),
        (sw.rank("RANK 1 CRITERIA a.v = 1 RANK 3 CRITERIA a.v = 2", budget=5), "RANK_MISSING"),
        (sw.rank("RANK 0 CRITERIA a.v = 1 RANK 1 CRITERIA a.v = 2", budget=5), "RANK_INVALID"),
        (sw.rank("RANK 1 CRITERIA a.v = 1", "a.v = 2", budget=5), "RANK_TEXTS"),
    ],
)
def test_what_cannot_be_a_rank_is_refused(rank: Any, condition: str) -> None:
    assert problems(pairs(), rank=rank) == [condition]


def test_all_problems_are_told_at_once() -> None:
    rank = sw.rank("a.x = 1", "a.y = 1", budget=0)
    found = problems(
        pairs(emit="ordered"), sw.min_recall(0.9), rank=rank, late="side", lifespan="0 s"
    )
    assert found == [
        "LIFESPAN_INVALID", "RANK_LATE", "RANK_CONTRACT", "RANK_BUDGET", "RANK_ORDERED",
        "COLUMN_UNKNOWN", "COLUMN_UNKNOWN",
    ]  # fmt: skip


def test_a_lifespan_is_for_rows_that_wait_and_a_budget_is_given_once() -> None:
    counted = readings().window("1 s").aggregate(n="count(*)")
    costly = readings().costly(5).window("1 s").aggregate(n="count(*)")
    assert problems(counted, lifespan="1 s") == ["LIFESPAN_ALONE"]
    assert problems(costly, rank=sw.rank("v = 1", budget=5)) == ["RANK_BUDGET"]
    assert planned(costly, rank=sw.rank("v = 1"), lifespan="1 s").queries[0].costly is not None


@pytest.mark.spec("precedence:PR-01", "precedence:PR-02")
def test_the_notation_of_the_source_work_means_the_same() -> None:
    one = planned(pairs(), rank=sw.rank("a.v = 1", "b.v = 'RANK 1 CRITERIA'", budget=5))
    text = "RANK 1 CRITERIA a.v = 1 rank 2 criteria b.v = 'RANK 1 CRITERIA'"
    assert planned(pairs(), rank=sw.rank(text, budget=5)) == one
    levels = one.queries[0].costly.levels if one.queries[0].costly else ()
    assert [(level.rank, level.input) for level in levels] == [(1, 0), (2, 1)]


@pytest.mark.parametrize("budget", [None, "measured"])
def test_a_budget_is_measured_unless_one_is_given(budget: str | None) -> None:
    plan = planned(pairs(), rank=sw.rank("a.v = 1", budget=budget))
    assert "costly: what can be done in the trigger interval in a batch" in explain_text(plan)
    started = paced(plan, 1_500_000)
    assert "costly: what can be done in 1.5 s in a batch" in explain_text(started)
    told = explain_value(started)["contracts"]["q"]["costly"]
    assert (told["measured"], told["interval_s"]) == (True, 1.5)
    assert describe(started) == describe(plan)  # a checkpoint may go on with another trigger


@pytest.mark.parametrize("interval", [None, 0])
def test_a_measured_budget_needs_an_interval_to_keep(interval: int | None) -> None:
    plan = planned(pairs(), rank=sw.rank("a.v = 1"))
    with pytest.raises(QueryError) as refused:
        paced(plan, interval)
    (problem,) = refused.value.problems
    assert (problem.condition, problem.where) == ("RANK_TRIGGER", "query q, rank, budget")
    assert 'trigger="1 second"' in problem.hint
    given = planned(pairs(), rank=sw.rank("a.v = 1", budget=5))
    assert paced(given, interval) == given


def test_a_condition_speaks_of_rows_as_they_arrive() -> None:
    small = readings(name="a").where("v > 3").select("k", "v * 2 AS w", "ts")
    joined = sw.join(small, readings(name="b"), on="k", within="1 s")
    (query,) = planned(joined, rank=sw.rank("a.w = 8", budget=5)).queries
    assert query.costly is not None
    condition = query.costly.levels[0].condition
    assert condition.columns == {"v"}
    assert "> 3" in condition.sql
    assert "* 2" in condition.sql


def test_explain_tells_ranks_budget_and_precedence() -> None:
    plan = planned(pairs(), rank=sw.rank("a.v = 1", budget="500 ms"), lifespan="3 s")
    text = explain_text(plan)
    assert "costly: 0.5 s in a batch, others wait, for 3s" in text.replace("3 s", "3s")
    assert "rank 1: a:" in text
    assert "precedence: prune" in text
    told = explain_value(plan)["contracts"]["q"]["costly"]
    assert told["ranks"]["levels"][0]["rank"] == 1
