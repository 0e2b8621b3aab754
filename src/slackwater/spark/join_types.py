"""The exact column types of every relation of a join."""

from __future__ import annotations

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from slackwater.execute.shape import TIME, JoinShape
from slackwater.plan.join import JoinPlan
from slackwater.plan.sql.joins import JoinWriter
from slackwater.plan.sql.windows import Writer
from slackwater.query.names import quoted
from slackwater.spark.schemas import arrow_schema, as_frame, no_rows


def join_shape(session: SparkSession, plan: JoinPlan, rows: dict[str, StructType]) -> JoinShape:
    """The shape of a join; asks Spark for the types, and so finds what it cannot run."""
    inputs = {}
    for one in plan.inputs:
        empty = no_rows(session, rows[one.stream])
        columns = [F.expr(f"{value.sql} AS {quoted(name)}") for name, value in one.state.keys]
        kept = empty.where(one.state.where.sql if one.state.where else "true")
        schema = arrow_schema(kept.select(F.col("__ts").alias("pane"), *columns))
        at = [pa.field("__at", TIME)] if plan.is_measured else []
        inputs[one.name] = pa.schema([*schema, *at])
    bare = JoinShape(plan, inputs, None)
    results = _results(session, plan, bare)
    if not plan.values:
        return bare
    results.createOrReplaceTempView("results")
    text = JoinWriter(Writer("spark"), plan).present().text
    return JoinShape(plan, inputs, arrow_schema(session.sql(text, args={"emitted_at": 0})))


def _results(session: SparkSession, plan: JoinPlan, shape: JoinShape) -> DataFrame:
    """The join itself over no rows."""
    mjoin = plan.written
    for number, name in enumerate(mjoin.children):
        assert isinstance(name, str)
        empty = as_frame(session, shape.input(name).empty_table())
        empty.createOrReplaceTempView(f"f{number}")
        empty.createOrReplaceTempView(f"h{number}")
    join = JoinWriter(Writer("spark"), plan, late=True).results(mjoin, range(len(plan.inputs)))
    return session.sql(join.text, args=dict.fromkeys(join.parameters, 0))
