"""Open windows as people see them, in memory: the same as :func:`~slackwater.plan.opening.spoken`.

A statement of thirty columns takes DuckDB longer to plan than all its rows take here.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from slackwater.estimate.monitor import Array
from slackwater.spark.reading import Reading
from slackwater.spark.schemas import fitted


def labelled(
    opened: pa.Table, marks: pa.Table, reading: Reading, origin: int, emitted_at: int
) -> pa.Table:
    """A row for each open window and each prod that asks for it."""
    rows, asked = _meet(opened["__start"].to_numpy(), marks["__start"].to_numpy())
    rows_of, marks_of = opened.take(rows), marks.take(asked)
    start = rows_of["__start"]
    columns: dict[str, pa.ChunkedArray | pa.Array] = {
        **{name: marks_of[name] for name in marks_of.column_names},
        **{name: rows_of[name] for name in (*reading.keys, *reading.values)},
        "window_start": start.cast(reading.said.field("window_start").type),
        "window_end": rows_of["__end"].cast(reading.said.field("window_end").type),
        "kind": pa.repeat("estimate", len(rows)),
        "boundary": pc.less(start, origin),
        "emitted_at": pa.repeat(
            pa.scalar(emitted_at, reading.said.field("emitted_at").type), len(rows)
        ),
        "tuples": rows_of["__rows"],
    }
    for name in reading.columns.linear:
        columns[f"{name}_scaled"] = _scaled(rows_of[name], marks_of["coverage"])
    for name in reading.columns.numeric:
        ends = (marks_of[f"{name}_low"], marks_of[f"{name}_high"])
        columns[f"{name}_low"], columns[f"{name}_high"] = _band(rows_of[name], *ends)
    ordered = {name: columns[name] for name in reading.said.names}
    return fitted(pa.table(ordered), reading.said)


def _meet(starts: Array, asked: Array) -> tuple[Array, Array]:
    """The numbers of rows and marks with the same start."""
    order = np.argsort(starts, kind="stable")
    ends = [np.searchsorted(starts[order], asked, side) for side in ("left", "right")]
    rows = [order[low:high] for low, high in zip(*ends, strict=True)]
    return np.concatenate(rows), np.repeat(np.arange(len(asked)), ends[1] - ends[0])


def _scaled(value: pa.ChunkedArray, coverage: pa.ChunkedArray) -> pa.ChunkedArray:
    share = pc.if_else(pc.greater(coverage, 0.0), coverage, pa.scalar(None, pa.float64()))
    return pc.divide(value.cast(pa.float64(), safe=False), share)


def _band(
    value: pa.ChunkedArray, low: pa.ChunkedArray, high: pa.ChunkedArray
) -> tuple[pa.ChunkedArray, pa.ChunkedArray]:
    """The value times the factors, smaller one first whatever its sign."""
    number = value.cast(pa.float64(), safe=False)
    ends = (pc.multiply(number, low), pc.multiply(number, high))
    return pc.min_element_wise(*ends), pc.max_element_wise(*ends)
