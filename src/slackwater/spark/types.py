"""What Spark itself has against a pipeline: asked before the stream starts, over no rows.

It finds what the core cannot know: functions that do not exist, arguments of the wrong type. The
types of all relations follow from the plan.
"""

from __future__ import annotations

from dataclasses import replace

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from slackwater.errors import Problem, QueryError
from slackwater.execute.derive import derived
from slackwater.execute.shape import JoinShape, Shapes
from slackwater.execute.trial import try_relations
from slackwater.plan.stage import PipelinePlan, QueryPlan
from slackwater.query.names import quoted
from slackwater.spark.read.partials import Observer
from slackwater.spark.schemas import arrow_schema, no_rows
from slackwater.spark.session import one_meaning, zone_of


def shapes(
    session: SparkSession, plan: PipelinePlan, rows: dict[str, StructType]
) -> tuple[Shapes, dict[str, JoinShape]]:
    """The shapes of all stages by query and level, and those of joins by query.

    ``rows`` gives each stream's Spark schema.
    """
    scratch = session.newSession()
    one_meaning(scratch, zone_of(session))
    problems: list[Problem] = []
    for query in plan.queries:
        where = f"query {query.name!r}"
        try:
            _try(scratch, query, rows)
        except QueryError as error:
            problems += [replace(p, where=f"{where}, {p.where}") for p in error.problems]
        except PySparkException as error:
            reason = str(error).splitlines()[0]
            problems.append(Problem("SPARK_REFUSED", where, f"Spark cannot run this: {reason}"))
    if problems:
        raise QueryError(problems)
    try_relations(plan)
    return derived(plan)


def _try(session: SparkSession, query: QueryPlan, rows: dict[str, StructType]) -> None:
    """Let Spark look at everything that it will be asked to do with raw rows."""
    for stream, state in query.fed:
        empty = no_rows(session, rows[stream])
        for name, kind in ((c.name, c.type) for t in state.lookups for c in state.read_of(t.table)):
            empty = empty.withColumn(name, F.lit(None).cast(kind))
        if state.kind == "input":
            columns = [F.expr(f"{value.sql} AS {quoted(name)}") for name, value in state.keys]
            kept = empty.where(state.where.sql if state.where else "true")
            arrow_schema(kept.select(F.col("__ts").alias("pane"), *columns))
        else:
            arrow_schema(Observer.of(state).partials(empty))
