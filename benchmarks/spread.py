"""State on the executors, measured: more workers, many tasks, a hot key, twenty million rows.

``python benchmarks/spread.py workers``: batches of two million rows over a million keys, with one
worker of one core and with two: windows from Parquet and from CSV, and a join. ``cpu_s`` are the
processor seconds of a batch in all processes, driver included; no way to part them can take less
than these over the machine's cores, so ``at_most`` is the ratio that is possible on it.
``... tasks``: the same on two cores, going on from state that ten tasks made, or two.
``... skew``: batches in which every key comes as often, and in which one key has half of all rows:
windows and a join, each beside plain Spark.
``... empty tcp``, ``... empty unix``: jobs of two Python tasks that do nothing, by kind of socket.
``... growth``: state grows to twenty million rows, with a JVM of 1 GiB as driver.

Each prints a line of JSON. After the first two some kinds of work may be named.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import csv
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import slackwater as sw
from slackwater.spark.session import UNIX_SOCKETS, sockets
from slackwater.spark.worker import make_ready

BEGIN = 1_767_225_600_000_000
SECOND = 1_000_000
SCHEMA = {"ts": "timestamp", "k": "bigint", "v": "bigint"}
WARM = 2
HEAVY = 16  # batches of those that are compared across sessions; JVMs are slow to warm up
ROUNDS = 3


def write(
    folder: Path, batches: int, rows: int, keys: int, *, hot: float = 0.0, fresh: bool = False
) -> Path:
    """A file for each batch of 10 s; with ``fresh``, keys that no batch before had."""
    folder.mkdir(parents=True)
    random = np.random.default_rng(7)
    for number in range(batches):
        times = np.sort(random.integers(0, 10 * SECOND, rows)) + BEGIN + number * 10 * SECOND
        own = random.permutation(rows) + number * rows if fresh else random.integers(0, keys, rows)
        if hot:
            own = np.where(random.random(rows) < hot, 1, own)
        columns = {"ts": pa.array(times, pa.timestamp("us", "UTC")), "k": own, "v": own % 100}
        pq.write_table(pa.table(columns), folder / f"{number:04d}.parquet")
        time.sleep(0.01)  # the order of files is that of their times
    return folder


def session(master: str, driver: str = "2g", **conf: Any) -> SparkSession:
    settings = {
        "spark.driver.memory": driver,
        "spark.ui.enabled": "false",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "2",
        "spark.executor.memory": "1g",
        "spark.executor.extraJavaOptions": "-XX:ActiveProcessorCount=1",  # as a worker of one core
        **sockets(),
        **conf,
    }
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master(master).appName("spread")
    for name, value in settings.items():
        builder = builder.config(name, value)
    found = builder.getOrCreate()
    found.sparkContext.setLogLevel("ERROR")
    return found


def stream(folder: Path, name: str = "r", form: str = "parquet") -> Any:
    source = sw.files(folder, form, schema=SCHEMA, files_per_batch=1)
    return sw.stream(name, source, time="ts")


def totals(folder: Path, window: str = "1 hour", form: str = "parquet") -> Any:
    grouped = stream(folder, form=form).window(window).group_by("k")
    return grouped.aggregate(n="count(*)", s="sum(v)").query("q", sw.slack("1 s"))


def seconds(spark: SparkSession, query: Any, *, tier: str = "spark") -> tuple[list[float], Any]:
    """How long each batch took, without the first ones, and the handle."""
    with tempfile.TemporaryDirectory() as scratch:
        handle = sw.pipeline(query).run(f"{scratch}/ck", tier=tier, spark=spark)
        batches = batches_of(handle)
    return [sum(batch["ms"].values()) / 1000 for batch in batches][WARM:], batches


def batches_of(handle: Any) -> list[dict[str, Any]]:
    return [event for event in handle.events() if event["event"] == "batch"]


def tell(name: str, **figures: Any) -> None:
    print(json.dumps({"bench": name, **figures}), flush=True)


KINDS = {
    "windows": lambda data: totals(data / "rows"),
    "windows-csv": lambda data: totals(data / "csv", form="csv"),
    "join": lambda data: joined(data / "a", data / "b"),
}


def workers(*kinds: str) -> None:
    masters = {f"{n}_workers": [f"local-cluster[{n},1,2048]"] for n in (1, 2)}
    compare("workers", masters, "1_workers", "2_workers", kinds)


def tasks(*kinds: str) -> None:
    masters = {"ten": ["local[10]", "local[2]"], "two": ["local[2]"] * 2}
    compare("tasks", masters, "ten", "two", kinds)


def compare(
    name: str, ways: dict[str, list[str]], left: str, right: str, kinds: Iterable[str]
) -> None:
    """Two ways, by turns and each in processes of its own; medians of their medians."""
    with tempfile.TemporaryDirectory() as scratch:
        data = heavy(Path(scratch))
        for kind in kinds or KINDS:
            found: dict[str, list[Took]] = {way: [] for way in ways}
            for _ in range(ROUNDS):
                for way, masters in ways.items():
                    found[way].append(measured(kind, data, masters))
            times = {way: middle(one.clock for one in each) for way, each in found.items()}
            spent = {way: middle(one.cpu for one in each) for way, each in found.items()}
            least = spent[right] / len(os.sched_getaffinity(0))
            tell(
                name,
                kind=kind,
                batch_s=times,
                cpu_s=spent,
                ratio=round(times[left] / times[right], 3),
                at_most=round(times[left] / least, 3),
                each={way: [one.clock for one in some] for way, some in found.items()},
            )


def middle(seconds: Iterable[float]) -> float:
    return round(median(seconds), 3)


class Took(NamedTuple):
    """What a batch takes: seconds by the clock, and processor seconds of all processes."""

    clock: float
    cpu: float


def measured(kind: str, data: Path, masters: list[str]) -> Took:
    """Run one after the other on the same checkpoint; what a batch takes on the last."""
    with tempfile.TemporaryDirectory() as scratch:
        last = ""
        for number, master in enumerate(masters):
            stop = HEAVY // 4 if number + 1 < len(masters) else 0
            command = [sys.executable, __file__, "one", kind, str(data), master, scratch, str(stop)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            last = done.stdout.strip().splitlines()[-1]
        return Took(*json.loads(last))


def one(kind: str, data: str, master: str, scratch: str, stop: str) -> None:
    """Run to the end, or stop after some batches; print what a batch takes at last."""
    pipeline = sw.pipeline(KINDS[kind](Path(data)))
    spark, checkpoint = session(master), f"{scratch}/ck"
    if master.startswith("local-cluster"):
        pin(spark)
    handle = pipeline.start(checkpoint, tier="spark", spark=spark, trigger="available-now")
    while len(batches_of(handle)) < (int(stop) or HEAVY // 2):
        time.sleep(0.2)
    before, counted = processor_seconds(), len(batches_of(handle))
    if int(stop):
        handle.stop()
    handle.await_termination()
    took = [sum(batch["ms"].values()) / 1000 for batch in batches_of(handle)]
    spent = (processor_seconds() - before) / max(1, len(took) - counted)
    print(json.dumps([round(median(took[HEAVY // 2 :] or took), 3), round(spent, 3)]))


def processor_seconds() -> float:
    """What this process and all that it started have used, those that have ended included."""
    ticks = 0
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if os.getpid() in (int(entry.name), *ancestors(int(entry.name))):
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                ticks += sum(int(field) for field in fields[11:15])
        except (FileNotFoundError, ProcessLookupError):
            continue
    return ticks / os.sysconf("SC_CLK_TCK")


def pin(spark: SparkSession) -> None:
    """A worker of one core has one: each executor, with all it starts, is held to one of its own.

    Else an executor alone compiles and collects on the core that is free beside it.
    """
    spark.sparkContext.parallelize(range(2), 2).count()  # executors are there now
    cores = sorted(os.sched_getaffinity(0))
    for number, executor in enumerate(executors()):
        for thread in (Path("/proc") / str(executor) / "task").iterdir():
            os.sched_setaffinity(int(thread.name), {cores[number % len(cores)]})


def executors() -> list[int]:
    """Processes of this one's executors."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
            if b"org.apache.spark.executor.CoarseGrainedExecutorBackend" in words:
                found += [int(entry.name)] if os.getpid() in ancestors(int(entry.name)) else []
        except (FileNotFoundError, ProcessLookupError):
            continue
    return sorted(found)


