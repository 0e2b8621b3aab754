"""Numbers that are chosen for speed: none of them changes an answer."""

from __future__ import annotations

from dataclasses import dataclass

from slackwater.events.segments import FULL


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes at which the engine does a thing another way.

    ``fan_in`` runs of equal age are merged. Up to ``driver_rows``, each counted once for every
    window it is in, estimates are read in the driver, whatever the tier. A file of events is full
    at ``log_bytes``.
    """

    fan_in: int = 8
    driver_rows: int = 1_000_000
    log_bytes: int = FULL
