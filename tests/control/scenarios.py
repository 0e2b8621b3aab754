"""Short random stories of one pipeline each, the same whenever they are told."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from slackwater.disorder.periods import Found
from slackwater.plan.build import check
from slackwater.plan.stage import PipelinePlan, lay_out
from slackwater.query import contract
from slackwater.query.estimates import estimates
from slackwater.query.join import join
from slackwater.query.schema import Schema
from slackwater.query.stream import Stream, StreamDef
from slackwater.stats.panes import PaneCount
from slackwater.units import DAY, SECOND

ROWS = Schema.of(ts="timestamp", k="bigint", v="bigint")
BATCHES = 30


@dataclass(frozen=True)
class Told:
    """One batch: rows by base state, and what executing it measured.

    ``measured`` has results, those within the bound and rows per result; ``accuracy`` pairs of
    estimate and final with the sum of their accuracies.
    """

    panes: dict[str, tuple[PaneCount, ...]]
    sums: dict[str, dict[str, float]] = field(default_factory=dict)
    distinct: dict[str, dict[str, float]] = field(default_factory=dict)
    measured: tuple[int, int, tuple[float, ...]] = (0, 0, ())
    found: tuple[Found, ...] = ()
    accuracy: tuple[int, float] = (0, 0.0)


@dataclass(frozen=True)
class Scenario:
    """A pipeline and its batches; its only query is called ``q``."""

    plan: PipelinePlan
    batches: tuple[Told, ...]


def rows(name: str = "r") -> Stream:
    return Stream(StreamDef(name, ROWS, "ts", max_ahead="1 day"))


def times_of(draw: random.Random, batch: int) -> list[int]:
    """About two seconds of a stream with stragglers, now and then a stray."""
    begin = 2 * SECOND * batch
    found = [begin + draw.randrange(2 * SECOND) for _ in range(draw.randint(5, 40))]
    found += [max(0, begin - draw.randrange(5 * SECOND)) for _ in range(draw.randint(0, 4))]
    return [*found, begin + 30 * DAY] if draw.random() < 0.1 else found


def histogram(times: list[int], pane: int) -> tuple[PaneCount, ...]:
    groups: dict[int, list[int]] = defaultdict(list)
    for time in times:
        groups[time - time % pane].append(time)
    return tuple(PaneCount(at, True, len(t), min(t), max(t)) for at, t in sorted(groups.items()))


def _panes(plan: PipelinePlan, draw: random.Random, batch: int) -> dict[str, tuple[PaneCount, ...]]:
    return {
        state.identity: histogram(times_of(draw, batch), state.pane)
        for _, state in plan.base_states
    }


def error() -> Scenario:
    """An error bound on a sum and a count by key."""
    draw = random.Random(1)
    windows = rows().window(4, 2).group_by("k").aggregate(n="count(*)", s="sum(v)")
    plan = lay_out(check([windows.query("q", contract.max_error(0.2, confidence=0.9))]))
    names = next(iter(plan.value_sums.items()))

    def told(batch: int) -> Told:
        rows = draw.randint(10, 50)
        totals = dict(zip(sorted(names[1]), (rows, 5.0 * rows, 30.0 * rows), strict=False))
        sizes = tuple(float(draw.randint(1, 9)) for _ in range(10))
        measured = (20, draw.randint(15, 20), sizes) if batch % 4 == 0 else (0, 0, ())
        return Told(_panes(plan, draw, batch), sums={names[0]: totals}, measured=measured)

    return Scenario(plan, tuple(told(batch) for batch in range(BATCHES)))


def recall() -> Scenario:
    """A recall contract on a join of two streams whose order is left open."""
    draw = random.Random(2)
    pairs = join(rows("a"), rows("b"), on="k", within="2 seconds")
    plan = lay_out(check([pairs.query("q", contract.min_recall(0.9, over="4 seconds"))]))

    def told(batch: int) -> Told:
        begin = 2 * SECOND * batch
        found = tuple(
            Found(begin, step, results, draw.randint(0, results))
            for step, results in ((0, 50), (draw.randint(1, 90), 4))
        )
        distinct = {state.identity: {"k": 7.0} for _, state in plan.base_states}
        measured = (1, draw.randint(0, 1), ()) if batch % 2 == 0 else (0, 0, ())
        panes = _panes(plan, draw, batch)
        return Told(panes, distinct=distinct, found=found, measured=measured)

    return Scenario(plan, tuple(told(batch) for batch in range(BATCHES)))


def expensive() -> Scenario:
    """A query that cannot work on all rows, with estimates by the clock and as accurate."""
    draw = random.Random(3)
    windows = rows().costly(12, aside="3:1", starve="4 seconds").window(4)
    prods = [estimates(every="1 second"), estimates(accuracy=0.9)]
    asked = windows.group_by("k").aggregate(n="count(*)")
    plan = lay_out(check([asked.query("q", contract.slack(1), estimates=prods)]))

    def told(batch: int) -> Told:
        pairs = 40 * batch
        return Told(_panes(plan, draw, batch), accuracy=(pairs, 97.5 * pairs))

    return Scenario(plan, tuple(told(batch) for batch in range(BATCHES)))


SCENARIOS: dict[str, Callable[[], Scenario]] = {
    "error": error,
    "recall": recall,
    "expensive": expensive,
}


def every() -> Iterator[tuple[str, Scenario]]:
    for name, make in SCENARIOS.items():
        yield name, make()
