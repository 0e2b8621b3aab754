"""What filters keep, measured on the rows that reach them (Ji 2018, ch. 5: Statistics Manager)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from slackwater.errors import SlackwaterError

FADING = 0.9  # the weight of what was seen, with every batch


@dataclass(frozen=True, slots=True)
class Selectivity:
    """Rows that reached a filter and those that it kept, fading; if none came, it keeps all.

    >>> Selectivity().after(100, 40).value
    0.4
    """

    seen: float = 0.0
    kept: float = 0.0

    def after(self, seen: int, kept: int) -> Selectivity:
        """With what one batch has shown."""
        if not 0 <= kept <= seen:
            message = f"a filter kept {kept} of {seen} rows"
            raise SlackwaterError("SELECTIVITY_INVALID", message, "it keeps some of what it sees")
        return Selectivity(FADING * self.seen + seen, FADING * self.kept + kept)

    def merge(self, other: Selectivity) -> Selectivity:
        """Of two partitions of a stream."""
        return Selectivity(self.seen + other.seen, self.kept + other.kept)

    @property
    def value(self) -> float:
        """``f_x``; 1 while no row has come."""
        return self.kept / self.seen if self.seen else 1.0


@dataclass(frozen=True, slots=True)
class Selectivities:
    """Those of all filters, by name."""

    filters: Mapping[str, Selectivity] = field(default_factory=dict)

    def after(self, counted: Mapping[str, tuple[int, int]]) -> Selectivities:
        """With rows seen and kept by each filter in one batch."""
        found = dict(self.filters)
        for name, (seen, kept) in counted.items():
            found[name] = found.get(name, Selectivity()).after(seen, kept)
        return Selectivities(found)

    def of(self, names: tuple[str, ...]) -> dict[str, float]:
        return {name: self.filters.get(name, Selectivity()).value for name in names}
