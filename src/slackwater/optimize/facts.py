"""What was measured of a running join: how much comes, is held, and how much of it meets.

Rates are means that fade. What a pair of inputs keeps is found out on a few new rows, among those
that the other input holds. A combination that the plan in force makes is counted; where that
differs from what the pairs let expect, all larger combinations are expected to differ as much.
Rows that are held met each other when they came: what they make follows what new rows make only as
they are replaced.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import prod

from slackwater.optimize.known import Known
from slackwater.optimize.statistics import Pair, connected, edges_of, share_of
from slackwater.plan.graph import JoinGraph

FADING = 0.5  # the weight of what was known of rates, with every batch
FORGETTING = 0.25  # the same of pairs and combinations, whenever they are counted
LEAST = 0.5  # found where nothing was: what is rare is not impossible


@dataclass(frozen=True, slots=True)
class Sample:
    """What a batch of a join came to, as far as plans are compared by it.

    ``seconds`` were spent on it by the plan ``tree``. ``pairs`` would be made of all its new rows,
    judged by some of them; ``made`` are the combinations that the plan made. Both by the names of
    their inputs, as `named` writes them.
    """

    tree: str
    seconds: float
    pairs: dict[str, float] = field(default_factory=dict)
    made: dict[str, int] = field(default_factory=dict)

    def __add__(self, other: Sample) -> Sample:
        """Of two tasks that work at the same time, the longer one counts."""
        return Sample(
            self.tree,
            max(self.seconds, other.seconds),
            _sums(self.pairs, other.pairs),
            _sums(self.made, other.made),
        )


@dataclass(frozen=True, slots=True)
class Count:
    """How many were found, and how many there could have been."""

    found: float = 0.0
    possible: float = 0.0

    @property
    def share(self) -> float:
        return (self.found + LEAST) / (self.possible + LEAST)

    def after(self, found: float, possible: float) -> Count:
        return Count(FORGETTING * self.found + found, FORGETTING * self.possible + possible)


@dataclass(frozen=True, slots=True)
class Facts:
    """By input: rows of the newest batch, of a batch on average, rows held and bytes of a row; what
    was counted of pairs; by combination how many there were beside how many were expected.

    ``among`` is what pairs keep among rows that are held, of whatever time; ``growing`` are the
    rows by which what is held grows with a batch.
    """

    fresh: dict[str, int] = field(default_factory=dict)
    rates: dict[str, float] = field(default_factory=dict)
    held: dict[str, int] = field(default_factory=dict)
    widths: dict[str, float] = field(default_factory=dict)
    pairs: dict[str, Count] = field(default_factory=dict)
    made: dict[str, Count] = field(default_factory=dict)
    among: dict[str, float] = field(default_factory=dict)
    growing: dict[str, float] = field(default_factory=dict)

    def came(
        self, fresh: Mapping[str, int], held: Mapping[str, int], widths: Mapping[str, float]
    ) -> Facts:
        """With the rows of a batch, and those that are held when it begins."""
        rates = {
            name: rows + FADING * (self.rates.get(name, rows) - rows)
            for name, rows in fresh.items()
        }
        known = self.widths | {name: width for name, width in widths.items() if width}
        growing = {name: self._growing(name, rows) for name, rows in held.items()}
        found = replace(
            self, fresh=dict(fresh), rates=rates, held=dict(held), widths=known, growing=growing
        )
        return found.aged(fresh)

    def _growing(self, name: str, held: int) -> float:
        now = float(held - self.held.get(name, 0))
        return now + FADING * (self.growing.get(name, now) - now)

    def growth(self, name: str, batches: int) -> float:
        """By what factor more will be held of an input after so many batches, if it grows on."""
        held = self.held.get(name, 0)
        return 1 + batches * max(0.0, self.growing.get(name, 0.0)) / held if held else 1.0

    def swing(self, before: Mapping[str, float]) -> float:
        """By what factor the rate of an input differs from what it was, at most.

        An input from which nothing comes is no news: it may come by turns.
        """
        both = [(rate, before.get(name, 0.0)) for name, rate in self.rates.items()]
        return max((max(now / was, was / now) for now, was in both if now and was), default=1.0)

    def aged(self, fresh: Mapping[str, float]) -> Facts:
        """With so many rows more among those that are held, which meet as the newest ones do."""
        among = dict(self.among)
        for key, count in self.pairs.items():
            old = 1.0
            for name in names_of(key):
                came, held = fresh.get(name, 0), self.held.get(name, 0)
                old *= held / (came + held) if came + held else 1.0
            among[key] = count.share + old * (among.get(key, count.share) - count.share)
        return replace(self, among=among)

    def learned(self, sample: Sample, expected: Mapping[str, float]) -> Facts:
        """With what a batch came to; ``expected`` are the combinations by pairs alone."""
        pairs, made = dict(self.pairs), dict(self.made)
        for name, found in sample.pairs.items():
            one, other = names_of(name)
            possible = float(self.fresh.get(one, 0) * self.held.get(other, 0))
            key = named({one, other})
            pairs[key] = pairs.get(key, Count()).after(found, possible)
        for name, found in sample.made.items():
            if name in expected:
                possible = expected[name] * self.revised(pairs, set(names_of(name)))
                made[name] = made.get(name, Count()).after(found, possible)
        return replace(self, pairs=pairs, made=made)

    def revised(self, pairs: Mapping[str, Count], names: set[str]) -> float:
        """By what factor more of a combination is expected, now that pairs are known anew."""
        return prod(
            count.share / self.pairs[key].share
            for key, count in pairs.items()
            if key in self.pairs and self.pairs[key].share > 0 and names.issuperset(names_of(key))
        )

    def is_enough(self, graph: JoinGraph) -> bool:
        """Whether plans can be compared: every input has come, every pair was looked at."""
        flowing = all(self.rates.get(name) and self.held.get(name) for name in graph.names)
        return flowing and all(named(pair) in self.pairs for pair in connected(graph))

    def signature(self, graph: JoinGraph) -> dict[str, float]:
        """Rates and shares: what a time is like."""
        shares = {named(pair): share for pair, share in self.shares(graph).items()}
        return {name: self.rates.get(name, 0.0) for name in graph.names} | shares

    def shares(self, graph: JoinGraph) -> dict[Pair, float]:
        return {
            pair: self.pairs[named(pair)].share
            for pair in connected(graph)
            if named(pair) in self.pairs
        }

    def stock(self, graph: JoinGraph) -> Known:
        """What rows that are held make with each other."""
        shares = {
            pair: self.among[named(pair)] for pair in connected(graph) if named(pair) in self.among
        }
        return self._known(graph, self.rates, share_of(graph, shares))

    def expectation(self, graph: JoinGraph) -> Known:
        """What is known by pairs alone, of a batch like the newest one."""
        return self._known(graph, self.fresh, share_of(graph, self.shares(graph)))

    def newest(self, graph: JoinGraph) -> Known:
        """All that is known, of a batch like the newest one."""
        return self._known(graph, self.fresh, self._corrected(graph))

    def known(self, graph: JoinGraph) -> Known:
        """All that is known, of a batch as they are on average."""
        return self._known(graph, self.rates, self._corrected(graph))

    def _known(
        self, graph: JoinGraph, rates: Mapping[str, float], share: Callable[[int], float]
    ) -> Known:
        arriving = tuple(float(rates.get(name, 0)) for name in graph.names)
        held = tuple(
            self.held.get(name, 0) + rates.get(name, 0) for name in graph.names
        )  # new rows meet new ones, too
        return Known(graph.names, arriving, held, share, edges_of(graph))

    def _corrected(self, graph: JoinGraph) -> Callable[[int], float]:
        """By pairs, times what larger combinations were found to have more or less than that."""
        plain = share_of(graph, self.shares(graph))
        place = {name: 1 << number for number, name in enumerate(graph.names)}
        factors = sorted(
            (
                (sum(place[name] for name in names_of(key)), count.share)
                for key, count in self.made.items()
            ),
            key=lambda one: (-one[0].bit_count(), one[0]),
        )

        def share(some: int) -> float:
            largest = next((f for inside, f in factors if inside & some == inside), 1.0)
            return plain(some) * largest

        return share


def named(names: Pair | set[str]) -> str:
    """A set of inputs as a text."""
    return in_turn(*sorted(names))


def in_turn(*names: str) -> str:
    """Inputs as a text, in this order; they may be called anything."""
    return json.dumps(names)


def names_of(text: str) -> list[str]:
    """The inputs that a text names."""
    return list(json.loads(text))


def _sums(one: Mapping[str, float], other: Mapping[str, float]) -> dict:  # type: ignore[type-arg]
    return {key: one.get(key, 0) + other.get(key, 0) for key in {**one, **other}}
