"""Are results right? Compared as multisets, with each other and with a fresh computation."""

from __future__ import annotations

import time
from pathlib import Path

import duckdb

from slackwater.bench.cases import Case
from slackwater.bench.data import batch_files

COLUMNS = (
    "epoch_us(window_start) AS window_start, epoch_us(window_end) AS window_end, key, total, n"
)


class Answers:
    """The right results of one case, and the judge of others."""

    def __init__(self, case: Case, data: Path) -> None:
        self._duck = duckdb.connect(":memory:")
        self._duck.execute("SET TimeZone = 'UTC'")
        begin = time.perf_counter()
        self._duck.execute(f"CREATE TABLE truth AS {_truth(case, data)}")
        self.seconds = time.perf_counter() - begin

    def __enter__(self) -> Answers:
        return self

    def __exit__(self, *_: object) -> None:
        self._duck.close()

    @property
    def rows(self) -> int:
        found = self._duck.execute("SELECT count(*) FROM truth").fetchone()
        return 0 if found is None else int(found[0])

    def is_right(self, results: Path, where: str = "true") -> bool:
        """Whether the Parquet files below a folder hold exactly the right rows.

        ``where`` says which of their rows count.
        """
        return self._same(_read(results, where), "SELECT * FROM truth")

    def agree(self, one: Path, other: Path) -> bool:
        """Whether two folders hold the same rows."""
        return self._same(_read(one), _read(other))

    def _same(self, one: str, other: str) -> bool:
        return not (self._differ(one, other) or self._differ(other, one))

    def _differ(self, one: str, other: str) -> bool:
        found = self._duck.execute(f"({one}) EXCEPT ALL ({other}) LIMIT 1").fetchone()
        return found is not None


def _read(results: Path, where: str = "true") -> str:
    files = f"read_parquet('{results}/**/*.parquet', hive_partitioning=false)"
    return f"SELECT {COLUMNS} FROM {files} WHERE {where}"


def _truth(case: Case, data: Path) -> str:
    files = ", ".join(f"'{name}'" for name in batch_files(data))
    return from_scratch(f"read_parquet([{files}])", *case.windows)


def from_scratch(
    rows: str, size: int, slide: int, *, key: str = "key", total: str = "BIGINT"
) -> str:
    """All windows over all rows at once; rows are first added up per slide and key."""
    steps = (
        f"SELECT epoch_us(ts) - epoch_us(ts) % {slide} AS step, {key}, sum(v) AS v, "
        f"count(*) AS n FROM {rows} GROUP BY 1, 2"
    )
    return (
        f"SELECT step - i * {slide} AS window_start, step - i * {slide} + {size} AS window_end, "
        f"{key}, CAST(sum(v) AS {total}) AS total, CAST(sum(n) AS BIGINT) AS n "
        f"FROM ({steps}) CROSS JOIN range(0, {size // slide}) AS o(i) GROUP BY 1, 2, 3"
    )