def ancestors(process: int) -> list[int]:
    found = []
    while process > 1:
        stat = Path(f"/proc/{process}/stat").read_text()
        process = int(stat.rpartition(")")[2].split()[1])
        found.append(process)
    return found


def heavy(folder: Path) -> Path:
    """Two million rows a batch over a million keys: for windows, and for a join."""
    write(folder / "rows", HEAVY, 2_000_000, 1_000_000)
    as_csv(folder / "rows")
    for side in "ab":
        write(folder / side, HEAVY, 1_000_000, 1_000_000)
    return folder


def as_csv(folder: Path) -> Path:
    """The same rows as text."""
    found = folder.with_name("csv")
    found.mkdir()
    for path in sorted(folder.iterdir()):
        csv.write_csv(pq.read_table(path), found / f"{path.stem}.csv")
        time.sleep(0.01)
    return found


def skew() -> None:
    spark = session("local[2]")
    for kind in ("windows", "join"):
        figures: dict[str, Any] = {}
        for name, hot in (("even", 0.0), ("hot", 0.5)):
            with tempfile.TemporaryDirectory() as scratch:
                rows = 500_000 if kind == "windows" else 100_000
                left = write(Path(scratch) / "a", 8, rows, 100_000, hot=hot)
                right = write(Path(scratch) / "b", 8, rows, 100_000)
                query = totals(left, "20 s") if kind == "windows" else joined(left, right)
                found, batches = seconds(spark, query)
                figures[f"{name}_s"] = round(median(found), 3)
                figures[f"{name}_split"] = max(b["tasks"]["split"] for b in batches[WARM:])
                native = plain_totals(spark, left) if kind == "windows" else None
                native = native or plain_join(spark, left, right)
                figures[f"{name}_spark_s"] = round(median(plain(native, scratch)), 3)
        figures["ratio"] = round(figures["hot_s"] / figures["even_s"], 3)
        figures["spark_ratio"] = round(figures["hot_spark_s"] / figures["even_spark_s"], 3)
        tell("skew", kind=kind, **figures)


