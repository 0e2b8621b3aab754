"""``[source.NAME]``: where rows come from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from slackwater.errors import Problem, SlackwaterError
from slackwater.query.stream import Stream
from slackwater.spark.document.table import (
    COUNT,
    DURATION,
    FLAG,
    INSTANT,
    NUMBER,
    TABLE,
    TABLES,
    TEXT,
    TEXT_TABLE,
    WHOLE,
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
from slackwater.spark.sources.folder import FORMATS, is_remote
from slackwater.spark.sources.generator import generator
from slackwater.spark.sources.recording import recording
from slackwater.stats.lateness import DELAYS, Burst, Disorder, Gap
from slackwater.stats.workload import VALUES, Values

ANY = "any"  # max_ahead: no bound
MAX = "max"  # speed: as fast as possible

_FORMAT = Key(one_of(*FORMATS))
_STREAM: Keys = {
    "kind": Key(TEXT, required=True),
    "time": Key(TEXT, required=True),
    "arrival": Key(TEXT),
    "max_ahead": Key(either(ANY, DURATION)),
}
_FILES: Keys = {
    **_STREAM,
    "path": Key(TEXT, required=True),
    "format": _FORMAT,
    "schema": Key(TEXT_TABLE),
    "files_per_batch": Key(COUNT),
    "glob": Key(TEXT),
    "options": Key(TABLE),
}
_RECORDING: Keys = {
    **_STREAM,
    "path": Key(TEXT, required=True),
    "format": _FORMAT,
    "speed": Key(either(MAX, NUMBER)),
    "rows_per_batch": Key(COUNT),
    "sort": Key(FLAG),
    "glob": Key(TEXT),
    "options": Key(TEXT_TABLE),
    "cache": Key(TEXT),
    "partitions": Key(COUNT),
}
_GENERATOR: Keys = {
    **_STREAM,
    "time": Key(TEXT),  # the generator's columns are known: ts unless told
    "rows_per_second": Key(NUMBER),
    "keys": Key(COUNT),
    "key_skew": Key(NUMBER),
    "values": Key(TABLE),
    "disorder": Key(TABLE),
    "seed": Key(WHOLE),
    "start": Key(INSTANT),
    "total_rows": Key(WHOLE),
    "rows_per_batch": Key(COUNT),
    "speed": Key(NUMBER),
    "partitions": Key(COUNT),
}
_VALUES: Keys = {
    "distribution": Key(one_of(*VALUES)),
    "mean": Key(NUMBER),
    "spread": Key(NUMBER),
}
_DELAYS: Keys = {
    "late": Key(NUMBER),
    "delay": Key(one_of(*DELAYS)),
    "scale": Key(DURATION),
    "shape": Key(NUMBER),
    "cap": Key(DURATION),
    "drift": Key(NUMBER),
}
_DISORDER: Keys = {**_DELAYS, "burst": Key(TABLE), "gaps": Key(TABLES), "regimes": Key(TABLES)}
_REGIME: Keys = {"start": Key(DURATION, required=True), **_DELAYS}
_GAP: Keys = {"start": Key(DURATION, required=True), "length": Key(DURATION, required=True)}
_BURST: Keys = {
    "every": Key(DURATION, required=True),
    "length": Key(DURATION, required=True),
    "factor": Key(NUMBER, required=True),
}

Build = Callable[[dict[str, Any], Path, str, list[Problem]], Source]


def read_source(name: str, value: Any, base: Path, problems: list[Problem]) -> Stream | None:
    """The stream of a ``[source.NAME]`` table, ``None`` if something is wrong with it."""
    where = f"source.{name}"
    before = len(problems)
    kind = value.get("kind") if isinstance(value, dict) else None
    if kind is not None and (not isinstance(kind, str) or kind not in KINDS):
        hint = suggestion(str(kind), KINDS)
        problems.append(Problem("KEY_TYPE", f"{where}.kind", f"no source is {kind!r}", hint))
        return None
    keys, build = KINDS[kind] if kind else (_STREAM, _files)
    if kind is None and isinstance(value, dict):
        value = {key: value[key] for key in value if key in keys}  # the rest depends on the kind
    given = read_table(value, keys, where, problems)
    if len(problems) > before:
        return None
    try:
        source = build(given, base, where, problems)
        return None if len(problems) > before else _stream(name, source, given)
    except SlackwaterError as error:
        problems.append(Problem(error.condition, where, error.message, error.hint))
        return None


def _stream(name: str, source: Source, given: dict[str, Any]) -> Stream:
    ahead = given.get("max_ahead", "1 day")
    return stream(
        name,
        source,
        time=given.get("time", "ts"),
        arrival=given.get("arrival"),
        max_ahead=None if ahead == ANY else ahead,
    )


def located(path: str, base: Path) -> str:
    """A path of the document: relative ones start at the document's folder."""
    return path if is_remote(path) else str(base / Path(path.removeprefix("file://")).expanduser())


def _options(given: dict[str, Any], keys: Keys) -> dict[str, Any]:
    return {name: value for name, value in given.items() if name not in keys}


def _files(given: dict[str, Any], base: Path, where: str, problems: list[Problem]) -> Source:
    return files(**{**_options(given, _STREAM), "path": located(given["path"], base)})


def _recording(given: dict[str, Any], base: Path, where: str, problems: list[Problem]) -> Source:
    options = _options(given, _STREAM)
    options["path"] = located(given["path"], base)
    if "cache" in given:
        options["cache"] = located(given["cache"], base)
    if given.get("speed") == MAX:
        options["speed"] = None
    return recording(**options, time=given["time"], arrival=given.get("arrival"))


def _generator(given: dict[str, Any], base: Path, where: str, problems: list[Problem]) -> Source:
    options = _options(given, _STREAM)
    if "values" in given:
        options["values"] = Values(
            **read_table(given["values"], _VALUES, f"{where}.values", problems)
        )
    if "disorder" in given:
        options["disorder"] = _disorder(given["disorder"], f"{where}.disorder", problems)
    return generator(**options)


def _disorder(value: dict[str, Any], where: str, problems: list[Problem]) -> Disorder:
    before = len(problems)
    given = read_table(value, _DISORDER, where, problems)
    burst = given.pop("burst", None)
    if burst is not None:
        burst = read_table(burst, _BURST, f"{where}.burst", problems)
    gaps = _each(given.pop("gaps", []), _GAP, f"{where}.gaps", problems)
    regimes = _each(given.pop("regimes", []), _REGIME, f"{where}.regimes", problems)
    if len(problems) > before:
        return Disorder()  # never used: the problems are told instead
    return Disorder.of(
        **given,
        burst=None if burst is None else Burst.of(**burst),
        gaps=[Gap.of(**gap) for gap in gaps],
        regimes=[(regime.pop("start"), Disorder.of(**regime)) for regime in regimes],
    )


def _each(
    values: list[Any], keys: Keys, where: str, problems: list[Problem]
) -> list[dict[str, Any]]:
    return [
        read_table(value, keys, f"{where}[{number}]", problems)
        for number, value in enumerate(values, start=1)
    ]


KINDS: dict[str, tuple[Keys, Build]] = {
    "files": (_FILES, _files),
    "generator": (_GENERATOR, _generator),
    "recording": (_RECORDING, _recording),
}
