"""How long ``slackwater advise`` takes on ten million rows.

    python benchmarks/advise.py [ROWS]

Writes a seeded stream to a temporary Parquet file (not timed), then times reading and advising.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from slackwater.replay.advise import Columns, Frames, Target, advise, read_recording
from slackwater.stats.workload import Disorder, Workload, rows
from slackwater.units import SECOND

CHUNK = 1_000_000
DISORDER = Disorder.of(late=0.3, delay="exponential", scale="5 s", cap="2 minutes")
STREAM = Workload(seed=1, rows_per_second=1_000, keys=100, disorder=DISORDER)


def write(path: Path, count: int) -> None:
    schema = pa.schema({"ts": pa.timestamp("us", tz="UTC"), "key": pa.int64(), "v": pa.float64()})
    with pq.ParquetWriter(path, schema) as writer:
        for first in range(0, count, CHUNK):
            part = rows(STREAM, first, min(first + CHUNK, count))
            columns = [part.time, part.key, part.value]
            arrays = [pa.array(c, t) for c, t in zip(columns, schema.types, strict=True)]
            writer.write_table(pa.table(arrays, schema=schema))


def measure(path: Path) -> None:
    begun = time.perf_counter()
    recording = read_recording([str(path)], Columns("ts", "sum(v)", by=("key",)))
    read = time.perf_counter()
    marks: list[tuple[str, float]] = []

    def tell(step: str, _done: int, _total: int | None) -> None:
        if not marks or marks[-1][0] != step:
            marks.append((step, time.perf_counter()))

    frames = Frames(60 * SECOND, 10 * SECOND)
    advice = advise(recording.timeline, frames, recording.measure, Target(), tell=tell)
    done = time.perf_counter()
    print(f"{recording.timeline.rows:,} rows, {advice.none.quality.results:,} results")
    print(f"{'read':<22}{read - begun:6.1f} s")
    for (step, at), after in zip(marks, [*(at for _, at in marks[1:]), done], strict=True):
        print(f"{step:<22}{after - at:6.1f} s")
    print(f"{'in all':<22}{done - begun:6.1f} s")
    print(f"smallest fixed slack {advice.smallest / SECOND:.3f} s, {advice.steps:,} steps")
    for line in (advice.none, advice.chosen, advice.largest, advice.driven):
        latency = (line.quality.latency or 0) / SECOND
        print(f"{line.policy:<15} within {line.quality.within:.4f}, latency {latency:.3f} s")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "stream.parquet"
        write(file, int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000)
        measure(file)
