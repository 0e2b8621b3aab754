"""AdaptPhy: another placement by simulated annealing (spec robust 2.11, Algorithm 8).

As printed it forgets the better plan and accepts by the wrong exponent; this is the usual form.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from math import exp, inf
from random import Random
from statistics import pstdev

from slackwater.robust.placement.placement import Placement

Worth = Callable[[Placement], float]
"""I of a placement (Eq. 15), 0 for the one in force."""
WARM_UP = 30  # neighbours whose spread is the first temperature


@dataclass(frozen=True, slots=True)
class Schedule:
    """Each round is cooler by ``cooling``; the end is ``plateau`` of them without a better one."""

    cooling: float = 0.95
    plateau: int = 50
    seconds: float = inf
    seed: int = 0


USUAL = Schedule()


@dataclass(frozen=True, slots=True)
class Annealed:
    """The best placement met, its worth, and how many rounds that took."""

    placement: Placement
    worth: float
    rounds: int


def adapt_phy(
    current: Placement,
    nodes: int,
    worth: Worth,
    schedule: Schedule = USUAL,
    clock: Callable[[], float] = time.monotonic,
) -> Annealed:
    """The best placement that is met on a walk from the one in force: never worse than that."""
    draw, until = Random(schedule.seed), clock() + schedule.seconds
    temperature = pstdev(worth(neighbour(current, nodes, draw)) for _ in range(WARM_UP))
    here, here_worth = current, 0.0
    best, best_worth = current, 0.0
    rounds = quiet = 0
    while quiet < schedule.plateau and clock() < until:
        rounds, quiet = rounds + 1, quiet + 1
        other = neighbour(here, nodes, draw)
        reached = worth(other)
        if draw.random() < acceptance(reached - here_worth, temperature):
            here, here_worth = other, reached
        if reached > best_worth:
            best, best_worth, quiet = other, reached, 0
        temperature *= schedule.cooling
    return Annealed(best, best_worth, rounds)


def acceptance(gain: float, temperature: float) -> float:
    """How probably a step is taken: surely if it is none for the worse."""
    if gain >= 0:
        return 1.0
    return exp(gain / temperature) if temperature > 0 else 0.0


def neighbour(placement: Placement, nodes: int, draw: Random) -> Placement:
    """One operator at another node, or two at each other's."""
    found = list(placement)
    apart = [(a, b) for a in range(len(found)) for b in range(a) if found[a] != found[b]]
    if nodes > 1 and (not apart or draw.random() < 0.5):
        operator = draw.randrange(len(found))
        others = [node for node in range(nodes) if node != found[operator]]
        found[operator] = draw.choice(others)
    elif apart:
        a, b = draw.choice(apart)
        found[a], found[b] = found[b], found[a]
    return tuple(found)
