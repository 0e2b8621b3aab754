"""Join conditions: terms that all must hold, each over the payloads of some streams.

``Equal`` compares a key of two streams and can be probed by hash; ``Where`` is any function.
Reference: Ji 2018, ch. 4 (arbitrary join condition), Zhu 2006 (join graph).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from slackwater.errors import SlackwaterError

Key = Callable[[Any], Hashable]


def _payload(payload: Any) -> Any:
    return payload


@dataclass(frozen=True, slots=True)
class Equal:
    """The keys of two streams are the same; the whole payload is the key by default."""

    left: str
    right: str
    left_key: Key = _payload
    right_key: Key = _payload

    @property
    def streams(self) -> tuple[str, ...]:
        return (self.left, self.right)

    def key_of(self, payloads: Mapping[str, Any]) -> Hashable:
        """The key that a combined tuple brings, by whichever of the two streams it has."""
        if self.left in payloads:
            return self.left_key(payloads[self.left])
        return self.right_key(payloads[self.right])

    def holds(self, payloads: Mapping[str, Any]) -> bool:
        left, right = payloads[self.left], payloads[self.right]
        return self.left_key(left) == self.right_key(right)


@dataclass(frozen=True, slots=True)
class Where:
    """A function of the payloads of some streams, in that order."""

    streams: tuple[str, ...]
    test: Callable[..., bool]

    def __post_init__(self) -> None:
        if len(set(self.streams)) < 2:
            raise SlackwaterError(
                "JOIN_TERM_INVALID",
                f"join condition over {list(self.streams)}",
                "name two streams or more; filter a single stream before the join",
            )

    def holds(self, payloads: Mapping[str, Any]) -> bool:
        return self.test(*(payloads[stream] for stream in self.streams))


Term = Equal | Where


def same_key(streams: Iterable[str], key: Key = _payload) -> tuple[Equal, ...]:
    """A chain of equalities: all streams agree on one key.

    >>> [term.streams for term in same_key(["a", "b", "c"])]
    [('a', 'b'), ('b', 'c')]
    """
    return tuple(Equal(one, other, key, key) for one, other in pairwise(streams))


def closed(terms: Iterable[Term]) -> tuple[Term, ...]:
    """The terms, and an ``Equal`` for every two streams that they make agree on one key.

    A plan may then join any two of them without a cross product.
    """
    known = list(terms)
    ends = [{(t.left, t.left_key), (t.right, t.right_key)} for t in known if isinstance(t, Equal)]
    groups: list[set[tuple[str, Key]]] = []
    for pair in ends:
        touched = [group for group in groups if group & pair]
        groups = [group for group in groups if not group & pair]
        groups.append(pair.union(*touched))
    stated = {term.streams for term in known if isinstance(term, Equal)}
    for group in groups:
        members = sorted(group, key=lambda member: member[0])
        for number, (one, one_key) in enumerate(members):
            for other, other_key in members[number + 1 :]:
                if one != other and not {(one, other), (other, one)} & stated:
                    known.append(Equal(one, other, one_key, other_key))
    return tuple(known)
