"""What rates and selectivities may become: an interval for each, and a grid over them.

Algorithm 1 of the source work (spec robust 1.4).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite
from typing import Literal

from slackwater.errors import SlackwaterError
from slackwater.robust.box import Box, Lines
from slackwater.robust.uncertainty import LEVELS, STEP

UNITS = 100  # cells of the grid in each dimension
Kind = Literal["selectivity", "fan_out", "rate"]
Point = tuple[float, ...]
"""A value for each dimension, those that are certain included."""
LARGEST: dict[Kind, float] = {"selectivity": 1.0, "fan_out": inf, "rate": inf}


@dataclass(frozen=True, slots=True)
class Dimension:
    """A statistic: what it is believed to be, and between what it may lie."""

    name: str
    estimate: float
    lo: float
    hi: float
    kind: Kind = "selectivity"

    @property
    def is_certain(self) -> bool:
        """Whether there is nothing to search."""
        return self.lo == self.hi


@dataclass(frozen=True, slots=True)
class ParameterSpace:
    """Dimensions in the order of a `Point`; those that are certain have no lines in the grid.

    ``clamped`` names those whose interval would have left what is possible.
    """

    dimensions: tuple[Dimension, ...]
    units: int = UNITS
    clamped: tuple[str, ...] = ()

    @property
    def free(self) -> tuple[int, ...]:
        """The numbers of the dimensions that are searched."""
        return tuple(n for n, one in enumerate(self.dimensions) if not one.is_certain)

    @property
    def whole(self) -> Box:
        size = len(self.free)
        return Box((0,) * size, (self.units,) * size)

    @property
    def estimate(self) -> Point:
        return tuple(one.estimate for one in self.dimensions)

    def at(self, lines: Lines) -> Point:
        """The point where lines of the grid meet."""
        left = iter(lines)
        return tuple(
            one.lo if one.is_certain else one.lo + (one.hi - one.lo) * next(left) / self.units
            for one in self.dimensions
        )

    def lines(self, point: Sequence[float]) -> Lines:
        """The nearest point of the grid."""
        return tuple(round(place) for place in self._places(point))

    def cell(self, point: Sequence[float]) -> Lines:
        """The cell of a point, by its lower corner; beyond the space that at its boundary."""
        last = self.units - 1
        return tuple(min(last, int(place + 1e-9)) for place in self._places(point))

    def clamp(self, point: Sequence[float]) -> Point:
        """The nearest point inside."""
        return tuple(
            min(one.hi, max(one.lo, value))
            for one, value in zip(self.dimensions, point, strict=True)
        )

    def _places(self, point: Sequence[float]) -> list[float]:
        """Where a point lies on the grid, between lines."""
        inside = zip(self.dimensions, self.clamp(point), strict=True)
        return [
            (value - one.lo) / (one.hi - one.lo) * self.units
            for one, value in inside
            if not one.is_certain
        ]


def parameter_space(
    estimates: Mapping[str, float],
    uncertainty: int | Mapping[str, int],
    *,
    kinds: Mapping[str, Kind] | None = None,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    step: float = STEP,
    units: int = UNITS,
) -> ParameterSpace:
    """An interval around every estimate, as wide as it is uncertain.

    Parameters
    ----------
    estimates
        E: what each statistic is believed to be.
    uncertainty
        U, from 0 (certain) to 5: an interval reaches ``step`` of the estimate to both sides for
        each level. One for all, or one for each.
    kinds
        What a statistic is, ``"selectivity"`` if it is not said; it limits what is possible.
    bounds
        Intervals that are known otherwise, such as half to twice a rate.

    >>> found = parameter_space({"share": 0.4, "news": 100.0}, 2, kinds={"news": "rate"})
    >>> [(round(one.lo, 6), round(one.hi, 6)) for one in found.dimensions]
    [(0.32, 0.48), (80.0, 120.0)]
    """
    bounds, kinds = bounds or {}, kinds or {}
    if isinstance(uncertainty, int):
        uncertainty = dict.fromkeys(estimates, uncertainty)
    named = {**uncertainty, **kinds, **bounds}
    _check(estimates, uncertainty, named, bounds, units)
    dimensions, clamped = [], []
    for name, estimate in estimates.items():
        kind, reach = kinds.get(name, "selectivity"), step * uncertainty.get(name, 0)
        lo, hi = bounds.get(name) or (estimate * (1 - reach), estimate * (1 + reach))
        inside = min(hi, LARGEST[kind])
        if inside != hi:
            clamped.append(name)
        dimensions.append(Dimension(name, estimate, min(lo, inside), inside, kind))
    return ParameterSpace(tuple(dimensions), units, tuple(clamped))


def _check(
    estimates: Mapping[str, float],
    levels: Mapping[str, int],
    named: Mapping[str, object],
    bounds: Mapping[str, tuple[float, float]],
    units: int,
) -> None:
    """Refuse what is no space, everything at once."""
    found = [f"there is no statistic {name!r}" for name in named if name not in estimates]
    for name, estimate in estimates.items():
        level, pair = levels.get(name), bounds.get(name)
        if pair is not None and not 0 < pair[0] <= pair[1] < inf:
            found.append(f"the bounds of {name} are {pair}; they are above 0, the smaller first")
        if not isfinite(estimate) or estimate < 0 or (estimate == 0 and pair is None):
            found.append(f"the estimate of {name} is {estimate:g}; it is above 0, or has bounds")
        if pair is None and (not isinstance(level, int) or level not in LEVELS):
            found.append(f"the uncertainty of {name} is {level}; it is 0, 1, 2, 3, 4 or 5")
    if units < 1:
        found.append(f"{units} units in a dimension; there is one at least")
    if found:
        hint = "0 is certain, 2 is a fifth to both sides, 5 a half; or give bounds"
        raise SlackwaterError("SPACE_INVALID", "; ".join(found), hint)