def joined(left: Path, right: Path) -> Any:
    pairs = sw.join(stream(left, "a"), stream(right, "b"), on="k", within="10 s")
    return pairs.select("a.k AS k", "a.v AS av", "b.v AS bv").query("q", sw.slack("1 s"))


def read(spark: SparkSession, folder: Path) -> DataFrame:
    reader = spark.readStream.schema("ts timestamp, k bigint, v bigint")
    frame = reader.option("maxFilesPerTrigger", 1).parquet(str(folder))
    return frame.withWatermark("ts", "1 second")


def plain_totals(spark: SparkSession, folder: Path) -> DataFrame:
    grouped = read(spark, folder).groupBy(F.window("ts", "20 seconds"), "k")
    return grouped.agg(F.count("*").alias("n"), F.sum("v").alias("s"))


def plain_join(spark: SparkSession, left: Path, right: Path) -> DataFrame:
    a, b = read(spark, left).alias("a"), read(spark, right).alias("b")
    near = "a.k = b.k AND a.ts BETWEEN b.ts - INTERVAL 10 SECONDS AND b.ts + INTERVAL 10 SECONDS"
    return a.join(b, F.expr(near)).selectExpr("a.k", "a.v AS av", "b.v AS bv")


def plain(frame: DataFrame, scratch: str) -> list[float]:
    writer = frame.writeStream.format("parquet").option("path", f"{scratch}/out")
    query = writer.option("checkpointLocation", f"{scratch}/native").trigger(availableNow=True)
    started = query.start()
    started.awaitTermination()
    done = [one["batchDuration"] / 1000 for one in started.recentProgress if one["numInputRows"]]
    return done[WARM:]


def empty(kind: str) -> None:
    unix = "true" if kind == "unix" else "false"
    context = session("local[2]", **{UNIX_SOCKETS: unix}).sparkContext
    took = []
    for _ in range(300):
        begin = time.perf_counter()
        context.parallelize(range(2), 2).mapPartitions(idle).collect()
        took.append(time.perf_counter() - begin)
    tell("empty", sockets=kind, ms=round(1000 * median(took[200:]), 1))


def idle(rows: Iterable[int]) -> list[int]:
    """As every task of ours begins; a worker whose rows are not read is not used again."""
    make_ready()
    return list(rows)


def growth() -> None:
    """Every batch brings a million keys that no other has: all are held, none is closed."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = write(Path(scratch) / "in", 22, 1_000_000, 0, fresh=True)
        spark = session("local-cluster[2,1,2048]", "1g")
        found, batches = seconds(spark, totals(folder))
        tell(
            "growth",
            state_rows=batches[-1]["state"]["rows"],
            state_mib=round(batches[-1]["state"]["bytes"] / 2**20),
            first_s=round(median(found[:5]), 3),
            last_s=round(median(found[-5:]), 3),
            driver_python_mib=round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
            driver_jvm_mib=1024,
        )


def main() -> None:
    what, *others = sys.argv[1:]
    commands: dict[str, Any] = {
        "workers": workers,
        "tasks": tasks,
        "skew": skew,
        "empty": empty,
        "growth": growth,
        "one": one,
    }
    commands[what](*others)


if __name__ == "__main__":
    main()
