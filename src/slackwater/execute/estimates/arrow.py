"""Three statements of estimates done with Arrow, where planning takes longer than the rows do.

Each gives exactly what its statement gives (property tests hold them to it), and each has a gate:
kinds of columns and numbers of rows for which it does. Folding saves 6 of 8 ms a batch, labelling
11 of 12, pairing 9 of 27 where a window closes; see design note 6.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types

from slackwater.estimate.monitor import Array
from slackwater.execute.estimates.reading import Reading
from slackwater.execute.shape import fitted
from slackwater.plan.sql.estimates import Fold, final_of
from slackwater.plan.window import Window

Numbers = npt.NDArray[np.int64]
ROWS = "__rows"
FOLDED = 1_000_000  # panes, each counted once for every window it is in
PAIRED = 200_000  # estimates; of more DuckDB sorts the pairs faster

# open windows from panes: as Writer.open says ----------------------------------------------------


def can_fold(fold: Fold, panes: pa.Table, window: Window, most: int = FOLDED) -> bool:
    """Whether Arrow merges these columns, and tells groups apart, as the engines do, and panes are
    so few that a statement, which is planned longer, would not be faster.
    """
    sums = [panes.field(name).type for name, merge in fold.merges.items() if merge == "sum"]
    ends = [panes.field(name).type for name, merge in fold.merges.items() if merge != "sum"]
    keys = [f.type for f in panes.schema if f.name not in {"pane", ROWS, *fold.merges}]
    return (
        bool(panes.num_rows * window.overlap <= most)
        and all(types.is_integer(kind) or types.is_floating(kind) for kind in sums)
        and all(types.is_integer(kind) or types.is_temporal(kind) for kind in ends)
        and not any(types.is_floating(kind) or types.is_nested(kind) for kind in keys)
    )


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
        **{name: _ratio(*(parts[part] for part in read)) for name, read in fold.values.items()},
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


def _ratio(total: pa.ChunkedArray, count: pa.ChunkedArray | None = None) -> pa.ChunkedArray:
    if count is None:
        return total
    some = pc.if_else(pc.greater(count, 0), count, pa.scalar(None, count.type))
    return pc.divide(total, some.cast(pa.float64()))


# open windows as people see them: as spoken() says -----------------------------------------------


def labelled(
    opened: pa.Table, marks: pa.Table, reading: Reading, origin: int, emitted_at: int
) -> pa.Table:
    """A row for each open window and each prod that asks for it."""
    rows, asked = _marked(opened["__start"].to_numpy(), marks["__start"].to_numpy())
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


def _marked(starts: Array, asked: Array) -> tuple[Array, Array]:
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


# estimates beside their finals: as paired() says -------------------------------------------------


def can_pair(said: pa.Table, reading: Reading, most: int = PAIRED) -> bool:
    """Whether estimates are few, and keys are written as text in one way only."""
    if said.num_rows > most:
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
