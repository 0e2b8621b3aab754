"""The whole loop: six systems on one engine, plans that change while rows flow."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slackwater.papers.precedence_works2015.measuring import BY_NAME
from slackwater.papers.precedence_works2015.operators.offline import offline
from slackwater.papers.precedence_works2015.operators.system import System, processable
from slackwater.papers.precedence_works2015.workload import STOCK_MARKET
from slackwater.precede.baselines import DISCIPLINES, Discipline
from slackwater.precede.pcql import Window
from slackwater.precede.plan import INITIAL
from slackwater.units import SECOND
from tests.papers.precedence_works2015.examples import at_random, params, query
from tests.precede.stocks import DAY, PIPELINE, WINDOW, situation

SYSTEMS = pytest.mark.parametrize("discipline", DISCIPLINES, ids=lambda one: one.name)


@pytest.mark.spec(
    "precedence:PR-31", "precedence:PR-71", "precedence:PR-72", "precedence:PR-75",
    "precedence:PR-76",
)  # fmt: skip
@SYSTEMS
@pytest.mark.parametrize("window", [WINDOW, Window(rows=20)])
def test_without_overload_all_six_give_what_a_definition_gives(
    discipline: Discipline, window: Window
) -> None:
    rows = at_random(7, 200, sectors=8, until=60 * SECOND)
    system = System(discipline, query(window=window), params(1e6))
    system.run(rows, 70 * SECOND)
    expected = offline(PIPELINE, window, rows)
    if discipline.name == "Sem":  # which judges at arrival, load or no load
        expected = Counter({way: n for way, n in expected.items() if _is_significant(rows, way)})
    assert Counter(system.executor.given) == expected
    assert expected
    assert system.adaptions == [] or {one.plan for one in system.adaptions} == {INITIAL}


def _is_significant(rows: list, way: tuple) -> bool:  # type: ignore[type-arg]
    seq = dict(way)["S"]
    return any(one.stream == "S" and one.seq == seq and one.level < 9 for one in rows)


@pytest.mark.spec("precedence:PR-66", "precedence:PR-68", "precedence:PR-89")
@SYSTEMS
def test_under_overload_every_row_is_served_or_waits_or_expired_or_was_dropped(
    discipline: Discipline,
) -> None:
    rows = STOCK_MARKET.sources(20 * SECOND, 3)
    tuned = params(170.0, look=0.02, period=4 * SECOND, lifespan=10 * SECOND)
    system = System(discipline, STOCK_MARKET.query, tuned, seed=5)
    system.run(rows, 20 * SECOND)
    one, books = system.executor, system.executor.books
    leaves = {"S": (1, 0), "N": (1, 1), "B": (2, 1)}
    waiting = sum(
        len(line) for lines in one.queues.lines.values()
        for place, line in lines.items() if place in leaves.values()
    )  # fmt: skip
    left = books.rows["sources served"] + books.rows["sources expired"] + waiting
    assert books.rows["admitted"] + system.dropped == len(rows)
    assert books.rows["admitted"] == left
    assert max(Counter(one.given).values()) == 1
    assert books.spent <= 170.0 * 20 + 200
    assert waiting > 0 or discipline.name in ("Rand", "Sem")
    if discipline.strategy is None:
        assert system.adaptions == []
    else:
        assert len(system.adaptions) >= 2
        assert all(a.delay >= a.examined * 0.02 * SECOND for a in system.adaptions)
        assert system.plan.active_ranks


@pytest.mark.spec("precedence:PR-66")
@settings(max_examples=3)
@given(st.integers(0), st.sampled_from([BY_NAME[n] for n in ("PP", "PR", "PR-Prune")]))
def test_changing_plans_lose_and_double_nothing(seed: int, discipline: Discipline) -> None:
    rows = at_random(seed, 150, sectors=4, until=60 * SECOND)
    system = System(discipline, query(), params(6.0, lifespan=None, period=5 * SECOND))
    system.run(rows, 60 * SECOND)
    assert len(system.adaptions) > 3
    assert any(one.plan != INITIAL for one in system.adaptions)
    system.executor.work(1e9)
    assert Counter(system.executor.given) == offline(PIPELINE, WINDOW, rows)


@pytest.mark.spec("precedence:PR-72")
def test_rand_keeps_what_can_be_served() -> None:
    here = situation(DAY, 0.0)
    full = here.model().demand()
    assert processable(replace(here, capacity=full)) == 1.0
    half = processable(replace(here, capacity=full / 4))
    assert half > 0.25  # work falls faster than rows do
    kept = tuple(replace(one, rate=one.rate * half) for one in DAY)
    demand = replace(here, classes=kept).model().demand()
    assert 0.24 * full < demand <= full / 4
    rows = STOCK_MARKET.sources(60 * SECOND, 3)
    system = System(BY_NAME["Rand"], STOCK_MARKET.query, params(170.0), seed=5)
    system.run(rows, 60 * SECOND)
    assert 0 < system.dropped < len(rows)
    assert system.executor.books.rows["sources expired"] < 0.05 * len(rows)


@pytest.mark.spec("precedence:PR-73")
def test_sem_keeps_what_is_significant_and_all_of_streams_without_levels() -> None:
    rows = STOCK_MARKET.sources(30 * SECOND, 3)
    system = System(BY_NAME["Sem"], STOCK_MARKET.query, params(170.0))
    system.run(rows, 30 * SECOND)
    assert system.dropped == sum(row.stream == "S" and row.level > 3 for row in rows)
    assert system.executor.settings.last_active is None


@pytest.mark.spec("precedence:PR-69")
@pytest.mark.papers
@pytest.mark.parametrize("name", ["PR", "PR-Prune"])
def test_dynamic_levels_follow_when_other_stocks_become_critical(name: str) -> None:
    at = 60 * SECOND
    setup = replace(STOCK_MARKET, drift=at)
    rows = setup.sources(140 * SECOND, 2)
    tuned = replace(params(180.0, keeps=False), periods=1, look=0.01)
    system = System(BY_NAME[name], setup.query, tuned)
    system.run(rows, 140 * SECOND)
    before = {row.values["S.icb"] for row in rows if row.ts < at and row.level == 1}
    after = {row.values["S.icb"] for row in rows if row.ts >= at and row.level == 1}
    for one in system.adaptions:
        values = {level.value for level, _ in one.plan.dynamic if level.rank == 1}
        if one.taken <= at:
            assert values <= before
        else:
            assert one.taken <= at + 10 * SECOND or values <= after
    follow = next(a for a in system.adaptions if a.taken > at)
    assert follow.held <= at + 10 * SECOND + follow.delay + SECOND
    now = {level.value for level, _ in system.plan.dynamic if level.rank == 1}
    assert now
    assert now - before


@pytest.mark.spec("precedence:PR-70")
def test_plans_go_when_the_load_falls() -> None:
    rows = at_random(1, 400, sectors=3, until=20 * SECOND)
    rest = [replace(r, ts=r.ts + 20 * SECOND, number=r.number + 400, seq=r.seq + 400)
            for r in at_random(2, 20, sectors=40, until=60 * SECOND)]  # fmt: skip
    system = System(BY_NAME["PR-Prune"], query(), params(40.0, period=5 * SECOND, periods=1))
    system.run([*rows, *rest], 80 * SECOND)
    assert any(one.plan.active_ranks for one in system.adaptions)
    assert system.plan == INITIAL
    assert system.executor.settings.last_active is None


def test_the_same_seed_gives_the_same_run() -> None:
    def once() -> object:
        system = System(
            BY_NAME["PR-Prune"], STOCK_MARKET.query, params(170.0, period=4 * SECOND), seed=5
        )
        system.run(STOCK_MARKET.sources(12 * SECOND, 3), 12 * SECOND)
        return system.executor.given, dict(system.executor.books.units)

    assert once() == once()
