"""The text of a pipeline file to queries, or to a list of everything that is wrong with it."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from slackwater.errors import Problem, QueryError, SlackwaterError, SourceError
from slackwater.frontends.catalog import Catalog
from slackwater.frontends.monoids import Monoid, make_monoid
from slackwater.frontends.table import read_table
from slackwater.frontends.toml.build import Surroundings, build_query
from slackwater.frontends.toml.kinds import open_sink, open_stream
from slackwater.frontends.toml.model import (
    FileTable,
    JoinQueryTable,
    MonoidTable,
    ResourcesTable,
    SourceQueryTable,
    StartTable,
    TableTable,
)
from slackwater.frontends.values import Context
from slackwater.query.resources import Resources, resources
from slackwater.query.stream import Query
from slackwater.query.table import TableDef

OUTPUTS = ("sink", "side", "quality")


@dataclass(frozen=True, slots=True)
class PipelineFile:
    """What a file says: the queries that could be read, how to run them, and what is wrong.

    The queries are not checked yet; ``start`` is ``None`` if its table is wrong. ``resources`` are
    limits of all of them together.
    """

    path: Path
    start: StartTable | None
    queries: tuple[Query, ...]
    problems: tuple[Problem, ...]
    resources: Resources | None = None


def read(path: str | Path, catalog: Catalog) -> PipelineFile:
    """Read a pipeline file; relative paths inside it start at its folder.

    Raises
    ------
    SourceError
        If there is no file.
    QueryError
        If it is not TOML. Everything else that is wrong is among the problems.
    """
    file = Path(path).absolute()
    return read_data(_parse(file), file, catalog)


def read_data(data: dict[str, Any], file: Path, catalog: Catalog) -> PipelineFile:
    """As `read`, of what the TOML of a file says."""
    sources = _part(data, "source")
    context = Context(file.parent, tuple(sources))
    problems: list[Problem] = []
    read_table(FileTable, data, file.name, problems, context)
    start = read_table(StartTable, _part(data, "pipeline"), "pipeline", problems, context)
    around = Surroundings(
        {name: open_stream(name, sources[name], catalog, context, problems) for name in sources},
        _monoids(_part(data, "monoid"), context, problems),
        catalog,
        context,
        _lookup_tables(_part(data, "table"), catalog, context, problems),
    )
    tables = _tables(data.get("query"))
    found = [_query(table, where, around, problems) for where, table in tables]
    queries = tuple(query for query in found if query is not None)
    limits = None
    if isinstance(data.get("resources"), dict):
        limits = read_table(ResourcesTable, data["resources"], "resources", problems, context)
    shared = None if limits is None else resources(**limits.said())
    return PipelineFile(file, start, queries, tuple(problems), shared)


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


def _part(data: dict[str, Any], key: str) -> dict[str, Any]:
    """A table of the file; nothing if it is something else, which is told already."""
    part = data.get(key)
    return part if isinstance(part, dict) else {}


def _tables(given: Any) -> list[tuple[str, dict[str, Any]]]:
    """The tables of the queries and how they are called in problems."""
    tables = given if isinstance(given, list) else []
    return [
        (f"query.{one['name']}" if isinstance(one.get("name"), str) else f"query[{number}]", one)
        for number, one in enumerate(tables, start=1)
        if isinstance(one, dict)
    ]


def _query(
    value: dict[str, Any], where: str, around: Surroundings, problems: list[Problem]
) -> Query | None:
    """The query of a ``[[query]]`` table; its sinks are looked at whatever else is wrong."""
    kind: type[SourceQueryTable | JoinQueryTable]
    kind = JoinQueryTable if "join" in value else SourceQueryTable
    table = read_table(kind, value, where, problems, around.context)
    sinks = {
        name: open_sink(value[name], f"{where}.{name}", around.catalog, around.context, problems)
        for name in OUTPUTS
        if isinstance(value.get(name), dict)
    }
    query = None if table is None else build_query(table, where, around, problems)
    if query is None:
        return None
    return replace(
        query, sink=sinks.get("sink"), side=sinks.get("side"), quality=sinks.get("quality")
    )


def _lookup_tables(
    tables: dict[str, Any], catalog: Catalog, context: Context, problems: list[Problem]
) -> dict[str, TableDef | None]:
    """The tables of a file that rows look something up in; ``None`` if one cannot be read."""
    found: dict[str, TableDef | None] = {}
    for name, value in tables.items():
        where = f"table.{name}"
        table = read_table(TableTable, value, where, problems, context)
        found[name] = None
        if table is None:
            continue
        try:
            said = table.said("refresh", "schema")
            found[name] = catalog.table(name, Path(table.path), **said)
        except SlackwaterError as error:
            problems.append(Problem(error.condition, where, error.message, error.hint))
    return found


def _monoids(
    tables: dict[str, Any], context: Context, problems: list[Problem]
) -> dict[str, Monoid]:
    """The monoids of a file, by their names in lower case: SQL has no other."""
    found = {}
    for name, value in tables.items():
        table = read_table(MonoidTable, value, f"monoid.{name}", problems, context)
        if table is not None:
            made = make_monoid(name, table.body, table.parameters or (), problems)
            found.update({} if made is None else {name.lower(): made})
    return found
