"""Queries as one plan: selections first, common ones shared, those in a row made one.

Reference: Ji 2018, ch. 5 (global query plan). A query is written with its selections wherever its
author put them; those on one input stream move in front of the window, across joins too. One over
several streams, or over a result, stays behind.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from slackwater.errors import SlackwaterError
from slackwater.share.tree import Operator, filtered, source, window

AND = " AND "


@dataclass(frozen=True, slots=True)
class Stream:
    """A stream that a query reads."""

    name: str


@dataclass(frozen=True, slots=True)
class Selection:
    """Rows that a predicate keeps; ``stream`` is the one whose columns it reads, if it is one."""

    predicate: str
    over: Step
    stream: str | None = None


@dataclass(frozen=True, slots=True)
class Windowed:
    """The aggregate of one input, or the join of several."""

    inputs: tuple[Step, ...]


Step = Stream | Selection | Windowed


@dataclass(frozen=True, slots=True)
class SharedPlan:
    """A tree for each source, and the selections that had to stay behind a query's window."""

    trees: Mapping[str, Operator]
    behind: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


Conjuncts = dict[str, frozenset[str]]
"""Predicates on the rows of a stream, by query."""


def global_plan(queries: Mapping[str, Step]) -> SharedPlan:
    """One plan of all queries, by their names.

    >>> hot = Selection("temp > 30", Stream("s"), "s")
    >>> plan = global_plan({"a": Windowed((hot,)), "b": Windowed((hot,))})
    >>> [operator.name for operator in plan.trees["s"].walk()]
    ['s', 's: temp > 30', 'a', 'b']
    """
    wanted: dict[str, Conjuncts] = {}
    behind: dict[str, tuple[str, ...]] = {}
    for query, step in queries.items():
        inputs, left = hoisted(query, step)
        behind |= {query: left} if left else {}
        for stream, predicates in inputs.items():
            wanted.setdefault(stream, {})[query] = predicates
    trees = {name: source(name, *_shared(name, asked)) for name, asked in wanted.items()}
    return SharedPlan(trees, behind)


def hoisted(query: str, step: Step) -> tuple[Conjuncts, tuple[str, ...]]:
    """Predicates by input stream, and those that cannot move to one."""
    streams: dict[str, set[str]] = {}
    for one in _steps(step):
        if isinstance(one, Stream):
            if one.name in streams:
                raise SlackwaterError(
                    "SHARING_INVALID",
                    f"query {query!r} reads {one.name!r} twice",
                    "give the second reading a name of its own",
                )
            streams[one.name] = set()
    behind: list[str] = []
    for one in _steps(step):
        if isinstance(one, Selection):
            home = one.stream if _may_move(one) else None
            if home is not None and home not in streams:
                raise SlackwaterError(
                    "SHARING_INVALID",
                    f"query {query!r} selects {one.predicate!r} on {home!r}, a stranger to it",
                    f"it reads {', '.join(sorted(streams))}",
                )
            behind += [one.predicate] if home is None else []
            if home is not None:
                streams[home].add(one.predicate)
    return {name: frozenset(found) for name, found in streams.items()}, tuple(behind)


def _may_move(selection: Selection) -> bool:
    """A row of a join has the columns of its streams; one of an aggregate has others."""
    below = [one for one in _steps(selection.over) if isinstance(one, Windowed)]
    return all(len(one.inputs) > 1 for one in below)


def _steps(step: Step) -> Iterator[Step]:
    yield step
    if isinstance(step, Selection):
        yield from _steps(step.over)
    elif isinstance(step, Windowed):
        for one in step.inputs:
            yield from _steps(one)


def _shared(above: str, asked: Conjuncts) -> Iterator[Operator]:
    """Children below an operator: the predicate that most queries have first, then the rest.

    What only one query asks of its rows is one filter, however many predicates it has; so is what
    the same queries ask.
    """
    counts = Counter(predicate for predicates in asked.values() for predicate in predicates)
    if counts:
        most = min(counts, key=lambda one: (-counts[one], one))
        inside = {query: found for query, found in asked.items() if most in found}
        fused = frozenset.intersection(*inside.values())
        name = f"{above}: {AND.join(sorted(fused))}"
        rest = {query: found - fused for query, found in inside.items()}
        yield filtered(name, *_shared(name, rest))
        asked = {query: found for query, found in asked.items() if query not in inside}
        yield from _shared(above, asked)
    else:
        for query in sorted(asked):
            yield window(query)
