"""Three streams that drift: rates and selectivities change from phase to phase.

``a`` and ``b`` share the column ``j``, ``b`` and ``c`` the column ``k``; a value is drawn from so
many that the wanted number of partners is met within a window. Files, each with a batch of all
three, are written once and reused.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession

from slackwater.bench.data import BEGIN, ROW_GROUP, SENTINEL, files_of, kept, put_in_order
from slackwater.units import DAY, SECOND, fingerprint

FORMAT = 1
NAMES = ("a", "b", "c")
DDL = "s INT, ts TIMESTAMP, j BIGINT, k BIGINT, v BIGINT"


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
    """The folder with a file for each batch; made if it is not in the cache."""
    return kept(cache / drift.name, lambda folder: _write(drift, folder))


def first_files(data: Path, folder: Path, batches: int) -> Path:
    """A folder with the first batches of a drift only, and the sentinel."""
    folder.mkdir(parents=True)
    *files, last = files_of(data)
    for path in (*files[:batches], last):
        (folder / path.name).symlink_to(path)
    return folder


def open_streams(spark: SparkSession, folder: Path, files: int = 1) -> dict[str, DataFrame]:
    """The streams as scripted ones: one file, or so many at most, one micro-batch.

    All of them read the same file, so that a batch never has a stream without the others.
    """
    reader = spark.readStream.schema(DDL).option("maxFilesPerTrigger", files)
    rows = reader.parquet(f"file://{folder}")
    return {name: rows.where(f"s = {number}").drop("s") for number, name in enumerate(NAMES)}


def _write(drift: Drift, folder: Path) -> None:
    for batch in range(drift.batches):
        streams = [_rows(drift, batch, number) for number in range(len(NAMES))]
        _put(pa.concat_tables(streams), folder / f"{batch:05d}.parquet", batch)
    time = np.array([BEGIN + drift.batches * drift.span * SECOND + DAY])
    # they meet nothing, and all before them is done
    alone = [_table(n, time, *np.full((3, 1), -1 - n)) for n in range(len(NAMES))]
    _put(pa.concat_tables(alone), folder / SENTINEL, drift.batches)
    (folder / "_drift.json").write_text(json.dumps(asdict(drift), indent=1))


def _rows(drift: Drift, batch: int, number: int) -> pa.Table:
    phase = drift.phases[drift.phase_of(batch)]
    random, rows = np.random.default_rng([drift.seed, batch, number]), phase.rows[number]
    span = drift.span * SECOND
    time = BEGIN + batch * span + np.sort(random.integers(0, span, rows))
    j, k = (random.integers(0, values, rows) for values in (phase.j, phase.k))
    return _table(number, time, j, k, random.integers(0, 1_000, rows))


def _table(number: int, time: np.ndarray, *columns: np.ndarray) -> pa.Table:
    stream = pa.array(np.full(len(time), number, np.int32))
    found = {"s": stream, "ts": pa.array(time, pa.timestamp("us", tz="UTC"))}
    return pa.table(found | dict(zip(("j", "k", "v"), columns, strict=True)))


def _put(table: pa.Table, path: Path, number: int) -> None:
    pq.write_table(table, path, row_group_size=ROW_GROUP)
    put_in_order(path, number)
