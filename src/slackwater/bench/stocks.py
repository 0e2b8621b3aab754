"""Stocks, news and blogs as micro-batches: the streams of the work that ranks come from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from slackwater.papers.precedence_works2015.operators.row import Source
from slackwater.papers.precedence_works2015.workload import FLAGS, Setup
from slackwater.query.join import join
from slackwater.query.stream import Stream
from slackwater.testing import rows
from slackwater.units import SECOND

CONDITIONS = (
    "S.ownedByCompany AND S.aggressive",
    "S.ownedByCompany AND S.conservative",
    "S.underEvaluation",
)
_CASES = (f"WHEN {text.replace('S.', 'S_')} THEN {n}" for n, text in enumerate(CONDITIONS, 1))
RANK = f"CASE {' '.join(_CASES)} ELSE 0 END"
_OTHERS = {"ts": "timestamp", "icb": "string"}
_STOCKS = {**_OTHERS, **dict.fromkeys(FLAGS, "boolean")}


@dataclass(frozen=True, slots=True)
class Input:
    """The rows of each stream in batches of a second; rows within ``within`` meet."""

    names: tuple[str, ...]
    batches: tuple[dict[str, pa.Table], ...]
    within: int

    @property
    def rows(self) -> int:
        return sum(table.num_rows for batch in self.batches for table in batch.values())

    @property
    def joined(self) -> Stream:
        """Each stock with all that mentions its sub-sector: its rank, and when its rows came."""
        streams = [
            rows(name, time="ts", **(_STOCKS if name == "S" else _OTHERS)) for name in self.names
        ]
        found = join(*streams, on="icb", within=self.within / SECOND)
        return found.select(*(f"{name}_ts" for name in self.names), f"{RANK} AS rank")


def draw(setup: Setup, seconds: int, seed: int = 1) -> Input:
    """So many seconds of the streams of a set-up, all joined by sub-sector."""
    names = ("S", *setup.names)
    arrived: list[dict[str, list[Source]]] = [{name: [] for name in names} for _ in range(seconds)]
    for one in setup.sources(seconds * SECOND, seed):
        arrived[one.ts // SECOND][one.stream].append(one)
    batches = tuple({name: _table(name, found[name]) for name in names} for found in arrived)
    return Input(names, batches, setup.window)


def _table(name: str, found: Sequence[Source]) -> pa.Table:
    flags = FLAGS if name == "S" else ()
    times = pa.array([one.ts for one in found], pa.int64()).cast(pa.timestamp("us", "UTC"))
    return pa.table(
        {
            "ts": times,
            "icb": pa.array([one.values[f"{name}.icb"] for one in found], pa.string()),
            **{f: pa.array([one.values[f"S.{f}"] for one in found], pa.bool_()) for f in flags},
        }
    )
