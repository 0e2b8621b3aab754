"""Rows and executors of the running example, and small random streams."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import replace

from slackwater.papers.precedence_works2015.operators.executor import Executor, ExecutorParams
from slackwater.papers.precedence_works2015.operators.row import Source
from slackwater.papers.precedence_works2015.operators.system import Query, SystemParams
from slackwater.precede.adaptor import adapt
from slackwater.precede.level import potential_rank
from slackwater.precede.pcql import Window
from slackwater.precede.pipeline import Pipeline
from slackwater.precede.plan import INITIAL, RankPlan
from slackwater.units import SECOND
from tests.precede.stocks import PIPELINE, QUERY, WINDOW

OWNED = {"S.ownedByCompany": True}
RANKS = {
    0: {},
    1: {**OWNED, "S.aggressive": True},
    2: {**OWNED, "S.conservative": True},
    3: {"S.underEvaluation": True},
}


def sources(rows: Iterable[tuple[str, int, object, int]]) -> list[Source]:
    """Rows as stream, microsecond, sector, rank (0 for none), in the order of their arrival."""
    counts: dict[str, int] = {}
    found = []
    for number, (stream, ts, sector, rank) in enumerate(rows):
        seq = counts[stream] = counts.get(stream, -1) + 1
        values = {f"{stream}.sector": sector} | (RANKS[rank] if stream == "S" else {})
        level = potential_rank(values, QUERY.levels)
        found.append(Source(stream, ts, number, seq, level, values))
    return found


def at_random(
    seed: int, rows: int, sectors: int = 4, until: int = 60 * SECOND, sets: bool = False
) -> list[Source]:
    draw = random.Random(seed)
    times = sorted(draw.sample(range(until), rows))
    found = []
    for ts in times:
        stream = draw.choice("SNB")
        value: object = f"s{draw.randrange(sectors)}"
        if sets:
            value = frozenset(f"s{draw.randrange(sectors)}" for _ in range(draw.randint(0, 3)))
        found.append((stream, ts, value, draw.choice((0, 0, 0, 1, 2, 3))))
    return sources(found)


def executor(
    plan: RankPlan = INITIAL, pipeline: Pipeline = PIPELINE, **changed: object
) -> Executor:
    params = replace(ExecutorParams(WINDOW, keeps=True), **changed)  # type: ignore[arg-type]
    found = Executor(pipeline, params)
    found.tell(adapt(pipeline, INITIAL, plan))
    return found


def query(pipeline: Pipeline = PIPELINE, window: Window = WINDOW) -> Query:
    return Query(pipeline, window, QUERY.levels)


def params(capacity: float, **changed: object) -> SystemParams:
    return replace(SystemParams(capacity, keeps=True), **changed)  # type: ignore[arg-type]


def waiting(one: Executor) -> dict[tuple[int, int, int], list[int]]:
    """Numbers of the newest members by queue, position and side; empty queues are left out."""
    found = {}
    for queue, lines in one.queues.lines.items():
        for (position, side), line in lines.items():
            if line:
                found[queue, position, side] = [row.newest.number for row in line]
    return found


def served(one: Executor, budget: float) -> list[int]:
    """Serve row by row; the number of the newest member of each."""
    found: list[int] = []
    spent = one.books.spent
    while one.books.spent - spent < budget:
        place = one._next()
        if place is None:
            return found
        queue, position, side = place
        found.append(one.queues.lines[queue][position, side][0].newest.number)
        one.work(1e-9)
    return found


def all_served(one: Executor, rows: Sequence[Source]) -> list[int]:
    for source in rows:
        one.arrive(source)
    return served(one, 1e9)
