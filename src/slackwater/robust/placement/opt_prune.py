"""OptPrune: the best placement, without looking where a bound says that none is (robust 2.9).

A vertex of the search is a set of configurations: operators on a node. One more configuration can
only lower the score (Lemma 5.1), so that whatever is not above the best so far is left. The first
operator that has no node is in the next configuration: each placement is met once.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from slackwater.robust.placement.cor_phy import cor_phy
from slackwater.robust.placement.exhaustive import Searched
from slackwater.robust.placement.placement import (
    ROUNDING,
    Demand,
    Placement,
    score_joint,
    score_min,
)

By = Literal["joint", "min"]
SCORES = {"joint": score_joint, "min": score_min}
FULL = 1e-12  # weights that sum to this much less than all are all


def opt_prune(
    demand: Demand,
    by: By = "joint",
    *,
    seconds: float = inf,
    clock: Callable[[], float] = time.monotonic,
) -> Searched:
    """The placement with the best score, beginning from that of CorPhy; in time, or as far as it
    goes.
    """
    start = cor_phy(demand)
    reached = SCORES[by](demand, start)
    if _is_full(demand, reached):
        return Searched(start, reached, 0)
    search = _Search(demand, by, clock() + seconds, clock, start, reached)
    search.descend((1 << demand.operators) - 1, (), search.everything)
    is_finished = search.is_finished or _is_full(demand, search.bound)
    return Searched(search.best, search.bound, search.visited, search.pruned, is_finished)


def _is_full(demand: Demand, score: float) -> bool:
    return score >= sum(demand.weights) - FULL


Chosen = tuple[tuple[int, int], ...]  # configurations: operators as a set of bits, kind of node


@dataclass(slots=True)
class _Search:
    """One search. Of every set of operators and kind of node it is known which plans fit."""

    demand: Demand
    by: By
    until: float
    clock: Callable[[], float]
    best: Placement
    bound: float
    visited: int = 0
    pruned: int = 0
    is_finished: bool = True
    weights: NDArray[Any] = field(init=False)
    kinds: tuple[float, ...] = field(init=False)
    able: list[NDArray[Any]] = field(init=False)
    offered: list[list[NDArray[Any]]] = field(init=False)

    def __post_init__(self) -> None:
        self.weights = np.array(self.demand.weights)
        self.kinds = tuple(sorted(set(self.demand.capacities), reverse=True))
        sums = subset_sums(self.demand.loads)
        self.able = [sums <= kind * (1 + ROUNDING) for kind in self.kinds]
        self.offered = [_by_first(able, self.demand.operators) for able in self.able]

    @property
    def everything(self) -> NDArray[Any]:
        return np.ones(len(self.weights), dtype=bool)

    def descend(self, left: int, chosen: Chosen, able: NDArray[Any], least: float = inf) -> None:
        """Try every configuration with the first operator that is left."""
        first = (left & -left).bit_length() - 1
        free = Counter(self.demand.capacities)
        free.subtract(self.kinds[kind] for _, kind in chosen)
        for kind, capacity in enumerate(self.kinds):
            if free[capacity] <= 0:
                continue
            is_last = free.total() == 1
            sets = self._sets(kind, first, left, is_last=is_last)
            scores = self._scores(kind, sets, able, least)
            for some, score in zip(sets.tolist(), scores.tolist(), strict=True):
                if score <= self.bound:
                    self.pruned += 1
                    continue
                self.visited += 1
                self._enter(left & ~some, (*chosen, (some, kind)), able, score)
                if self._is_over():
                    return

    def _enter(self, left: int, chosen: Chosen, able: NDArray[Any], score: float) -> None:
        some, kind = chosen[-1]
        if left:
            least = score if self.by == "min" else inf
            self.descend(left, chosen, able & self.able[kind][:, some], least)
        else:
            self.best, self.bound = self._placed(chosen), score

    def _is_over(self) -> bool:
        if self.clock() >= self.until:
            self.is_finished = False
        return not self.is_finished or _is_full(self.demand, self.bound)

    def _sets(self, kind: int, first: int, left: int, *, is_last: bool) -> NDArray[Any]:
        if is_last:
            return np.array([left])
        sets = self.offered[kind][first]
        inside: NDArray[Any] = sets[(sets & ~left) == 0]
        return inside

    def _scores(
        self, kind: int, sets: NDArray[Any], able: NDArray[Any], least: float
    ) -> NDArray[Any]:
        each = self.able[kind][:, sets]
        if self.by == "joint":
            each = each & able[:, None]
        scores: NDArray[Any] = np.minimum(weighed(self.weights, each), least)
        return scores

    def _placed(self, chosen: Chosen) -> Placement:
        """Configurations on nodes of their kinds."""
        free = {kind: list(_nodes(self.demand.capacities, kind)) for kind in self.kinds}
        found = [0] * self.demand.operators
        for some, kind in chosen:
            node = free[self.kinds[kind]].pop(0)
            for operator in range(self.demand.operators):
                if some >> operator & 1:
                    found[operator] = node
        return tuple(found)


def weighed(weights: NDArray[Any], able: NDArray[Any]) -> NDArray[Any]:
    """The weight of the plans that fit, by set: one after the other, as they are numbered.

    A product of matrices would round as the processor likes, and what is tied with what, and so the
    placement, would be another one elsewhere.
    """
    found: NDArray[Any] = np.where(able, weights[:, None], 0.0).sum(axis=0)
    return found


def subset_sums(loads: Sequence[Sequence[float]]) -> NDArray[Any]:
    """The load of every set of operators, by plan; a set is the number of its bits."""
    rows = np.array(loads)
    found = np.zeros((len(rows), 1))
    for column in rows.T:
        found = np.concatenate([found, found + column[:, None]], axis=1)
    return found


def _by_first(able: NDArray[Any], operators: int) -> list[NDArray[Any]]:
    """Sets under which some plan fits, by their first operator, large ones first."""
    some = np.flatnonzero(able.any(axis=0))
    some = some[some > 0]
    some = some[np.argsort(-np.bitwise_count(some).astype(int), kind="stable")]
    firsts = some & -some
    return [some[firsts == 1 << number] for number in range(operators)]


def _nodes(capacities: Iterable[float], kind: float) -> Iterable[int]:
    return (node for node, capacity in enumerate(capacities) if capacity == kind)
