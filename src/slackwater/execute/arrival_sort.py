"""A recorded stream in the order in which it arrived."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import duckdb


def sort_by_arrival(files: Sequence[Path], arrival: str, target: Path, group: int) -> None:
    """Write the rows of Parquet files into one, sorted; rows that came together keep their order.

    ``group`` is the number of rows of a row group.
    """
    names = ", ".join(_literal(str(path)) for path in files)
    patterns = ", ".join(_literal(_escaped(str(path))) for path in files)
    column = '"' + arrival.replace('"', '""') + '"'
    try:
        with duckdb.connect() as connection:
            connection.execute(
                f"""COPY (
                    SELECT * EXCLUDE (filename, file_row_number)
                    FROM read_parquet([{patterns}], filename=true, file_row_number=true)
                    ORDER BY {column}, list_position([{names}], filename), file_row_number
                ) TO {_literal(str(target))}
                (FORMAT parquet, ROW_GROUP_SIZE {group})"""
            )
    except duckdb.Error as error:
        raise OSError(str(error)) from error


def _escaped(path: str) -> str:
    """DuckDB reads patterns: what is none stands in brackets."""
    return re.sub(r"([\[*?])", r"[\1]", path)


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
