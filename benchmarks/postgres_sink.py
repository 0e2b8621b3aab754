"""Rows a second into PostgreSQL: the sink, its two ways of sending rows, and the move alone.

    python -m tests.services.cluster python benchmarks/postgres_sink.py

``ANSWERS_URL`` names the server. Every figure is the median of several batches of the same rows;
*copy* and *adbc* only send them to a table where nothing else is, each over a new connection.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from statistics import median

import psycopg
import pyarrow as pa
from adbc_driver_postgresql import dbapi
from answers import KEYS, answers
from pyarrow import csv

import slackwater as sw
from slackwater.execute.sinks import TableResults, Target
from slackwater.execute.sinks.mode import Mode

URL = os.environ["ANSWERS_URL"]
ROWS = (1_000, 20_000, 200_000, 1_000_000)
ROUNDS = 5


def by_adbc(rows: pa.Table) -> None:
    with dbapi.connect(URL) as connection:
        with connection.cursor() as cursor:
            cursor.execute("TRUNCATE sent")
            cursor.adbc_ingest("sent", rows, mode="append")
        connection.commit()


def by_copy(rows: pa.Table) -> None:
    bare = csv.WriteOptions(include_header=False)
    with psycopg.connect(URL) as connection, connection.cursor() as cursor:
        cursor.execute("TRUNCATE sent")
        with cursor.copy("COPY sent FROM STDIN (FORMAT csv)") as copy:
            for part in rows.to_batches(max_chunksize=65_536):
                buffer = pa.BufferOutputStream()
                csv.write_csv(part, buffer, bare)
                copy.write(memoryview(buffer.getvalue()))


def by_sink(mode: Mode) -> Callable[[pa.Table], None]:
    """Batch after batch, prepared and committed."""
    sink = sw.postgres(f"answers_{mode}", URL, mode=mode)
    sink.open(Target("q", schema=answers(1).schema, keys=KEYS))
    sink.recover(-1)
    batch = iter(range(10**6))

    def deliver(rows: pa.Table) -> None:
        number = next(batch)
        sink.prepare(number, TableResults(rows))
        sink.commit(number)

    return deliver


def main() -> None:
    with psycopg.connect(URL) as connection:
        columns = "window_start timestamptz, window_end timestamptz, sensor text, n bigint, "
        columns += "mean float8, kind text, revision int, coverage float8, emitted_at timestamptz"
        connection.execute(f"CREATE TABLE sent ({columns})".encode())
    ways = {"copy": by_copy, "adbc": by_adbc}
    ways |= {"sink, append": by_sink("append"), "sink, latest": by_sink("latest")}
    for rows in ROWS:
        for name, way in ways.items():
            taken = []
            for batch in range(ROUNDS):
                table = answers(rows, rows + batch)
                begin = time.perf_counter()
                way(table)
                taken.append(time.perf_counter() - begin)
            found = median(taken)
            print(f"{rows:>9,} rows  {name:<13} {1000 * found:7.0f} ms {rows / found:>9,.0f}/s")


if __name__ == "__main__":
    main()
