"""What one micro-batch brings: rows, or what is left of them, by base state, and their counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from slackwater.execute.duck import DuckEngine
from slackwater.plan.state import State
from slackwater.runs.run import Run, new_run
from slackwater.stats.panes import PaneCount, ValueCount

STATISTICS = ("__passes", "__hour", "__low", "__high", "__beat")


@dataclass(frozen=True, slots=True)
class Delta:
    """What one batch adds to a base state, before anything is decided about it.

    It is in memory (``table``) or was written already: as the ``run`` it will be, or by group, a
    file for each task that looked at rows (``brought``). ``values`` are the frequent ones in join
    columns of rows that wait by rank.
    """

    state: State
    table: pa.Table | None
    run: Run | None
    counts: tuple[PaneCount, ...]
    beat: int | None = None
    sums: dict[str, float] | None = None
    brought: tuple[Run, ...] = ()
    values: tuple[ValueCount, ...] = ()


def absorb(
    engine: DuckEngine, delta: Delta, batch: int, bound: int | None, *, is_kept: bool = True
) -> Run | None:
    """Keep the usable part of a delta as a run: rows up to ``bound`` that have a time. What is not
    kept beyond this batch is not written.
    """
    if delta.table is None:
        return None if delta.run is None else _usable(delta, delta.run, bound)
    keep = pc.is_valid(delta.table["pane"])
    if bound is not None:
        keep = pc.and_kleene(keep, pc.less_equal(delta.table["pane"], bound))
    beside = [name for name in STATISTICS if name in delta.table.column_names]
    usable = delta.table.filter(keep).drop_columns(beside)
    run = new_run(delta.state.identity, batch, "d")
    return engine.save(usable, run, "pane") if is_kept else engine.hold(usable, run, "pane")


def _usable(delta: Delta, run: Run, bound: int | None) -> Run | None:
    """A run that was written before anyone knew how far ahead a row may be."""
    found = [c for c in delta.counts if c.pane is not None]
    usable = [c for c in found if not c.is_beyond(bound)]
    if not usable:
        return None
    upper = bound if len(usable) < len(found) else None
    lows, highs = [c.pane for c in usable], [c.pane for c in usable]
    if delta.state.kind == "input":  # a row's pane is its own time
        highs = [c.high for c in usable]
    low, high = min(x for x in lows if x is not None), max(x for x in highs if x is not None)
    return replace(run, low=low, high=high, upper=upper)


def histogram(partials: pa.Table) -> tuple[tuple[PaneCount, ...], int | None]:
    """Rows per pane of partials (per hour if they fail the filter), and the newest heartbeat."""
    groups = partials.group_by(["pane", "__passes", "__hour"]).aggregate(
        [("__rows", "sum"), ("__low", "min"), ("__high", "max"), ("__beat", "max")]
    )
    counts = tuple(
        PaneCount(
            group["pane"],
            group["__passes"],
            group["__rows_sum"],
            group["__low_min"],
            group["__high_max"],
        )
        for group in groups.to_pylist()
        if group["__rows_sum"]
    )
    return counts, pc.max(groups["__beat_max"]).as_py()


def distinct_values(table: pa.Table) -> dict[str, float]:
    """Distinct values of each column."""
    return {name: float(_distinct(table[name])) for name in table.column_names}


def _distinct(values: pa.ChunkedArray) -> int:
    if not pa.types.is_nested(values.type):
        return int(pc.count_distinct(values).as_py())
    with duckdb.connect(":memory:") as duck:  # Arrow tells no two structs or lists apart
        duck.register("rows", pa.table({"value": values}))
        [found] = duck.sql("SELECT count(DISTINCT value) FROM rows").fetchall()
    return int(found[0])


def totals(delta: pa.Table, names: Sequence[str]) -> dict[str, float]:
    """Totals of partials over the rows that have a pane."""
    if not names:
        return {}
    placed = delta.filter(pc.is_valid(delta["pane"]))
    return {name: float(pc.sum(placed[name]).as_py() or 0) for name in names}


def row_counts(times: pa.ChunkedArray, grain: int, cuts: Sequence[int]) -> tuple[PaneCount, ...]:
    """Rows by time, in steps of ``grain`` that are also cut at the given instants."""
    missing = times.null_count
    found = [PaneCount(None, True, missing, None, None)] if missing else []
    values = np.sort(times.drop_null().to_numpy())
    if values.size == 0:
        return tuple(found)
    steps = values // grain
    apart = np.searchsorted(np.array(sorted(cuts), dtype=np.int64), values, side="right")
    starts = np.flatnonzero(np.r_[True, (np.diff(steps) != 0) | (np.diff(apart) != 0)])
    ends = np.r_[starts[1:], values.size]
    return (
        *found,
        *(
            PaneCount(int(values[s]), True, int(e - s), int(values[s]), int(values[e - 1]))
            for s, e in zip(starts.tolist(), ends.tolist(), strict=True)
        ),
    )


def pane_counts(times: pa.ChunkedArray, state: State) -> tuple[PaneCount, ...]:
    """Rows by pane, from their times in order."""
    missing = times.null_count
    found = [PaneCount(None, True, missing, None, None)] if missing else []
    values = times.drop_null().to_numpy()
    panes = values - (values - state.offset) % state.pane
    starts = np.flatnonzero(np.r_[True, np.diff(panes) != 0]) if values.size else values
    ends = np.r_[starts[1:], values.size]
    for start, end in zip(starts.tolist(), ends.tolist(), strict=False):
        low, high = int(values[start]), int(values[end - 1])
        found.append(PaneCount(int(panes[start]), True, end - start, low, high))
    return tuple(found)
