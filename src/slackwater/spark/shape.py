"""The exact column types of every relation of a plan, as Spark itself derives them.

Asking Spark before the stream starts also finds what the core cannot know: functions that do not
exist, arguments of the wrong type.
"""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import LongType, StructField, StructType

from slackwater.errors import Problem, QueryError
from slackwater.plan import statement
from slackwater.plan.stage import PipelinePlan, QueryPlan, Stage
from slackwater.spark.intake import Observer

_ANY = {"after": 0, "upto": 0, "first": 0, "horizon": 0, "origin": 0, "emitted_at": 0}


@dataclass(frozen=True, slots=True)
class Shape:
    """Arrow schemas around one stage."""

    panes: pa.Schema
    results: pa.Schema
    told: pa.Schema
    shown: pa.Schema

    def measured(self, keys: tuple[str, ...], columns: tuple[str, ...]) -> pa.Schema:
        """Errors of answers: window, keys, rows, and three numbers for each bounded column."""
        fields = [self.results.field(name) for name in ("__start", "__end", *keys)]
        fields.append(pa.field("__rows", pa.int64()))
        for name in columns:
            numbers = (name, f"{name}_true", f"{name}_error")
            fields += [pa.field(column, pa.float64()) for column in numbers]
        return pa.schema([*fields, pa.field("within", pa.bool_())])

    @property
    def changed(self) -> pa.Schema:
        return pa.schema([field for field in self.told if field.name != "revision"])


def shapes(
    session: SparkSession, plan: PipelinePlan, rows: dict[str, StructType]
) -> dict[tuple[str, int], Shape]:
    """The shapes of all stages by query and level; ``rows`` gives each stream's Spark schema."""
    scratch = session.newSession()
    problems: list[Problem] = []
    found: dict[tuple[str, int], Shape] = {}
    for query in plan.queries:
        try:
            for stage, shape in _query(scratch, query, rows[query.stream]):
                found[query.name, stage.level] = shape
        except PySparkException as error:
            reason = str(error).splitlines()[0]
            where = f"query {query.name!r}"
            problems.append(Problem("SPARK_REFUSED", where, f"Spark cannot run this: {reason}"))
    if problems:
        raise QueryError(problems)
    return found


def _query(session: SparkSession, query: QueryPlan, rows: StructType) -> list[tuple[Stage, Shape]]:
    found = []
    empty = session.createDataFrame([], StructType([*rows.fields, StructField("__ts", LongType())]))
    panes = Observer.of(query.base.state).partials(empty)
    panes = panes.drop("__passes", "__low", "__high", "__beat")
    for stage in query.stages:
        shape, results = _stage(session, stage, panes)
        found.append((stage, shape))
        above = next((s for s in query.stages if s.level == stage.level + 1), None)
        if above is not None:
            results.createOrReplaceTempView("input")
            panes = session.sql(statement.Writer("spark").partial(above.state))
    return found


def _stage(session: SparkSession, stage: Stage, panes: DataFrame) -> tuple[Shape, DataFrame]:
    writer = statement.Writer("spark")
    panes.createOrReplaceTempView("panes")
    results = session.sql(writer.finals(stage), args=_pick(writer.finals(stage)))
    results.createOrReplaceTempView("results")
    shown = session.sql(writer.present(stage), args=_pick(writer.present(stage)))
    told = results.select("__start", *(f"`{key}`" for key in stage.keys), "revision")
    return Shape(*(_arrow(frame) for frame in (panes, results, told, shown))), results


def _arrow(frame: DataFrame) -> pa.Schema:
    """The Arrow schema of a frame, everything nullable (engines differ on what never is null)."""
    schema = to_arrow_schema(frame.schema, timezone="UTC")
    return pa.schema([pa.field(field.name, field.type) for field in schema])


def _pick(text: str) -> dict[str, int]:
    return {name: value for name, value in _ANY.items() if f":{name}" in text}
