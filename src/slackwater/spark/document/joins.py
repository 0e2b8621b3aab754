"""``join = [...]`` of a ``[[query]]``: several sources joined."""

from __future__ import annotations

from typing import Any

from slackwater.errors import Problem
from slackwater.query.join import EMITS, join
from slackwater.query.stream import Stream
from slackwater.spark.document.table import (
    FLAG,
    TEXT,
    TEXTS,
    Key,
    Keys,
    Kind,
    is_duration,
    one_of,
    read_table,
    suggestion,
    texts,
)


def _is_within(value: Any) -> bool:
    if isinstance(value, dict):
        return bool(value) and all(is_duration(part) for part in value.values())
    return is_duration(value)


WITHIN = Kind(
    'a duration, or a table of one for each stream or pair, e.g. {"a, b" = "5 s"}', _is_within
)
INPUTS = Kind(
    "a list of sources, or of tables with from, as, where, select", lambda v: isinstance(v, list)
)

JOIN: Keys = {
    "join": Key(INPUTS),
    "on": Key(TEXTS),
    "within": Key(WITHIN),
    "emit": Key(one_of(*EMITS)),
    "order": Key(TEXT),
    "cross": Key(FLAG),
    "how": Key(TEXT),
}
_INPUT: Keys = {
    "from": Key(TEXT, required=True),
    "as": Key(TEXT),
    "where": Key(TEXTS),
    "select": Key(TEXTS),
}


def read_join(
    given: dict[str, Any],
    where: str,
    streams: dict[str, Stream | None],
    problems: list[Problem],
) -> Stream | None:
    """The join of a query table, ``None`` if one of its inputs is broken."""
    inputs = [
        _input(value, f"{where}.join[{number}]", streams, problems)
        for number, value in enumerate(given["join"], start=1)
    ]
    sound = [stream for stream in inputs if stream is not None]
    if len(sound) < len(inputs):
        return None
    terms = {name: given[name] for name in ("emit", "order", "cross", "how") if name in given}
    return join(*sound, on=texts(given.get("on")), within=_within(given.get("within")), **terms)


def _within(value: Any) -> Any:
    """Pairs of streams are written ``"a, b"``."""
    if not isinstance(value, dict) or not any("," in name for name in value):
        return value
    return {tuple(part.strip() for part in name.split(",")): span for name, span in value.items()}


def _input(
    value: Any, where: str, streams: dict[str, Stream | None], problems: list[Problem]
) -> Stream | None:
    given = (
        {"from": value} if isinstance(value, str) else read_table(value, _INPUT, where, problems)
    )
    name = given.get("from")
    if name is None:
        return None
    if name not in streams:
        text, hint = f"there is no [source.{name}]", suggestion(name, streams)
        problems.append(Problem("SOURCE_UNKNOWN", where, text, hint))
        return None
    stream = streams[name]
    if stream is None:
        return None
    for predicate in texts(given.get("where")):
        stream = stream.where(predicate)
    if "select" in given:
        stream = stream.select(*texts(given["select"]))
    return stream.named(given["as"]) if "as" in given else stream
