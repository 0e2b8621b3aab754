"""Plans that were good before, with what was known then (Zhu 2006, ch. 26: query logging).

Streams repeat themselves: what a morning is like was seen on other mornings. Where not all plans
can be compared, the ones that proved themselves in the most similar times are looked at, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, log

from slackwater.plan.tree import JoinNode

SHELVES = 16  # plans that are remembered
LEAST = 1e-12


@dataclass(frozen=True, slots=True)
class Entry:
    """A plan, and the rates and shares under which it was good."""

    tree: JoinNode
    signature: dict[str, float]


Library = tuple[Entry, ...]


def added(library: Library, tree: JoinNode, signature: Mapping[str, float]) -> Library:
    """With a plan that has proved itself, newest first; the oldest are forgotten."""
    others = [entry for entry in library if entry.tree != tree]
    return (Entry(tree, dict(signature)), *others)[:SHELVES]


def nearest(library: Library, signature: Mapping[str, float]) -> Entry | None:
    """The plan of the most similar time."""
    return min(library, key=lambda entry: distance(entry.signature, signature), default=None)


def distance(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """How far two times differ: the largest factor between rates or shares, as a logarithm."""
    if one.keys() != other.keys():
        return inf
    apart = (abs(log(max(one[key], LEAST) / max(other[key], LEAST))) for key in one)
    return max(apart, default=0.0)
