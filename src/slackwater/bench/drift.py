"""Three streams that drift: rates and selectivities change from phase to phase.

``a`` and ``b`` share the column ``j``, ``b`` and ``c`` the column ``k``; a value is drawn from so
many that the wanted number of partners is met within a window. Files are written once and reused.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from slackwater.bench.data import BEGIN, ROW_GROUP, SENTINEL, kept, put_in_order
from slackwater.units import DAY, SECOND, fingerprint

FORMAT = 1
NAMES = ("a", "b", "c")
DDL = "ts TIMESTAMP, j BIGINT, k BIGINT, v BIGINT"


@dataclass(frozen=True, slots=True)
class Phase:
    """So many batches with so many rows of each stream; ``j`` and ``k`` have so many values."""

    batches: int
    rows: tuple[int, int, int]
    j: int
    k: int


@dataclass(frozen=True, slots=True)
class Drift:
    """Phases one after the other; a batch spans so many seconds, and no row is late."""

    phases: tuple[Phase, ...]
    span: int = 10
    seed: int = 16

    @property
    def name(self) -> str:
        return f"drift-{fingerprint({'format': FORMAT, **asdict(self)})}"

    @property
    def batches(self) -> int:
        return sum(phase.batches for phase in self.phases)

    def phase_of(self, batch: int) -> int:
        """The number of the phase that a batch belongs to."""
        for number, phase in enumerate(self.phases):
            if batch < phase.batches:
                return number
            batch -= phase.batches
        raise IndexError(batch)

    def starts(self) -> list[int]:
        """The first batch of each phase."""
        found = [0]
        for phase in self.phases[:-1]:
            found.append(found[-1] + phase.batches)
        return found


def prepare(drift: Drift, cache: Path) -> Path:
    """The folder with a folder for each stream; made if it is not in the cache."""
    return kept(cache / drift.name, lambda folder: _write(drift, folder))


def first_files(data: Path, folder: Path, batches: int) -> Path:
    """A folder like that of a drift with its first batches only, and the sentinels."""
    for stream in NAMES:
        (folder / stream).mkdir(parents=True)
        files = sorted((data / stream).glob("[0-9]*.parquet"))[:batches]
        for path in (*files, data / stream / SENTINEL):
            (folder / stream / path.name).symlink_to(path)
    return folder


def _write(drift: Drift, folder: Path) -> None:
    for stream in NAMES:
        (folder / stream).mkdir()
    for batch in range(drift.batches):
        for number, stream in enumerate(NAMES):
            rows = _rows(drift, batch, number)
            _put(rows, folder / stream / f"{batch:05d}.parquet", batch)
    for number, stream in enumerate(NAMES):  # they meet nothing, and all before them is done
        time = np.array([BEGIN + drift.batches * drift.span * SECOND + DAY])
        alone = np.full((3, 1), -1 - number)
        _put(_table(time, *alone), folder / stream / SENTINEL, drift.batches)
    (folder / "_drift.json").write_text(json.dumps(asdict(drift), indent=1))


def _rows(drift: Drift, batch: int, number: int) -> pa.Table:
    phase = drift.phases[drift.phase_of(batch)]
    random, rows = np.random.default_rng([drift.seed, batch, number]), phase.rows[number]
    span = drift.span * SECOND
    time = BEGIN + batch * span + np.sort(random.integers(0, span, rows))
    j, k = (random.integers(0, values, rows) for values in (phase.j, phase.k))
    return _table(time, j, k, random.integers(0, 1_000, rows))


def _table(time: np.ndarray, j: np.ndarray, k: np.ndarray, v: np.ndarray) -> pa.Table:
    return pa.table({"ts": pa.array(time, pa.timestamp("us", tz="UTC")), "j": j, "k": k, "v": v})


def _put(table: pa.Table, path: Path, number: int) -> None:
    pq.write_table(table, path, row_group_size=ROW_GROUP)
    put_in_order(path, number)
