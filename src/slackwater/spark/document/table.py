"""A table of a document against what is allowed in it; every problem is told, none raised."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from difflib import get_close_matches
from typing import Any

from slackwater.errors import Problem, SlackwaterError
from slackwater.units import duration


@dataclass(frozen=True, slots=True)
class Kind:
    """What a value may be: in words, and as a test."""

    wanted: str
    accepts: Callable[[Any], bool]


@dataclass(frozen=True, slots=True)
class Key:
    """A key of a table."""

    kind: Kind
    required: bool = False


Keys = Mapping[str, Key]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def is_duration(value: Any) -> bool:
    """Whether a value can be read as a duration."""
    try:
        return isinstance(value, str | int | float) and duration(value) is not None
    except SlackwaterError:
        return False


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(v, str) for v in value)


def _is_text_table(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(v, str) for v in value.values())


def _is_tables(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(v, dict) for v in value)


ANYTHING = Kind("anything", lambda _: True)
TEXT = Kind("text", lambda v: isinstance(v, str) and bool(v))
NUMBER = Kind("a number", _is_number)
WHOLE = Kind("a whole number", _is_whole)
COUNT = Kind("a whole number above 0", lambda v: _is_whole(v) and v > 0)
FLAG = Kind("true or false", lambda v: isinstance(v, bool))
DURATION = Kind('a duration such as "10 seconds" (a number is seconds)', is_duration)
TEXTS = Kind("text or a list of texts", lambda v: isinstance(v, str) or _is_texts(v))
TEXT_TABLE = Kind('a table of texts, e.g. { name = "..." }', _is_text_table)
INSTANT = Kind("an instant", lambda v: isinstance(v, str | datetime))
TABLE = Kind("a table", lambda v: isinstance(v, dict))
TABLES = Kind("a list of tables", _is_tables)


def one_of(*words: str) -> Kind:
    """One of some words."""
    return Kind(f"one of {', '.join(words)}", lambda v: v in words)


def either(word: str, kind: Kind) -> Kind:
    """A word, or something else."""
    return Kind(f'{kind.wanted}, or "{word}"', lambda v: v == word or kind.accepts(v))


def read_table(value: Any, keys: Keys, where: str, problems: list[Problem]) -> dict[str, Any]:
    """The sound values of a table; whatever is wrong with it is added to ``problems``."""
    if not isinstance(value, dict):
        problems.append(Problem("KEY_TYPE", where, f"got {value!r}, wanted a table"))
        return {}
    problems += [_unknown(name, keys, where) for name in value if name not in keys]
    problems += [
        _missing(name, key, where)
        for name, key in keys.items()
        if key.required and name not in value
    ]
    sound = {}
    for name in (n for n in value if n in keys):
        if keys[name].kind.accepts(value[name]):
            sound[name] = value[name]
        else:
            wanted = keys[name].kind.wanted
            at = f"{where}.{name}"
            problems.append(Problem("KEY_TYPE", at, f"got {value[name]!r}, wanted {wanted}"))
    return sound


def _missing(name: str, key: Key, where: str) -> Problem:
    return Problem("KEY_MISSING", f"{where}.{name}", f"is missing; it is {key.kind.wanted}")


def _unknown(name: str, keys: Keys, where: str) -> Problem:
    hint = suggestion(name, keys)
    return Problem("KEY_UNKNOWN", f"{where}.{name}", "there is no such key", hint)


def suggestion(word: str, allowed: Iterable[str]) -> str:
    """What may be written instead, the likeliest first."""
    names = list(allowed)
    near = get_close_matches(word, names, n=1)
    guess = f"did you mean {near[0]!r}? " if near else ""
    return f"{guess}allowed here: {', '.join(names)}"


def texts(value: str | list[str] | None) -> tuple[str, ...]:
    """One text or several as several."""
    if value is None:
        return ()
    return (value,) if isinstance(value, str) else tuple(value)
