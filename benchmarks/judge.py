"""Was an error contract kept? Judged from raw rows and sink alone, from the first result on.

Every (window, key) that some row belongs to should have a result. It counts as kept if one was
given and differs by ``epsilon`` at most from that of all rows; a result never given is missed.
Nothing that the engine says of itself is read. Latency is in event time: the clock (the largest
event time in the files read so far) when a result was given, less the end of its window; beside it
that of the smallest fixed slack which would have kept as many results, on the same files.

    python benchmarks/judge.py flights FLIGHTS.csv [FILES]      # of benchmarks/flights.py
    python benchmarks/judge.py endless [FILES]                  # delays as long as the stream
    python benchmarks/judge.py endless-join [FILES]             # of a join, by judge_joins.py
    python benchmarks/judge.py regular-join [FILES]             # delays of a minute at most
"""

from __future__ import annotations

import os
import sys
import tempfile
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb
import judge_joins
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import csv

import slackwater as sw
from slackwater.execute.sinks import ParquetSink
from slackwater.units import DAY, HOUR, MINUTE, SECOND

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Judged:
    """Shares of all results that should exist, and latencies in seconds of event time."""

    results: int
    given: int
    kept: float
    latency_s: float
    fixed_slack_s: float
    fixed_kept: float
    fixed_latency_s: float


@dataclass(frozen=True)
class Raw:
    """The rows as they came: file, window and group of each, and its value."""

    batch: Ints
    window: Ints
    group: Ints
    value: Floats
    ends: Ints
    clocks: Ints

    @property
    def truth(self) -> Floats:
        return np.bincount(self.group, self.value)

    def under(self, slack: int) -> tuple[Floats, Ints]:
        """What a fixed slack would have said of each group, and the clock when it did."""
        closing = np.searchsorted(self.clocks - slack, self.ends)
        closing = np.minimum(closing, self.clocks.size - 1)  # the end closes what is open
        is_in = self.batch <= closing[self.group]
        return np.bincount(self.group, self.value * is_in), self.clocks[closing]


def read(files: list[Path], time: str, key: str, value: str, size: int) -> tuple[Raw, Any]:
    tables = [pq.read_table(file, columns=[time, key, value]) for file in files]
    batch = np.repeat(np.arange(len(tables)), [table.num_rows for table in tables])
    whole = pa.concat_tables(tables)
    ts = whole[time].cast(pa.timestamp("us", "UTC")).cast(pa.int64()).to_numpy()
    keys = pc.dictionary_encode(whole[key]).combine_chunks()
    window = ts - ts % size
    pairs = np.stack([window, keys.indices.to_numpy().astype(np.int64)], axis=1)
    groups, group = np.unique(pairs, axis=0, return_inverse=True)
    highs = [int(ts[batch == number].max()) for number in range(len(tables))]
    values = whole[value].cast(pa.float64()).to_numpy()
    clocks = np.maximum.accumulate(np.array(highs))
    names = keys.dictionary.to_pylist()
    labels = {(int(w), names[k]): n for n, (w, k) in enumerate(groups)}
    return Raw(batch, window, group.ravel(), values, groups[:, 0] + size, clocks), labels


def judge(
    raw: Raw,
    labels: dict[tuple[int, Any], int],
    sink: Path,
    epsilon: float,
    *,
    key: str,
    value: str,
) -> Judged:
    with duckdb.connect(":memory:") as duck:
        said = duck.sql(
            f"SELECT epoch_us(window_start) AS at, {key} AS k, {value} AS v, batch::BIGINT AS b "
            f"FROM read_parquet('{sink}/*/*.parquet', hive_partitioning = true)"
        ).fetchall()
    truth = raw.truth
    given = np.full(truth.size, np.nan)
    latency = np.zeros(truth.size)
    for at, name, number, batch in said:
        place = labels[at, name]
        assert np.isnan(given[place]), "a result given twice"
        given[place] = number
        latency[place] = raw.clocks[min(batch, raw.clocks.size - 1)] - raw.ends[place]
    is_given = ~np.isnan(given)
    kept = _kept(np.nan_to_num(given), truth, epsilon) & is_given
    slack = _best_fixed(raw, float(kept.mean()), epsilon)
    fixed, when = raw.under(slack)
    return Judged(
        results=truth.size,
        given=int(is_given.sum()),
        kept=round(float(kept.mean()), 4),
        latency_s=round(float(latency[is_given].mean()) / SECOND, 1),
        fixed_slack_s=round(slack / SECOND, 1),
        fixed_kept=round(float(_kept(fixed, truth, epsilon).mean()), 4),
        fixed_latency_s=round(float((when - raw.ends).mean()) / SECOND, 1),
    )


