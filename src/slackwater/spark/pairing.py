"""Estimates beside their finals, in memory: the same as :func:`~slackwater.plan.opening.paired`."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types

from slackwater.plan.opening import final_of
from slackwater.spark.reading import Reading
from slackwater.spark.schemas import fitted

Numbers = npt.NDArray[np.int64]
MOST = 200_000  # estimates; of more DuckDB sorts the pairs faster


def can_pair(said: pa.Table, reading: Reading) -> bool:
    """Whether estimates are few, and keys are written as text in one way only."""
    if said.num_rows > MOST:
        return False
    kinds = [reading.shown.field(key).type for key in reading.keys]
    return all(types.is_integer(kind) or types.is_string(kind) for kind in kinds)


def pairs_of(said: pa.Table, finals: pa.Table, reading: Reading) -> pa.Table:
    """What was estimated of each window and group whose final is there, in order."""
    finals = finals.filter(pc.equal(finals["kind"], "final"))
    closed = pa.table({"__start": finals["window_start"].cast(pa.int64())})
    said = said.filter(pc.is_in(said["__start"], closed["__start"].unique()))  # most are open yet
    starts = pa.concat_tables([closed, said.select(["__start"])])
    groups = pa.concat_tables([finals.select(reading.keys), said.select(reading.keys)])
    numbers = _numbered([starts["__start"], *groups.columns])
    rows, met = _meet(numbers[: finals.num_rows], numbers[finals.num_rows :])
    early, final = said.take(rows), finals.take(met)
    gap = pc.subtract(*(one["emitted_at"].cast(pa.int64()) for one in (final, early)))
    columns: dict[str, pa.ChunkedArray] = {
        "__age": early["__age"],
        "__gap": gap,
        "prod": early["prod"],
        "__group": _group(early, reading.keys),
        "__end": final["window_end"].cast(pa.int64()),
    }
    for name in ("tuples", *reading.columns.numeric):
        columns[name] = early[name].cast(pa.float64(), safe=False)
        columns[final_of(name)] = final[name].cast(pa.float64(), safe=False)
    order = [(name, "ascending") for name in ("__end", "__group", "__age", "prod")]
    pairs = fitted(pa.table({name: columns[name] for name in reading.pairs.names}), reading.pairs)
    return pairs.take(pc.sort_indices(pairs, order))


def _numbered(columns: list[pa.ChunkedArray]) -> Numbers:
    """A number for each row: the same if all columns are equal, nulls to nulls too."""
    found = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        codes = column.combine_chunks().dictionary_encode("encode").indices.to_numpy()
        found = np.unique(found * (codes.max(initial=0) + 1) + codes, return_inverse=True)[1]
    return found


def _meet(finals: Numbers, said: Numbers) -> tuple[Numbers, Numbers]:
    """Which estimates have a final, and which one."""
    if not finals.size:
        return finals, finals
    order = np.argsort(finals)
    at = np.searchsorted(finals[order], said)
    near = order[np.minimum(at, finals.size - 1)]
    rows = np.flatnonzero(finals[near] == said)
    return rows, near[rows]


def _group(rows: pa.Table, keys: tuple[str, ...]) -> pa.ChunkedArray | pa.Array:
    texts = [pc.coalesce(rows[key].cast(pa.string()), "") for key in keys]
    return pc.binary_join_element_wise(*texts, "|") if texts else pa.repeat("", rows.num_rows)
