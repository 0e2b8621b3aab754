"""Rows set aside: too late for every window, or without a usable event time."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from slackwater.control.records import QueryDecision
from slackwater.plan.stage import QueryPlan
from slackwater.plan.statement import Writer, passes
from slackwater.query.names import OURS, quoted


@dataclass(frozen=True, slots=True)
class SideMoment:
    """What decides about rows of a stream: watermark, newest time to believe, clock before."""

    after: int | None
    bound: int | None
    clock: int | None
    late: bool


def join_side_rows(rows: DataFrame, query: QueryPlan, number: int, moment: SideMoment) -> DataFrame:
    """The rows of one input of a join that could not be used at all.

    Inputs have different columns, so the row itself is JSON text.
    """
    assert query.join is not None
    part = query.join.inputs[number]
    reasons = ["WHEN __ts IS NULL THEN 'null_time'"]
    if moment.bound is not None:
        reasons.append(f"WHEN __ts > {moment.bound} THEN 'far_future'")
    if moment.late and moment.after is not None:
        gone = moment.after - query.keep - query.join.graph.patience(part.name)
        reasons.append(f"WHEN __ts < {gone} THEN 'late'")
    delay = "CAST(NULL AS BIGINT)" if moment.clock is None else f"{moment.clock} - __ts"
    mine = rows.where(passes(part.state, heartbeat="__beat" in rows.columns))
    kept = ", ".join(quoted(c) for c in rows.columns if not c.startswith(OURS))
    return (
        mine.select(
            F.lit(part.name).alias("_input"),
            F.expr(f"to_json(struct({kept})) AS _row"),
            F.expr(f"CASE {' '.join(reasons)} END AS _reason"),
            F.expr(f"{delay} AS _delay_us"),
            F.expr(f"{Writer('spark').micros('__ts', part.state.stamp)} AS _time"),
        )
    ).where("_reason IS NOT NULL")


def side_rows(
    rows: DataFrame,
    query: QueryPlan,
    decision: QueryDecision,
    *,
    bound: int | None,
    clock: int | None,
    late: bool,
) -> DataFrame:
    """The rows of a batch that a query could not use, with the reason and how late they were.

    ``_delay_us`` is the slack that would have saved a late row: the stream's clock when its batch
    began, minus its event time.
    """
    state, window = query.base.state, query.base.window
    writer = Writer("spark")
    pane = writer.pane_of("__ts", state)
    last = f"{pane} - {writer.modulo(f'({pane}) - {window.offset}', window.slide)} + {window.size}"
    reasons = ["WHEN __ts IS NULL THEN 'null_time'"]
    if bound is not None:
        reasons.append(f"WHEN {pane} > {bound} THEN 'far_future'")
    if late and decision.horizon is not None:
        reasons.append(f"WHEN {last} <= {decision.horizon} THEN 'late'")
    delay = "CAST(NULL AS BIGINT)" if clock is None else f"{clock} - __ts"
    has_heartbeat = "__beat" in rows.columns
    usable = state if query.costly is None else replace(state, where=None)  # not worked on yet
    mine = rows.where(passes(usable, heartbeat=has_heartbeat))
    kept = [quoted(c) for c in rows.columns if c not in ("__beat", "__one")]
    return (
        mine.select(
            *kept,
            F.expr(f"CASE {' '.join(reasons)} END AS _reason"),
            F.expr(f"{delay} AS _delay_us"),
        )
        .where("_reason IS NOT NULL")
        .withColumn("_time", F.expr(writer.micros("__ts", state.stamp)))
        .drop("__ts")
    )
