"""The column types of every relation, derived from the plan: no engine is asked.

Spark is asked before a stream starts (:mod:`slackwater.spark.types`), which also finds what it
cannot run. Where there is no Spark, the plan itself knows the types; a test holds the two together.
"""

from __future__ import annotations

import pyarrow as pa

from slackwater.arrow_types import INSTANT, arrow_type
from slackwater.execute.shape import TIME, JoinShape, Shape, Shapes
from slackwater.plan.join import JoinInput, JoinPlan
from slackwater.plan.stage import PipelinePlan, Stage
from slackwater.query.expression import type_of

_STAMPS = {"timestamp": INSTANT, "timestamp_ntz": pa.timestamp("us")}


def derived(plan: PipelinePlan) -> tuple[Shapes, dict[str, JoinShape]]:
    """The shapes of all stages by query and level, and those of joins by query."""
    stages = {
        (query.name, stage.level): _stage(stage) for query in plan.queries for stage in query.stages
    }
    return stages, {query.name: _join(query.join) for query in plan.queries if query.join}


def _stage(stage: Stage) -> Shape:
    keys = [_field(name, stage.output.type_of(name)) for name in stage.keys]
    values = [_field(name, stage.output.type_of(name)) for name, _ in stage.values]
    parts = [_field(part.name, part.kind) for part in stage.state.partials]
    times = [pa.field("__start", TIME), pa.field("__end", TIME)]
    counted = [] if stage.estimated is None else [pa.field("__rows", pa.int64())]
    revision = pa.field("revision", pa.int32())
    return Shape(
        pa.schema([pa.field("pane", TIME), *keys, *parts, pa.field("__rows", pa.int64())]),
        pa.schema([*times, *keys, *values, *counted, revision]),
        pa.schema([times[0], *keys, revision]),
        pa.schema([*_bounds(stage), *keys, *values, *_labels(stage)]),
    )


def _bounds(stage: Stage) -> list[pa.Field]:
    return [pa.field(name, _STAMPS[stage.state.stamp]) for name in ("window_start", "window_end")]


def _labels(stage: Stage) -> list[pa.Field]:
    labels = [
        pa.field("kind", pa.string()),
        pa.field("revision", pa.int32()),
        pa.field("coverage", pa.float64()),
        pa.field("boundary", pa.bool_()),
        pa.field("emitted_at", INSTANT),
    ]
    if stage.estimated is None:
        return labels
    tuples, prod, *rest = stage.estimated.names
    more = [pa.field(tuples, pa.int64()), pa.field(prod, pa.string())]
    return [*labels, *more, *(pa.field(name, pa.float64()) for name in rest)]


def _join(plan: JoinPlan) -> JoinShape:
    inputs = {one.name: _input(plan, one) for one in plan.inputs}
    if not plan.values:
        grouped = None if plan.grouped is None else _join(plan.grouped)
        return JoinShape(plan, inputs, None, grouped)
    values = [_field(name, type_of(value, plan.joined)) for name, value in plan.values]
    labels = [
        pa.field("event_time", _STAMPS[plan.stamp]),
        pa.field("kind", pa.string()),
        pa.field("revision", pa.int32()),
        pa.field("coverage", pa.float64()),
        pa.field("emitted_at", INSTANT),
    ]
    return JoinShape(plan, inputs, pa.schema([*values, *labels]))


def _input(plan: JoinPlan, one: JoinInput) -> pa.Schema:
    columns = [_field(name, plan.joined.type_of(name)) for name, _ in one.state.keys]
    at = [pa.field("__at", TIME)] if plan.is_measured else []
    if plan.is_grouped:
        parts = [_field(part.name, part.kind) for part in one.state.partials]
        columns += [*parts, pa.field("__rows", pa.int64())]
    return pa.schema([pa.field("pane", TIME), *columns, *at])


def _field(name: str, kind: str | None) -> pa.Field:
    assert kind is not None, name
    return pa.field(name, arrow_type(kind))
