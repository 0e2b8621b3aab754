"""The plan as a graph: streams, states, joins, answers, and what flows where."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from slackwater.units import show_duration

Json = dict[str, Any]
Shape = tuple[int, int, int]


def inside(value: Json, key: str) -> Json:
    """The object under a key; an empty one if there is none."""
    found = value.get(key)
    return found if isinstance(found, dict) else {}


def stages_of(told: Json) -> list[Json]:
    """The levels of a query, from the base up."""
    stages = told.get("stages")
    return [s for s in stages if isinstance(s, dict)] if isinstance(stages, list) else []


def window_of(stage: Json) -> Shape | None:
    """Size, slide and offset of a level's windows."""
    window = stage.get("window")
    if not isinstance(window, list) or len(window) != 3 or not all(map(_is_whole, window)):
        return None
    return (window[0], window[1], window[2]) if window[1] > 0 else None


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


@dataclass(frozen=True, slots=True)
class Node:
    """Something that rows flow through.

    ``size`` names the stream, state or query whose numbers belong to it, ``depth`` is its distance
    from the streams, ``shapes`` are the windows that are read from it.
    """

    id: str
    kind: str
    label: str
    detail: str
    size: str
    depth: int
    shapes: tuple[str, ...] = ()


@dataclass(slots=True)
class Graph:
    """Nodes and edges, each once: queries that share a state meet there."""

    states: Json
    nodes: dict[str, Node] = field(default_factory=dict)
    edges: dict[tuple[str, str], None] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)

    def add(self, name: str, streams: Iterable[str], told: Json, contract: str) -> None:
        """Add a query: what its plan says, and in words what it promises."""
        ends = [self._node(f"stream/{stream}", "stream", stream) for stream in streams]
        depth = 0
        if join := inside(told, "join"):
            inputs = inside(join, "inputs").values()
            states = [self._state(str(identity), "", 1) for identity in inputs]
            self._link(zip(ends, states, strict=False))
            emit = f"emits {join['emit']}" if isinstance(join.get("emit"), str) else ""
            ends, depth = [self._node(f"join/{name}", "join", "join", emit, 2)], 2
            self._link((state, ends[0]) for state in states)
        for stage in stages_of(told):
            if "state" in stage:
                depth += 1
                state = self._state(str(stage["state"]), _shown(stage), depth)
                self._link((end, state) for end in ends)
                ends = [state]
        answers = self._node(f"query/{name}", "query", name, contract, depth + 1)
        self._link((end, answers) for end in ends)

    def _state(self, identity: str, shape: str, depth: int) -> str:
        told = inside(self.states, identity)
        keys = ", ".join(inside(told, "keys"))
        label = str(told.get("kind") or "state")
        by = f"by {keys}" if keys else ""
        owner = str(told.get("owner") or identity[:6])
        words = (owner, label, shape, by)
        self.labels.setdefault(identity, " ".join(word for word in words if word))
        name = self._node(f"state/{identity}", "state", label, by, depth)
        node = self.nodes[name]
        if shape and shape not in node.shapes:
            self.nodes[name] = replace(node, shapes=(*node.shapes, shape))
        return name

    def _node(self, name: str, kind: str, label: str, detail: str = "", depth: int = 0) -> str:
        size = name.partition("/")[2]
        self.nodes.setdefault(name, Node(name, kind, label, detail, size, depth))
        return name

    def _link(self, pairs: Iterable[tuple[str, str]]) -> None:
        self.edges.update(dict.fromkeys(pairs))


def _shown(stage: Json) -> str:
    window = window_of(stage)
    if window is None:
        return ""
    size, slide = show_duration(window[0]), show_duration(window[1])
    return size if size == slide else f"{size} every {slide}"
