"""Streams made to hurt a contract: each goes for something that a controller has to rely on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from slackwater.bench.regimes import Array, Law, Rows, Stream, drawn
from slackwater.units import MINUTE

HOUR = 3600.0  # seconds


def _some(draws: np.random.Generator, share: float, delays: Array) -> Array:
    return np.where(draws.random(delays.size) < share, delays, 0.0)


def _light(draws: np.random.Generator, time: Array) -> Array:
    return _some(draws, 0.2, draws.exponential(0.5, time.size))


def _alternating(draws: np.random.Generator, time: Array) -> Array:
    """Changes as soon as what was before is nearly forgotten, every two minutes."""
    hard = _some(draws, 0.3, draws.exponential(4.0, time.size))
    return np.where(time % 240 < 120, _light(draws, time), hard)


def _ambush(draws: np.random.Generator, time: Array) -> Array:
    """Calm for three minutes, until there is credit, then half of all rows late by a minute."""
    return np.where(time % 200 < 180, _light(draws, time), _some(draws, 0.5, 60 + 0 * time))


def _hourly(draws: np.random.Generator, time: Array) -> Array:
    """Once an hour a single row is half an hour late."""
    delays = _light(draws, time)
    once = np.searchsorted(time, np.arange(HOUR / 2, time[-1], HOUR))
    delays[once] = HOUR / 2
    return delays


def _growing(draws: np.random.Generator, time: Array) -> Array:
    """A third is late by a hundredth of the time since the beginning, on average: without end."""
    return _some(draws, 0.3, draws.exponential(1.0, time.size) * (0.5 + time / 100))


def _doubling(draws: np.random.Generator, time: Array) -> Array:
    """A third is late by a mean that doubles every three minutes."""
    return _some(draws, 0.3, draws.exponential(1.0, time.size) * 0.5 * 2 ** (time / 180))


def _endless(draws: np.random.Generator, time: Array) -> Array:
    """Rows are late by up to as long as the stream is."""
    return draws.uniform(0, time[-1], time.size)


@dataclass(frozen=True, slots=True)
class Attack:
    """A stream and the bound that it goes for; ``at_most`` microseconds of slack are allowed."""

    law: Law
    epsilon: float = 0.001
    seconds: int = 1800
    rate: int = 300
    at_most: int | None = None

    def rows(self, seconds: int | None = None, seed: int = 3) -> Rows:
        """The rows; ``seconds`` of event time if not as many as usual."""
        stream = Stream("", seconds or self.seconds, self.rate, seed=seed)
        return drawn(stream, self.law)


ATTACKS: dict[str, Attack] = {
    "alternating": Attack(_alternating),
    "ambush": Attack(_ambush),
    "an outlier an hour": Attack(_hourly, epsilon=0.0001, seconds=3 * 3600, rate=30),
    "growing without end": Attack(_growing),
    "doubling": Attack(_doubling),
    "as late as it is long": Attack(_endless, seconds=600, rate=60),
    "as late as it is long, a minute at most": Attack(
        _endless, seconds=600, rate=60, at_most=MINUTE
    ),
}
