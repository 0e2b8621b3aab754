"""Names of columns: which of them people may give, and when two are the same.

Columns of the engine's own begin with ``__`` and stand beside those of a person, so no column of
a person may. Spark and DuckDB do not tell upper case from lower.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

OURS = "__"
LONGEST_FILE_NAME = 200  # bytes; file systems take 255, and a batch adds to it


def folded(name: str) -> str:
    """What two names share that Spark takes for one.

    >>> folded("Straße") == folded("STRAßE"), folded("ı") == folded("I"), folded("a") == folded("b")
    (True, True, False)
    """
    raised = (c.upper() for c in name)  # as Java compares: one letter at a time, both ways
    return "".join(up if len(up) == 1 else c for c, up in zip(name, raised, strict=True)).lower()


def same_names(names: Iterable[str]) -> list[tuple[str, str]]:
    """Pairs of names that are one name to the engines."""
    seen: dict[str, str] = {}
    return [
        (first, name) for name in names if (first := seen.setdefault(folded(name), name)) != name
    ]


def why_not(name: str) -> str | None:
    """Why nothing can have this name; ``None`` if it can."""
    if not isinstance(name, str) or not name:
        return f"{name!r} is not a name"
    if name.startswith(OURS):
        return f"{name!r} begins with {OURS!r}, as columns of the engine do"
    try:
        name.encode()
    except UnicodeEncodeError:
        return f"{name!r} is not text that can be written"
    return None


def quoted(name: str) -> str:
    """A name as Spark SQL reads it, whatever is in it.

    >>> quoted("a`b")
    '`a``b`'
    """
    return f"`{name.replace('`', '``')}`"


def bare_name(text: str) -> str | None:
    """The name that a text is and nothing else, with or without backticks.

    >>> bare_name(" k "), bare_name("`a b`"), bare_name("`a``b`"), bare_name("a = b")
    ('k', 'a b', 'a`b', None)
    """
    plain = text.strip()
    if plain.isidentifier():
        return plain
    found = re.fullmatch(r"`((?:[^`]|``)+)`", plain)
    return None if found is None else found[1].replace("``", "`")
