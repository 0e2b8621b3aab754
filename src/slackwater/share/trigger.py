"""When to configure again: at once, or when enough queries have spoken (Ji 2018, ch. 5).

One number says it: the share of a source's queries that must have reported since the last time.
None at all is *eager*, all of them *lazy*, anything between λ-lazy. In every case some slack must
differ from the one in force.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from slackwater.errors import SlackwaterError


@dataclass(frozen=True, slots=True)
class Trigger:
    """``share`` of the queries that must have reported."""

    share: float

    def __post_init__(self) -> None:
        if not 0 <= self.share <= 1:
            message = f"the share of queries to wait for is {self.share}"
            raise SlackwaterError(
                "TRIGGER_INVALID", message, "it is between 0 (eager) and 1 (lazy)"
            )

    def is_due(self, reported: AbstractSet[str], queries: AbstractSet[str]) -> bool:
        """``reported``: queries that gave a slack since the last re-configuration."""
        return len(reported & queries) >= self.share * len(queries)


EAGER, LAZY, HALF_LAZY = Trigger(0.0), Trigger(1.0), Trigger(0.5)
TRIGGERS: tuple[tuple[str, Trigger], ...] = (
    ("eager", EAGER),
    ("lazy", LAZY),
    ("0.5-lazy", HALF_LAZY),
)
