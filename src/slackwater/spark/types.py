"""The exact column types of every relation of a plan, as Spark itself derives them.

Asking Spark before the stream starts also finds what the core cannot know: functions that do not
exist, arguments of the wrong type.
"""

from __future__ import annotations

from dataclasses import replace

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from slackwater.errors import Problem, QueryError
from slackwater.execute.shape import JoinShape, Shape, Shapes
from slackwater.plan.sql.windows import Writer
from slackwater.plan.stage import PipelinePlan, QueryPlan, Stage
from slackwater.query.names import quoted
from slackwater.spark.join_types import join_shape
from slackwater.spark.read.partials import Observer
from slackwater.spark.schemas import arrow_schema, as_frame, no_rows
from slackwater.spark.session import one_meaning, zone_of

_ANY = {"after": 0, "upto": 0, "first": 0, "horizon": 0, "origin": 0, "emitted_at": 0}


def shapes(
    session: SparkSession, plan: PipelinePlan, rows: dict[str, StructType]
) -> tuple[Shapes, dict[str, JoinShape]]:
    """The shapes of all stages by query and level, and those of joins by query.

    ``rows`` gives each stream's Spark schema.
    """
    scratch = session.newSession()
    one_meaning(scratch, zone_of(session))
    problems: list[Problem] = []
    found: Shapes = {}
    joins: dict[str, JoinShape] = {}
    for query in plan.queries:
        try:
            if query.join is not None:
                joins[query.name] = join_shape(scratch, query.join, rows)
            panes = _base_panes(scratch, query, rows, joins.get(query.name))
            for stage, shape in _stages(scratch, query, panes):
                found[query.name, stage.level] = shape
        except QueryError as error:
            where = f"query {query.name!r}"
            problems += [replace(p, where=f"{where}, {p.where}") for p in error.problems]
        except PySparkException as error:
            reason = str(error).splitlines()[0]
            where = f"query {query.name!r}"
            problems.append(Problem("SPARK_REFUSED", where, f"Spark cannot run this: {reason}"))
    if problems:
        raise QueryError(problems)
    return found, joins


def _base_panes(
    session: SparkSession, query: QueryPlan, rows: dict[str, StructType], join: JoinShape | None
) -> DataFrame | None:
    """Panes of the first level: from raw rows, or from the results of a join; none without one."""
    if not query.stages:
        return None
    if join is None:
        panes = Observer.of(query.base.state).partials(no_rows(session, rows[query.stream]))
        return panes.drop("__passes", "__hour", "__low", "__high", "__beat")
    as_frame(session, join.results.empty_table()).createOrReplaceTempView("input")
    return session.sql(Writer("spark").partial(query.base.state, joined=True).text)


def _stages(
    session: SparkSession, query: QueryPlan, panes: DataFrame | None
) -> list[tuple[Stage, Shape]]:
    found = []
    for stage in query.stages:
        assert panes is not None
        shape, results = _stage(session, stage, panes)
        found.append((stage, shape))
        above = next((s for s in query.stages if s.level == stage.level + 1), None)
        if above is not None:
            results.createOrReplaceTempView("input")
            panes = session.sql(Writer("spark").partial(above.state).text)
    return found


def _stage(session: SparkSession, stage: Stage, panes: DataFrame) -> tuple[Shape, DataFrame]:
    writer = Writer("spark")
    panes.createOrReplaceTempView("panes")
    results = session.sql(writer.finals(stage).text, args=_ANY)
    results.createOrReplaceTempView("results")
    shown = session.sql(writer.present(stage).text, args=_ANY)
    told = results.select("__start", *(quoted(key) for key in stage.keys), "revision")
    return Shape(*(arrow_schema(frame) for frame in (panes, results, told, shown))), results
