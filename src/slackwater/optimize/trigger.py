"""When plans are compared again (spec adaptive 3.10 and 6.1): a visible tuple of reasons.

Queues of the source work are states here: what a batch does not finish, the next one does not find.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

PERIOD = 8  # batches
SURPRISE = 1.5  # how much more or less than expected is a change
NOTABLE = SURPRISE**0.5  # how much is worth a look
SWING = 2.5  # the same of rates, which go up and down with every batch
NEAR = 0.9  # of the limit
GROWING = 4  # batches in which memory grew without end
LEAST_REST = 2  # batches after a change
LONGEST_REST = 64


@dataclass(frozen=True, slots=True)
class Signals:
    """What there is to see: batches since plans were compared and since the plan changed.

    ``surprise`` is the largest factor by which something differs from what was expected, ``swing``
    the one by which a rate differs from when plans were compared; ``memory`` is what is held, or
    will be soon, as a part of its limit; ``growing`` batches held more than the one before, and
    ``filling`` of them although inputs did not. ``waits`` if a change would pay, but less later.
    """

    since: int
    changed: int | None = None
    surprise: float = 1.0
    memory: float = 0.0
    growing: int = 0
    rest: int = LEAST_REST
    filling: int = 0
    waits: bool = False
    swing: float = 1.0


Trigger = Callable[[Signals], bool]


def periodic(seen: Signals) -> bool:
    """So many batches have passed."""
    return seen.since >= PERIOD


def interval_with_threshold(seen: Signals) -> bool:
    """Half of them have passed, and something has changed a little."""
    return 2 * seen.since >= PERIOD and seen.surprise >= NOTABLE


def aggressive(seen: Signals) -> bool:
    """Something has changed much, however soon."""
    return seen.surprise >= SURPRISE


def drifting(seen: Signals) -> bool:
    """Much more, or much less, comes from an input."""
    return seen.swing >= SWING


def memory_driven(seen: Signals) -> bool:
    """Memory comes near its limit; a single jump is none of a steady growth."""
    return seen.memory >= 1.0 or (seen.memory >= NEAR and seen.growing >= GROWING)


def refined(seen: Signals) -> bool:
    """What inner joins keep grows, and what comes in does not: one of them lets through more."""
    return seen.filling >= GROWING and seen.since >= GROWING


def waiting(seen: Signals) -> bool:
    """A change was put off."""
    return seen.waits


TRIGGERS: tuple[tuple[str, Trigger], ...] = (
    ("memory", memory_driven),  # first: it overrules the guard
    ("surprise", aggressive),
    ("rates", drifting),
    ("waiting", waiting),
    ("filling", refined),
    ("change", interval_with_threshold),
    ("period", periodic),
)


def reason(seen: Signals) -> str | None:
    """Why plans are compared now, if they are; after a change a plan is left alone for a while."""
    found = next((name for name, is_due in TRIGGERS if is_due(seen)), None)
    if found == "memory" or seen.changed is None:
        return found
    return found if seen.changed >= seen.rest else None


def next_rest(rest: int, *, has_paid: bool) -> int:
    """How long the next plan is left alone: twice as long if the last change was for nothing."""
    return max(LEAST_REST, rest // 2) if has_paid else min(LONGEST_REST, 2 * rest)


def pays(now: float, best: float, move: float, horizon: int, margin: float) -> bool:
    """Whether a change is worth it: by a margin, and what it costs comes back within a horizon."""
    gain = now - best
    return gain > margin * now and gain * horizon > move


def is_cheaper_later(gain: float, move: float, later: float) -> bool:
    """Whether a batch more by the plan in force costs less than is saved by moving state after it.

    Rows that made much with each other, and make no more, are let go of with every batch.
    """
    return gain < move - later
