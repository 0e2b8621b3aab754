"""What a row carries with it about ranks, and how that changes on its way (spec 1.8, 2.6, A2)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from slackwater.precede.level import NO_RANK

NOWHERE = 0  # how far along the designated operator is of a row that promises nothing


@dataclass(frozen=True, slots=True)
class Standing:
    """Significant rank, promising rank, and the designated operator where the promise ends.

    A significant rank stays until the end. A promise is good up to the operator at ``until``.
    """

    significant: int = NO_RANK
    promising: int = NO_RANK
    until: int = NOWHERE

    @property
    def rank(self) -> int:
        """The more critical of the two; it says who gets work first."""
        return min(self.significant, self.promising)

    def reach(self, position: int) -> Standing:
        """At an operator, before it works: a promise that was made for it ends there (A6)."""
        if self.until != position:
            return self
        return replace(self, promising=NO_RANK, until=NOWHERE)

    def merge(self, other: Standing) -> Standing:
        """Of a result of two rows: the more critical of both; among equal promises the longer."""
        promising = min(self.promising, other.promising)
        longest = max(one.until for one in (self, other) if one.promising == promising)
        return Standing(min(self.significant, other.significant), promising, longest)

    def queue(self, last_active: int | None) -> int:
        """The queue where a row waits, ``NO_RANK`` for the one of rows without a rank.

        A rank behind the last active one counts for nothing now; it is not forgotten, since a
        later plan may make it count again.
        """
        return NO_RANK if last_active is None or self.rank > last_active else self.rank


UNRANKED = Standing()
