"""Rows set aside: too late for every window, or without a usable event time."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from slackwater.control.records import QueryDecision
from slackwater.plan.stage import QueryPlan
from slackwater.plan.statement import Writer, passes


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
    mine = rows.where(passes(state, heartbeat=has_heartbeat))
    kept = [c for c in rows.columns if c not in ("__beat", "__one")]
    return (
        mine.select(
            *kept,
            F.expr(f"CASE {' '.join(reasons)} END AS _reason"),
            F.expr(f"{delay} AS _delay_us"),
        )
        .where("_reason IS NOT NULL")
        .withColumn("_time", F.expr("timestamp_micros(__ts)"))
        .drop("__ts")
    )
