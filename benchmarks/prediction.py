"""How well are seconds of plans predicted that were not run while learning?

Joins of three or four streams, chains or stars, with rates and numbers of partners at random. Each
runs by one plan for a while, as a person asked for, and learns what work costs; then another plan
is predicted, asked for, and timed. No Java: the join alone is what is timed.

    python benchmarks/prediction.py [JOINS] [SEED]      # twelve joins, another seed each time
"""

from __future__ import annotations

import random
import sys
import tempfile
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pyarrow as pa

import slackwater as sw
from slackwater import testing
from slackwater.control.adapt import AdaptMemory
from slackwater.control.request import Request
from slackwater.optimize.fronts import partitions
from slackwater.optimize.plan import Space
from slackwater.optimize.seconds import Seconds
from slackwater.plan.tree import show_tree, tree_over
from slackwater.testing import Settings
from slackwater.units import SECOND

BEGIN = 1_767_225_600 * SECOND
WINDOW = 6  # batches
LEARNED, TIMED = 14, 4  # batches by the first plan, and by another; one more changes the plan
LEAST = 0.005  # seconds: shorter ones are those of the machine, not of a plan


@dataclass(frozen=True)
class Case:
    """A join: which inputs share a column, rows of each in a batch, values of each column."""

    names: tuple[str, ...]
    edges: tuple[tuple[str, str], ...]
    rows: dict[str, int]
    values: dict[tuple[str, str], int]


def drawn(draw: random.Random) -> Case:
    names = tuple("abcd"[: draw.choice((3, 4))])
    is_star = draw.random() < 0.5
    edges = tuple((names[0] if is_star else one, other) for one, other in pairwise(names))
    rows = {name: round(10 ** draw.uniform(4, 5)) for name in names}
    values = {}
    for edge in edges:  # a tenth of a partner in a window, to three of them
        held = WINDOW * max(rows[name] for name in edge)
        values[edge] = max(1, round(held / 10 ** draw.uniform(-1, 0.5)))
    return Case(names, edges, rows, values)


def query(case: Case) -> Any:
    columns = {f"k{number}": "bigint" for number in range(len(case.edges))}
    streams = [
        testing.rows(name, time="ts", ts="timestamp", v="bigint", **columns) for name in case.names
    ]
    on = [f"{one}.k{n} = {other}.k{n}" for n, (one, other) in enumerate(case.edges)]
    joined = sw.join(*streams, on=on, within=f"{10 * WINDOW} s")
    return joined.select(*(f"{n}.v AS {n}_v" for n in case.names)).query("q", sink=sw.memory())


def batch(case: Case, number: int, seed: int) -> dict[str, pa.Table]:
    found = {}
    for place, name in enumerate(case.names):
        numbers = np.random.default_rng([seed, number, place])
        rows = case.rows[name]
        times = np.sort(numbers.integers(0, 10 * SECOND, rows)) + BEGIN + number * 10 * SECOND
        keys = {
            f"k{n}": numbers.integers(0, case.values[edge], rows)
            for n, edge in enumerate(case.edges)
        }
        columns = {"ts": pa.array(times, pa.timestamp("us", "UTC")), "v": np.arange(rows)}
        found[name] = pa.table(columns | keys)
    return found


def plans(case: Case) -> list[str]:
    """Trees of all shapes, without a Cartesian product."""
    known: dict[int, list[str]] = {1 << n: [name] for n, name in enumerate(case.names)}
    edges = [1 << case.names.index(a) | 1 << case.names.index(b) for a, b in case.edges]
    for some in sorted(range(1, 1 << len(case.names)), key=int.bit_count):
        numbers = [n for n in range(len(case.names)) if some >> n & 1]
        if len(numbers) == 1:
            continue
        inside = [edge for edge in edges if edge & some == edge]
        if len(inside) < len(numbers) - 1:
            known[some] = []  # not connected
            continue
        known[some] = [
            f"({' '.join(chosen)})"
            for parts in partitions(numbers)
            for chosen in _products([known[part] for part in parts])
        ]
    return known[(1 << len(case.names)) - 1]


def _products(lists: list[list[str]]) -> list[list[str]]:
    found: list[list[str]] = [[]]
    for one in lists:
        found = [[*chosen, text] for chosen in found for text in one]
    return found


def errors(case: Case, draw: random.Random, seed: int) -> list[tuple[str, str, float, float]]:
    """The plan that taught, the one predicted, seconds predicted and measured."""
    known = plans(case)
    first, *others = draw.sample(known, min(3, len(known)))
    found, number = [], 0
    with tempfile.TemporaryDirectory(prefix="slackwater-prediction-") as folder:
        loop = testing.make_loop((query(case),), Path(folder), Settings(tier="columnar"))

        def run(tree: str, batches: int) -> AdaptMemory:
            nonlocal number
            loop.inbox.put(Request(f"r{number}", "q", tree=tree))
            for _ in range(batches):
                loop.process(testing.micro(loop, batch(case, number, seed)), number)
                number += 1
            memory = loop.state.queries["q"].find(AdaptMemory)
            assert memory is not None
            return memory

        for other in others:
            memory = run(first, LEARNED)
            graph = loop.layout.plan.queries[0].join.graph
            wanted = Space(memory.facts.known(graph)).best(tree_over(other, case.names))
            work = Space(memory.facts.known(graph)).work(wanted)
            predicted = memory.seconds.get("columnar", Seconds()).predicted(work)
            after = run(other, TIMED + 1)
            assert after.took is not None
            assert after.timed == show_tree(wanted)
            found.append((first, other, predicted, after.took))
        loop.close()
    return found


def main(joins: int, seed: int) -> None:
    draw = random.Random(seed)
    print(f"seed {seed}")
    wrong = []
    for _ in range(joins):
        case = drawn(draw)
        for first, other, predicted, measured in errors(case, draw, seed):
            if max(predicted, measured) < LEAST:
                continue
            error = predicted / measured - 1
            wrong.append(abs(error))
            print(
                f"{first} -> {other}: {predicted:.4f} s predicted, {measured:.4f} s, {error:+.0%}"
            )
    print(f"{len(wrong)} plans, error of the prediction: median {median(wrong):.0%}")


if __name__ == "__main__":
    given = [int(text) for text in sys.argv[1:]]
    main(*given, *(12, random.randrange(10_000))[len(given) :])
