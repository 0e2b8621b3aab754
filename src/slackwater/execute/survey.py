"""A look at a join that runs: how much meets, how much was made, how long that took.

Plans that are not in force are judged by pairs: a few of the new rows of one input, and all that
the other one holds.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pyarrow as pa

from slackwater.execute.joins import JoinRunner
from slackwater.optimize.facts import Sample, in_turn, named
from slackwater.plan.tree import inputs_of, nodes_of, show_tree

ROWS = 1_000  # new rows that are looked at


def sampled(
    joins: JoinRunner, results: int, seconds: float, pairs: Iterable[tuple[str, str]]
) -> Sample:
    """What a batch of a join came to."""
    made = {named(set(joins.plan.graph.names)): results}
    for node in nodes_of(joins.tree)[:-1]:
        made[named(set(inputs_of(node)))] = joins.made(node)
    return Sample(show_tree(joins.tree), seconds, _pairs(joins, pairs), made)


def _pairs(joins: JoinRunner, pairs: Iterable[tuple[str, str]]) -> dict[str, float]:
    """How many pairs all new rows would make, by those that some of them do."""
    found: dict[str, float] = {}
    for one, other in pairs:
        fresh = joins.fresh_rows(one)
        if fresh.num_rows:
            some = _some(fresh)
            relations = {"f0": some, "h1": joins.held_rows(other)}
            counted = joins.engine.ask(joins.writer.paired(one, other), relations)
            each = counted["pairs"][0].as_py() / some.num_rows
            found[in_turn(one, other)] = each * fresh.num_rows
    return found


def _some(rows: pa.Table) -> pa.Table:
    """Some of the rows, spread evenly: they may lie by time or by key."""
    if rows.num_rows <= ROWS:
        return rows
    return rows.take(np.linspace(0, rows.num_rows - 1, ROWS).astype(np.int64))
