"""Queries, values and arrivals by seeds (spec robust 4.2 to 4.4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

import numpy as np
from numpy.typing import NDArray

from slackwater.robust.optimizer import Counted
from slackwater.robust.pipeline import Axis, Operator, Order, Pipeline
from slackwater.robust.space import parameter_space

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
QUERIES = {"QX1": 3, "QX2": 2, "Q10": 10, "Q15": 15, "Q20": 20}  # operators
INTER_ARRIVAL_MS = 500.0  # mean
RUSTER = 100  # rows that share a route


def query(name: str, seed: int) -> Pipeline:
    """A join as the operators that a row of the driving stream meets: costs and shares by a seed.

    >>> len(query("Q10", 1).operators)
    10
    """
    draw = Random(f"{name} {seed}")
    operators = (
        Operator(draw.uniform(0.5, 3.0), draw.uniform(0.1, 0.95)) for _ in range(QUERIES[name])
    )
    return Pipeline(tuple(operators), 100.0)


def uncertain(name: str, seed: int, dimensions: int, level: int) -> Counted[Order]:
    """The query with its first selectivities uncertain: an optimizer that nobody has asked yet."""
    plain = query(name, seed)
    axes = tuple(Axis("share", number) for number in range(dimensions))
    names = [f"share {number}" for number in range(dimensions)]
    shares = {name: plain.operators[n].share for n, name in enumerate(names)}
    space = parameter_space(shares, level, kinds=dict.fromkeys(names, "fan_out"))
    return Counted(Pipeline(plain.operators, plain.rate, axes), space)


def arrivals(
    draw: Random, rate: Callable[[float], float], most: float, end: float
) -> Iterator[float]:
    """Instants of a Poisson process whose rate changes, by thinning one with the highest rate."""
    now = 0.0
    while (now := now + draw.expovariate(most)) < end:
        if draw.random() * most < rate(now):
            yield now


def values(kind: str, seed: int, count: int) -> Floats:
    """Keys of rows: ``uniform`` over 0 to 100, ``poisson`` around 1, or ``normal`` (50, 15)."""
    draw = np.random.default_rng(seed)
    if kind == "poisson":
        return draw.poisson(1.0, count).astype(float)
    return draw.uniform(0, 100, count) if kind == "uniform" else draw.normal(50, 15, count)


def keys_for(share: float, seed: int, count: int) -> Ints:
    """Keys of which two are equal in a given share of pairs, in as many values as that takes.

    Of a share that is no number of values, some keys are of one value more often than others.
    """
    draw = np.random.default_rng(seed)
    domain = int(np.ceil(1 / share))
    # a value drawn this much more often than others adds e² (1 - 1/n) to the share
    more = np.sqrt((share - 1 / domain) / (1 - 1 / domain)) if domain > 1 else 0.0
    return np.where(draw.random(count) < more, 0, draw.integers(0, domain, count))


def equal_share(one: NDArray[np.generic], other: NDArray[np.generic]) -> float:
    """The share of pairs of two streams whose keys are equal."""
    left, counts = np.unique(one, return_counts=True)
    right, others = np.unique(other, return_counts=True)
    _, a, b = np.intersect1d(left, right, return_indices=True)
    return float((counts[a] * others[b]).sum() / (len(one) * len(other)))


@dataclass(frozen=True, slots=True)
class Script:
    """What rates and selectivities are over time, as factors of what was estimated.

    ``rate`` is of all streams. ``market`` swings selectivities: at 1 those of the first operators
    are high and the others' low, at -1 the other way round. ``drift`` is 1 while values come from
    another distribution.
    """

    rate: Callable[[float], float]
    market: Callable[[float], float]
    drift: Callable[[float], float]
    highest: float = 1.0


def constant(factor: float) -> Callable[[float], float]:
    return lambda _: factor


def steps(*levels: tuple[float, float]) -> Callable[[float], float]:
    """Levels, each from an instant on."""

    def at(now: float) -> float:
        return next(level for since, level in reversed(levels) if now >= since)

    return at


def square(period: float, high: float, low: float) -> Callable[[float], float]:
    """High and low by turns, a half of the period each."""
    return lambda now: high if now % period < period / 2 else low


def stock_day(
    seed: int, minutes: float
) -> tuple[Callable[[float], float], Callable[[float], float]]:
    """Rates and market of a day of stocks, news, blogs and currencies: a stand-in.

    Arrivals are high at both ends of a day, bursts of news last a minute or two, and the market
    turns when there is news.
    """
    draw, end = Random(f"stock {seed}"), minutes * 60
    bursts, now = [], 0.0
    while (now := now + draw.expovariate(1 / 240)) < end:
        bursts.append((now, now + draw.uniform(45, 150), draw.uniform(0.5, 1.1)))
    moods = [(0.0, 1.0)]
    for begin, _, _ in bursts:
        moods.append((begin, -moods[-1][1] if draw.random() < 0.7 else moods[-1][1]))

    def rate(at: float) -> float:
        day = 0.6 + 0.5 * (2 * at / end - 1) ** 2
        news = sum(size for begin, over, size in bursts if begin <= at < over)
        return float(min(2.0, max(0.5, day + news)))

    return rate, steps(*moods)


SENSOR_FIELDS = ("epoch", "moteid", "temperature", "humidity", "light", "voltage")


def sensor_readings(seed: int, epochs: int, motes: int = 54) -> Iterator[dict[str, float]]:
    """Readings of motes every 31 seconds, in the form of the Intel Berkeley data: a stand-in."""
    draw = Random(f"sensor {seed}")
    offsets = [draw.gauss(0, 1) for _ in range(motes)]
    for epoch in range(epochs):
        day = np.sin(2 * np.pi * epoch * 31 / 86_400)
        for mote in range(1, motes + 1):
            warm = 20 + 5 * day + offsets[mote - 1] + draw.gauss(0, 0.2)
            numbers = (warm, 60 - warm, max(0.0, 300 * day), 2.7 - epoch * 1e-5)
            yield dict(zip(SENSOR_FIELDS, (epoch, mote, *numbers), strict=True))
