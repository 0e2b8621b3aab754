"""Disordered streams for ``bench slack``: one kind of disorder each, cut into micro-batches."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from slackwater.units import SECOND, fingerprint

Array = npt.NDArray[np.float64]
BEGIN = 1_700_000_000 * SECOND
DDL = "ts TIMESTAMP, v DOUBLE"


@dataclass(frozen=True, slots=True)
class Stream:
    """A regime of disorder; ``seconds`` of event time, a batch every ``batch`` of arrival."""

    regime: str
    seconds: int
    rate: int = 300
    batch: float = 2.0
    seed: int = 3

    @property
    def name(self) -> str:
        return f"slack-{fingerprint({'format': 1, **asdict(self)})}"


def _some(draws: np.random.Generator, share: float, delays: Array) -> Array:
    return np.where(draws.random(delays.size) < share, delays, 0.0)


def _light(draws: np.random.Generator, time: Array) -> Array:
    """A fifth of the rows is late by half a second on average."""
    return _some(draws, 0.2, draws.exponential(0.5, time.size))


def _heavy_tail(draws: np.random.Generator, time: Array) -> Array:
    """A fifth is late by a Pareto law (α = 1.3), up to two minutes."""
    return _some(draws, 0.2, np.minimum(0.2 * draws.pareto(1.3, time.size), 120.0))


def _bursts(draws: np.random.Generator, time: Array) -> Array:
    """As light, but every minute there are six seconds with half of the rows late by 5 s."""
    burst = _some(draws, 0.5, draws.exponential(5.0, time.size))
    return np.where(time % 60 < 6, burst, _light(draws, time))


def _sudden_shift(draws: np.random.Generator, time: Array) -> Array:
    """Light for the first half, then a third is late by 4 s."""
    after = _some(draws, 0.3, draws.exponential(4.0, time.size))
    return np.where(time > time[-1] / 2, after, _light(draws, time))


def _gradual_drift(draws: np.random.Generator, time: Array) -> Array:
    """A quarter is late; the mean delay grows steadily from 0.3 s to 4.3 s."""
    return _some(draws, 0.25, draws.exponential(1.0, time.size) * (0.3 + 4 * time / time[-1]))


Law = Callable[[np.random.Generator, Array], Array]  # delays of rows by their event times

REGIMES: dict[str, Law] = {
    "light": _light,
    "heavy-tail": _heavy_tail,
    "bursts": _bursts,
    "sudden-shift": _sudden_shift,
    "gradual-drift": _gradual_drift,
}


@dataclass(frozen=True, slots=True)
class Rows:
    """A stream in arrival order: event times, values, and where each batch begins and ends."""

    ts: npt.NDArray[np.int64]
    values: Array
    cuts: npt.NDArray[np.int64]


def draw(stream: Stream) -> Rows:
    """The rows of a stream, by its seed."""
    return drawn(stream, REGIMES[stream.regime])


def drawn(stream: Stream, law: Law) -> Rows:
    """The rows of a stream whose delays follow a law."""
    draws = np.random.default_rng(stream.seed)
    time = np.arange(stream.seconds * stream.rate) / stream.rate
    arrival = time + law(draws, time)
    order = np.argsort(arrival, kind="stable")
    values = np.abs(draws.normal(3.0, 1.5, time.size)) + 0.1
    ends = np.arange(stream.batch, arrival.max() + stream.batch, stream.batch)
    cuts = np.unique(np.r_[0, np.searchsorted(arrival[order], ends), time.size])
    return Rows(BEGIN + (time[order] * SECOND).astype(np.int64), values[order], cuts)


def prepare(stream: Stream, cache: Path) -> Path:
    """The folder with one Parquet file per batch; made if it is not in the cache."""
    folder = cache / stream.name
    if folder.exists():
        return folder
    beside = cache / f".{stream.name}-{os.getpid()}"
    shutil.rmtree(beside, ignore_errors=True)
    beside.mkdir(parents=True)
    rows = draw(stream)
    instants = pa.array(rows.ts, pa.timestamp("us", "UTC"))
    table = pa.table({"ts": instants, "v": rows.values})
    for number, (low, high) in enumerate(zip(rows.cuts[:-1], rows.cuts[1:], strict=True)):
        path = beside / f"{number:05d}.parquet"
        pq.write_table(table.slice(low, high - low), path)
        os.utime(path, (BEGIN // SECOND + number,) * 2)  # files are taken in this order
    (beside / "_stream.json").write_text(json.dumps(asdict(stream)))
    beside.rename(folder)
    return folder
