from __future__ import annotations

from dataclasses import replace

import pytest

from slackwater.errors import SlackwaterError
from slackwater.papers.prodding_bhat2011.operators.roles import (
    Compute,
    Filter,
    Level,
    Role,
    Value,
    roles,
    why_not_incremental,
)

SENSOR = frozenset({"sensor"})
PANE = Level("pane sum", (Value("s", "sum", "volume"),), SENSOR, (10, 10))
WINDOW = Level("sum", (Value("s", "sum", "s", is_merge=True),), SENSOR, (30, 10))
TOP, INCREMENTAL, ACCUMULATING = Role.TOP, Role.INCREMENTAL, Role.ACCUMULATING


def over(algebra: str, column: str = "s") -> Level:
    return Level(algebra, (Value("out", algebra, column),), window=(30, 10))


@pytest.mark.spec("prodding:F24", "prodding:F16")
def test_one_aggregate_is_the_top_and_a_pane_below_it_is_incremental() -> None:
    assert roles([WINDOW]) == (TOP,)
    assert roles([PANE, WINDOW]) == (INCREMENTAL, TOP)


@pytest.mark.spec("prodding:F24", "prodding:F22")
def test_a_sum_below_a_maximum_accumulates() -> None:
    assert roles([PANE, WINDOW, over("max")]) == (INCREMENTAL, ACCUMULATING, TOP)


@pytest.mark.spec("prodding:F24")
@pytest.mark.parametrize(
    ("below", "above", "role"),
    [
        ("sum", "sum", INCREMENTAL),
        ("count", "sum", INCREMENTAL),
        ("max", "max", INCREMENTAL),
        ("min", "min", INCREMENTAL),
        ("sum", "max", ACCUMULATING),
        ("sum", "min", ACCUMULATING),
        ("sum", "avg", ACCUMULATING),
        ("sum", "count", ACCUMULATING),
        ("count", "count", ACCUMULATING),
        ("max", "min", ACCUMULATING),
        ("max", "sum", ACCUMULATING),
        ("avg", "avg", ACCUMULATING),  # a mean of means
    ],
)
def test_an_aggregate_over_another_merges_it_or_makes_it_accumulate(
    below: str, above: str, role: Role
) -> None:
    low = Level("low", (Value("s", below, "volume"),), SENSOR, (30, 10))
    assert roles([low, over(above)]) == (role, TOP)


@pytest.mark.spec("prodding:F24")
@pytest.mark.parametrize("algebra", ["avg", "range", "count", "my own monoid"])
def test_a_window_merges_the_partials_of_its_panes_whatever_the_monoid(algebra: str) -> None:
    pane = Level("panes", (Value("p", algebra, "volume"),), SENSOR, (10, 10))
    window = Level("windows", (Value("p", algebra, "p", is_merge=True),), SENSOR, (30, 10))
    assert roles([pane, window]) == (INCREMENTAL, TOP)
    other = Level("windows", (Value("p", "other", "p", is_merge=True),), SENSOR, (30, 10))
    assert roles([pane, other]) == (ACCUMULATING, TOP)


@pytest.mark.spec("prodding:F24")
def test_a_filter_on_a_key_commutes_and_one_on_an_aggregate_does_not() -> None:
    by_key = replace(PANE, above=(Filter(SENSOR),))
    having = replace(PANE, above=(Filter(frozenset({"s"})),))
    assert roles([by_key, WINDOW]) == (INCREMENTAL, TOP)
    assert roles([having, WINDOW]) == (ACCUMULATING, TOP)
    assert why_not_incremental(having, WINDOW) == "a filter above pane sum reads an aggregate"


@pytest.mark.spec("prodding:F24")
@pytest.mark.parametrize(
    ("algebra", "how", "role"),
    [
        ("sum", "copy", INCREMENTAL),
        ("sum", "linear", INCREMENTAL),
        ("sum", "increasing", ACCUMULATING),
        ("sum", "other", ACCUMULATING),
        ("max", "increasing", INCREMENTAL),
        ("max", "linear", ACCUMULATING),  # the factor may be below 0
    ],
)
def test_a_computed_value_must_commute_with_the_merge(algebra: str, how: str, role: Role) -> None:
    step = Compute("x", frozenset({"s"}), how)  # type: ignore[arg-type]
    low = Level("low", (Value("s", algebra, "volume"),), SENSOR, (10, 10), above=(step,))
    assert roles([low, over(algebra, "x")]) == (role, TOP)


@pytest.mark.spec("prodding:F24")
def test_two_steps_commute_only_if_both_do() -> None:
    steps = (Compute("x", frozenset({"s"}), "other"), Compute("y", frozenset({"x"}), "copy"))
    assert roles([replace(PANE, above=steps), over("sum", "y")]) == (ACCUMULATING, TOP)


@pytest.mark.spec("prodding:F24")
def test_fragments_must_meet_in_the_same_entries() -> None:
    coarser = replace(WINDOW, key=frozenset[str]())
    by_value = replace(WINDOW, key=frozenset({"s"}))
    assert roles([PANE, coarser]) == (INCREMENTAL, TOP)
    assert roles([PANE, by_value]) == (ACCUMULATING, TOP)
    renamed = replace(PANE, above=(Compute("road", SENSOR, "other"),))
    assert roles([renamed, replace(WINDOW, key=frozenset({"road"}))]) == (INCREMENTAL, TOP)
    newest = Level("low", (*PANE.values, Value("newest", "max", "ts")), SENSOR, (10, 10))
    assert roles([newest, replace(WINDOW, time="newest")]) == (ACCUMULATING, TOP)


@pytest.mark.spec("prodding:F24", "prodding:F26")
def test_what_holds_no_partials_makes_the_aggregate_below_accumulate() -> None:
    dedup = Level("dedup")
    assert roles([PANE, WINDOW, dedup, over("sum")]) == (
        INCREMENTAL,
        ACCUMULATING,
        INCREMENTAL,
        TOP,
    )


@pytest.mark.spec("prodding:F24")
def test_a_value_that_merges_nothing_below_makes_it_accumulate() -> None:
    rows = Level("count rows", (Value("n", "count"),), window=(30, 10))
    key = Level("largest sensor", (Value("m", "max", "sensor"),), window=(30, 10))
    assert roles([WINDOW, rows]) == roles([WINDOW, key]) == (ACCUMULATING, TOP)


def test_a_plan_without_state_has_no_roles() -> None:
    with pytest.raises(SlackwaterError, match="no stateful operator"):
        roles([])
