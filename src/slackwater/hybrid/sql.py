"""A composite as one statement over its ports, which are tables of their names.

Every connected set of R2R operators is a relation over what feeds it, and so a candidate to be
moved (Ji 2018, ch. 6).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from itertools import product

from slackwater.hybrid.algebra import (
    Aggregate,
    Join,
    Project,
    Relation,
    Select,
    Step,
    Window,
    inputs,
    steps,
)
from slackwater.hybrid.cost import Composite


def composite(root: Step, names: AbstractSet[str]) -> Composite:
    """The operators with these names that hang together with a root, and what feeds them."""
    members: list[Step] = []
    ports: list[Relation] = []

    def collect(step: Step) -> None:
        for one in inputs(step):
            if isinstance(one, Window) or one.name not in names:
                ports.extend([] if one in ports else [one])  # read twice, shipped once
            else:
                collect(one)
        members.append(step)

    collect(root)
    return Composite(root, tuple(members), tuple(ports))


def migration_candidates(root: Relation) -> Iterator[Composite]:
    """All of them, smaller before larger at each root."""
    for step in steps(root):
        for names in sorted(_connected(step), key=len):
            yield composite(step, names)


def _connected(step: Step) -> list[frozenset[str]]:
    """Sets of operators that end with this one."""
    below = [
        [frozenset[str](), *(_connected(one) if not isinstance(one, Window) else [])]
        for one in inputs(step)
    ]
    return [frozenset({step.name}).union(*choice) for choice in product(*below)]


def statement(found: Composite) -> str:
    """SQL that gives what the root gives.

    >>> from slackwater.hybrid.algebra import Aggregate, Select, Window
    >>> hot = Select("hot", Window("w", ("id", "t"), 1.0, 60.0, 1.0), "t > 30", 0.1)
    >>> count = Aggregate("n", hot, ("id",), (("rows", "count", "t"),), 5)
    >>> statement(composite(count, {"hot", "n"}))
    'SELECT "id", count(t) AS "rows" FROM (SELECT * FROM "w" WHERE t > 30) GROUP BY "id"'
    """
    inside = {member.name for member in found.members}

    def table(one: Relation) -> str:
        return f"({text(one)})" if _is_step(one) and one.name in inside else _quoted(one.name)

    def text(one: Relation) -> str:
        match one:
            case Select():
                return f"SELECT * FROM {table(one.over)} WHERE {one.predicate}"
            case Project():
                shown = ", ".join(f"{what} AS {_quoted(name)}" for name, what in one.columns)
                return f"SELECT {shown} FROM {table(one.over)}"
            case Aggregate():
                return _aggregate(one, table(one.over))
            case Join():
                return _join(one, table(one.left), table(one.right))
            case Window():
                return f"SELECT * FROM {_quoted(one.name)}"

    return text(found.root)


def _is_step(one: Relation) -> bool:
    return not isinstance(one, Window)


def _aggregate(one: Aggregate, table: str) -> str:
    keys = _listed(one.keys)
    values = ", ".join(f"{what}({of}) AS {_quoted(name)}" for name, what, of in one.values)
    grouped = f" GROUP BY {keys}" if keys else ""
    return f"SELECT {', '.join(filter(None, (keys, values)))} FROM {table}{grouped}"


def _join(one: Join, left: str, right: str) -> str:
    on = " AND ".join(f"l.{_quoted(a)} = r.{_quoted(b)}" for a, b in one.on)
    shown = f"r.* EXCLUDE ({_listed(b for _, b in one.on)})"
    return f"SELECT l.*, {shown} FROM {left} l JOIN {right} r ON {on}"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(_quoted, names))


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
