"""Queries as they are written in pipeline files, without the pipeline around them."""

from __future__ import annotations

import tomllib
from pathlib import Path

from slackwater.errors import Problem, QueryError
from slackwater.frontends.toml.read import read_data
from slackwater.query.stream import Query
from slackwater.runs.overlay import Overlay, Written
from slackwater.spark.catalog import catalog


def query_of(written: Written, name: str) -> Query:
    """The query of this name; raises with all that is wrong with the text."""
    try:
        file = read_data(tomllib.loads(written.text), Path(written.file), catalog(None))
    except tomllib.TOMLDecodeError as error:
        raise QueryError([Problem("TOML_INVALID", written.file, str(error))]) from error
    found = next((query for query in file.queries if query.name == name), None)
    problems = file.problems
    if found is None and not problems:
        problems = (Problem("QUERY_UNKNOWN", written.file, f"there is no query {name!r} in it"),)
    if found is None or problems:
        raise QueryError(problems)
    return found


def overlaid(queries: tuple[Query, ...], overlay: Overlay) -> tuple[Query, ...]:
    """The queries that a pipeline is started with, and what was changed while it ran."""
    left = tuple(query for query in queries if query.name not in overlay.removed)
    return (*left, *(query_of(written, name) for name, written in overlay.added.items()))
