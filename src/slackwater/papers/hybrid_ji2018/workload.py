"""Plug readings, queries over them, and prices on a stock market (Ji 2018, ch. 6).

The stand-in for the energy data of the DEBS 2014 challenge has its schema: every plug reads its
load and its work in turn. Time is pressed together: windows and slides are shorter by a factor, and
so is the number of plugs, at the same rates; then every operator works as much in a second as over
the original windows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from random import Random

from slackwater.hybrid.algebra import Aggregate, Join, Project, Relation, Select, Step, Window
from slackwater.hybrid.join_order import Equal, JoinQuery
from slackwater.papers.hybrid_ji2018.operators.change import Meaning, Meanings, Row

COLUMNS = ("plug", "household", "kind", "value")
PLUGS, PER_HOUSEHOLD = 2125, 6
LOAD = "kind = 1"

MEANINGS: Meanings = {
    LOAD: Meaning(("kind",), lambda kind: kind == 1),
    "value > 0.9 * seen": Meaning(("value", "seen"), lambda value, seen: value > 0.9 * seen),
    "value > seen": Meaning(("value", "seen"), lambda value, seen: value > seen),
    "highest5 - highest1": Meaning(("highest5", "highest1"), lambda a, b: a - b),
    "mean5 - mean1": Meaning(("mean5", "mean1"), lambda a, b: a - b),
    "mean5 - mean3": Meaning(("mean5", "mean3"), lambda a, b: a - b),
    **{
        name: Meaning((name,), lambda value: value)
        for name in ("plug", "household", "seen", "above", "largest",
                     *(f"{what}{n}" for what in ("mean", "highest") for n in range(1, 17)))
    },
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Pressed:
    """Time pressed together by a factor, and rows of the stream in a second."""

    factor: float
    rate: float

    @property
    def slide(self) -> float:
        return 1.0 / self.factor

    @property
    def plugs(self) -> int:
        return max(PER_HOUSEHOLD, round(PLUGS / self.factor))

    def window(self, minutes: float) -> Window:
        return Window(f"w{minutes:g}", COLUMNS, self.rate, 60 * minutes / self.factor, self.slide)

    def loads(self, minutes: float, name: str = "") -> Select:
        return Select(f"load{name or f'{minutes:g}'}", self.window(minutes), LOAD, 0.5)

    def per_plug(self, minutes: float, *values: tuple[str, str]) -> Aggregate:
        shown = tuple((f"{name}{minutes:g}", function, "value") for name, function in values)
        return Aggregate(
            f"plugs{minutes:g}", self.loads(minutes), ("plug",), shown, float(self.plugs)
        )

    def by_plug(self, name: str, left: Relation, right: Relation) -> Join:
        return Join(name, left, right, (("plug", "plug"),), 1 / self.plugs)

    def feed(self, seed: int = 1) -> Readings:
        return Readings(self.plugs, seed)


class Readings:
    """Rows of the stream, without end: every plug in turn, load and work."""

    def __init__(self, plugs: int, seed: int) -> None:
        self._rows = self._make(plugs, Random(seed))

    def __call__(self, count: int) -> list[Row]:
        return list(islice(self._rows, count))

    @staticmethod
    def _make(plugs: int, draws: Random) -> Iterator[Row]:
        work = [0] * plugs
        while True:
            for plug in range(plugs):
                load = int(draws.random() ** 3 * 2000)
                work[plug] += load
                household = plug // PER_HOUSEHOLD
                yield (plug, household, 1, load)
                yield (plug, household, 0, work[plug])


def query(name: str, pressed: Pressed) -> Step:
    """Q1 to Q6, as far as they can be told from the text: the figure is lost."""
    return QUERIES[name](pressed)


def _correlated(pressed: Pressed, function: str, predicate: str) -> Step:
    seen = Aggregate(
        "seen", pressed.loads(5, "A"), ("plug",), (("seen", function, "value"),), pressed.plugs
    )
    both = pressed.by_plug("both", pressed.loads(5, "B"), seen)
    share = 0.035 if function == "max" else 0.37  # of cubes of uniform draws
    above = Select("residual", both, predicate, share)
    count = Aggregate("count", above, ("plug",), (("above", "count", "value"),), pressed.plugs)
    return Project("shown", count, (("plug", "plug"), ("above", "above")))


def _q1(pressed: Pressed) -> Step:
    return _correlated(pressed, "max", "value > 0.9 * seen")


def _q2(pressed: Pressed) -> Step:
    return _correlated(pressed, "avg", "value > seen")


def _q3(pressed: Pressed) -> Step:
    values = (("highest", "max"), ("mean", "avg"))
    joined = pressed.by_plug("join", pressed.per_plug(5, *values), pressed.per_plug(1, *values))
    shown = (("plug", "plug"), ("highest", "highest5 - highest1"), ("mean", "mean5 - mean1"))
    return Project("shown", joined, shown)


def _q4(pressed: Pressed) -> Step:
    means = [pressed.per_plug(minutes, ("mean", "avg")) for minutes in (5, 1)]
    joined = pressed.by_plug("join", *means)
    return Project("shown", joined, (("plug", "plug"), ("mean", "mean5 - mean1")))


def _q5(pressed: Pressed) -> Step:
    total = Aggregate(
        "totals",
        pressed.loads(5),
        ("plug", "household"),
        (("total", "sum", "value"),),
        pressed.plugs,
    )
    households = max(1, pressed.plugs // PER_HOUSEHOLD)
    largest = Aggregate(
        "largest", total, ("household",), (("largest", "max", "total"),), households
    )
    return Project("shown", largest, (("household", "household"), ("largest", "largest")))


def _q6(pressed: Pressed) -> Step:
    means = [pressed.per_plug(minutes, ("mean", "avg")) for minutes in (5, 1, 3)]
    joined = pressed.by_plug("join 2", pressed.by_plug("join", *means[:2]), means[2])
    shown = (("plug", "plug"), ("of1", "mean5 - mean1"), ("of3", "mean5 - mean3"))
    return Project("shown", joined, shown)


QUERIES = {"Q1": _q1, "Q2": _q2, "Q3": _q3, "Q4": _q4, "Q5": _q5, "Q6": _q6}


def m_way(shape: tuple[int, ...], pressed: Pressed) -> Step:
    """Q4 over more windows of 1, 3, 5 … minutes: parts of so many branches joined one after the
    other, then the parts; 3m operators.
    """
    minutes = iter(range(1, 2 * sum(shape), 2))
    parts: list[Relation] = []
    for number, size in enumerate(shape):
        part: Relation = pressed.per_plug(next(minutes), ("mean", "avg"))
        for place in range(1, size):
            other = pressed.per_plug(next(minutes), ("mean", "avg"))
            part = pressed.by_plug(f"join {number}.{place}", part, other)
        parts.append(part)
    whole = parts[0]
    for number, part in enumerate(parts[1:], start=1):
        whole = pressed.by_plug(f"join {number}", whole, part)
    return Project("shown", whole, (("plug", "plug"),))


def m_way_query(m: int, pressed: Pressed) -> JoinQuery:
    """The same before phase one has ordered its joins."""
    sources = tuple(pressed.per_plug(minutes, ("mean", "avg")) for minutes in range(1, 2 * m, 2))
    share = 1 / pressed.plugs
    equal = tuple(Equal(n, "plug", n + 1, "plug", share) for n in range(m - 1))
    return JoinQuery(sources, equal, (("plug", "plug"),))
