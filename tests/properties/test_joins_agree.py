"""Joins: every order and shape of plan, and DuckDB from scratch give the same results.

The oracle joins all rows at once and then asks of each result whether its last member came in
time; it knows neither deltas nor state nor trees.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import slackwater as sw
from slackwater.execute.sinks import MemorySink
from slackwater.plan.tree import all_trees, show_tree
from slackwater.query.stream import Stream
from tests.driver import Batch, Driver, batch, readings
from tests.examples import examples
from tests.properties.test_engines_agree import PLACES

PLAIN = Driver()
SECOND = 1_000_000
NAMES = ("a", "b", "c", "d", "e", "f")


@dataclass(frozen=True)
class Case:
    """A join over streams ``a``, ``b``, ...: edges with a predicate each, windows by stream."""

    names: tuple[str, ...]
    on: tuple[str, ...]
    windows: dict[str, int]
    slack: int
    emit: str

    def stream(self, order: str) -> Stream:
        inputs = [readings(name=name) for name in self.names]
        within = {name: f"{seconds} s" for name, seconds in self.windows.items()}
        return sw.join(*inputs, on=self.on, within=within, emit=self.emit, order=order)  # type: ignore[arg-type]


def edges(shape: str, names: Sequence[str]) -> list[tuple[str, str]]:
    if shape == "star":
        return [(names[0], other) for other in names[1:]]
    if shape == "clique":
        return list(combinations(names, 2))
    chain = list(pairwise(names))
    return [*chain, (names[-1], names[0])] if shape == "cycle" and len(names) > 2 else chain


def predicate(kind: int, one: str, other: str) -> str:
    return (
        f"{one}.k = {other}.k",
        f"{one}.k = {other}.v",
        f"abs({one}.v - {other}.v) <= 2",
        f"{one}.v <= {other}.v AND {one}.k + 1 >= {other}.k",
    )[kind]


def rows_of(cuts: Sequence[dict[str, list[Any]]], name: str) -> pa.Table:
    """All rows of a stream with the number of the batch they came in."""
    parts = []
    for number, cut in enumerate(cuts):
        table = batch(*cut.get(name, []))
        parts.append(table.append_column("n", pa.array([number] * table.num_rows, pa.int64())))
    return pa.concat_tables(parts)


def watermarks(case: Case, cuts: Sequence[dict[str, list[Any]]]) -> list[int]:
    """The watermark before each batch."""
    lowest = -(1 << 60)
    clocks = dict.fromkeys(case.names, lowest)
    marks = [lowest]
    for cut in cuts:
        for name in case.names:
            times = [round(t * SECOND) for t, _, _ in cut.get(name, []) if t is not None]
            clocks[name] = max([clocks[name], *times])
        reached = min(clocks.values())
        late = lowest if reached == lowest else reached - case.slack * SECOND
        marks.append(max(marks[-1], late))
    return marks


def expected(case: Case, cuts: Sequence[dict[str, list[Any]]]) -> list[tuple[Any, ...]]:
    return sorted(row[: 3 * len(case.names)] for row in in_time_of(case, cuts))


def in_time_of(case: Case, cuts: Sequence[dict[str, list[Any]]]) -> list[tuple[Any, ...]]:
    """Key, value and time of all members of each result, then the batches in which they came."""
    tables = {name: rows_of(cuts, name) for name in case.names}
    near = [
        f"epoch_us({one}.ts) - epoch_us({other}.ts) <= {case.windows[other] * SECOND}"
        for one in case.names
        for other in case.names
        if one != other
    ]
    columns = [f"{n}.k, {n}.v, epoch_us({n}.ts)" for n in case.names]
    columns += [f"{n}.n" for n in case.names]
    with duckdb.connect() as duck:
        for name, table in tables.items():
            duck.register(name, table)
        rows = duck.execute(
            f"SELECT {', '.join(columns)} FROM {', '.join(case.names)} "
            f"WHERE {' AND '.join([*near, *(f'({p})' for p in case.on)])}"
        ).fetchall()
    marks = watermarks(case, cuts)
    return [row for row in rows if in_time(case, row, marks)]


def in_time(case: Case, row: tuple[Any, ...], marks: list[int]) -> bool:
    size = len(case.names)
    times, came = row[2 : 3 * size : 3], row[3 * size :]
    after = marks[max(came)]
    if case.emit == "ordered":
        return bool(max(times) >= after)
    longest = {n: max(w for m, w in case.windows.items() if m == n) for n in case.names}
    return all(t >= after - longest[n] * SECOND for n, t in zip(case.names, times, strict=True))


def found(
    case: Case, cuts: Sequence[dict[str, list[Any]]], *orders: str, driver: Driver = PLAIN
) -> dict[str, list[tuple[Any, ...]]]:
    """The results of each order; all run in one pipeline, over the same rows of the inputs."""
    sinks = {order: sw.memory() for order in orders}
    queries = tuple(
        case.stream(order).query(f"q{number}", sw.slack(case.slack), sink=sinks[order])
        for number, order in enumerate(orders)
    )
    batches: list[Batch] = [{n: batch(*rows) for n, rows in cut.items()} for cut in cuts]
    with tempfile.TemporaryDirectory() as folder:
        driver.run(queries, batches, Path(folder))
    return {order: rows_in(sink, case) for order, sink in sinks.items()}


def rows_in(sink: MemorySink, case: Case) -> list[tuple[Any, ...]]:
    results = sink.table()
    if results is None:
        return []
    columns = [f"{n}_k, {n}_v, epoch_us({n}_ts)" for n in case.names]
    return sorted(duckdb.sql(f"SELECT {', '.join(columns)} FROM results").fetchall())


def stream_of(seed: int, names: Sequence[str], batches: int, rows: int) -> list[dict[str, Any]]:
    """Rows of all streams, out of order, streams at different paces."""
    draw = random.Random(seed)
    lead = {name: draw.choice((0, 0, 1, 4)) for name in names}
    cuts = []
    for number in range(batches):
        cut = {}
        for name in names:
            here = [
                number * 2 + lead[name] + draw.random() * 3 for _ in range(draw.randint(0, rows))
            ]
            late = [max(0.0, t - draw.choice((0, 0, 0, 3, 9))) for t in here]
            cut[name] = [(round(t, 1), draw.randint(0, 2), draw.randint(0, 4)) for t in late]
        cuts.append(cut)
    return cuts


@pytest.mark.spec("adaptive:SUB-07", "adaptive:SUB-10", "adaptive:SUB-11", "adaptive:SUB-19")
@pytest.mark.parametrize("emit", ["immediate", "ordered"])
def test_all_shapes_up_to_four_streams_give_the_same(emit: str) -> None:
    for size in (2, 3, 4):
        names = NAMES[:size]
        kinds = (0, 3, 0, 2)
        pairs = edges("chain", names)
        on = tuple(predicate(kinds[n], *pair) for n, pair in enumerate(pairs))
        case = Case(names, on, {name: 3 + n for n, name in enumerate(names)}, 2, emit)
        cuts = stream_of(size, names, 5, 7)
        wanted = expected(case, cuts)
        assert wanted
        trees = [show_tree(tree) for tree in all_trees(names)]
        for tree, results in found(case, cuts, *trees).items():
            assert results == wanted, tree


CASES = st.tuples(
    st.integers(2, 6),
    st.sampled_from(["chain", "star", "cycle", "clique"]),
    st.sampled_from(["immediate", "ordered"]),
    st.integers(0, 4),
    st.integers(0, 10_000),
)


def random_case(size: int, shape: str, emit: str, slack: int, seed: int) -> tuple[Case, str]:
    draw = random.Random(seed)
    names = NAMES[:size]
    on = tuple(predicate(draw.choice((0, 0, 1, 2, 3)), *pair) for pair in edges(shape, names))
    windows = {name: draw.randint(0, 5) for name in names}
    return Case(names, on, windows, slack, emit), random_tree(draw, list(names))


def random_tree(draw: random.Random, names: list[str]) -> str:
    """Any tree: join two or more of what is there until one is left."""
    while len(names) > 1:
        count = draw.randint(2, len(names))
        chosen = draw.sample(names, count)
        names = [name for name in names if name not in chosen] + [f"({' '.join(chosen)})"]
    return names[0]


@pytest.mark.spec("qddh:F080", "adaptive:SUB-06", "adaptive:SUB-11")
@pytest.mark.deep
@examples(20, 400)
@given(CASES, PLACES)
def test_random_graphs_and_trees_equal_duckdb(given_case: Any, driver: Driver) -> None:
    case, tree = random_case(*given_case)
    cuts = stream_of(given_case[-1], case.names, 4, 5 if len(case.names) < 5 else 3)
    wanted = expected(case, cuts)
    for order, results in found(case, cuts, tree, "auto", driver=driver).items():
        assert results == wanted, order
