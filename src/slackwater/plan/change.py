"""A changed set of queries over a checkpoint: what stays, what is new, what goes, what cannot be.

A query is known by its name. What means the same stays; what means something else under a known
name cannot be carried on, as its state and its answers are about the old meaning.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from slackwater.errors import Problem
from slackwater.plan.meaning import differences, is_same

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Known:
    """What a checkpoint remembers of its queries: those in force, and those that are ``gone``.

    Both are what the queries mean, in full and in words; ``gone`` by query.
    """

    meaning: Json
    words: Mapping[str, str] | None = None
    gone: Mapping[str, Json] = field(default_factory=dict)

    @classmethod
    def of(cls, identity: Json) -> Known:
        """As the file of a checkpoint tells it; older ones have no words."""
        return cls(identity.get("meaning", {}), identity.get("words"), identity.get("gone", {}))

    def described(self, query: str) -> Json | None:
        """What a query means, or meant when it was last here."""
        now: Json | None = self.meaning.get("queries", {}).get(query)
        return now if now is not None else self.gone.get(query)


@dataclass(frozen=True, slots=True)
class Change:
    """What another set of queries does to a checkpoint.

    ``refused`` says, part by part, why it cannot be made.
    """

    kept: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    new_streams: tuple[str, ...] = ()
    old_streams: tuple[str, ...] = ()
    refused: tuple[Problem, ...] = ()

    @property
    def is_none(self) -> bool:
        """Whether there are the same queries as before."""
        return not (self.added or self.dropped or self.refused)


def change_of(known: Known, meaning: Json, words: Mapping[str, str]) -> Change:
    """What queries of this ``meaning``, in these ``words``, do to a checkpoint."""
    before, now = known.meaning.get("queries", {}), meaning["queries"]
    streams, given = known.meaning.get("streams", {}), meaning["streams"]
    looks = (_other_streams, _other_tables, _other_queries)
    refused = [problem for look in looks for problem in look(known, meaning, words)]
    if not refused and not before.keys() & now.keys():
        hint = "give it a folder of its own"
        text = f"none of its queries is here; there are: {', '.join(before)}"
        refused = [Problem("CHANGE_WHOLE", "pipeline", text, hint)]
    return Change(
        tuple(name for name in now if name in before),
        tuple(name for name in now if name not in before),
        tuple(name for name in before if name not in now),
        tuple(name for name in given if name not in streams),
        tuple(name for name in streams if name not in given),
        tuple(refused),
    )


def _other_streams(known: Known, meaning: Json, words: Mapping[str, str]) -> Iterator[Problem]:
    for name in meaning["streams"]:
        if name not in known.meaning.get("streams", {}):
            continue
        if not is_same(_stream(known.meaning, name), _stream(meaning, name)):
            text = _told(known, words, f"stream {name!r}")
            hint = "what is counted came from the old one; use a new folder"
            yield Problem("CHANGE_STREAM", f"stream {name!r}", text, hint)


def _other_tables(known: Known, meaning: Json, words: Mapping[str, str]) -> Iterator[Problem]:
    before = known.meaning.get("tables", {})
    for name, columns in meaning.get("tables", {}).items():
        if name in before and before[name] != json.loads(json.dumps(columns)):
            text = _told(known, words, f"table {name!r}")
            hint = "what was looked up has the old columns; give the other table another name"
            yield Problem("CHANGE_TABLE", f"table {name!r}", text, hint)


def _stream(meaning: Json, name: str) -> dict[str, Any]:
    """All of a meaning that is about one stream."""
    sources = meaning.get("sources", {})
    return {
        "streams": {name: meaning["streams"][name]},
        "sources": {name: sources[name]} if name in sources else {},
        "zone": meaning.get("zone"),
    }


def _other_queries(known: Known, meaning: Json, words: Mapping[str, str]) -> Iterator[Problem]:
    for name, query in meaning["queries"].items():
        was = known.described(name)
        if was is None or was == json.loads(json.dumps(query)):
            continue
        if name in known.meaning.get("queries", {}):
            text = _told(known, words, f"query {name!r}")
            hint = "give the changed query another name: it begins beside, or instead of, the old"
        else:
            text = "a query of this name was here, meant something else, and has left its answers"
            hint = "give it another name"
        yield Problem("CHANGE_QUERY", f"query {name!r}", text, hint)


def _told(known: Known, words: Mapping[str, str], part: str) -> str:
    """How a part differs, as people write it."""
    if known.words is None:
        return "it is another one, as far as can be told"
    old, new = ({k: v for k, v in some.items() if _is_of(k, part)} for some in (known.words, words))
    found = differences(old, new)
    return "; ".join(found) or "it reads the same, but this version keeps other state for it"


def _is_of(label: str, part: str) -> bool:
    return label == part or label.startswith(f"{part}, ")
