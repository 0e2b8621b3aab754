"""The three join workloads of the source work (Ji 2018, ch. 4), seeded.

x3 and x4 are made as the source work made them, with Zipf delays in steps of 0.1 s. x2 is a
stand-in for a recorded soccer game that is not public: two teams whose players move about, with
the lateness of the stand-ins of slack_ji2018 and the largest delays of the recording.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass

import numpy as np

from slackwater.papers.recall_ji2018.operators.probe import CommonKey, Probe, Star
from slackwater.papers.recall_ji2018.operators.recording import JoinRecording
from slackwater.papers.stream.soccer import Soccer, generate
from slackwater.stats.draws import uniforms, zipf
from slackwater.units import MILLISECOND, MINUTE, SECOND

RANKS = 201  # delays of 0.0, 0.1 … 20.0 s
DELAY_STEP = SECOND // 10
VALUES = 100
PACE = 10 * MILLISECOND
NEAR = 5.0  # metres
PLAYERS = 16
BEGIN = 60 * SECOND  # so that no event time is negative


@dataclass(frozen=True)
class Workload:
    """Recorded streams, their windows, and empty windows that count; ``minutes`` long."""

    name: str
    minutes: float
    windows: tuple[int, ...]
    recording: JoinRecording
    probe: Callable[[], Probe]


@dataclass(frozen=True)
class DataSet:
    """One of the three; ``minutes`` is the length of the original."""

    name: str
    minutes: float
    make: Callable[[float, int], Workload]


class Nearby:
    """Two streams of positions that match where they are less than some metres apart."""

    def __init__(self, x: np.ndarray, y: np.ndarray) -> None:
        self._x, self._y = x, y
        self._slots: list[dict[int, int]] = [{}, {}]
        self._free: list[list[int]] = [[], []]
        self._used = [0, 0]
        self._at = [np.full((2, 64), np.inf, dtype=np.float32) for _ in range(2)]

    def insert(self, port: int, number: int) -> None:
        if self._free[port]:
            slot = self._free[port].pop()
        else:
            slot = self._used[port]
            self._used[port] += 1
            if slot == self._at[port].shape[1]:
                self._at[port] = np.hstack([self._at[port], np.full_like(self._at[port], np.inf)])
        self._slots[port][number] = slot
        self._at[port][0, slot] = self._x[number]
        self._at[port][1, slot] = self._y[number]

    def remove(self, port: int, number: int) -> None:
        slot = self._slots[port].pop(number)
        self._at[port][0, slot] = np.inf
        self._free[port].append(slot)

    def count(self, port: int, number: int) -> int:
        other = 1 - port
        x, y = self._at[other][:, : self._used[other]]
        dx, dy = x - self._x[number], y - self._y[number]
        return int(np.count_nonzero(dx * dx + dy * dy < NEAR * NEAR))


def make_x2(minutes: float, seed: int = 1) -> Workload:
    """Two teams: about 326 tuples a second each, the worst late by 22 and 26.3 s.

    The chain of late tuples is that of set 1 of slack_ji2018; spikes are as frequent as in both of
    its sets on average, over the whole game.
    """
    teams = [
        Soccer(f"team {number}", 1380, 450_000, 0.834, 0.2255, 18, worst, 0.02, False)
        for number, worst in enumerate((22_000, 26_300), start=1)
    ]
    streams = [
        generate(team.shortened(minutes / 23), seed + number) for number, team in enumerate(teams)
    ]
    port = np.repeat([0, 1], [stream.size for stream in streams])
    ts = np.concatenate([stream.ts for stream in streams])
    order = np.argsort(np.concatenate([stream.time for stream in streams]), kind="stable")
    port, ts = port[order], ts[order]
    x, y = _positions(port, ts, np.random.default_rng(seed + 7))
    recording = JoinRecording.of(port, ts + BEGIN, 2)
    return Workload("x2", minutes, (5 * SECOND,) * 2, recording, lambda: Nearby(x, y))


def _positions(
    port: np.ndarray, ts: np.ndarray, draws: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Players around their places, all of them drawn along by the game; metres."""
    player = draws.integers(0, PLAYERS, ts.size)
    seconds = ts / SECOND
    home = np.stack([draws.uniform(15, 90, (2, PLAYERS)), draws.uniform(8, 60, (2, PLAYERS))])
    found = []
    for axis, pull in ((0, 18.0), (1, 10.0)):
        game = pull * _wander(seconds, np.zeros(ts.size, dtype=int), draws, 1, slowest_s=90)
        own = 5.0 * _wander(seconds, port * PLAYERS + player, draws, 2 * PLAYERS, slowest_s=25)
        found.append((home[axis, port, player] + game + own).astype(np.float32))
    return found[0], found[1]


