"""Which group a row belongs to, and tables whose rows lie by group."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache
from pathlib import Path

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from slackwater.plan.sql.windows import Writer
from slackwater.runs.run import Slice
from slackwater.units import fingerprint

GROUPS = 64
HASHES = (
    "SELECT hash(1::TINYINT), hash(1::BIGINT), hash(1.5::FLOAT), hash(1.5::DOUBLE), hash('a'), "
    "hash(1.5::DECIMAL(10,2)), hash(DATE '2026-01-01'), hash(make_timestamp(1)), hash(true), "
    "hash(NULL), hash({'a': 1}), hash([1, 2]), hash(1::BIGINT, 'a')"
)

Numbers = npt.NDArray[np.uint8]


def numbers(duck: duckdb.DuckDBPyConnection, table: pa.Table, columns: Sequence[str]) -> Numbers:
    """The group of each row, by the values of some columns: equal values are in one group."""
    if not columns:
        return np.zeros(table.num_rows, np.uint8)
    names = Writer().names(*columns)
    duck.register("__rows", table.select(columns))
    try:
        text = f"SELECT CAST(hash({names}) % {GROUPS} AS UTINYINT) AS g FROM __rows"
        found = duck.sql(text).to_arrow_table()
    finally:
        duck.unregister("__rows")
    return np.asarray(found["g"].to_numpy(), np.uint8)


@cache
def hashing() -> str:
    """The mark of how values are hashed, which another version of DuckDB may do otherwise."""
    with duckdb.connect(":memory:") as duck:
        [found] = duck.sql(HASHES).fetchall()
    return fingerprint([str(value) for value in found])


def arranged(table: pa.Table, groups: Numbers) -> tuple[pa.Table, tuple[Slice, ...]]:
    """The table with its rows by group, in their order within each, and where each lies."""
    if groups.size and groups.min() == groups.max():
        return table, (Slice(int(groups[0]), 0, table.num_rows),)
    order = np.argsort(groups, kind="stable")
    counts = np.bincount(groups, minlength=GROUPS)
    firsts = np.r_[0, np.cumsum(counts)]
    slices = tuple(
        Slice(group, int(firsts[group]), int(counts[group]))
        for group in np.flatnonzero(counts).tolist()
    )
    return table.take(pa.array(order)), slices


def taken(table: pa.Table, slices: Collection[Slice]) -> pa.Table:
    """The rows of some slices; neighbours are taken together."""
    spans: list[list[int]] = []
    for one in sorted(slices, key=lambda each: each.first):
        if spans and spans[-1][1] == one.first:
            spans[-1][1] += one.rows
        else:
            spans.append([one.first, one.first + one.rows])
    if spans == [[0, table.num_rows]]:
        return table
    parts = [table.slice(first, end - first) for first, end in spans]
    return pa.concat_tables(parts) if parts else table.slice(0, 0)


def whole(slices: Collection[Slice]) -> tuple[Slice, ...]:
    """The same rows in as few slices as possible: parts of a group that are neighbours are one."""
    found: list[Slice] = []
    for one in sorted(slices, key=lambda each: each.first):
        last = found[-1] if found else None
        if last is not None and last.group == one.group and last.first + last.rows == one.first:
            found[-1] = Slice(one.group, last.first, last.rows + one.rows)
        else:
            found.append(one)
    return tuple(found)


def written(table: pa.Table) -> pa.Buffer:
    """A table as the content of a file that can be mapped."""
    out = pa.BufferOutputStream()
    with pa.ipc.new_file(out, table.schema) as writer:
        writer.write_table(table)
    return out.getvalue()


def mapped(path: Path) -> pa.Table:
    """The table in a file, mapped into memory: nothing is read before it is looked at."""
    with pa.memory_map(str(path)) as source:
        return pa.ipc.open_file(source).read_all()
