"""What is known of the join of a query, from rates and from selectivities of pairs of inputs.

Columns that are all equal are one predicate, however many inputs have one of them: who equals the
second equals the first. Of three inputs by one key two selectivities count, not three. By numbers
of distinct values, a pair keeps one in as many as the larger one has, all three one in the product
of the two larger ones: what the least selective pairs give that connect them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod

from slackwater.errors import SlackwaterError
from slackwater.optimize.known import Known, members
from slackwater.plan.graph import JoinGraph
from slackwater.units import SECOND

Pair = frozenset[str]
Shares = Mapping[Pair, float]


@dataclass(frozen=True, slots=True)
class Link:
    """Inputs that a predicate connects, and what it keeps of each pair of them.

    ``is_class``: any two of them alone are connected, and enough pairs to connect all say it all.
    """

    some: int
    shares: dict[int, float]
    is_class: bool

    def share(self, some: int) -> float:
        """What is kept of a set of inputs, as far as this predicate goes."""
        if not self.is_class:
            return prod(self.shares.values()) if some & self.some == self.some else 1.0
        inside = some & self.some
        pairs = [(kept, pair) for pair, kept in self.shares.items() if pair & inside == pair]
        return prod(kept for kept, _ in spanning(pairs, inside))


def spanning(pairs: Iterable[tuple[float, int]], some: int) -> list[tuple[float, int]]:
    """Pairs that connect a set, those that keep most first."""
    groups = {number: 1 << number for number in members(some)}
    chosen = []
    for kept, pair in sorted(pairs, reverse=True):
        a, b = members(pair)
        if not groups[a] & groups[b]:
            both = groups[a] | groups[b]
            groups |= dict.fromkeys(members(both), both)
            chosen.append((kept, pair))
    return chosen


def known_of(graph: JoinGraph, rates: Mapping[str, float], shares: Shares) -> Known:
    """Rows in a second of each input, and shares of pairs, as what plans are compared by."""
    _check(graph, rates, shares)
    arriving = tuple(float(rates[name]) for name in graph.names)
    held = tuple(rates[name] * graph.patience(name) / SECOND for name in graph.names)
    return Known(graph.names, arriving, held, share_of(graph, shares), edges_of(graph))


def share_of(graph: JoinGraph, shares: Shares) -> Callable[[int], float]:
    """What is kept of a set of inputs, from what is kept of pairs."""
    place = {name: 1 << number for number, name in enumerate(graph.names)}
    left = dict(shares)
    links = [_class({name for name, _ in found}, place, left) for found in graph.classes]
    for predicate in graph.predicates:
        some = sum(place[name] for name in predicate.inputs)
        kept = left.pop(predicate.inputs, 1.0) if len(predicate.inputs) == 2 else 1.0
        links.append(Link(some, {some: kept}, is_class=False))
    cached: dict[int, float] = {}

    def share(some: int) -> float:
        if some not in cached:
            cached[some] = prod(link.share(some) for link in links)
        return cached[some]

    return share


def edges_of(graph: JoinGraph) -> tuple[int, ...]:
    """The pairs of inputs that a predicate connects, as sets."""
    place = {name: 1 << number for number, name in enumerate(graph.names)}
    return tuple(sum(place[name] for name in pair) for pair in connected(graph))


def _class(names: set[str], place: Mapping[str, int], left: dict[Pair, float]) -> Link:
    """Columns that are equal: a pair nobody spoke of keeps what the narrowest on its way does."""
    told = {pair: left.pop(pair) for pair in _pairs(sorted(names)) if pair in left}
    shares = {sum(place[name] for name in pair): kept for pair, kept in told.items()}
    some = sum(place[name] for name in names)
    tree = spanning([(kept, pair) for pair, kept in shares.items()], some)
    for a, b in combinations(members(some), 2):
        pair = 1 << a | 1 << b
        shares.setdefault(pair, _narrowest(tree, a, b))
    return Link(some, shares, is_class=True)


def _narrowest(tree: Sequence[tuple[float, int]], start: int, end: int) -> float:
    """The most selective pair on the way through a tree; nothing is lost where there is no way."""
    best = {start: 1.0}
    waiting = [start]
    while waiting:
        here = waiting.pop()
        for kept, pair in tree:
            if pair >> here & 1:
                [other] = members(pair & ~(1 << here))
                if other not in best:
                    best[other] = min(best[here], kept)
                    waiting.append(other)
    return best.get(end, 1.0)


def _pairs(names: Sequence[str]) -> list[Pair]:
    return [frozenset(pair) for pair in combinations(names, 2)]


def connected(graph: JoinGraph) -> list[Pair]:
    """Pairs of inputs that a predicate connects."""
    return graph.pairs()


def _check(graph: JoinGraph, rates: Mapping[str, float], shares: Shares) -> None:
    names = ", ".join(graph.names)
    for name in rates:
        if name not in graph.names:
            raise _bad(f"there is no input {name!r}", f"the inputs are {names}")
    for name in graph.names:
        if name not in rates:
            raise _bad(f"the rate of {name!r} is missing", "give rows in a second of every input")
        if not rates[name] > 0:
            raise _bad(f"the rate of {name!r} is {rates[name]:g}", "it must be above 0")
    offered = connected(graph)
    for pair, kept in shares.items():
        shown = "-".join(sorted(pair))
        if pair not in offered:
            known = ", ".join("-".join(sorted(one)) for one in offered)
            raise _bad(f"no predicate connects {shown}", f"those that are: {known}")
        if not 0 <= kept <= 1:
            raise _bad(f"the selectivity of {shown} is {kept:g}", "it is a share, between 0 and 1")


def _bad(message: str, hint: str) -> SlackwaterError:
    return SlackwaterError("STATISTICS_INVALID", message, hint)
