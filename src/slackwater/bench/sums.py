"""Are sums of doubles right? Counts exactly; sums but for the order in which they were added."""

from __future__ import annotations

import time
from pathlib import Path
from types import TracebackType

import duckdb

from slackwater.bench.answer import from_scratch

TOLERANCE = 1e-9  # of a sum: some hundred values added in any order stay far below
_NAMES = "window_start, window_end, k"


class Sums:
    """The right results over some rows (text of a table of DuckDB), and the judge of others.

    ``size`` and ``slide`` of windows are in microseconds.
    """

    def __init__(self, rows: str, size: int, slide: int) -> None:
        self._duck = _connect()
        truth = from_scratch(rows, size, slide, key="k", total="DOUBLE")
        self._duck.execute(f"CREATE TABLE truth AS {truth}")

    def __enter__(self) -> Sums:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._duck.close()

    @property
    def rows(self) -> int:
        return self._count("truth")

    def are_right(self, results: Path) -> bool:
        """Whether Parquet files below a folder hold the right rows, each once."""
        if not any(results.rglob("*.parquet")):
            return self.rows == 0
        found = (
            "(SELECT epoch_us(window_start) AS window_start, epoch_us(window_end) AS window_end, "
            f"k, total, n FROM read_parquet('{results}/**/*.parquet', hive_partitioning = false))"
        )
        near = f"abs(t.total - f.total) <= {TOLERANCE} * greatest(1, abs(t.total))"
        wrong = (
            f"(SELECT 1 FROM truth AS t FULL JOIN {found} AS f USING ({_NAMES}) "
            f"WHERE (t.n = f.n AND {near}) IS NOT TRUE)"
        )
        return self._count(found) == self.rows and self._count(wrong) == 0

    def _count(self, rows: str) -> int:
        [(number,)] = self._duck.execute(f"SELECT count(*) FROM {rows}").fetchall()
        return int(number)


def once(rows: str, size: int, slide: int, answers: Path) -> float:
    """Seconds that a fresh DuckDB takes for the same answers over all rows, as a Parquet file."""
    with _connect() as duck:
        begin = time.perf_counter()
        totals = from_scratch(rows, size, slide, key="k", total="DOUBLE")
        duck.execute(f"COPY ({totals}) TO '{answers}' (FORMAT parquet)")
        return time.perf_counter() - begin


def _connect() -> duckdb.DuckDBPyConnection:
    duck = duckdb.connect(":memory:")
    duck.execute("SET TimeZone = 'UTC'")
    duck.execute("SET enable_progress_bar = false")  # it writes over our own
    return duck
