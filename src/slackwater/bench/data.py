"""Input for benchmarks: seeded Parquet files, one per micro-batch, written once and reused."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession

from slackwater.units import DAY, SECOND, fingerprint

FORMAT = 1
BEGIN = 1_700_000_000 * SECOND  # any instant; a multiple of every window used here
ROW_GROUP = 100_000  # small enough that Spark can give one file to several cores
SENTINEL = "sentinel.parquet"
DDL = "ts TIMESTAMP, key BIGINT, v BIGINT"


@dataclass(frozen=True, slots=True)
class Workload:
    """A disordered stream cut into batches; times in seconds of event time.

    Rows of a batch spread over ``span``; a share ``late`` of them is up to ``slack`` behind, never
    more, so that neither engine drops a row. Values are integers: sums are exact. The first batch
    is as long as ``first`` others: it fills the state at once.
    """

    rows: int
    keys: int
    batches: int
    span: int = 10
    late: float = 0.1
    slack: int = 5
    seed: int = 7
    first: int = 1

    @property
    def name(self) -> str:
        meaning = asdict(self)
        if self.first == 1:
            del meaning["first"]  # as it was named before there were others
        return f"windows-{fingerprint({'format': FORMAT, **meaning})}"

    def start(self, batch: int) -> int:
        """No row of a batch is before this instant, but for late ones."""
        return BEGIN + (batch and batch + self.first - 1) * self.span * SECOND

    @property
    def end(self) -> int:
        """All rows are before this instant, the sentinel is far behind it."""
        return self.start(self.batches)


def prepare(workload: Workload, cache: Path) -> Path:
    """The folder with the files of a workload; made if it is not in the cache."""
    return kept(cache / workload.name, lambda folder: _write(workload, folder))


def kept(folder: Path, write: Callable[[Path], None]) -> Path:
    """A folder of a cache; if it is not there, it is written beside its place and then moved."""
    if not folder.exists():
        beside = folder.with_name(f".{folder.name}-{os.getpid()}")
        shutil.rmtree(beside, ignore_errors=True)
        beside.mkdir(parents=True)
        write(beside)
        beside.rename(folder)
    return folder


def _write(workload: Workload, folder: Path) -> None:
    for batch in range(workload.batches):
        _write_file(rows_of(workload, batch), folder / f"{batch:05d}.parquet", batch)
    _write_file(sentinel_of(workload), folder / SENTINEL, workload.batches)
    (folder / "_workload.json").write_text(json.dumps(asdict(workload), indent=1))


def rows_of(workload: Workload, batch: int) -> pa.Table:
    """The rows of one batch."""
    random = np.random.default_rng([workload.seed, batch])
    times = workload.first if batch == 0 else 1
    rows = workload.rows * times
    span = workload.span * times * SECOND
    time = workload.start(batch) + np.sort(random.integers(0, span, rows))
    is_late = random.random(rows) < workload.late
    delay = random.integers(0, max(1, workload.slack * SECOND), rows)
    time = np.maximum(np.where(is_late, time - delay, time), BEGIN)
    key = random.integers(0, workload.keys, rows)
    return _table(time, key, random.integers(0, 1000, rows))


def sentinel_of(workload: Workload) -> pa.Table:
    """One row so far ahead that every window with real rows closes, in both engines."""
    return _table(np.array([workload.end + DAY]), np.array([0]), np.array([0]))


def _table(time: np.ndarray, key: np.ndarray, value: np.ndarray) -> pa.Table:
    return pa.table({"ts": pa.array(time, pa.timestamp("us", tz="UTC")), "key": key, "v": value})


def _write_file(table: pa.Table, path: Path, number: int) -> None:
    pq.write_table(table, path, row_group_size=ROW_GROUP)
    put_in_order(path, number)


def put_in_order(path: Path, number: int) -> None:
    """Give a file its place: the file source takes files in the order of their times."""
    at = BEGIN // SECOND + number
    os.utime(path, (at, at))


def batch_files(folder: Path) -> list[str]:
    """The files with real rows."""
    return sorted(str(path) for path in folder.glob("[0-9]*.parquet"))


def files_of(folder: Path) -> list[Path]:
    """All files in the order of batches, the sentinel last."""
    return [*(Path(name) for name in batch_files(folder)), folder / SENTINEL]


def open_frame(spark: SparkSession, folder: Path) -> DataFrame:
    """The files as a scripted stream: one file, one micro-batch."""
    reader = spark.readStream.schema(DDL).option("maxFilesPerTrigger", 1)
    return reader.parquet(f"file://{folder}")
