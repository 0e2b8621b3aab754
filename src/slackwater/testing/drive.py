"""Driving a loop by hand: batches are given, time moves by the rows in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa

from slackwater.control.records import Policy, Tier
from slackwater.control.step import CONTROLLERS, Controllers
from slackwater.events.log import EventLog
from slackwater.execute.batch import Layout
from slackwater.execute.deliver import Outlets
from slackwater.execute.derive import derived
from slackwater.execute.estimates.reading import Reading
from slackwater.execute.limits import Limits
from slackwater.execute.loop import Loop
from slackwater.execute.trial import try_relations
from slackwater.plan.build import check
from slackwater.plan.lookup import sources_of
from slackwater.plan.meaning import Order, words
from slackwater.plan.pace import paced
from slackwater.plan.stage import PipelinePlan, describe, lay_out
from slackwater.query.resources import Resources
from slackwater.query.schema import Schema
from slackwater.query.stream import Query, Stream, StreamDef
from slackwater.runs.checkpoint import Checkpoint
from slackwater.runs.objects.located import located
from slackwater.testing.runtime import ArrowRuntime, Micro
from slackwater.units import DurationLike, duration

Batch: TypeAlias = pa.Table | Mapping[str, pa.Table] | Micro


def rows(name: str, *, time: str, max_ahead: DurationLike | None = None, **types: str) -> Stream:
    """A stream whose rows are given by hand; columns by name and SQL type."""
    return Stream(StreamDef(name, Schema.of(**types), time, max_ahead=max_ahead))


@dataclass(frozen=True, slots=True)
class Settings:
    """How a loop is run by hand; see :meth:`slackwater.Pipeline.start`.

    In the spark tier so many ``tasks`` take turns, each with so much ``memory`` in bytes. Batches
    are given by hand: ``trigger`` is the time that a measured budget has to keep.
    """

    zone: str = "UTC"
    limits: Limits = field(default_factory=Limits)
    max_state_rows: int | None = None
    on_batch: Callable[[dict[str, Any]], None] | None = None
    controllers: Controllers = CONTROLLERS
    tier: Tier | None = None
    columnar_rows: int | None = None
    tasks: int = 3
    memory: int | None = None
    resources: Resources | None = None
    trigger: DurationLike | None = None


def make_loop(
    queries: Sequence[Query], folder: str | Path, settings: Settings | None = None
) -> Loop[Micro]:
    """The loop of some queries over a checkpoint; it goes on where it was left."""
    given, home = settings or Settings(), located(folder)
    order = Checkpoint(home.folder, home).order()
    arranged = tuple(order.arrange(query) for query in queries)
    checked = check(arranged, given.resources)
    plan = order.arrange_streams(lay_out(checked, order.held))
    try_relations(plan)
    meaning = {**describe(plan), "zone": given.zone}
    said, order = words(arranged, meaning), Order.of_plan(plan)
    checkpoint = Checkpoint.open(home.folder, plan.identity, meaning, said, order, home=home)
    try:
        return _loop(plan, arranged, checkpoint, given, checked.functions)
    except BaseException:
        checkpoint.close()
        raise


def _loop(
    plan: PipelinePlan,
    queries: Sequence[Query],
    checkpoint: Checkpoint,
    given: Settings,
    functions: Mapping[str, Callable[..., Any]],
) -> Loop[Micro]:
    plan = paced(plan, None if given.trigger is None else duration(given.trigger))
    stages, joins = derived(plan)
    readings = {q.name: Reading.of(q, stages, given.zone) for q in plan.queries if q.stages}
    policy = Policy(plan, zone=given.zone)
    if given.columnar_rows is not None:
        policy = replace(policy, columnar_rows=given.columnar_rows)
    return Loop(
        policy=policy,
        checkpoint=checkpoint,
        layout=Layout(plan, stages, joins, readings),
        outlets=Outlets.of(plan, queries, checkpoint),
        events=EventLog(checkpoint.events, full=given.limits.log_bytes),
        runtime=ArrowRuntime(
            policy, stages, joins, checkpoint.runs, given.tasks, given.memory, functions
        ),
        max_state_rows=given.max_state_rows,
        limits=given.limits,
        sources=sources_of(queries),
        on_batch=given.on_batch,
        controllers=given.controllers,
        pin=given.tier,
    )


def run(
    queries: Sequence[Query],
    batches: Iterable[Batch],
    folder: str | Path,
    settings: Settings | None = None,
    *,
    flush: bool = True,
) -> Loop[Micro]:
    """Feed batches through one loop and end it; a table is given to every stream."""
    loop = make_loop(queries, folder, settings)
    try:
        for number, batch in enumerate(batches):
            loop.process(micro(loop, batch), number)
        if flush:
            loop.finish()
    finally:
        loop.close()
    return loop


def micro(loop: Loop[Micro], batch: Batch) -> Micro:
    """A batch by stream."""
    if isinstance(batch, Micro):
        return batch
    names = [stream.name for stream in loop.policy.plan.streams]
    return Micro(dict.fromkeys(names, batch) if isinstance(batch, pa.Table) else dict(batch))
