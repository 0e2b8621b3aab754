"""``[source.NAME]``: where rows come from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from slackwater.errors import Problem, SlackwaterError
from slackwater.query.stream import Stream
from slackwater.runs.paths import is_remote
from slackwater.spark.document.generated import GENERATOR, make_generator, table_problems
from slackwater.spark.document.table import (
    ANYTHING,
    COUNT,
    DURATION,
    FLAG,
    NUMBER,
    TABLE,
    TEXT,
    TEXT_TABLE,
    Key,
    Keys,
    either,
    one_of,
    read_table,
    suggestion,
)
from slackwater.spark.pipeline import stream
from slackwater.spark.sources.base import Source
from slackwater.spark.sources.files import files
from slackwater.spark.sources.folder import FORMATS
from slackwater.spark.sources.recording import recording

ANY = "any"  # max_ahead: no bound
MAX = "max"  # speed: as fast as possible

_STREAM: Keys = {
    "kind": Key(TEXT, required=True),
    "time": Key(TEXT, required=True),
    "arrival": Key(TEXT),
    "max_ahead": Key(either(ANY, DURATION)),
}
KINDS: dict[str, Keys] = {
    "files": {
        **_STREAM,
        "path": Key(TEXT, required=True),
        "format": Key(one_of(*FORMATS)),
        "schema": Key(TEXT_TABLE),
        "files_per_batch": Key(COUNT),
        "glob": Key(TEXT),
        "options": Key(TABLE),
    },
    "generator": {**_STREAM, **GENERATOR, "time": Key(TEXT)},  # its columns are known: ts
    "recording": {
        **_STREAM,
        "path": Key(TEXT, required=True),
        "format": Key(one_of(*FORMATS)),
        "speed": Key(either(MAX, NUMBER)),
        "rows_per_batch": Key(COUNT),
        "sort": Key(FLAG),
        "glob": Key(TEXT),
        "options": Key(TEXT_TABLE),
        "cache": Key(TEXT),
        "partitions": Key(COUNT),
    },
}


def read_source(name: str, value: Any, base: Path, problems: list[Problem]) -> Stream | None:
    """The stream of a ``[source.NAME]`` table, ``None`` if something is wrong with it."""
    where = f"source.{name}"
    before = len(problems)
    given = read_table(value, _keys(value, where, problems), where, problems)
    problems += table_problems(given, where) if given.get("kind") == "generator" else []
    if len(problems) > before:
        return None
    try:
        return _stream(name, _open(given, base), given)
    except SlackwaterError as error:
        problems.append(Problem(error.condition, where, error.message, error.hint))
        return None


def located(path: str, base: Path) -> str:
    """A path of the document: relative ones start at the document's folder."""
    return path if is_remote(path) else str(base / Path(path.removeprefix("file://")).expanduser())


def _keys(value: Any, where: str, problems: list[Problem]) -> Keys:
    """The keys that a source of this kind may have; all there are if the kind cannot be told."""
    kind = value.get("kind") if isinstance(value, dict) else None
    if isinstance(kind, str) and kind in KINDS:
        return KINDS[kind]
    if kind is not None:
        hint = suggestion(str(kind), KINDS)
        problems.append(Problem("KEY_TYPE", f"{where}.kind", f"no source is {kind!r}", hint))
    anything = {name: Key(ANYTHING) for keys in KINDS.values() for name in keys}
    return {**anything, "kind": Key(ANYTHING if kind else one_of(*KINDS), required=True)}


def _stream(name: str, source: Source, given: dict[str, Any]) -> Stream:
    ahead = given.get("max_ahead", "1 day")
    return stream(
        name,
        source,
        time=given.get("time", "ts"),
        arrival=given.get("arrival"),
        max_ahead=None if ahead == ANY else ahead,
    )


def _open(given: dict[str, Any], base: Path) -> Source:
    options = {key: value for key, value in given.items() if key not in _STREAM}
    for key in ("path", "cache"):
        if key in options:
            options[key] = located(options[key], base)
    if given["kind"] == "generator":
        return make_generator(options)
    if given["kind"] == "files":
        return files(**options)
    if options.get("speed") == MAX:
        options["speed"] = None
    return recording(**options, time=given["time"], arrival=given.get("arrival"))
