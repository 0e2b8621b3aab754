"""Where rows wait: chains of buffers below operators, and what they hold (Ji 2018, ch. 5).

A chain is a run that readers leave at different watermarks: buffer l keeps a row until the clock of
the source has passed it by ``levels[l]``, so that a reader attached there has every row as late as
one buffer of that size would give it. Levels count from the source, buffers above included.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from slackwater.share.tree import Facts, Operator

Levels = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Chain:
    """Buffers below an operator, in the order in which rows pass them.

    Parameters
    ----------
    operator
        The operator whose rows wait.
    above
        How long they have waited when they leave it.
    levels
        How long they have waited when they leave each buffer; ascending, above ``above``.
    targets
        By child the wait at which it reads: one of the levels, or ``above`` if it reads at once.
    """

    operator: str
    above: int
    levels: Levels
    targets: tuple[tuple[str, int], ...]

    @property
    def sizes(self) -> Levels:
        """``K(B_l)`` of each buffer."""
        return tuple(later - before for before, later in pairwise((self.above, *self.levels)))

    @property
    def total(self) -> int:
        return self.levels[-1] - self.above if self.levels else 0

    def place(self, child: str) -> int:
        """``idx_B``: after how many buffers a child reads."""
        wait = dict(self.targets)[child]
        return sum(level <= wait for level in self.levels)

    def waits(self) -> dict[str, int]:
        """``K_a``: accumulated size between the operator and each child."""
        return {child: level - self.above for child, level in self.targets}


@dataclass(frozen=True, slots=True)
class Configuration:
    """All chains behind one source; an operator may have several that do not know each other."""

    chains: tuple[Chain, ...]

    def below(self, operator: str) -> tuple[Chain, ...]:
        return tuple(chain for chain in self.chains if chain.operator == operator)

    @property
    def buffers(self) -> dict[str, Levels]:
        """Sizes of the buffers below each operator that has any."""
        found: dict[str, Levels] = {}
        for chain in self.chains:
            if chain.levels:
                found[chain.operator] = (*found.get(chain.operator, ()), *chain.sizes)
        return found

    def waits(self, root: Operator) -> dict[str, int]:
        """How long the rows of each query wait in all."""
        reads = {child: level for chain in self.chains for child, level in chain.targets}
        return {query: reads[query] for query in root.queries}


Strategy = Callable[[Operator, Facts], Configuration]
"""A way to place buffers, given what is known now."""


def place(root: Operator, facts: Facts, kept: Mapping[str, Levels]) -> Configuration:
    """From the levels that each operator shares to sizes and targets, source first.

    A child reads at its own sharable size, or at the end of the chain: the rest waits further down.
    """
    chains: list[Chain] = []

    def process(operator: Operator, above: int) -> None:
        if operator.kind == "window":
            return
        levels = tuple(level for level in kept[operator.name] if level > above)
        deepest = levels[-1] if levels else above
        targets = tuple(
            (child.name, min(facts.slack(child), deepest)) for child in operator.children
        )
        chains.append(Chain(operator.name, above, levels, targets))
        for child, (_, level) in zip(operator.children, targets, strict=True):
            process(child, level)

    process(root, 0)
    return Configuration(tuple(chains))


def memory(root: Operator, facts: Facts, configuration: Configuration) -> float:
    """Rows that are expected in all buffers: rate times size, for each."""
    rates = {path[-1].name: facts.rate_of(path) for path in _prefixes(root)}
    return sum(rates[chain.operator] * chain.total for chain in configuration.chains)


def _prefixes(root: Operator) -> Iterable[tuple[Operator, ...]]:
    yield (root,)
    for child in root.children:
        for path in _prefixes(child):
            yield (root, *path)
