"""How the open windows of a query are read: written into the checkpoint, so that anyone can.

A reading has everything but the rows: statements, column types, and which states they go over.
The loop, a person's request in the running process, and another process use the same one (design
note 6).
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from slackwater.codec import pack, unpack
from slackwater.execute.shape import Shapes
from slackwater.plan.estimates import BAND, EstimateColumns
from slackwater.plan.node import Stamp
from slackwater.plan.sql.estimates import Fold, ReadingStep, final_of, fold, reading
from slackwater.plan.sql.windows import Writer
from slackwater.plan.stage import QueryPlan
from slackwater.plan.window import Window
from slackwater.query.schema import Schema

HIDDEN = (
    pa.field("__start", pa.int64()),
    pa.field("__age", pa.float64()),
    pa.field("__keep", pa.bool_()),
    pa.field("__ask", pa.int32()),
)


@dataclass(frozen=True, slots=True)
class Reading:
    """One query's reading: steps in order, the schema of each step and of each state.

    ``fold`` is what the steps come to where no statement is needed. ``stamp`` is the type of window
    bounds, ``zone`` the session's, in which hours and days are read.
    """

    query: str
    streams: tuple[str, ...]
    window: Window
    keys: tuple[str, ...]
    values: tuple[str, ...]
    output: Schema
    columns: EstimateColumns
    band: float
    is_prodded: bool
    steps: tuple[ReadingStep, ...]
    schemas: dict[str, pa.Schema]
    shown: pa.Schema
    fold: Fold | None = None
    stamp: Stamp = "timestamp"
    zone: str = "UTC"

    @classmethod
    def of(cls, query: QueryPlan, shapes: Shapes, zone: str = "UTC") -> Reading:
        assert query.estimable is not None
        steps = reading(Writer(), query.stages)
        top, columns = query.top, query.estimable
        return cls(
            query.name,
            query.streams,
            top.window,
            top.keys,
            tuple(name for name, _ in top.values),
            top.output,
            columns,
            BAND if query.estimates is None else query.estimates.band,
            query.estimates is not None,
            steps,
            _schemas(query, shapes, steps),
            _shown(shapes[query.name, top.level].shown, columns),
            fold(query.stages),
            top.state.stamp,
            zone,
        )

    @property
    def top(self) -> int:
        """The highest level."""
        return self.steps[-1].level

    @property
    def said(self) -> pa.Schema:
        """Estimates with what only the engine sees."""
        return pa.schema([*self.shown, *HIDDEN])

    @property
    def kept(self) -> pa.Schema:
        """What is kept of an estimate until it is judged."""
        names = (*self.keys, *self.columns.numeric, "tuples", "prod", "emitted_at")
        hidden = [self.said.field(name) for name in ("__start", "__age")]
        return pa.schema([*hidden, *(self.said.field(name) for name in names)])

    @property
    def pairs(self) -> pa.Schema:
        """Estimates beside their finals."""
        numbers = [name for value in self.columns.numeric for name in (value, final_of(value))]
        fields = [("__age", pa.float64()), ("__gap", pa.float64()), ("prod", pa.string())]
        fields += [("__group", pa.string()), ("__end", pa.int64())]
        fields += [(name, pa.float64()) for name in ("tuples", final_of("tuples"), *numbers)]
        return pa.schema(fields)

    @property
    def states(self) -> list[str]:
        """The states that are read."""
        made = {step.name for step in self.steps}
        read = [n for step in self.steps for names in step.reads.values() for n in names]
        return [name for name in dict.fromkeys(read) if name not in made]

    def to_json(self) -> Any:
        """For other processes."""
        return pack(self, _packed)

    @classmethod
    def from_json(cls, value: Any) -> Reading:
        return unpack(_newer(value), cls, _unpacked)


def _newer(value: dict[str, Any]) -> dict[str, Any]:
    """A reading of format 6 has steps by dialect; in one of format 5 statements are bare texts."""
    if isinstance(value["steps"], dict):
        return {**value, "steps": value["steps"]["duckdb"]}
    if all("statement" in step for step in value["steps"]):
        return value
    steps = [
        {
            "name": step["name"],
            "level": step["level"],
            "reads": step["reads"],
            "statement": {
                "text": step["text"],
                "reads": list(step["reads"]),
                "parameters": ["after", "last"] if step["name"].startswith("open-") else [],
            },
        }
        for step in value["steps"]
    ]
    columns = [{"name": name, "type": kind} for name, kind in value["output"]]
    return {**value, "steps": steps, "output": {"columns": columns}}


def _schemas(
    query: QueryPlan, shapes: Shapes, steps: Sequence[ReadingStep]
) -> dict[str, pa.Schema]:
    """The schema of every step and every state, by name."""
    found: dict[str, pa.Schema] = {}
    for stage in query.stages:
        below = shapes.get((query.name, stage.level - 1))
        is_rows = stage.state.kind == "rows" and below is not None
        panes = shapes[query.name, stage.level].panes
        found[stage.state.identity] = below.results if is_rows and below is not None else panes
    for step in steps:
        if step.name.startswith("panes"):
            found[step.name] = shapes[query.name, step.level].panes
        else:
            is_top = step.name == f"open-{query.top.level}"
            found[step.name] = _opened(shapes[query.name, step.level].results, is_top)
    return found


def _opened(results: pa.Schema, is_top: bool) -> pa.Schema:
    fields = [field for field in results if field.name not in ("revision", "__rows")]
    return pa.schema([*fields, pa.field("__rows", pa.int64())] if is_top else fields)


def _shown(shown: pa.Schema, columns: EstimateColumns) -> pa.Schema:
    """The columns of estimates, also where finals do not have them."""
    plain = [field for field in shown if field.name not in columns.names]
    tuples, prod, *numbers = columns.names
    extra = [pa.field(tuples, pa.int64()), pa.field(prod, pa.string())]
    extra += [pa.field(name, pa.float64()) for name in numbers]
    return pa.schema([*plain, *extra])


def _packed(schema: object) -> str:
    assert isinstance(schema, pa.Schema)
    return base64.b64encode(schema.serialize().to_pybytes()).decode()


def _unpacked(_kind: type, text: str) -> pa.Schema:
    return pa.ipc.read_schema(pa.py_buffer(base64.b64decode(text)))
