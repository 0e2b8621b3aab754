"""The keys of a pipeline file as a JSON schema, for editors; made from the tables, never by hand.

It says which keys there are, what they mean and what plain values they take. What no schema can
say (durations, names of sources, contracts that exclude each other) ``slackwater check`` says.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import TypeAdapter
from pydantic.fields import FieldInfo

from slackwater.frontends.catalog import Catalog, SinkKind, SourceKind
from slackwater.frontends.secret import AddressTable
from slackwater.frontends.table import Table, keys_of, tables_in, words_of
from slackwater.frontends.toml.model import (
    CostlyTable,
    FileTable,
    FilterTable,
    JoinQueryTable,
    MonoidTable,
    ResourcesTable,
    SourceQueryTable,
    StartTable,
    TableTable,
)

Schema = dict[str, Any]
_OUTPUTS = ("sink", "side", "quality")
_SHORT: tuple[type[Table], ...] = (
    CostlyTable,
    AddressTable,
    FilterTable,
)  # a plain value stands for them


def schema(catalog: Catalog) -> Schema:
    """The schema of a whole file."""
    sinks = _kinds(catalog.sinks, catalog.folder)
    queries = [_table(kind) for kind in (SourceQueryTable, JoinQueryTable)]
    for query in queries:
        query["properties"] |= {
            key: {**sinks, "description": query["properties"][key].get("description", "")}
            for key in _OUTPUTS
        }
    file = _table(FileTable)
    file["properties"] |= {
        "pipeline": _table(StartTable),
        "source": {"type": "object", "additionalProperties": _kinds(catalog.sources, None)},
        "monoid": {"type": "object", "additionalProperties": _table(MonoidTable)},
        "table": {"type": "object", "additionalProperties": _table(TableTable)},
        "resources": _table(ResourcesTable),
        "query": {
            "type": "array",
            "minItems": 1,
            "items": {"if": {"required": ["join"]}, "then": queries[1], "else": queries[0]},
        },
    }
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "A pipeline of slackwater",
        **file,
    }


def _kinds(
    kinds: Mapping[str, SourceKind[Any]] | Mapping[str, SinkKind[Any]], folder: str | None
) -> Schema:
    """A table whose keys depend on its kind; ``folder`` is the kind that need not be said."""
    cases: list[Schema] = []
    for name, kind in kinds.items():
        case = _table(kind.table)
        case["properties"]["kind"] = {"const": name}
        needed = [] if name == folder else ["kind"]
        cases.append({"if": _is(name, needed), "then": case})
    known = {"kind": {"enum": [*kinds]}}
    return {"type": "object", "properties": known, "allOf": cases}


def _is(kind: str, needed: list[str]) -> Schema:
    return {"properties": {"kind": {"const": kind}}, "required": needed}


def _table(table: type[Table]) -> Schema:
    """A table: its keys, which of them it must have, and no others."""
    keys = keys_of(table)
    found: Schema = {
        "type": "object",
        "properties": {key: _key(field) for key, field in keys.items()},
        "additionalProperties": False,
    }
    required = [key for key, field in keys.items() if field.is_required()]
    return {**found, "required": required} if required else found


def _key(field: FieldInfo) -> Schema:
    """What may stand for a key, and what it means."""
    told = f"{field.description} — {words_of(field)}"
    inner = tables_in(field)
    if not inner:
        return {**_plain(field), "description": told}
    return {**_nested(inner[0], words_of(field)), "description": told}


def _nested(table: type[Table], words: str) -> Schema:
    """A table, several of them, or what else may stand there in their place."""
    one, text = _table(table), {"type": "string"}
    if words.startswith("a list of tables"):
        return {"type": "array", "items": one}
    if "list of" in words:
        return {"anyOf": [_several(one, text), {"type": ["number", "string"]}]}
    if words.startswith("a table of"):
        return {"type": "object", "additionalProperties": {"anyOf": [one, text]}}
    return {"anyOf": [one, {"type": ["string", "integer"]}]} if table in _SHORT else one


def _several(*shapes: Schema) -> Schema:
    return {"type": "array", "items": {"anyOf": [*shapes]}}


def _plain(field: FieldInfo) -> Schema:
    """A value that is no table, as far as its type says it."""
    words = words_of(field)
    if words.startswith("one of "):
        return {"enum": words.removeprefix("one of ").split(", ")}
    if field.annotation is None:
        return {}
    try:
        found = TypeAdapter[Any](field.annotation).json_schema()
    except Exception:  # noqa: BLE001 - a type without a schema is simply not checked by editors
        return {}
    if words.startswith("text or a list"):
        return {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}
    found.pop("default", None)
    return {} if "$defs" in found else found