def _wander(
    seconds: np.ndarray,
    who: np.ndarray,
    draws: np.random.Generator,
    count: int,
    *,
    slowest_s: float,
) -> np.ndarray:
    """A smooth path about 0 with deviation 1 for each of ``count``, as a sum of waves."""
    waves = 6
    period = draws.uniform(slowest_s / 5, slowest_s, (count, waves))
    phase = draws.uniform(0, 2 * np.pi, (count, waves))
    path = np.zeros(seconds.size)
    for wave in range(waves):
        path += np.sin(2 * np.pi * seconds / period[who, wave] + phase[who, wave])
    return np.asarray(path / np.sqrt(waves / 2))


def make_x3(minutes: float, seed: int = 1) -> Workload:
    """Three streams with one attribute; S1.a1 = S2.a1 = S3.a1 within 5 s."""
    recording = _synthetic((2.0, 3.0, 3.0), minutes, seed)
    size = recording.size // 3
    columns = np.stack([_attribute(size, seed, block) for block in (10, 11, 12)])
    keys: list[Hashable] = columns.T.reshape(-1).tolist()
    return Workload("x3", minutes, (5 * SECOND,) * 3, recording, lambda: CommonKey(3, keys))


def make_x4(minutes: float, seed: int = 1) -> Workload:
    """Four streams; S1 has an attribute in common with each of the others, within 3 s."""
    recording = _synthetic((3.0, 3.0, 3.0, 4.0), minutes, seed)
    size = recording.size // 4
    centre = [_attribute(size, seed, block).tolist() for block in (20, 21, 22)]
    arms = [_attribute(size, seed, block).tolist() for block in (23, 24, 25)]
    rows = zip(zip(*centre, strict=True), *arms, strict=True)
    keys: list[Hashable] = [key for row in rows for key in row]
    return Workload("x4", minutes, (3 * SECOND,) * 4, recording, lambda: Star(3, keys))


def _synthetic(skews: tuple[float, ...], minutes: float, seed: int) -> JoinRecording:
    """A tuple of every stream each 10 ms, late by a Zipf delay."""
    size = round(minutes * MINUTE / PACE)
    arrived = BEGIN + np.arange(1, size + 1, dtype=np.int64) * PACE
    ts = np.empty((size, len(skews)), dtype=np.int64)
    for number, skew in enumerate(skews):
        draw = uniforms(seed, number, (size, 1))[:, 0]
        ts[:, number] = arrived - DELAY_STEP * zipf(RANKS, skew, draw)
    return JoinRecording.of(np.tile(np.arange(len(skews)), size), ts.reshape(-1), len(skews))


def _attribute(size: int, seed: int, block: int) -> np.ndarray:
    """Zipf values 1 … 100; the skew is 1 at first and drawn anew every 1 to 10 minutes."""
    draws = np.random.default_rng([seed, block])
    values, skew = np.empty(size, dtype=np.int64), 1.0
    chances = uniforms(seed, block, (size, 1))[:, 0]
    begin = 0
    while begin < size:
        end = begin + int(draws.uniform(1, 10) * MINUTE / PACE)
        values[begin:end] = 1 + zipf(VALUES, skew, chances[begin:end])
        begin, skew = end, round(draws.uniform(0, 5), 2)
    return values


X2 = DataSet("x2", 23, make_x2)
X3 = DataSet("x3", 30, make_x3)
X4 = DataSet("x4", 30, make_x4)
SETS = (X2, X3, X4)
