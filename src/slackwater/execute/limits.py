"""Numbers that are chosen for speed: none of them changes an answer."""

from __future__ import annotations

from dataclasses import dataclass

from slackwater.events.segments import FULL


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes at which the engine does a thing another way.

    ``fan_in`` runs of equal age are merged. A file of events is full at ``log_bytes``.
    """

    fan_in: int = 8
    log_bytes: int = FULL