def _kept(said: Floats, true: Floats, epsilon: float) -> npt.NDArray[np.bool_]:
    return np.abs(said - true) <= epsilon * np.abs(true) + 1e-9


def _best_fixed(raw: Raw, wanted: float, epsilon: float) -> int:
    """The smallest fixed slack that keeps as many results, to a second."""
    truth, low, high = raw.truth, -SECOND, int(raw.clocks[-1] - raw.ends.min()) + DAY
    while high - low > SECOND:
        middle = (low + high) // 2
        if float(_kept(raw.under(middle)[0], truth, epsilon).mean()) >= wanted:
            high = middle
        else:
            low = middle
    return high


def cut(table: pa.Table, folder: Path, files: int) -> list[Path]:
    """Rows in order of arrival, cut into files that are read one by one."""
    folder.mkdir(parents=True)
    bounds = np.linspace(0, table.num_rows, files + 1).astype(int)
    paths = []
    for number, (low, high) in enumerate(pairwise(bounds.tolist())):
        paths.append(folder / f"{number:05d}.parquet")
        pq.write_table(table.slice(low, high - low), paths[-1])
        os.utime(paths[-1], (1_700_000_000 + number,) * 2)  # files are taken in this order
    return paths


def run(
    files: list[Path], scratch: Path, *, size: int, epsilon: float, confidence: float
) -> tuple[Judged, dict[str, Any]]:
    """Run a contract over the files, judge it, and give also what the engine says of itself."""
    source = sw.files(files[0].parent, files_per_batch=1)
    rows = sw.stream("rows", source, time="ts")
    counts = rows.window(f"{size // SECOND} seconds").group_by("k").aggregate(total="sum(v)")
    sink = ParquetSink(str(scratch / "sink"))
    query = counts.query("q", sw.max_error(epsilon, confidence=confidence), sink=sink)
    handle = sw.pipeline(query).run(str(scratch / "checkpoint"), flush=True)
    raw, labels = read(files, "ts", "k", "v", size)
    return judge(raw, labels, sink.folder, epsilon, key="k", value="total"), handle.quality()["q"]


def flights(path: str) -> pa.Table:
    table = csv.read_csv(path)
    table = table.filter(pc.and_(pc.is_valid(table["departed"]), pc.is_valid(table["landed"])))
    ts = table["departed"].cast(pa.timestamp("us", "UTC"))
    one = pa.array(np.ones(table.num_rows))
    return pa.table({"ts": ts, "k": table["origin"], "v": one})


def endless(
    rows: int = 60_000, *, seed: int = 1, keys: int = 3, most: float | None = None
) -> pa.Table:
    """A row every tenth of a second for 100 minutes, late by up to as long, or by ``most`` s."""
    draws = np.random.default_rng(seed)
    time = np.arange(rows) / 10
    late = draws.uniform(0, time[-1] if most is None else most, rows)
    order = np.argsort(time + late, kind="stable")
    ts = pa.array((1.7e15 + time[order] * 1e6).astype(np.int64)).cast(pa.timestamp("us", "UTC"))
    return pa.table({"ts": ts, "k": draws.integers(0, keys, rows), "v": np.ones(rows)})


def joins(kind: str, folder: Path, files: int) -> None:
    most = None if kind == "endless-join" else 60.0
    inputs = {
        name: cut(endless(seed=seed, keys=20, most=most), folder / name, files)
        for seed, name in enumerate("ab", start=1)
    }
    emits = ("immediate", "ordered")
    for emit, judged, told in judge_joins.run(inputs, folder / "out", gamma=0.95, emits=emits):
        print(kind, emit, judged)
        print("  the engine says:", told, flush=True)


def main(kind: str, *rest: str) -> None:
    sw.local_session()
    with tempfile.TemporaryDirectory(prefix="slackwater-judge-") as folder:
        if kind.endswith("-join"):
            joins(kind, Path(folder), int(rest[0]) if rest else 60)
            return
        if kind == "flights":
            files = cut(flights(rest[0]), Path(folder) / "rows", int(rest[1]) if rest[1:] else 200)
            cases = [("by hour", HOUR), ("by day", DAY)]
        else:
            files = cut(endless(), Path(folder) / "rows", int(rest[0]) if rest else 60)
            cases = [("by minute", MINUTE)]
        for name, size in cases:
            scratch = Path(folder) / name.replace(" ", "-")
            judged, told = run(files, scratch, size=size, epsilon=0.05, confidence=0.95)
            print(kind, name, judged)
            print("  the engine says:", told, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
