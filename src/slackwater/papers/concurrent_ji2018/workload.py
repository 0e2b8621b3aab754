"""Three global plans over stand-ins for a soccer stream (Ji 2018, ch. 5).

The figure with the predicates and windows of the originals is lost: these have the properties that
the text tells of them. Plans 1 and 3 are such that sharing holds fewest rows, plan 2 such that not
sharing does; in plan 3 the simple way to configure (GREEDY) can be worse than the best.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from slackwater.papers.concurrent_ji2018.operators.queries import AggregateSpec, JoinSpec, Spec
from slackwater.papers.concurrent_ji2018.operators.system import GlobalQueryPlan
from slackwater.papers.stream.soccer import Soccer, generate
from slackwater.share.global_plan import AND, Selection, Step, Stream, Windowed, global_plan
from slackwater.stats.arrival import Arrival
from slackwater.units import MINUTE, SECOND

SLIDE = SECOND // 10
GAME = Soccer("game", 1380, 559_211, 0.828, 0.1717, 23, 16_950, 0.012, is_second_half=False)
KEYS = 50


class Row(NamedTuple):
    """A value to sum, a key to join by, and the attributes that filters look at (1 to 100)."""

    value: float
    key: int
    a: int
    b: int


Predicates = dict[str, Callable[[Row], bool]]


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan before it is one: queries with their selections by stream, and what these mean."""

    name: str
    specs: tuple[Spec, ...]
    selections: dict[str, dict[str, str]]
    meaning: Predicates

    def plan(self) -> GlobalQueryPlan:
        """Selections hoisted, shared and fused; filters of the tree with their predicates."""
        steps: dict[str, Step] = {}
        for query, wanted in self.selections.items():
            steps[query] = Windowed(tuple(_selected(s, names) for s, names in wanted.items()))
        trees = global_plan(steps).trees
        filters = [o.name for root in trees.values() for o in root.walk() if o.kind == "filter"]
        return GlobalQueryPlan(
            self.name, self.specs, trees, {name: self._keeps(name) for name in filters}
        )

    def wants(self, query: str, stream: str) -> Callable[[Row], bool]:
        """Which rows of a stream a query sees."""
        return self._keeps(AND.join(self.selections[query][stream].split()))

    def _keeps(self, name: str) -> Callable[[Row], bool]:
        tests = [self.meaning[one] for one in name.rsplit(": ", maxsplit=1)[-1].split(AND)]
        if len(tests) == 1:
            return tests[0]
        return lambda row: all(test(row) for test in tests)


def _selected(stream: str, names: str) -> Step:
    step: Step = Stream(stream)
    for name in names.split():
        step = Selection(name, step, stream)
    return step


def _sum(name: str, stream: str, window_s: float, epsilon: float) -> AggregateSpec:
    return AggregateSpec(name, stream, round(window_s * SECOND), SLIDE, epsilon)


def plan_1() -> Planned:
    """Three aggregates of one stream, nearly all rows in each."""
    return Planned(
        "plan 1",
        (_sum("Q1", "S1", 0.5, 0.05), _sum("Q2", "S1", 1, 0.01), _sum("Q3", "S1", 5, 0.1)),
        {"Q1": {"S1": "F1"}, "Q2": {"S1": "F1"}, "Q3": {"S1": "F2"}},
        {"F1": lambda row: row.a <= 90, "F2": lambda row: row.b <= 80},
    )


def plan_2(period: int) -> Planned:
    """Two joins and two aggregates, few rows in each."""
    return Planned(
        "plan 2",
        (
            JoinSpec("Q1", ("S1", "S2"), 5 * SECOND, 0.95, period),
            JoinSpec("Q2", ("S1", "S2"), 3 * SECOND, 0.9, period),
            _sum("Q3", "S1", 1, 0.05),
            _sum("Q4", "S2", 1, 0.05),
        ),
        {
            "Q1": {"S1": "F1", "S2": "F4"},
            "Q2": {"S1": "F2", "S2": "F5"},
            "Q3": {"S1": "F3"},
            "Q4": {"S2": "F6"},
        },
        {
            "F1": lambda row: row.a <= 20,
            "F2": lambda row: row.b <= 30,
            "F3": lambda row: row.a > 80,
            "F4": lambda row: row.a <= 20,
            "F5": lambda row: row.b <= 30,
            "F6": lambda row: row.a > 80,
        },
    )


def plan_3(period: int) -> Planned:
    """Three aggregates and three joins; a branch below a branch."""
    return Planned(
        "plan 3",
        (
            _sum("Q1", "S1", 0.5, 0.05),
            _sum("Q2", "S1", 1, 0.1),
            _sum("Q3", "S2", 5, 0.01),
            JoinSpec("Q4", ("S1", "S2"), 3 * SECOND, 0.95, period),
            JoinSpec("Q5", ("S1", "S2"), 2 * SECOND, 0.95, period),
            JoinSpec("Q6", ("S1", "S2"), 2 * SECOND, 0.8, period),
        ),
        {
            "Q1": {"S1": "F1"},
            "Q2": {"S1": "F2 F3"},
            "Q3": {"S2": "F6"},
            "Q4": {"S1": "F2 F4", "S2": "F5"},
            "Q5": {"S1": "F7", "S2": "F5"},
            "Q6": {"S1": "F7", "S2": "F6"},
        },
        {
            "F1": lambda row: row.b <= 40,
            "F2": lambda row: row.a <= 70,
            "F3": lambda row: row.b <= 30,
            "F4": lambda row: row.b > 60,
            "F5": lambda row: row.a > 10,
            "F6": lambda row: row.b > 10,
            "F7": lambda row: row.a > 10,
        },
    )


def stream(minutes: float, streams: int, seed: int = 1) -> list[Arrival[Row]]:
    """The game in arrival order, all of it or split by team, with attributes drawn at random."""
    known = generate(GAME.shortened(minutes * MINUTE / (GAME.duration_s * SECOND)), seed)
    draws = np.random.default_rng(seed + 100)
    team = draws.integers(0, streams, known.size).tolist()
    key = draws.integers(0, KEYS, known.size).tolist()
    a, b = draws.integers(1, 101, (2, known.size)).tolist()
    columns = zip(known.ts.tolist(), known.values.tolist(), team, key, a, b, strict=True)
    return [
        Arrival(f"S{side + 1}", seq, ts, Row(value, one, x, y))
        for seq, (ts, value, side, one, x, y) in enumerate(columns)
    ]
