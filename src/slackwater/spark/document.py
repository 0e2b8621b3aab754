"""A pipeline file made into a pipeline that can be started."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from slackwater.errors import Problem, QueryError
from slackwater.frontends.toml.model import StartTable
from slackwater.frontends.toml.read import read
from slackwater.query.resources import Resources
from slackwater.query.stream import Query
from slackwater.spark.catalog import catalog
from slackwater.spark.live import AVAILABLE_NOW
from slackwater.spark.pipeline import Options, Pipeline, pipeline


@dataclass(frozen=True, slots=True)
class Document:
    """What a document says: the checked pipeline, its checkpoint folder, how to run it."""

    path: Path
    pipeline: Pipeline
    checkpoint: str | None
    options: Options


def load(path: str | Path, *, console: Console | None = None) -> Document:
    """Read a pipeline from a TOML file; no Spark session is needed.

    Parameters
    ----------
    path
        The file. Relative paths inside it start at its folder.
    console
        Where console sinks print; standard output by default.

    Raises
    ------
    QueryError
        With everything that is wrong: unknown or missing keys, wrong types, sources that cannot be
        opened, and all problems of the queries.

    Examples
    --------
    A file ``pipeline.toml``::

        [pipeline]
        checkpoint = "checkpoint"

        [source.readings]
        kind = "files"
        path = "readings"
        time = "ts"

        [[query]]
        name = "per_minute"
        from = "readings"
        window = "1 minute"
        group_by = ["sensor"]
        aggregate = { total = "sum(v)" }
        slack = "10 seconds"

    >>> load("pipeline.toml").pipeline.start("checkpoint")  # doctest: +SKIP
    """
    file = read(path, catalog(console))
    start = file.start or StartTable()
    options = _options(start)
    problems = [*file.problems, *options.problems()]
    checked, found = _checked(file.queries, file.resources)
    if checked is None or problems:
        raise QueryError([*problems, *found])
    return Document(file.path, checked, start.checkpoint, options)


def _options(start: StartTable) -> Options:
    given = {key: value for key, value in start.said().items() if key != "checkpoint"}
    if start.flush:
        given.setdefault("trigger", AVAILABLE_NOW)
    return Options(**given)


def _checked(
    queries: tuple[Query, ...], limits: Resources | None
) -> tuple[Pipeline | None, tuple[Problem, ...]]:
    """The pipeline of the queries that could be read, or what is wrong with them."""
    if not queries:
        return None, ()
    try:
        return pipeline(*queries, resources=limits), ()
    except QueryError as error:
        return None, error.problems
