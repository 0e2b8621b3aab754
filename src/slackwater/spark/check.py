"""Everything that is wrong with the queries of a pipeline, where they go included."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from slackwater.errors import Problem, QueryError
from slackwater.execute.sinks.check import check_sinks
from slackwater.plan.build import Checked, bases, check
from slackwater.query.resources import Resources
from slackwater.query.stream import Query


def refuse_strangers(queries: tuple[Any, ...]) -> None:
    """Refuse what is no query at all."""
    problems = []
    for number, one in enumerate(queries, start=1):
        if isinstance(one, Query):
            continue
        hint = 'name the result and say where it goes: stream.window(...).aggregate(...).query("q")'
        if isinstance(one, list | tuple):
            hint = "give the queries one by one: sw.pipeline(*queries)"
        text = f"a {type(one).__name__} is not a query"
        problems.append(Problem("QUERY_KIND", f"pipeline, argument {number}", text, hint))
    if problems:
        raise QueryError(problems)


def _told(problem: Problem, queries: tuple[Query, ...]) -> Problem:
    """A function that the session knows and a query may not use is somebody's own."""
    name = problem.function
    if not name or not any(_is_registered(name, session) for session in _sessions(queries)):
        return problem
    text = f"{problem.function}() is not supported: functions registered in the session, in Python"
    text = f"{text} or Java, cannot run wherever a query does"
    hint = "compute it beforehand: sw.stream takes a streaming DataFrame, too"
    return replace(problem, message=text, hint=hint)


def _sessions(queries: tuple[Query, ...]) -> list[SparkSession]:
    """The sessions that the queries may have been written for."""
    sources = [base.source for query in queries for base in bases(query.stream)]
    found = [source.sparkSession for source in sources if isinstance(source, DataFrame)]
    active = SparkSession.getActiveSession()
    return found if active is None else [*found, active]


def _is_registered(name: str, session: SparkSession) -> bool:
    if not session.catalog.functionExists(name):
        return False
    return session.sql(f"SHOW SYSTEM FUNCTIONS LIKE '{name}'").isEmpty()


def check_all(queries: tuple[Query, ...], limits: Resources | None = None) -> Checked:
    """The checked queries; all problems of them and of their sinks at once."""
    problems = check_sinks(queries)
    try:
        checked = check(queries, limits)
    except QueryError as error:
        found = [_told(problem, queries) for problem in error.problems]
        raise QueryError([*found, *problems]) from None
    if problems:
        raise QueryError(problems)
    return checked
