"""A pipeline written down as TOML: sources, queries, and how to run them."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from slackwater.errors import Problem, QueryError, SourceError
from slackwater.query.stream import Query
from slackwater.spark.document.queries import Surroundings, read_query
from slackwater.spark.document.sources import located, read_source
from slackwater.spark.document.table import (
    COUNT,
    DURATION,
    FLAG,
    TABLE,
    TABLES,
    TEXT,
    Key,
    Keys,
    either,
    one_of,
    read_table,
)
from slackwater.spark.pipeline import AVAILABLE_NOW, TIERS, Options, Pipeline, pipeline

_DOCUMENT: Keys = {
    "pipeline": Key(TABLE),
    "source": Key(TABLE, required=True),
    "query": Key(TABLES, required=True),
}
_PIPELINE: Keys = {
    "checkpoint": Key(TEXT),
    "trigger": Key(either(AVAILABLE_NOW, DURATION)),
    "tier": Key(one_of(*TIERS)),
    "columnar_rows": Key(COUNT),
    "heartbeat": Key(DURATION),
    "flush": Key(FLAG),
}


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
    file = Path(path).absolute()
    problems: list[Problem] = []
    given = read_table(_parse(file), _DOCUMENT, file.name, problems)
    options, checkpoint = _run_options(given.get("pipeline", {}), file.parent, problems)
    queries = _queries(given, file.parent, console or Console(), problems)
    if queries:
        problems += _query_problems(queries)
    if problems:
        raise QueryError(problems)
    return Document(file, pipeline(*queries), checkpoint, options)


def _parse(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        reason = error.strerror or "cannot be read"
        raise SourceError("DOCUMENT_MISSING", f"{file}: {reason}", "give a TOML file") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise QueryError(
            [Problem("TOML_INVALID", str(file), str(error), "see https://toml.io for the syntax")]
        ) from error


def _run_options(
    value: dict[str, Any], base: Path, problems: list[Problem]
) -> tuple[Options, str | None]:
    given = read_table(value, _PIPELINE, "pipeline", problems)
    folder = given.pop("checkpoint", None)
    if given.get("flush"):
        given.setdefault("trigger", AVAILABLE_NOW)
    options = Options(**given)
    problems += options.problems()
    return options, None if folder is None else located(folder, base)


def _queries(
    given: dict[str, Any], base: Path, console: Console, problems: list[Problem]
) -> list[Query]:
    streams = {
        name: read_source(name, value, base, problems)
        for name, value in given.get("source", {}).items()
    }
    around = Surroundings(streams, base, console)
    found = [
        read_query(number, value, around, problems)
        for number, value in enumerate(given.get("query", []), start=1)
    ]
    if "query" in given and not found:
        problems.append(Problem("KEY_MISSING", "query", "a pipeline needs a [[query]]"))
    return [query for query in found if query is not None]


def _query_problems(queries: list[Query]) -> list[Problem]:
    """What the plan builder finds in the queries that could be read."""
    try:
        pipeline(*queries)
    except QueryError as error:
        return list(error.problems)
    return []
