"""Functions over the rows of a small stream, and the same in SQL; no Java."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

import slackwater as sw
from slackwater.control.functions import Functions
from slackwater.control.orders import FilterOrder
from slackwater.control.records import QueryMemory, Wants
from slackwater.control.step import CONTROLLERS, Controllers
from slackwater.plan.calls import FunctionPlan
from slackwater.plan.stage import QueryPlan
from slackwater.query.stream import Query, Stream
from tests.driver import batch

SQL = "v > 4 AND k IS NOT NULL AND k <> 3 AND (v + k) % 3 <> 0"


def is_large(v: pa.Array) -> pa.Array:
    return pc.greater(v, 4)


def is_wanted(k: pa.Array) -> pa.Array:
    return pc.not_equal(k, 3)  # null of a null


def is_uneven(rows: pa.RecordBatch) -> Any:
    total = pc.add(rows["v"], rows["k"]).to_numpy(zero_copy_only=False)
    return total % 3 != 0


FILTERS: tuple[Callable[..., Any], ...] = (is_large, is_wanted, is_uneven)


def filtered(stream: Stream, **terms: Any) -> Stream:
    """By three functions, after SQL that lets no null through to them."""
    stream = stream.where("k IS NOT NULL AND v IS NOT NULL")
    for one in FILTERS:
        stream = stream.where(one, **terms)
    return stream


def counted(stream: Stream, name: str = "q", **terms: Any) -> Query:
    windows = stream.window("4 s", "2 s").group_by("k")
    return windows.aggregate(n="count(*)", s="sum(v)").query(name, sw.slack("3 s"), **terms)


def many(number: int, count: int = 600) -> pa.Table:
    """A batch of four seconds."""
    draw = random.Random(number)
    return batch(
        *(
            (4 * number + 4 * n / count, draw.choice([0, 1, 2, 3, 4, None]), draw.randint(0, 20))
            for n in range(count)
        )
    )


class Shuffled(Functions):
    """Filters run in any order, another in every batch."""

    def __init__(self, draw: random.Random) -> None:
        self.draw, self.orders = draw, set[tuple[int, ...]]()

    def wants(self, params: FunctionPlan, query: QueryPlan, memory: QueryMemory) -> Wants:
        found = {}
        for link in params.links:
            order = tuple(self.draw.sample(range(len(link.calls)), len(link.calls)))
            self.orders.add(order)
            found[link.identity] = FilterOrder((order,), is_marked=self.draw.random() < 0.5)
        return Wants(filters=found)


def with_functions(functions: Functions) -> Controllers:
    return tuple(functions if one.name == functions.name else one for one in CONTROLLERS)
