"""Input of ``bench files``: an hour of rows in twenty files of one format."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from slackwater.bench.data import (
    ROW_GROUP,
    Workload,
    kept,
    put_in_order,
    rows_of,
    sentinel_of,
)
from slackwater.units import fingerprint

FORMAT = 1
FORMATS = ("csv", "json", "parquet")
FILES = 20
KEYS = 1_000
SLACK = 5
SPAN = 3_600
SCHEMA = {"ts": "timestamp", "k": "bigint", "v": "double"}

_COLUMNS = "{'ts': 'TIMESTAMP', 'k': 'BIGINT', 'v': 'DOUBLE'}"
_SCANS = {  # function and options: nothing is left to be guessed, which takes time for each file
    "csv": ("read_csv", f", auto_detect = false, header = true, columns = {_COLUMNS}"),
    "json": ("read_json", f", format = 'newline_delimited', columns = {_COLUMNS}"),
    "parquet": ("read_parquet", ""),
}
_TEXT = {"csv": "FORMAT csv, HEADER", "json": "FORMAT json"}
_TIMES = "TIMESTAMPFORMAT '%Y-%m-%d %H:%M:%S.%f'"  # in UTC, which is the zone of the session


@dataclass(frozen=True, slots=True)
class Hour:
    """About ``rows`` rows of time, key and value, one in ten of them up to the slack late."""

    rows: int
    format: str

    @property
    def workload(self) -> Workload:
        return Workload(self.rows // FILES, KEYS, FILES, span=SPAN // FILES, slack=SLACK)

    @property
    def name(self) -> str:
        made = fingerprint({"format": FORMAT, "rows": self.workload.name})
        return f"files-{self.format}-{made}"


def prepare_hour(hour: Hour, cache: Path) -> Path:
    """The folder with the files; made if it is not in the cache."""
    return kept(cache / hour.name, lambda folder: _write(hour, folder))


def files_in(folder: Path) -> list[Path]:
    """The files with real rows."""
    return sorted(folder.glob("[0-9]*"))


def scan(folder: Path, file_format: str) -> str:
    """The real rows as a table of DuckDB."""
    function, options = _SCANS[file_format]
    return f"{function}({[str(path) for path in files_in(folder)]}{options})"


def _write(hour: Hour, folder: Path) -> None:
    workload = hour.workload
    for number in range(FILES):
        rows = _doubles(rows_of(workload, number))
        _write_file(rows, folder / f"{number:05d}.{hour.format}", number)
    last = folder / f"sentinel.{hour.format}"
    _write_file(_doubles(sentinel_of(workload)), last, FILES)


def _doubles(rows: pa.Table) -> pa.Table:
    values = pc.divide(rows["v"].cast(pa.float64()), 10.0)
    return pa.table({"ts": rows["ts"], "k": rows["key"], "v": values})


def _write_file(rows: pa.Table, path: Path, number: int) -> None:
    kind = path.suffix[1:]
    if kind == "parquet":
        pq.write_table(rows, path, row_group_size=ROW_GROUP)
    else:
        naive = rows.set_column(0, "ts", rows["ts"].cast(pa.timestamp("us")))
        with duckdb.connect(":memory:") as duck:
            duck.execute("SET enable_progress_bar = false")
            duck.register("naive", naive)
            duck.execute(f"COPY (FROM naive) TO '{path}' ({_TEXT[kind]}, {_TIMES})")
    put_in_order(path, number)
