"""A stand-in for the soccer streams of Ji (2018, ch. 4), seeded.

A two-state Markov chain decides which tuples are late; most are late by some milliseconds, and in
rare episodes a few of them by seconds. The originals are not public.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from slackwater.papers.stream.recording import Recording
from slackwater.units import MILLISECOND, SECOND

EPISODES = 60


@dataclass(frozen=True)
class Soccer:
    """One data set; ``spike_share`` is the share of late tuples hit inside an episode."""

    name: str
    duration_s: int
    tuples: int
    late_after_late: float
    late_after_in_order: float
    mean_ms: float
    max_delay_ms: float
    spike_share: float
    is_second_half: bool
    episodes: int = EPISODES

    def shortened(self, share: float) -> Soccer:
        """The same rates and delays for a part of the time."""
        return replace(
            self,
            duration_s=round(self.duration_s * share),
            tuples=round(self.tuples * share),
            episodes=max(1, round(self.episodes * share)),
        )


def generate(soccer: Soccer, seed: int = 1) -> Recording:
    """Tuples in arrival order: event time in microseconds, and the velocity."""
    draws = np.random.default_rng(seed)
    late = _late(soccer, draws)
    gaps = draws.exponential(soccer.duration_s * SECOND / (~late).sum(), soccer.tuples)
    time = np.cumsum(np.where(late, 0.0, gaps))
    delay = np.minimum(100.0, 1.0 + draws.exponential(soccer.mean_ms, soccer.tuples))
    delay = _with_spikes(soccer, delay, draws) * MILLISECOND
    ts = np.where(late, np.maximum(0.0, time - delay), time)
    values = np.abs(draws.normal(3.0, 1.5, soccer.tuples)) + 0.1
    return Recording.of(np.rint(ts).astype(np.int64), values)


def _late(soccer: Soccer, draws: np.random.Generator) -> np.ndarray:
    chances = draws.random(soccer.tuples)
    late = np.zeros(soccer.tuples, dtype=bool)
    stays, turns = soccer.late_after_late, soccer.late_after_in_order
    was_late = False
    for number, chance in enumerate(chances[1:].tolist(), start=1):
        was_late = chance < (stays if was_late else turns)
        late[number] = was_late
    return late


def _with_spikes(soccer: Soccer, delay: np.ndarray, draws: np.random.Generator) -> np.ndarray:
    first = soccer.tuples // 2 if soccer.is_second_half else 0
    for _ in range(soccer.episodes):
        begin = int(draws.integers(first, soccer.tuples))
        end = min(soccer.tuples, begin + int(draws.integers(500, 4001)))
        worst = soccer.max_delay_ms * draws.random() ** 2
        hit = draws.random(end - begin) < soccer.spike_share
        spikes = worst * draws.uniform(0.5, 1.0, end - begin)
        delay[begin:end] = np.where(hit, spikes, delay[begin:end])
    return delay
