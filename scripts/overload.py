"""A burst, and when critical results come: figures, and a picture for the guide.

python scripts/overload.py CHECKPOINT [docs/images/overload.png]

Orders and payments come a second at a time, in the burst eight times as many. Three queries match
them with the same budget: by rank, with critical rows first but nothing pulled forward, and as they
come. What is counted are the results with an order of rank 1. The checkpoint is that of a run with
all three, for ``slackwater dashboard`` and ``scripts/screenshots.py --ranks``.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import slackwater as sw
from slackwater import testing
from slackwater.events.schema import VERSION
from slackwater.execute.sinks import MemorySink
from slackwater.plan.explain import explain_value
from slackwater.query.stream import Query, Stream

BEGIN, SECOND = 1_767_225_600_000_000, 1_000_000
LENGTH, BURST, CALM, MANY = 90, range(20, 50), 50, 400  # seconds; rows of a stream in a second
CUSTOMERS, BEST, GOOD, BUDGET = 4_000, 20, 400, 200
SHARE = 0.04  # of the rows is of the best customers
WITHIN = 3  # seconds between an order and its payment
LIFESPAN = "10 s"
IN_TIME = 2  # batches
WAYS = {
    "by_rank": ("prune", "by rank, partners pulled forward", "#0d9488"),
    "critical_only": ("static", "critical rows first, partners wait", "#d97706"),
    "as_they_come": ("none", "as they come", "#7c8894"),
}
Delays = dict[int, list[int]]  # of critical results, in seconds, by the batch they came in


def stream(name: str) -> Stream:
    return testing.rows(name, time="ts", ts="timestamp", customer="bigint", amount="bigint")


def matched(name: str, sink: MemorySink) -> Query:
    """Orders with their payments, under a budget."""
    rank = sw.rank(
        f"orders.customer < {BEST}",
        f"orders.customer < {GOOD}",
        budget=BUDGET,
        precedence=WAYS[name][0],
    )
    joined = sw.join(stream("orders"), stream("payments"), on="customer", within=f"{WITHIN} s")
    lifespan = None if name == "as_they_come" else LIFESPAN
    return joined.query(name, sw.slack("1 s"), sink=sink, rank=rank, lifespan=lifespan)


def came(second: int) -> dict[str, pa.Table]:
    """The rows of a second."""
    draw, rows = np.random.default_rng(second), MANY if second in BURST else CALM
    found = {}
    for name in ("orders", "payments"):
        times = np.sort(draw.integers(0, SECOND, rows)) + BEGIN + second * SECOND
        found[name] = pa.table(
            {
                "ts": pa.array(times, pa.timestamp("us", "UTC")),
                "customer": np.where(
                    draw.random(rows) < SHARE,
                    draw.integers(0, BEST, rows),
                    draw.integers(BEST, CUSTOMERS, rows),
                ),
                "amount": draw.integers(1, 100, rows),
            }
        )
    return found


def run(checkpoint: Path) -> dict[str, Delays]:
    """Of each query, when its critical results came."""
    sinks = {name: MemorySink() for name in WAYS}
    queries = tuple(matched(name, sink) for name, sink in sinks.items())
    loop = testing.make_loop(queries, checkpoint, testing.Settings(tier="columnar"))
    plan = explain_value(loop.policy.plan)
    loop.events.write("start", schema=VERSION, pipeline="", batch=-1, plan=plan, trigger=None)
    found: dict[str, Delays] = {name: defaultdict(list) for name in WAYS}
    told = dict.fromkeys(WAYS, 0)
    try:
        for second in range(LENGTH):
            loop.process(testing.micro(loop, came(second)), second)
            for name, sink in sinks.items():
                for row in _critical(sink, told[name]):
                    found[name][second].append(second - _second(row))
                told[name] = _rows(sink)
        loop.events.write("stop", batch=LENGTH - 1, reason="stopped")
    finally:
        loop.close()
    return found


def _rows(sink: MemorySink) -> int:
    table = sink.table()
    return 0 if table is None else int(table.num_rows)


def _critical(sink: MemorySink, first: int) -> Iterator[dict[str, Any]]:
    table = sink.table()
    rows = [] if table is None else table.slice(first).to_pylist()
    return (row for row in rows if row["orders_customer"] < BEST)


def _second(row: dict[str, Any]) -> int:
    """The second in which the last member of a result came."""
    return int((row["event_time"].timestamp() * SECOND - BEGIN) // SECOND)


def expected() -> Counter[int]:
    """How many critical results there are, counted row by row, by the second of their last row."""
    orders, payments = [], []
    for second in range(LENGTH):
        rows = came(second)
        orders += [(one, at) for one, at in _pairs_of(rows["orders"]) if one < BEST]
        payments += [(one, at) for one, at in _pairs_of(rows["payments"]) if one < BEST]
    return Counter(
        (max(at, when) - BEGIN) // SECOND
        for one, at in orders
        for other, when in payments
        if one == other and abs(at - when) <= WITHIN * SECOND
    )


def _pairs_of(rows: pa.Table) -> list[tuple[int, int]]:
    times = rows["ts"].cast(pa.int64()).to_pylist()
    return list(zip(rows["customer"].to_pylist(), times, strict=True))


def timely(delays: Delays) -> Counter[int]:
    """How many results came in time, by the second of their last row."""
    waits = ((batch - wait, wait) for batch, each in delays.items() for wait in each)
    return Counter(second for second, wait in waits if wait <= IN_TIME)


def draw(found: dict[str, Delays], there: Counter[int], path: Path) -> None:
    """What comes against what can be worked on, and which critical results come in time."""
    figure = Figure(figsize=(8, 6.4), layout="constrained")
    rows, share, waits = figure.subplots(3, 1, sharex=True, height_ratios=[2, 3, 3])
    came_by = [2 * (MANY if second in BURST else CALM) for second in range(LENGTH)]
    rows.fill_between(range(LENGTH), came_by, step="mid", color="#4f6bed", alpha=0.35, lw=0)
    rows.axhline(BUDGET, color="#c02b3c", lw=1.2, ls="--")
    _plain(rows, "orders and payments that come; dashed: the budget", "rows a batch")
    _plain(share, f"results of rank 1 given within {IN_TIME} batches of their last row", "percent")
    _plain(waits, "mean wait of those that were given, from their last row", "batches")
    for name, (_, label, colour) in WAYS.items():
        given, delays = timely(found[name]), found[name]
        look: Any = {"ms": 4, "lw": 1.3, "color": colour, "label": label}
        known = sorted(second for second in there if second < LENGTH - IN_TIME)
        share.plot(known, [100 * given[one] / there[one] for one in known], ".-", **look)
        batches = sorted(delays)
        waits.plot(batches, [fmean(delays[batch]) for batch in batches], ".-", **look)
    for axes in (rows, share, waits):
        axes.set_ylim(bottom=0)
    waits.legend(frameon=False)
    waits.set_xlabel("batch (a second of the streams)")
    FigureCanvasAgg(figure)
    figure.savefig(path, dpi=110)


def _plain(axes: Axes, title: str, unit: str) -> None:
    axes.set_title(title, loc="left", fontsize=11)
    axes.set_ylabel(unit)
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)


def main(checkpoint: Path, picture: Path | None) -> int:
    found, there = run(checkpoint), expected()
    burst = sum(there[second] for second in BURST)
    print(f"{there.total()} results of rank 1 in {LENGTH} batches, {burst} of them in the burst")
    for name, delays in found.items():
        waits = [wait for each in delays.values() for wait in each]
        given = timely(delays)
        hot = sum(given[second] for second in BURST)
        print(
            f"{name}: {len(waits)} given, {given.total()} within {IN_TIME} batches "
            f"({hot} of those of the burst), mean wait {fmean(waits):.1f}, longest {max(waits)}"
        )
    if picture is not None:
        draw(found, there, picture)
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else None))
