"""SQL over windows is tried before a pipeline starts: by DuckDB, over no rows.

That shows what only an engine knows. Nothing of it is left, whatever went wrong.
"""

from __future__ import annotations

from pathlib import Path

from slackwater.errors import Problem, QueryError
from slackwater.execute.derive import derived
from slackwater.execute.duck import FAULTS, DuckReader, connected
from slackwater.execute.shape import Shape
from slackwater.plan.stage import PipelinePlan, Stage


def try_relations(plan: PipelinePlan) -> None:
    """Raise if DuckDB cannot run what is asked of the rows of windows."""
    shapes, _ = derived(plan)
    asked = [(query.name, stage) for query in plan.queries for stage in query.stages]
    problems = [
        problem
        for name, stage in asked
        if stage.relation is not None
        and (problem := _refused(name, stage, shapes[name, stage.level])) is not None
    ]
    if problems:
        raise QueryError(problems)


def _refused(query: str, stage: Stage, shape: Shape) -> Problem | None:
    assert stage.relation is not None
    duck = connected("UTC", sketches=False)
    reader = DuckReader(Path(), duck, {})
    nothing = {"panes": shape.panes.empty_table()}
    try:
        reader.run(reader.writer.finals(stage), shape.results, {"after": 0, "upto": 1}, nothing)
    except FAULTS as error:
        reason = str(error).splitlines()[0]
        hint = "columns beside aggregates are in GROUP BY; else say it in a simpler way"
        where = f"query {query!r}, level {stage.level}, relate"
        return Problem("RELATE_REFUSED", where, f"{stage.relation.sql}: {reason}", hint)
    finally:
        duck.close()
    return None
