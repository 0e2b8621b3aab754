"""Right sums are known from wrong ones."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from slackwater.bench.sums import Sums, once
from slackwater.units import SECOND

SIZE, SLIDE = 10 * SECOND, 5 * SECOND
ROWS = (
    "(SELECT make_timestamptz(i * 700000) AS ts, i % 3 AS k, i * 0.1::DOUBLE AS v "
    "FROM range(0, 100) AS r(i))"
)
# computed otherwise than the benchmark does: every row in every window
RIGHT = f"""
    SELECT make_timestamptz(s) AS window_start, make_timestamptz(s + {SIZE}) AS window_end,
           k, sum(v) AS total, count(*) AS n
    FROM (SELECT *, (epoch_us(ts) // {SLIDE} - i) * {SLIDE} AS s
          FROM {ROWS} CROSS JOIN range(0, 2) AS o(i))
    GROUP BY ALL ORDER BY ALL"""
WRONG = {
    "a count is off by one": "SELECT * REPLACE (n + (k = 2)::BIGINT AS n) FROM r",
    "a sum is off": "SELECT * REPLACE (total * (1 + 1e-6) AS total) FROM r",
    "a sum is null": "SELECT * REPLACE (nullif(total, total) AS total) FROM r",
    "a row is missing": "SELECT * FROM r OFFSET 1",
    "a row comes twice": "SELECT * FROM r UNION ALL (SELECT * FROM r LIMIT 1)",
    "one twice, one missing": "(FROM r OFFSET 1) UNION ALL (FROM r OFFSET 1 LIMIT 1)",
    "windows are shifted": "SELECT * REPLACE (window_end AS window_start) FROM r",
    "nothing is there": "SELECT * FROM r LIMIT 0",
}


def are_right(results: str, folder: Path) -> bool:
    """Judge results as an engine would have left them."""
    file = folder / "part.parquet"
    duckdb.sql(f"COPY (WITH r AS ({RIGHT}) {results}) TO '{file}' (FORMAT parquet)")
    with Sums(ROWS, SIZE, SLIDE) as sums:
        return sums.are_right(folder)


@pytest.mark.parametrize("factor", ["1", "(1 + 1e-13)"])
def test_sums_are_right_whatever_the_order_of_rows(tmp_path: Path, factor: str) -> None:
    assert are_right(f"SELECT * REPLACE (total * {factor} AS total) FROM r", tmp_path)


@pytest.mark.parametrize("mistake", WRONG.values(), ids=WRONG.keys())
def test_wrong_results_are_not_right(tmp_path: Path, mistake: str) -> None:
    assert not are_right(mistake, tmp_path)


def test_no_results_are_wrong(tmp_path: Path) -> None:
    with Sums(ROWS, SIZE, SLIDE) as sums:
        assert sums.rows > 0
        assert not sums.are_right(tmp_path)


def test_the_floor_gives_the_same_answers_and_is_timed(tmp_path: Path) -> None:
    assert once(ROWS, SIZE, SLIDE, tmp_path / "answers.parquet") > 0
    found = f"SELECT epoch_us(window_start), k, n FROM ({RIGHT}) ORDER BY ALL"
    mine = f"SELECT window_start, k, n FROM '{tmp_path}/answers.parquet' ORDER BY ALL"
    assert duckdb.sql(mine).fetchall() == duckdb.sql(found).fetchall()
