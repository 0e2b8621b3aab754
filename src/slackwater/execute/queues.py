"""Rows that arrive and wait: told apart by rank and work, and counted by queue."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from slackwater.execute.delta import pane_counts
from slackwater.execute.duck import DuckReader
from slackwater.plan.ranks import Ranking
from slackwater.plan.sql.queues import (
    DRAWS,
    QUEUE,
    known_of,
    queue_columns,
    relayed,
    seen_columns,
    value_of,
)
from slackwater.plan.sql.statement import Statement
from slackwater.plan.state import State
from slackwater.stats.panes import PaneCount, Queue, ValueCount

COUNTED = 1024  # values of a column and rank that are told of a batch, the most frequent


def queued(duck: DuckReader, table: pa.Table, state: State, ranking: Ranking | None) -> pa.Table:
    """Rows (with ``__ts``) in the order in which they wait, with the columns that say so."""
    if ranking is None:
        return table.take(pc.sort_indices(table, [("__ts", "ascending")]))
    writer = duck.writer
    seen = ", ".join(seen_columns(writer, ranking, state.input))
    names = [writer.name(name) for name in table.column_names if name != "__ts"]
    draw = f"CAST(hash({', '.join(['__ts', *names])}) % {DRAWS} AS BIGINT)"
    queue = ", ".join(queue_columns(writer, ranking, draw))
    text = (
        f"SELECT *, {queue} FROM (SELECT *, {seen} FROM input) "
        f"ORDER BY __ts IS NULL, {', '.join(QUEUE)}, __ts"
    )
    return duck.ask(Statement(text, ("input",)), {"input": table})


def seen_of(ranking: Ranking | None) -> list[str]:
    """The columns that the counts of waiting rows are made from."""
    if ranking is None:
        return ["__ts"]
    values = [value_of(number) for number in range(len(ranking.values))]
    return ["__ts", *QUEUE, "__significant", *values, *map(known_of, relayed(ranking))]


def queue_counts(table: pa.Table, state: State) -> tuple[PaneCount, ...]:
    """Rows by queue and pane, in their order."""
    if "__rank" not in table.column_names:
        return pane_counts(table["__ts"], state)
    timed = table.filter(pc.is_valid(table["__ts"]))
    missing = table.num_rows - timed.num_rows
    found = [PaneCount(None, True, missing, None, None)] if missing else []
    times = timed["__ts"].to_numpy()
    panes = pa.array(times - (times - state.offset) % state.pane)
    keys = [*QUEUE, "__pane"]
    groups = (
        timed.select([*QUEUE, "__ts"])
        .append_column("__pane", panes)
        .group_by(keys)
        .aggregate([("__ts", "count"), ("__ts", "min"), ("__ts", "max")])
    )
    for one in groups.to_pylist():
        queue = Queue(*(one[name] for name in QUEUE))
        ends = one["__ts_min"], one["__ts_max"]
        found.append(PaneCount(one["__pane"], True, one["__ts_count"], *ends, queue))
    return tuple(found)


def value_counts(table: pa.Table, ranking: Ranking | None) -> tuple[ValueCount, ...]:
    """The frequent values of join columns, by the rank that rows have without them."""
    found: list[ValueCount] = []
    for number in range(0 if ranking is None else len(ranking.values)):
        name = value_of(number)
        known = known_of(number) if ranking and ranking.is_relaying else "__significant"
        groups = table.group_by([known, name]).aggregate([([], "count_all")])
        groups = groups.filter(pc.is_valid(groups[name]))
        order = [("count_all", "descending"), (name, "ascending")]
        for rank in pc.unique(groups[known]).to_pylist():
            mine = groups.filter(pc.equal(groups[known], rank)).sort_by(order)
            rows = mine.slice(0, COUNTED).to_pylist()
            found += [ValueCount(number, rank, one[name], one["count_all"]) for one in rows]
    return tuple(found)
