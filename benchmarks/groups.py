"""Where groups of rows pay in a join under aggregates: rows held, seconds, equal answers.

Orders and clicks of some customers, clocks that tell whole seconds: the more rows of a customer
fall into one second, the more of them are alike for the join. Each case runs over rows and over
groups of them, the same batches in turn. No Java: the join and its windows are what is timed.

    python benchmarks/groups.py [ROWS] [--json FILE]      # rows of a stream and batch; 20,000
"""

from __future__ import annotations

import json
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
import pyarrow as pa

import slackwater as sw
from slackwater import testing
from slackwater.execute.held import held_by
from slackwater.execute.loop import Loop
from slackwater.runs.run import total_rows
from slackwater.testing import Micro, Settings
from slackwater.units import SECOND

BEGIN = 1_767_225_600 * SECOND
LENGTH, WINDOW, BATCHES = 10, 10, 16  # seconds of a batch and of the join, batches
WARM = 6  # batches before windows are full
FORMS = ("(orders clicks)", "grouped (orders clicks)")


@dataclass(frozen=True)
class Case:
    """How many rows of a customer come in a second, and how finely clocks tell the time."""

    name: str
    alike: float
    grain: int = SECOND


CASES = (
    Case("16 alike", 16),
    Case("4 alike", 4),
    Case("1 alike", 1),
    Case("16 a second, microseconds", 16, 1),
)


def query(form: str, sink: Any) -> Any:
    streams = [
        testing.rows(name, time="ts", ts="timestamp", customer="bigint", value="bigint")
        for name in ("orders", "clicks")
    ]
    joined = sw.join(*streams, on="customer", within=f"{WINDOW} s", order=form)
    windows = joined.window("1 minute", "10 seconds")
    found = windows.aggregate(n="count(*)", total="sum(orders.value)", most="max(clicks.value)")
    return found.query("q", sw.slack("10 s"), sink=sink)


def batch(case: Case, rows: int, number: int) -> dict[str, pa.Table]:
    found = {}
    for place, name in enumerate(("orders", "clicks")):
        draw = np.random.default_rng([number, place])
        times = BEGIN + (number * LENGTH * SECOND) + draw.integers(0, LENGTH * SECOND, rows)
        customers = max(1, round(rows / LENGTH / case.alike))
        columns = {
            "ts": pa.array(times - times % case.grain, pa.timestamp("us", "UTC")),
            "customer": pa.array(draw.integers(0, customers, rows)),
            "value": pa.array(draw.integers(0, 1_000, rows)),
        }
        found[name] = pa.table(columns)
    return found


def held(loop: Loop[Micro]) -> int:
    """Rows that the join holds."""
    join = loop.layout.plan.queries[0].join
    assert join is not None
    return sum(total_rows(loop.catalog.at(one)) for one in held_by(join, loop.state.of("q")))


def measure(case: Case, rows: int) -> dict[str, Any]:
    sinks = {form: sw.memory() for form in FORMS}
    seconds: dict[str, list[float]] = {form: [] for form in FORMS}
    most = dict.fromkeys(FORMS, 0)
    with tempfile.TemporaryDirectory(prefix="slackwater-groups-") as scratch:
        loops = {
            form: testing.make_loop(
                (query(form, sinks[form]),), Path(scratch) / str(number), Settings()
            )
            for number, form in enumerate(FORMS)
        }
        for number in range(BATCHES):
            tables = batch(case, rows, number)
            for form in FORMS if number % 2 else FORMS[::-1]:
                micro, began = testing.micro(loops[form], tables), perf_counter()
                loops[form].process(micro, number)
                seconds[form].append(perf_counter() - began)
                most[form] = max(most[form], held(loops[form]))
        for loop in loops.values():
            loop.finish()
            loop.close()
    over_rows, over_groups = (shown(sinks[form]) for form in FORMS)
    return {
        "case": case.name,
        "rows_s": round(median(seconds[FORMS[0]][WARM:]), 4),
        "groups_s": round(median(seconds[FORMS[1]][WARM:]), 4),
        "rows_held": most[FORMS[0]],
        "groups_held": most[FORMS[1]],
        "answers": len(over_rows),
        "equal": over_rows == over_groups,
    }


def shown(sink: Any) -> list[tuple[Any, ...]]:
    table = sink.table().select(["window_start", "n", "total", "most"])
    return sorted(tuple(row.values()) for row in table.to_pylist())


def main(arguments: list[str]) -> None:
    rows = next((int(one) for one in arguments if one.isdigit()), 20_000)
    found = []
    for case in CASES:
        found.append(measure(case, rows))
        print(json.dumps(found[-1]), flush=True)
    if "--json" in arguments:
        file = Path(arguments[arguments.index("--json") + 1])
        file.write_text(json.dumps({"bench": "groups", "rows": rows, "cases": found}, indent=2))


if __name__ == "__main__":
    main(sys.argv[1:])
