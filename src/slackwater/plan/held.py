"""Base states: which queries share one, and how those that a checkpoint holds stay as they are.

The identity of a base state follows from what its rows mean and from the partials it keeps. Queries
that are written together share one state with the partials of all. A query that comes later takes
part in a state that has all it needs, and else gets one of its own: what is held is never changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from slackwater.plan.node import meaning_of
from slackwater.plan.partial import Partial
from slackwater.plan.state import State
from slackwater.units import fingerprint

# The queries that a checkpoint knows: the partials of each one's base state, if they are written.
Held = Mapping[str, tuple[Partial, ...] | None]
States = dict[str, State]


def base_states(wanted: States, held: Held) -> States:
    """By query: the base state it reads, given the one that it would need alone."""
    written = {
        name: state
        for name, one in wanted.items()
        if (state := _as_held(one, held.get(name))) is not None
    }
    known = {n: one for n, one in wanted.items() if n in held and n not in written}
    settled = written | _merged(known)
    found = {n: _shared(one, settled.values()) for n, one in wanted.items() if n not in settled}
    shared = {n: one for n, one in found.items() if one is not None}
    alone = {n: one for n, one in wanted.items() if n not in settled | shared}
    return settled | shared | _merged(alone)


def _as_held(state: State, partials: tuple[Partial, ...] | None) -> State | None:
    """The state as it is held; ``None`` if the query needs another one by now."""
    if partials is None or not _parts(state) <= {_part(one) for one in partials}:
        return None
    return identified(replace(state, partials=partials))


def _shared(state: State, others: Iterable[State]) -> State | None:
    """A state that means the same and has all that this one needs."""
    return next(
        (
            other
            for other in others
            if _meaning(other) == _meaning(state) and _parts(state) <= _parts(other)
        ),
        None,
    )


def _merged(states: States) -> States:
    """Those that mean the same become one, with the partials of all."""
    merged: dict[str, State] = {}
    for state in states.values():
        other = merged.get(_meaning(state), state)
        parts = {part.name: part for part in (*other.partials, *state.partials)}
        ordered = tuple(parts[name] for name in sorted(parts))
        merged[_meaning(state)] = identified(replace(state, partials=ordered))
    return {name: merged[_meaning(state)] for name, state in states.items()}


def _part(part: Partial) -> tuple[str, str, str]:
    return part.name, part.sql, part.merge


def _parts(state: State) -> set[tuple[str, str, str]]:
    return {_part(part) for part in state.partials}


def _meaning(state: State) -> str:
    """What rows of this state stand for, apart from which partials are kept."""
    values = sorted(part.sql for part in state.partials if part.is_value)
    return fingerprint(
        [
            state.owner,
            state.kind,
            state.where.sql if state.where else None,
            [[name, value.sql] for name, value in state.keys],
            state.pane,
            state.offset,
            *([values] if values else []),  # a row for each: nothing for those who do not ask
            *([meaning_of(state.lookups)] if state.lookups else []),
        ]
    )


def identified(state: State) -> State:
    """The state under the name that says what its rows mean."""
    parts = sorted([p.name, p.sql, p.merge] for p in state.partials)
    return replace(state, identity=fingerprint([_meaning(state), parts]))
