"""What is known of a join when its plans are compared: how much comes, is held, and is kept.

A set of inputs is a number whose bits say who is in it, so that all about a set can be looked up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod

from slackwater.plan.tree import Tree


@dataclass(frozen=True, slots=True)
class Known:
    """Rows that ``arrive`` in a unit of time and that are ``held``, by input.

    ``share`` says of a set of inputs how much of its cross product is kept; ``edges`` are the sets
    that a predicate connects.
    """

    names: tuple[str, ...]
    arriving: tuple[float, ...]
    held: tuple[float, ...]
    share: Callable[[int], float]
    edges: tuple[int, ...]
    _sizes: dict[int, float] = field(default_factory=dict, compare=False, repr=False)
    _rates: dict[int, float] = field(default_factory=dict, compare=False, repr=False)
    _near: dict[int, int] = field(default_factory=dict, compare=False, repr=False)

    @property
    def everything(self) -> int:
        return (1 << len(self.names)) - 1

    def set_of(self, tree: Tree) -> int:
        if isinstance(tree, str):
            return 1 << self.names.index(tree)
        return merged([self.set_of(child) for child in tree.children])

    def size(self, some: int) -> float:
        """Combinations of a set that are held."""
        if some not in self._sizes:
            self._sizes[some] = prod(self.held[n] for n in members(some)) * self.share(some)
        return self._sizes[some]

    def rate(self, some: int) -> float:
        """Combinations that are made in a unit of time: each when the last of its rows arrives."""
        if some not in self._rates:
            self._rates[some] = self.share(some) * sum(
                self.arriving[last] * prod(self.held[n] for n in members(some) if n != last)
                for last in members(some)
            )
        return self._rates[some]

    def kept(self, left: int, right: int) -> float:
        """Share of the pairs of two sets that their predicates keep."""
        apart = self.share(left) * self.share(right)
        return self.share(left | right) / apart if apart else 0.0

    def touches(self, left: int, right: int) -> bool:
        """Whether a predicate connects two sets."""
        if left not in self._near:
            self._near[left] = merged([edge for edge in self.edges if edge & left])
        return bool(self._near[left] & right)


def members(some: int) -> Iterator[int]:
    """The numbers of the inputs in a set."""
    number = 0
    while some:
        if some & 1:
            yield number
        some >>= 1
        number += 1


def pairwise(
    rates: Mapping[str, float],
    selectivities: Mapping[tuple[str, str], float],
    window: float | Mapping[str, float] = 1.0,
) -> Known:
    """Predicates between pairs of inputs that know nothing of each other (spec adaptive 3.4)."""
    names = tuple(rates)
    windows = window if isinstance(window, Mapping) else dict.fromkeys(names, window)
    pairs = {
        1 << names.index(one) | 1 << names.index(other): share
        for (one, other), share in selectivities.items()
    }
    known: dict[int, float] = {}

    def share(some: int) -> float:
        if some not in known:
            known[some] = prod(kept for pair, kept in pairs.items() if pair & some == pair)
        return known[some]

    held = tuple(rates[name] * windows[name] for name in names)
    return Known(names, tuple(rates.values()), held, share, tuple(pairs))


def merged(parts: Sequence[int]) -> int:
    """All that are in one of some sets."""
    found = 0
    for part in parts:
        found |= part
    return found
