"""A request is tried before it is decided: over one row of nothing, in the driver.

That shows what only an engine knows: functions and types that do not fit, values that are none.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from slackwater.control.request import Request, problem_of, understand
from slackwater.errors import Problem, QueryError
from slackwater.execute.duck import FAULTS, DuckReader
from slackwater.execute.estimates.fault import fault
from slackwater.execute.estimates.reading import Reading
from slackwater.plan.sql.statement import Statement
from slackwater.plan.stage import QueryPlan
from slackwater.query.expression import Expression


def problem_with(request: Request, reading: Reading, engine: DuckReader) -> Problem | None:
    """What is wrong with a request to a query that is read so."""
    problem = problem_of(request, reading.output, reading.window)
    where = understand(request.query, reading.output, request.where)
    if problem is not None or not isinstance(where, Expression):
        return problem
    return tried(where, f"prod of query {request.query!r}", reading, engine)


def tried(where: Expression, at: str, reading: Reading, engine: DuckReader) -> Problem | None:
    """What an engine has against a condition."""
    nothing = pa.table({f.name: pa.nulls(1, f.type) for f in reading.shown}, reading.shown)
    text = f"SELECT * FROM said WHERE ({engine.writer.render(where, reading.output)})"
    try:
        engine.run(Statement(text, ("said",)), reading.shown, {}, {"said": nothing})
    except FAULTS as error:
        return fault(error, at, where.sql)
    return None


def check_sources(
    queries: Sequence[QueryPlan], readings: dict[str, Reading], engine: DuckReader
) -> None:
    """Try the conditions of what prods queries by itself; raise all that cannot be."""
    problems = [
        tried(source.where, f"query {query.name!r}, estimates", readings[query.name], engine)
        for query in queries
        for source in (query.estimates.sources if query.estimates else ())
        if source.where is not None
    ]
    if found := [problem for problem in problems if problem is not None]:
        raise QueryError(found)
