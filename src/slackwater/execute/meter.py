"""The meter: the error each answer really had, once its stragglers are in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow.dataset import dataset

from slackwater.control.orders import PeriodOrder
from slackwater.control.records import Measured
from slackwater.control.turn import Turn
from slackwater.disorder.fulfilment import size_deciles
from slackwater.disorder.keys import MOST, Tallies, total
from slackwater.disorder.periods import Period
from slackwater.execute.sinks.sink import Results, TableResults
from slackwater.plan.bound import RecallContract
from slackwater.plan.node import Stamp
from slackwater.plan.sql.windows import Writer

_TIMES = {"timestamp": pa.timestamp("us", "UTC"), "timestamp_ntz": pa.timestamp("us")}


@dataclass(frozen=True, slots=True)
class Errors:
    """Errors of some answers: how many, how many kept the bound, how many have how many rows.

    ``shown`` are the same one by one, as people see them; ``keys`` tells answers and those within
    of each key.
    """

    answers: int
    within: int
    sizes: dict[int, int]
    shown: Results
    keys: Tallies = ()

    @classmethod
    def of(cls, errors: pa.Table, keys: Sequence[str], stamp: Stamp = "timestamp") -> Errors:
        counts = pc.value_counts(errors["__rows"])
        return cls(
            errors.num_rows,
            int(pc.sum(errors["within"].cast(pa.int64())).as_py() or 0),
            dict(zip(*(counts.field(n).to_pylist() for n in (0, 1)), strict=True)),
            TableResults(shown_errors(errors, stamp)),
            tallies(errors, keys),
        )

    @classmethod
    def together(cls, parts: Sequence[Errors], shown: Results) -> Errors:
        """What several tasks measured."""
        sizes: Counter[int] = Counter()
        for part in parts:
            sizes.update(part.sizes)
        answers, within = sum(p.answers for p in parts), sum(p.within for p in parts)
        return cls(answers, within, dict(sizes), shown, total(*(part.keys for part in parts)))

    @property
    def measured(self) -> Measured:
        """In brief; ``sizes`` are deciles of the rows per result."""
        if not self.answers:
            return Measured()
        rows = np.repeat(list(self.sizes.keys()), list(self.sizes.values()))
        return Measured(self.answers, self.within, size_deciles(rows), keys=self.keys)


def tallies(errors: pa.Table, keys: Sequence[str]) -> Tallies:
    """Answers and those within of each key, of the first keys in order.

    None without keys, or with keys that have no order (structs, lists, maps).
    """
    if not keys or not errors.num_rows:
        return ()
    if any(pa.types.is_nested(errors[key].type) for key in keys):
        return ()
    within = errors["within"].cast(pa.int64())
    table = errors.select(list(keys)).append_column("__within", within)
    sums = [("__within", "count"), ("__within", "sum")]
    found = table.group_by(list(keys)).aggregate(sums)
    first = found.sort_by([(key, "ascending") for key in keys])[:MOST].to_pylist()
    return total(
        (", ".join(str(row[key]) for key in keys), row["__within_count"], row["__within_sum"])
        for row in first
    )


@dataclass(frozen=True, slots=True)
class Measurements:
    """What was measured in a batch, in brief and one by one, by query."""

    measured: dict[str, Measured]
    shown: dict[str, Results]


def read(
    turns: dict[str, Turn], errors: Mapping[str, Errors], left: Mapping[str, tuple[object, ...]]
) -> Measurements:
    """The meter of every query under a contract.

    ``errors`` are those of answers whose stragglers are in; ``left`` are, at the end of the
    streams, orders about what was not measured yet.
    """
    found = {}
    for name, turn in turns.items():
        if turn.decision.period_order is not None:
            found[name] = _recall(turn, left.get(name, ()))
        elif turn.decision.window_order is not None:
            found[name] = _errors(turn, errors.get(name))
    return Measurements(
        {name: measured for name, (measured, _) in found.items()},
        {name: shown for name, (_, shown) in found.items() if shown is not None},
    )


def _errors(turn: Turn, errors: Errors | None) -> tuple[Measured, Results | None]:
    assert turn.decision.window_order is not None
    unseen = turn.decision.window_order.unseen
    if errors is None or not errors.answers:
        return Measured(unseen=unseen), None
    return replace(errors.measured, unseen=unseen), errors.shown


def _recall(turn: Turn, left: tuple[object, ...]) -> tuple[Measured, Results | None]:
    """The recall of periods that are complete by now."""
    order, query = turn.decision.period_order, turn.query
    assert order is not None
    assert query.recall is not None
    assert query.join is not None
    periods, unseen = order.periods, order.unseen
    for last in left:
        if isinstance(last, PeriodOrder):
            periods, unseen = periods + last.periods, unseen + last.unseen
    table = recall_table(periods, query.recall, query.join.stamp)
    shown = TableResults(table) if table.num_rows else None
    return replace(measured_recall(table), unseen=unseen), shown


def recall_table(
    periods: Sequence[Period], contract: RecallContract, stamp: Stamp = "timestamp"
) -> pa.Table:
    """Periods as people see them: results, those found in time, and their share."""
    starts = [start for start, _, _ in periods]
    ends = [start + contract.over for start in starts]
    results = pa.array([n for _, n, _ in periods], pa.int64())
    found = pa.array([given for _, _, given in periods], pa.int64())
    recall = pc.divide(found.cast(pa.float64()), results.cast(pa.float64()))
    instants = _TIMES[stamp]
    return pa.table(
        {
            "period_start": pa.array(starts, pa.int64()).cast(instants),
            "period_end": pa.array(ends, pa.int64()).cast(instants),
            "results": results,
            "found": found,
            "recall": recall,
            "within": pc.greater_equal(recall, contract.gamma),
        }
    )


def measured_recall(periods: pa.Table) -> Measured:
    """The measurements of a batch in brief; here a result is a period."""
    return Measured(periods.num_rows, int(pc.sum(periods["within"].cast(pa.int64())).as_py() or 0))


def shown_errors(errors: pa.Table, stamp: Stamp = "timestamp") -> pa.Table:
    """The table of errors as people see it."""
    instants = _TIMES[stamp]
    named = {"__start": "window_start", "__end": "window_end", "__rows": "rows"}
    columns = [
        errors[name].cast(instants) if name in ("__start", "__end") else errors[name]
        for name in errors.column_names
    ]
    return pa.table(columns, names=[named.get(name, name) for name in errors.column_names])


def by_key(folder: Path, keys: tuple[str, ...]) -> list[dict[str, Any]]:
    """Fulfilment of each key from a quality table, worst first."""
    files = [str(file) for file in sorted(folder.glob("*/*.parquet"))]
    if not files:
        return []
    names = Writer().names(*keys)
    lead, group = (f"{names}, ", f"GROUP BY {names} ") if keys else ("", "")
    text = (
        f"SELECT {lead}count(*) AS measured, avg(within::INT) AS fulfilment "
        f"FROM quality {group}ORDER BY fulfilment, measured DESC"
    )
    with duckdb.connect(":memory:") as duck:
        duck.execute("SET TimeZone = 'UTC'")  # keys may be times; the machine's zone is nobody's
        duck.register("quality", dataset(files).to_table())  # a path is a pattern to DuckDB
        found = duck.sql(text).to_arrow_table()
    rows: list[dict[str, Any]] = found.to_pylist()
    return rows
