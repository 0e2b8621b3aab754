"""Open windows folded from panes in memory: the same as :meth:`Writer.open` says.

For totals, extremes and means of a few thousand panes a statement takes longer to plan than this.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types

from slackwater.plan.opening import Fold
from slackwater.plan.window import Window
from slackwater.spark.schemas import fitted

Numbers = npt.NDArray[np.int64]
ROWS = "__rows"
MOST = 1_000_000  # panes, each counted once for every window it is in


def can_fold(fold: Fold, panes: pa.Schema) -> bool:
    """Whether Arrow merges these columns, and tells groups apart, as the engines do."""
    sums = [panes.field(name).type for name, merge in fold.merges.items() if merge == "sum"]
    ends = [panes.field(name).type for name, merge in fold.merges.items() if merge != "sum"]
    keys = [field.type for field in panes if field.name not in {"pane", ROWS, *fold.merges}]
    return (
        all(types.is_integer(kind) or types.is_floating(kind) for kind in sums)
        and all(types.is_integer(kind) or types.is_temporal(kind) for kind in ends)
        and not any(types.is_floating(kind) or types.is_nested(kind) for kind in keys)
    )


def are_few(panes: pa.Table, window: Window) -> bool:
    """Whether they fit here, and a statement, which is planned longer, would not be faster."""
    return bool(panes.num_rows * window.overlap <= MOST)


def folded(  # noqa: PLR0917
    panes: pa.Table, fold: Fold, window: Window, after: int, last: int, schema: pa.Schema
) -> pa.Table:
    """Windows that end after ``after`` and start at ``last`` at the latest, with all their rows."""
    rows, starts = _windows(panes["pane"].to_numpy(), window, after, last)
    spread = panes.take(rows).append_column("__start", pa.array(starts))
    keys = [name for name in panes.column_names if name not in {"pane", ROWS, *fold.merges}]
    merges = {**fold.merges, ROWS: "sum"}
    groups = spread.group_by(["__start", *keys], use_threads=False)
    merged = groups.aggregate(list(merges.items()))
    parts = {name: merged[f"{name}_{merge}"] for name, merge in merges.items()}
    columns = {
        "__start": merged["__start"],
        "__end": pc.add(merged["__start"], window.size),
        **{name: merged[name] for name in keys},
        **{name: _read(*(parts[part] for part in read)) for name, read in fold.values.items()},
        ROWS: parts[ROWS],
    }
    return fitted(pa.table({name: columns[name] for name in schema.names}), schema)


def _windows(panes: Numbers, window: Window, after: int, last: int) -> tuple[Numbers, Numbers]:
    """The numbers of panes that lie in such windows, and the start of the window, pair by pair."""
    latest = panes - (panes - window.offset) % window.slide
    starts = latest[:, None] - np.arange(window.overlap) * window.slide
    ends = starts + window.size
    rows, nth = np.nonzero((ends > panes[:, None]) & (ends > after) & (starts <= last))
    return rows, starts[rows, nth]


def _read(total: pa.ChunkedArray, count: pa.ChunkedArray | None = None) -> pa.ChunkedArray:
    if count is None:
        return total
    some = pc.if_else(pc.greater(count, 0), count, pa.scalar(None, count.type))
    return pc.divide(total, some.cast(pa.float64()))
