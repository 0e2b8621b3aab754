"""P-CQL is read into a record, and all that is wrong with it is told at once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.errors import QueryError
from slackwater.precede.level import NO_RANK, StaticLevel, potential_rank
from slackwater.precede.pcql import Window, parse
from slackwater.precede.predicate import Predicate
from tests.precede.stocks import ONE, QUERY, THREE

HEAD = "SELECT S.a FROM Stock S, News N WHERE S.k = N.k WINDOW 1000 tuples "


def problems(text: str) -> list[str]:
    with pytest.raises(QueryError) as caught:
        parse(text)
    return [problem.condition for problem in caught.value.problems]


@pytest.mark.spec("precedence:PR-01", "precedence:PR-02")
def test_the_running_example_has_three_levels() -> None:
    assert QUERY.streams == (("S", "Stock"), ("N", "News"), ("B", "Blogs"))
    assert QUERY.outputs == ("S.company_name", "S.symbol", "S.price")
    assert QUERY.conditions == ("CONTAINS(S.sector, N.sector)", "CONTAINS(S.sector, B.sector)")
    assert QUERY.window == Window(micros=30_000_000)
    assert [level.rank for level in QUERY.levels] == [1, 2, 3]
    assert QUERY.ranks == 3
    condition = Predicate("(S.ownedByCompany = TRUE) AND (S.aggressive = TRUE)")
    assert QUERY.levels[0] == StaticLevel(1, condition, "S")
    assert ONE.attributes == {"S.ownedByCompany", "S.aggressive"}


@pytest.mark.spec("precedence:PR-01")
def test_a_rank_may_have_several_levels_but_none_may_lack() -> None:
    twice = parse(HEAD + "RANK 1 CRITERIA S.a > 1 RANK 1 CRITERIA S.b = 'RANK 3 CRITERIA'")
    assert [level.rank for level in twice.levels] == [1, 1]
    assert twice.window == Window(rows=1000)
    assert problems(HEAD + "RANK 1 CRITERIA S.a RANK 3 CRITERIA S.b") == ["RANK_MISSING"]
    assert problems(HEAD + "RANK 0 CRITERIA S.a") == ["RANK_INVALID"]


def test_everything_wrong_is_told_at_once() -> None:
    text = "SELECT S.a FROM Stock S, News N WINDOW 3 moons "
    text += "RANK 1 CRITERIA S.a + 1 RANK 2 CRITERIA S.a = N.b RANK 4 CRITERIA X.a = 1"
    assert problems(text) == [
        "WINDOW_INVALID", "CRITERIA_UNSUPPORTED", "CRITERIA_STREAM", "CRITERIA_STREAM",
        "RANK_MISSING",
    ]  # fmt: skip
    assert problems("SELECT 1 FROM S") == ["WINDOW_MISSING"]
    assert problems("SELECT FROM WHERE WINDOW 1 s") == ["SQL_UNPARSABLE"]
    assert problems(HEAD + "RANK 1 CRITERIA (S.a") == ["SQL_UNPARSABLE"]


def test_a_query_without_ranks_is_one_too() -> None:
    plain = parse("SELECT * FROM Stock S WHERE S.a = 1 WINDOW 1 s")
    assert (plain.levels, plain.ranks, plain.conditions) == ((), 0, ("S.a = 1",))
    alone = parse("SELECT * FROM Stock WINDOW 1 s RANK 1 CRITERIA price > 3")
    assert alone.levels[0].attributes == {"Stock.price"}


@pytest.mark.spec("precedence:PR-04")
def test_the_potential_rank_is_the_most_critical_whose_condition_holds() -> None:
    row = {"S.ownedByCompany": True, "S.aggressive": True, "S.underEvaluation": True}
    assert potential_rank(row, QUERY.levels) == 1
    assert potential_rank(row, [THREE]) == 3
    assert potential_rank({"S.aggressive": True}, QUERY.levels) == NO_RANK


VALUES = st.one_of(st.none(), st.integers(-3, 3))


@given(VALUES, VALUES)
def test_conditions_are_true_when_sql_says_so(a: int | None, b: int | None) -> None:
    row = {"S.a": a, "S.b": b}
    known = a is not None and b is not None
    expected = {
        "S.a < S.b": known and a < b,  # type: ignore[operator]
        "NOT S.a < S.b": known and not a < b,  # type: ignore[operator]
        "S.a IS NULL OR S.a <> S.b": a is None or (known and a != b),
        "S.a = 1 AND S.b >= -1": a == 1 and b is not None and b >= -1,
        "S.a IN (1, 2)": a in (1, 2),
        "S.a NOT IN (1, NULL)": False,
        "S.a BETWEEN -1 AND 1": a is not None and -1 <= a <= 1,
        "NOT (S.a = S.b AND S.a > 5)": (a is not None and a <= 5) or (known and a != b),
    }
    assert {text: Predicate(text).holds(row) for text in expected} == expected
