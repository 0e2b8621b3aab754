"""Four streams of which each in turn brings most, for joins that follow that batch by batch."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

import slackwater as sw
from slackwater import testing
from slackwater.control.controller import Moment
from slackwater.control.join_plan import is_settled, tree_of
from slackwater.control.orders import Route
from slackwater.control.robust import Robust, RobustMemory
from slackwater.control.step import CONTROLLERS, Controllers
from slackwater.plan.join import JoinPlan
from slackwater.plan.tree import JoinNode
from slackwater.query.stream import Query, Stream

BEGIN, SECOND, SPAN = 1_767_225_600_000_000, 1_000_000, 10
NAMES = "abcd"


def joined(order: str = "robust", **terms: Any) -> Stream:
    columns = {"ts": "timestamp", "k": "bigint", "v": "bigint"}
    inputs = [testing.rows(name, time="ts", **columns) for name in NAMES]
    return sw.join(*inputs, on="k", within="4 s", order=order, **terms)


def query(order: str = "robust", sink: Any = None, **terms: Any) -> Query:
    counted = joined(order, **terms).window("10 s").aggregate(n="count(*)", s="sum(a_v + d_v)")
    return counted.query("q", sw.slack("0 s"), sink=sink)


def came(number: int, *, many: int = 1_500, few: int = 100, period: int = 1) -> dict[str, pa.Table]:
    """A batch of ten seconds; for so many batches one stream brings many rows, then the next."""
    random_ = np.random.default_rng(number)
    largest, found = NAMES[number // period % len(NAMES)], {}
    for name in NAMES:
        rows = many if name == largest else few
        times = np.sort(random_.integers(0, SPAN * SECOND, rows)) + BEGIN + number * SPAN * SECOND
        found[name] = pa.table(
            {
                "ts": pa.array(times, pa.timestamp("us", "UTC")),
                "k": random_.integers(0, 60, rows),
                "v": random_.integers(0, 100, rows),
            }
        )
    return found


def counts(sink: Any) -> list[tuple[Any, ...]]:
    rows = sink.table().select(["window_start", "n", "s"]).to_pylist()
    return sorted(tuple(row.values()) for row in rows)


def told(reports: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """What the controller explained of each batch."""
    return [report["queries"]["q"]["controllers"]["robust"] for report in reports]


class Shuffled(Robust):
    """Proposes any orders of probes, others in every batch, whatever the join is like."""

    def __init__(self, draw: random.Random) -> None:
        self.draw = draw

    def step(
        self, params: JoinPlan, moment: Moment, memory: RobustMemory
    ) -> tuple[Route, RobustMemory]:
        found, after = super().step(params, moment, memory)
        if is_settled(moment.memory) or tree_of(params, moment.memory).is_grouped:
            return found, after
        names = params.graph.names
        others = [[n for n in range(len(names)) if n != child] for child in range(len(names))]
        orders = tuple(tuple(self.draw.sample(left, len(left))) for left in others)
        return Route(found.survey, JoinNode(names, orders), plan=0, plans=1), after


def shuffled(draw: random.Random) -> Controllers:
    mine = Shuffled(draw)
    return tuple(mine if isinstance(one, Robust) else one for one in CONTROLLERS)
