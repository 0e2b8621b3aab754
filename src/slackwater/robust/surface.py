"""The cost of a plan as a surface over selectivities, fitted to samples (spec robust 1.5.1, Eq. 1).

A product of selectivities for every set of operators, the same with their logarithms, and a
constant: 2^(n+1) - 1 terms of n operators.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import log, prod
from random import Random
from typing import Literal

import numpy as np

from slackwater.errors import SlackwaterError

Part = Literal["selection", "projection", "join", "sort"]
Logarithm = Literal["plain", "above_one"]
PROBES = 200  # pairs of points at which a surface is looked at


@dataclass(frozen=True, slots=True)
class Term:
    """A product over some operators, with or without logarithms; over none it is the constant."""

    operators: tuple[int, ...] = ()
    has_logarithms: bool = False

    def value(self, point: Sequence[float], logarithm: Logarithm) -> float:
        if not self.has_logarithms:
            return prod(point[number] for number in self.operators)
        add = 1.0 if logarithm == "above_one" else 0.0
        return prod(point[n] * (log(add + point[n]) if point[n] else 0.0) for n in self.operators)


def all_terms(count: int) -> tuple[Term, ...]:
    """All terms over so many operators.

    >>> len(all_terms(2))
    7
    """
    sets = [s for size in range(1, count + 1) for s in combinations(range(count), size)]
    plain, logs = [Term(s) for s in sets], [Term(s, True) for s in sets]
    return (*plain, *logs, Term())


def terms_of(parts: Sequence[Part]) -> tuple[Term, ...]:
    """The terms that the operators of a plan need: joins their product, sorts their logarithms."""
    active = [n for n, part in enumerate(parts) if part != "projection"]
    joins = [n for n, part in enumerate(parts) if part == "join"]
    found = [Term((n,)) for n in active]
    found += [Term(pair) for pair in combinations(joins, 2)]
    found += [Term((n,), True) for n, part in enumerate(parts) if part == "sort"]
    return (*found, Term())


@dataclass(frozen=True, slots=True)
class Surface:
    """A cost by its coefficients. ``above_one`` takes log(1 + σ): of shares log σ is negative."""

    terms: tuple[Term, ...]
    coefficients: tuple[float, ...]
    logarithm: Logarithm = "above_one"

    def cost(self, point: Sequence[float]) -> float:
        parts = zip(self.terms, self.coefficients, strict=True)
        return sum(factor * term.value(point, self.logarithm) for term, factor in parts)


def fit(
    terms: Sequence[Term],
    samples: Iterable[tuple[Sequence[float], float]],
    logarithm: Logarithm = "above_one",
) -> Surface:
    """The surface through samples of a plan's cost, by least squares."""
    points, costs = zip(*samples, strict=True)
    rows = np.array([[term.value(point, logarithm) for term in terms] for point in points])
    found = np.linalg.lstsq(rows, np.array(costs), rcond=None)[0]
    return Surface(tuple(terms), tuple(float(value) for value in found), logarithm)


def check_monotone(
    surface: Surface, lo: Sequence[float], hi: Sequence[float], seed: int = 0
) -> None:
    """Refuse a surface that falls where a selectivity rises: what is robust is read off corners.

    Looked at are the corners of a space, pair by pair, and points at random.
    """
    draw, size = Random(seed), len(lo)
    pairs = [
        ([hi[n] if c >> n & 1 else lo[n] for n in range(size)], axis)
        for c in range(1 << size)
        for axis in range(size)
        if not c >> axis & 1
    ]
    steps = [(point, [*point[:axis], hi[axis], *point[axis + 1 :]]) for point, axis in pairs]
    for _ in range(PROBES):
        one = [draw.uniform(a, b) for a, b in zip(lo, hi, strict=True)]
        steps.append((one, [draw.uniform(a, b) for a, b in zip(one, hi, strict=True)]))
    for low, high in steps:
        below, above = surface.cost(low), surface.cost(high)
        if below > above + 1e-9 * abs(above):
            shown = f"{[round(x, 4) for x in low]} and {[round(x, 4) for x in high]}"
            message = f"the cost falls from {below:g} to {above:g} between {shown}"
            raise SlackwaterError("COST_NOT_MONOTONE", message, "take log(1 + σ), or more samples")
