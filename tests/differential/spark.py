"""Cases in a Spark session: batches by hand, or files through the public API."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.query.stream import Query
from slackwater.spark.sources import files
from tests.differential.case import Case, Life, seconds
from tests.differential.place import Left, by_hand, left_in, replanning, request, scratch
from tests.spark import driver

PATIENCE = 120  # seconds for a batch


@dataclass(frozen=True)
class Spark:
    """Runs cases in a session, by hand or through the public API."""

    session: SparkSession
    name: str = "spark"

    def fitted(self, case: Case) -> Case:
        return case

    def run(self, case: Case) -> Left:
        with scratch(case) as folder:
            run_in(self.session, case, folder)
            return left_in(folder / "checkpoint", case)


def run_in(session: SparkSession, case: Case, folder: Path) -> None:
    mine = session.newSession()
    mine.conf.set("spark.sql.session.timeZone", case.zone)
    mine.conf.set("spark.sql.shuffle.partitions", "2")
    if case.public:
        run_public(mine, case, folder)
    else:
        run_by_hand(mine, case, folder)


def run_by_hand(session: SparkSession, case: Case, folder: Path) -> None:
    """Batches are handed to the loop; between lives it is closed and opened again."""
    bases = by_hand(case)
    empty = {feed.name: feed.table([]) for feed in case.feeds}
    number = 0
    for index, life in enumerate(case.lives):
        loop = driver.make_loop(
            session,
            case.build(bases, life),
            folder / "checkpoint",
            empty=empty,
            tier=life.tier,
            columnar_rows=life.columnar_rows,
        )
        try:
            for _ in range(life.batches):
                loop.pin = case.pins.get(number, loop.pin)  # type: ignore[assignment]
                request(loop, case, number)
                tables = {f.name: f.table(case.batches[number][f.name]) for f in case.feeds}
                loop.process(driver.frame(session, loop, tables, empty), number)
                number += 1
            if case.flush and index == len(case.lives) - 1:
                loop.finish()
        finally:
            loop.close()


def run_public(session: SparkSession, case: Case, folder: Path) -> None:
    """One file is one batch of a stream; every life is a start of its own."""
    for feed in case.feeds:
        (folder / feed.name).mkdir(exist_ok=True)
    done = 0
    for index, life in enumerate(case.lives):
        for number in range(done, done + life.batches):
            write_batch(case, folder, number)
        done += life.batches
        is_last = index == len(case.lives) - 1
        queries = public_queries(case, folder, life)
        asking = replanning(folder / "checkpoint", case)
        live(session, queries, folder / "checkpoint", life, asking, flush=case.flush and is_last)


def write_batch(case: Case, folder: Path, number: int) -> None:
    for feed in case.feeds:
        path = folder / feed.name / f"{number:04d}.parquet"
        hidden = path.with_name(f".{path.name}")
        pq.write_table(feed.table(case.batches[number][feed.name]), hidden)
        os.utime(hidden, (1_700_000_000 + number, 1_700_000_000 + number))
        hidden.rename(path)


def public_queries(case: Case, folder: Path, life: Life) -> tuple[Query, ...]:
    bases = {}
    for feed in case.feeds:
        source = files(str(folder / feed.name), files_per_batch=1)
        bases[feed.name] = sw.stream(
            feed.name, source, time=feed.time, max_ahead=seconds(feed.max_ahead)
        )
    return case.build(bases, life)


def live(
    session: SparkSession,
    queries: tuple[Query, ...],
    checkpoint: Path,
    life: Life,
    asking: Callable[[dict[str, Any]], None],
    *,
    flush: bool,
) -> None:
    """Run what is there; or start it without an end and stop it by hand."""
    pipeline = sw.pipeline(*queries)
    options: dict[str, Any] = {"tier": life.tier, "columnar_rows": life.columnar_rows}
    if not life.stops or flush:
        pipeline.run(str(checkpoint), spark=session, flush=flush, on_batch=asking, **options)
        return
    seen: list[int] = []

    def told(report: dict[str, Any]) -> None:
        asking(report)
        seen.append(report["batch"])

    handle = pipeline.start(str(checkpoint), spark=session, on_batch=told, **options)
    try:
        deadline = time.monotonic() + PATIENCE * life.batches
        while len(seen) < life.batches and handle.is_active and time.monotonic() < deadline:
            time.sleep(0.02)
        if not handle.is_active:
            handle.await_termination()
    finally:
        handle.stop()
    assert len(seen) == life.batches, f"{seen} of {life.batches} batches"
