"""Streams of the experiments: Poisson arrivals, rates that step, selectivities that swap.

Reference: Zhu 2006, ch. 8 and 16, tables 8.1 and 16.1. A predicate of selectivity σ compares keys
of a column of its own, uniform over 1/σ values (rounded), so that selectivities are independent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from slackwater.papers.adaptive_zhu2006.graphs import Pairs
from slackwater.papers.adaptive_zhu2006.operators.query import Column, Equal, Query
from slackwater.papers.adaptive_zhu2006.operators.row import Single
from slackwater.papers.adaptive_zhu2006.operators.windows import Windows

Steps = tuple[tuple[int, float], ...]  # from this millisecond on, this value


@dataclass(frozen=True, slots=True)
class Load:
    """Mean inter-arrival times (ms) and a selectivity for every pair; a chain unless told."""

    window: int
    delays: Mapping[str, Steps]
    selectivities: tuple[Steps, ...]
    pairs: Pairs | None = None

    @classmethod
    def steady(
        cls, window: int, delays: tuple[float, ...], selectivities: tuple[float, ...]
    ) -> Load:
        streams = "ABCDEFGH"[: len(delays)]
        return cls(
            window,
            {name: ((0, delay),) for name, delay in zip(streams, delays, strict=True)},
            tuple(((0, one),) for one in selectivities),
        )

    @property
    def query(self) -> Query:
        columns: dict[str, list[str]] = {name: [] for name in self.delays}
        edges = []
        for number, pair in enumerate(self.pairs or tuple(pairwise(self.delays))):
            for name in pair:
                columns[name].append(f"k{number}")
            edges.append(Equal(*(Column(name, f"k{number}") for name in pair)))
        held = {name: tuple(found) for name, found in columns.items()}
        return Query(held, tuple(edges), Windows.same(self.window))


def set_1(window: int) -> Load:
    return Load.steady(window, (100, 100, 100, 100), (0.1, 0.05, 0.02))


def set_2(delay_b: float) -> Load:
    return Load.steady(1000, (50, delay_b, 50, 50), (0.1, 0.05, 0.02))


def set_3(window: int) -> Load:
    return Load.steady(window, (100, 12, 12, 12), (0.1, 0.1, 0.1))


LOW = Load.steady(1000, (100, 100, 100, 100), (0.1, 0.02, 0.02))
HIGH = Load.steady(2000, (50, 50, 50, 50), (0.2, 0.05, 0.05))


def value_at(steps: Steps, ts: float) -> float:
    """What holds at a time.

    >>> value_at(((0, 10.0), (30_000, 200.0)), 31_000)
    200.0
    """
    return next(value for since, value in reversed(steps) if ts >= since)


def poisson(random: np.random.Generator, delays: Steps, until: int) -> list[int]:
    """Arrival times with exponential delays, whose mean may step, up to a time."""
    found: list[int] = []
    now = 0.0
    while True:
        now += random.exponential(value_at(delays, now))
        if now >= until:
            return found
        found.append(int(now))


def arrivals(load: Load, until: int, seed: int) -> list[Single]:
    """The tuples of all streams in the order of time."""
    query, found = load.query, []
    for number, (stream, delays) in enumerate(load.delays.items()):
        random = np.random.default_rng((seed, number))
        for seq, ts in enumerate(poisson(random, delays, until)):
            values = tuple(
                int(random.integers(round(1 / value_at(load.selectivities[int(name[1:])], ts))))
                for name in query.columns[stream]
            )
            found.append(query.single(stream, ts, seq, values))
    return sorted(found, key=lambda one: one.ts)
