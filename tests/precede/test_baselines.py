"""Six ways to treat an overload: who is let in, and who is next."""

from __future__ import annotations

import random
import time

from slackwater.precede.baselines import (
    DISCIPLINES,
    TRAD,
    Arrival,
    Waiting,
    first_come,
    next_of,
    rank_major,
)
from slackwater.precede.construction import PP, PR, PR_PRUNE
from slackwater.precede.level import NO_RANK
from tests.precede.stocks import QUERY

SEED = time.time_ns()
BY_NAME = {one.name: one for one in DISCIPLINES}
OWNED = {"S.ownedByCompany": True, "S.aggressive": True}


def test_six_ways_differ_in_admission_and_strategy() -> None:
    assert [*BY_NAME] == ["Trad", "Rand", "Sem", "PP", "PR", "PR-Prune"]
    assert [one.strategy for one in DISCIPLINES] == [None, None, None, PP, PR, PR_PRUNE]


def test_chance_keeps_the_share_that_can_be_served() -> None:
    draw = random.Random(SEED)
    rand = BY_NAME["Rand"].admission
    kept = sum(rand(Arrival("S", {}, draw.random(), 0.3), ()) for _ in range(10_000))
    assert abs(kept - 3_000) < 300, SEED
    assert all(rand(Arrival("S", {}, draw.random(), 1.7), ()) for _ in range(100))


def test_significance_judges_only_streams_that_have_levels() -> None:
    sem = BY_NAME["Sem"].admission
    assert sem(Arrival("S", OWNED, 0.5, 0.1), QUERY.levels)
    assert not sem(Arrival("S", {}, 0.5, 0.1), QUERY.levels)
    assert sem(Arrival("N", {}, 0.5, 0.1), QUERY.levels)
    assert TRAD.admission(Arrival("S", {}, 0.5, 0.1), QUERY.levels)


def test_without_an_active_rank_the_first_to_come_is_the_first_served() -> None:
    assert all(one.order(None) is first_come for one in DISCIPLINES)
    assert [one.order(2) is rank_major for one in DISCIPLINES] == [False] * 3 + [True] * 3


def test_the_most_critical_then_the_furthest_then_the_oldest_is_next() -> None:
    waiting = [
        Waiting(NO_RANK, 2, 1),
        Waiting(2, 2, 2),
        Waiting(1, 1, 3),
        Waiting(1, 2, 5),
        Waiting(1, 2, 4),
    ]
    served = []
    while (found := next_of(waiting, rank_major)) is not None:
        served.append(found.arrival)
        waiting.remove(found)
    assert served == [4, 5, 3, 2, 1]
    assert next_of([Waiting(1, 1, 9), Waiting(NO_RANK, 1, 8)], first_come) == Waiting(NO_RANK, 1, 8)
