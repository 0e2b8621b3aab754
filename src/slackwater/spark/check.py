"""Everything that is wrong with the queries of a pipeline, where they go included."""

from __future__ import annotations

from typing import Any

from slackwater.errors import Problem, QueryError
from slackwater.plan.build import Checked, check
from slackwater.query.stream import Query
from slackwater.spark.sinks.check import check_sinks


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


def check_all(queries: tuple[Query, ...]) -> Checked:
    """The checked queries; all problems of them and of their sinks at once."""
    problems = check_sinks(queries)
    try:
        checked = check(queries)
    except QueryError as error:
        raise QueryError([*error.problems, *problems]) from None
    if problems:
        raise QueryError(problems)
    return checked
