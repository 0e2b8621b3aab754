"""Where to cut a box: at its centre, or where another plan probably begins (spec robust 2.3).

A point has weight in a dimension if a plan of the corners becomes dear there, and is near to none
of them. Dimensions are weighted one by one, which takes O(d n) instead of O(n^d).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import ceil, floor, inf

from slackwater.robust.box import Box, Lines
from slackwater.robust.optimizer import Counted, Plan

Distance = Callable[[int, int], float]
Weights = Mapping[int, Mapping[int, float]]  # by dimension and line
CLAMP = 0.25  # of a box is left on both sides of a cut; 0 is as printed, and makes slivers


def manhattan(one: int, other: int) -> float:
    return abs(one - other)


def squared(one: int, other: int) -> float:
    """Squared Euclidean."""
    return (one - other) ** 2


@dataclass(frozen=True, slots=True)
class Weighing:
    """How boxes are weighted and cut."""

    distance: Distance = manhattan
    clamp: float = CLAMP


DEFAULT = Weighing()


@dataclass(slots=True)
class Weighted:
    """The weights of a box with the plans of its corners, which its parts may inherit."""

    lower: object
    upper: object
    weights: Weights


def ratio(slope: float, distance: float) -> float:
    """A corner says nothing about itself: there its ratio is infinite, and the other one counts."""
    return inf if distance == 0 else slope / distance


def weights_of(known: Counted[Plan], box: Box, distance: Distance = manhattan) -> Weights:
    """Eq. 3, for all lines inside a box; the other coordinates are those of its centre."""
    lower, upper, middle = known.at(box.lo), known.at(box.hi), box.center
    found: dict[int, dict[int, float]] = {}
    for axis, (lo, hi) in enumerate(zip(box.lo, box.hi, strict=True)):
        found[axis] = {}
        for line in range(lo + 1, hi):
            at = (*middle[:axis], line, *middle[axis + 1 :])
            from_hi = ratio(known.slope(upper, at, axis), distance(line, hi))
            from_lo = ratio(known.slope(lower, at, axis), distance(line, lo))
            found[axis][line] = min(from_hi, from_lo)
    return found


def weighted_cut(box: Box, weights: Weights, clamp: float = CLAMP) -> Lines:
    """The heaviest line of each dimension; of equal ones that in the middle.

    The tie rule is essential: where the operator of a dimension comes last in both plans, all
    weights are 0, and the first line would cut off a sliver.
    """
    return tuple(
        _heaviest(lo, hi, weights[axis], clamp) if hi - lo >= 2 else lo
        for axis, (lo, hi) in enumerate(zip(box.lo, box.hi, strict=True))
    )


def _heaviest(lo: int, hi: int, weights: Mapping[int, float], clamp: float) -> int:
    middle = (lo + hi) / 2
    best = max(range(lo + 1, hi), key=lambda line: (weights[line], -abs(line - middle), -line))
    left = max(lo + 1, ceil(lo + clamp * (hi - lo)))
    right = min(hi - 1, floor(hi - clamp * (hi - lo)))
    return min(right, max(left, best))


@dataclass(slots=True)
class Cutter:
    """Cuts boxes; weights are inherited where corners have the plans that the parent predicted.

    ``weighing`` is ``None`` for cuts at the centre. ``updates`` of ``possible`` weights of boxes
    were worked out (Eq. 4).
    """

    weighing: Weighing | None = DEFAULT
    updates: int = 0
    possible: int = 0
    _known: dict[Box, Weighted] = field(default_factory=dict)

    def cut(self, known: Counted[Plan], box: Box) -> list[Box]:
        if self.weighing is None:
            return box.split(box.center)
        mine = self._weighted(known, box)
        parts = box.split(weighted_cut(box, mine.weights, self.weighing.clamp))
        self._known |= dict.fromkeys(parts, mine)
        return parts

    def _weighted(self, known: Counted[Plan], box: Box) -> Weighted:
        assert self.weighing is not None
        inherited = self._known.pop(box, None)
        self.possible += 1
        lower, upper = known.at(box.lo), known.at(box.hi)
        if inherited is not None and not needs_update(inherited, lower, upper):
            return inherited
        self.updates += 1
        return Weighted(lower, upper, weights_of(known, box, self.weighing.distance))


def needs_update(parent: Weighted, lower: object, upper: object) -> bool:
    """Whether a corner has another plan than that of the parent (what Eq. 4 is meant to say)."""
    return not (parent.lower == lower and parent.upper == upper)
