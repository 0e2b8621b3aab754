"""The exact column types of every relation of a join."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from slackwater.plan.join import JoinPlan
from slackwater.plan.joining import JoinWriter, time_of
from slackwater.plan.statement import Writer
from slackwater.query.names import quoted
from slackwater.spark.schemas import arrow_schema, as_frame, no_rows

TIME = pa.int64()


@dataclass(frozen=True, slots=True)
class JoinShape:
    """Arrow schemas around one join: its inputs, combinations, results, and what is shown."""

    plan: JoinPlan
    inputs: dict[str, pa.Schema]
    shown: pa.Schema | None

    def input(self, name: str) -> pa.Schema:
        return self.inputs[name]

    def _combined(self, names: frozenset[str]) -> list[pa.Field]:
        types = {field.name: field for schema in self.inputs.values() for field in schema}
        times = [pa.field(time_of(n), TIME) for n in self.plan.graph.names if n in names]
        at = [pa.field("__at", TIME)] if self.plan.is_measured else []
        return [*times, *(types[column] for column in self.plan.columns(names)), *at]

    def kept(self, names: frozenset[str]) -> pa.Schema:
        """Combinations that an inner node keeps."""
        return pa.schema([pa.field("pane", TIME), *self._combined(names)])

    @property
    def results(self) -> pa.Schema:
        ends = [pa.field("__ts", TIME), pa.field("__given", pa.bool_())]
        return pa.schema([*self._combined(frozenset(self.plan.graph.names)), *ends])


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
    text = JoinWriter(Writer("spark"), plan).present()
    return JoinShape(plan, inputs, arrow_schema(session.sql(text, args={"emitted_at": 0})))


def _results(session: SparkSession, plan: JoinPlan, shape: JoinShape) -> DataFrame:
    """The join itself over no rows."""
    mjoin = plan.written
    for number, name in enumerate(mjoin.children):
        assert isinstance(name, str)
        empty = as_frame(session, shape.input(name).empty_table())
        empty.createOrReplaceTempView(f"f{number}")
        empty.createOrReplaceTempView(f"h{number}")
    text = JoinWriter(Writer("spark"), plan, late=True).results(mjoin, range(len(plan.inputs)))
    names = [
        "after",
        "upto",
        *(f"{p}{n}" for p in ("low", "live") for n in range(len(plan.inputs))),
    ]
    return session.sql(text, args=dict.fromkeys(names, 0))
