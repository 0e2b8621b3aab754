"""Streams for experiments: dense seconds, traffic at one detector, bursts at access points.

The recordings of the source work are not at hand; traffic and bursts are stand-ins with the rates
and shapes it reports. Times are in the unit given (``second``), so that all of them are whole.

Reference: Bhat 2011, ch. 4 (D1', D3', D4, D5).
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from slackwater.papers.prodding_bhat2011.operators.element import TS, VALUE, Row

Array = npt.NDArray[np.float64]
Draw = Callable[[np.random.Generator, int], Array]


def uniform(high: int = 1000) -> Draw:
    """Whole numbers from 0 to below ``high``."""
    return lambda draws, count: draws.integers(0, high, count).astype(np.float64)


def normal(mean: float = 500, spread: float = 100) -> Draw:
    return lambda draws, count: draws.normal(mean, spread, count)


def dense(
    seconds: int, value: Draw, *, density: float = 0.95, seed: int = 1, second: int = 1
) -> list[Row]:
    """After each tuple the same second goes on with the probability ``density``.

    About ``1 / (1 − density)`` tuples a second.
    """
    draws = np.random.default_rng(seed)
    counts = draws.geometric(1 - density, seconds)
    times = np.repeat(np.arange(seconds), counts) * second
    values = value(draws, times.size)
    return [{TS: ts, VALUE: v} for ts, v in zip(times.tolist(), values.tolist(), strict=True)]


def ascending(seconds: int, slide: int, *, per_second: int = 20) -> list[Row]:
    """Values that rise within each slide: the worst that can happen to an early maximum."""
    steps = np.arange(seconds * per_second)
    times = steps // per_second
    values = 1.0 + (steps % (slide * per_second))
    return [{TS: ts, VALUE: v} for ts, v in zip(times.tolist(), values.tolist(), strict=True)]


def traffic(hours: float, *, seed: int = 1, second: int = 1) -> list[Row]:
    """D1': vehicles at one detector, a record every 20 s, 4 to 14 by time of day, some missing."""
    draws = np.random.default_rng(seed)
    times = np.arange(0, round(hours * 3600), 20)
    level = 9 - 5 * np.cos(2 * np.pi * times / 86_400)
    volume = draws.poisson(level)
    there = draws.random(times.size) >= 0.01
    return [
        {TS: ts * second, "volume": v}
        for ts, v in zip(times[there].tolist(), volume[there].tolist(), strict=True)
    ]


BURST_SECONDS = 88


def burst_counts(draws: np.random.Generator) -> npt.NDArray[np.int64]:
    """Records per second of 88 seconds: an isolated spike, a double one, a sustained burst."""
    counts = draws.integers(20, 221, BURST_SECONDS)
    counts[30] = draws.integers(560, 641)
    counts[31:36] = draws.integers(10, 61, 5)
    counts[53:55] = draws.integers(400, 451, 2)
    counts[55:60] = draws.integers(120, 221, 5)
    counts[62] = draws.integers(760, 841)
    counts[63:76] = draws.integers(200, 421, 13)
    counts[76:] = draws.integers(20, 91, BURST_SECONDS - 76)
    return counts


def bursts(
    repetitions: int = 1,
    *,
    arrivals: Literal["random", "at once"] = "random",
    seed: int = 1,
    second: int = 1_000_000,
) -> list[Row]:
    """D3': about 14 000 records per repetition.

    ``counter`` is a random walk modulo some thousands: no trend, short rising runs.

    Parameters
    ----------
    arrivals
        ``random`` within each second, or ``at once`` at its beginning: time stamps in seconds.
    """
    draws = np.random.default_rng(seed)
    counts = np.concatenate([burst_counts(draws) for _ in range(repetitions)])
    seconds = np.repeat(np.arange(counts.size), counts)
    within = draws.random(seconds.size) if arrivals == "random" else np.zeros(seconds.size)
    times = np.sort(((seconds + within) * second).astype(np.int64))
    walk = (2000 + np.cumsum(draws.integers(-20, 21, times.size))) % 4000
    return [{TS: ts, "counter": v} for ts, v in zip(times.tolist(), walk.tolist(), strict=True)]


def load(path: Path, columns: Mapping[str, str], *, second: int = 1) -> list[Row]:
    """A recording from a CSV file with a header, in file order.

    ``columns`` says which column of the file is which attribute; ``ts`` is given in seconds.
    """
    with path.open(newline="", encoding="utf-8") as file:
        return [
            {name: _read(name, line[column], second) for name, column in columns.items()}
            for line in csv.DictReader(file)
        ]


def _read(name: str, text: str, second: int) -> Any:
    if name == TS:
        return round(float(text) * second)
    try:
        return float(text)
    except ValueError:
        return text
