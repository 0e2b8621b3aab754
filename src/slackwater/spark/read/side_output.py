"""Rows set aside: too late for every window, or without a usable event time."""

from __future__ import annotations

from dataclasses import replace

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from slackwater.control.turn import Turn
from slackwater.plan.sql.dialect import SqlWriter
from slackwater.plan.state import State
from slackwater.query.names import OURS, quoted
from slackwater.spark.read.partials import passes


def late_rows(rows: DataFrame, turn: Turn, number: int) -> DataFrame:
    """The rows of one stream of a query that it could not use in a batch."""
    return _of_join(rows, turn, number) if turn.query.join is not None else _of_window(rows, turn)


def _is_asked(turn: Turn) -> bool:
    """Whether late rows are wanted, and there are any; others are always told."""
    return turn.query.late == "side" and turn.decision.dropped > 0


def _of_join(rows: DataFrame, turn: Turn, number: int) -> DataFrame:
    """Inputs have different columns, so the row itself is JSON text."""
    query, decision = turn.query, turn.decision
    assert query.join is not None
    part = query.join.inputs[number]
    bound, clock = turn.bounds[part.stream], turn.clocks[part.stream]
    reasons = ["WHEN __ts IS NULL THEN 'null_time'"]
    if bound is not None:
        reasons.append(f"WHEN __ts > {bound} THEN 'far_future'")
    if _is_asked(turn) and decision.after is not None:
        gone = decision.after - query.keep - query.join.graph.patience(part.name)
        reasons.append(f"WHEN __ts < {gone} THEN 'late'")
    delay = "CAST(NULL AS BIGINT)" if clock is None else f"{clock} - __ts"
    mine = rows.where(passes(_by_itself(part.state), heartbeat="__beat" in rows.columns))
    kept = ", ".join(quoted(c) for c in rows.columns if not c.startswith(OURS))
    return mine.select(
        F.lit(part.name).alias("_input"),
        F.expr(f"to_json(struct({kept})) AS _row"),
        F.expr(f"CASE {' '.join(reasons)} END AS _reason"),
        F.expr(f"{delay} AS _delay_us"),
        F.expr(f"{SqlWriter('spark').micros('__ts', part.state.stamp)} AS _time"),
    ).where("_reason IS NOT NULL")


def _of_window(rows: DataFrame, turn: Turn) -> DataFrame:
    """The rows with the reason and how late they were.

    ``_delay_us`` is the slack that would have saved a late row: the stream's clock when its batch
    began, minus its event time.
    """
    query, decision = turn.query, turn.decision
    bound, clock = turn.bounds[query.stream], turn.clocks[query.stream]
    state, window = query.base.state, query.base.window
    writer = SqlWriter("spark")
    pane = writer.pane_of("__ts", state)
    last = f"{pane} - {writer.modulo(f'({pane}) - {window.offset}', window.slide)} + {window.size}"
    reasons = ["WHEN __ts IS NULL THEN 'null_time'"]
    if bound is not None:
        reasons.append(f"WHEN {pane} > {bound} THEN 'far_future'")
    if _is_asked(turn) and decision.horizon is not None:
        reasons.append(f"WHEN {last} <= {decision.horizon} THEN 'late'")
    delay = "CAST(NULL AS BIGINT)" if clock is None else f"{clock} - __ts"
    has_heartbeat = "__beat" in rows.columns
    # not worked on yet
    usable = _by_itself(state) if query.costly is None else replace(state, where=None)
    mine = rows.where(passes(usable, heartbeat=has_heartbeat))
    ours = [c for c in rows.columns if c.startswith(OURS) and c != "__ts"]
    kept = [quoted(c) for c in rows.columns if c not in ours]
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


def _by_itself(state: State) -> State:
    """A state as far as rows that look nothing up can be asked for it."""
    return replace(state, where=state.own_where) if state.lookups else state
