"""All keys of a pipeline file, as the guide shows them: made from the tables, never by hand."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic.fields import FieldInfo

from slackwater.frontends.catalog import Catalog, SinkTable, SourceTable
from slackwater.frontends.table import Table, keys_of, tables_in, words_of
from slackwater.frontends.toml.model import (
    FileTable,
    JoinQueryTable,
    MonoidTable,
    QueryTable,
    SourceQueryTable,
    StartTable,
    TableTable,
)
from slackwater.frontends.values import DURATION

_ANY = (SourceTable, SinkTable, QueryTable)


def reference(catalog: Catalog) -> str:
    """Markdown with a section for each table of a file."""
    return "\n".join(_section(table) for table in tables(catalog))


def tables(catalog: Catalog) -> list[type[Table]]:
    """Every table there is, those inside of a table after it."""
    roots: tuple[type[Table], ...] = (
        FileTable,
        StartTable,
        SourceTable,
        *(kind.table for kind in catalog.sources.values()),
        MonoidTable,
        TableTable,
        QueryTable,
        SourceQueryTable,
        JoinQueryTable,
        SinkTable,
        *(kind.table for kind in catalog.sinks.values()),
    )
    return list(dict.fromkeys(table for root in roots for table in _with_inner(root)))


def _with_inner(table: type[Table]) -> Iterator[type[Table]]:
    yield table
    for field in keys_of(table).values():
        for inner in tables_in(field):
            yield from _with_inner(inner)


def _section(table: type[Table]) -> str:
    title, _, rest = (table.__doc__ or "").replace("``", "`").partition(": ")
    said = f"\n{rest[:1].upper()}{rest[1:]}\n" if rest else ""
    own = sorted(_own(table).items(), key=lambda entry: not entry[1].is_required())
    rows = [_row(key, field) for key, field in own]
    head = ["| key | value | meaning |", "|---|---|---|"] if rows else []
    return "\n".join([f"### {title.rstrip('.')}", said, *head, *rows, ""])


def _own(table: type[Table]) -> dict[str, FieldInfo]:
    """The keys that are not those of the table above: of any source, of any query, of any sink."""
    above = next((t for t in _ANY if t in table.__mro__[1:]), None)
    known = {} if above is None else keys_of(above)
    return {
        key: field
        for key, field in keys_of(table).items()
        if key not in known or field.is_required() != known[key].is_required()
    }


def _row(key: str, field: FieldInfo) -> str:
    words = (
        words_of(field).replace(DURATION.words, "a duration").replace("[[query]]", "`[[query]]`")
    )
    required = " (required)" if field.is_required() else ""
    return f"| `{key}`{required} | {words} | {field.description} |"
