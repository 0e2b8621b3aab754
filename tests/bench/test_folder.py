"""The same rows in files of every format, made once."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from slackwater.bench.data import BEGIN
from slackwater.bench.folder import (
    FILES,
    FORMATS,
    KEYS,
    SLACK,
    SPAN,
    Hour,
    files_in,
    prepare_hour,
    scan,
)
from slackwater.units import SECOND

ROWS = 4_000


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data")


def rows(cache: Path, file_format: str) -> list[tuple[int, int, float]]:
    folder = prepare_hour(Hour(ROWS, file_format), cache)
    found = f"SELECT epoch_us(ts), k, v FROM {scan(folder, file_format)} ORDER BY ALL"
    return duckdb.sql(found).fetchall()


def test_every_format_has_the_same_rows(cache: Path) -> None:
    csv, json, parquet = (rows(cache, name) for name in FORMATS)
    assert csv == json == parquet
    assert len(csv) == ROWS


def test_rows_are_an_hour_of_some_keys(cache: Path) -> None:
    found = rows(cache, "csv")
    assert all(BEGIN <= ts < BEGIN + SPAN * SECOND and 0 <= k < KEYS for ts, k, _ in found)
    assert found[-1][0] - found[0][0] > 0.99 * SPAN * SECOND
    assert any(v != int(v) for _, _, v in found)


@pytest.mark.parametrize("file_format", FORMATS)
def test_files_come_in_order_and_the_sentinel_last(cache: Path, file_format: str) -> None:
    folder = prepare_hour(Hour(ROWS, file_format), cache)
    by_age = sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime)
    assert by_age == [*files_in(folder), folder / f"sentinel.{file_format}"]
    assert len(by_age) == FILES + 1


def test_no_row_is_later_than_the_slack(cache: Path) -> None:
    newest, late = BEGIN, 0
    for path in files_in(prepare_hour(Hour(ROWS, "parquet"), cache)):
        times = [t for (t,) in duckdb.sql(f"SELECT epoch_us(ts) FROM '{path}'").fetchall()]
        late += sum(t < newest for t in times)
        assert min(times) > newest - SLACK * SECOND
        newest = max(newest, *times)
    assert late > 0


def test_input_is_reused(cache: Path) -> None:
    hour = Hour(ROWS, "json")
    before = [path.stat().st_ino for path in files_in(prepare_hour(hour, cache))]
    assert [path.stat().st_ino for path in files_in(prepare_hour(hour, cache))] == before
    assert prepare_hour(Hour(2 * ROWS, "json"), cache) != prepare_hour(hour, cache)
    assert not [path for path in cache.iterdir() if path.name.startswith(".")]
