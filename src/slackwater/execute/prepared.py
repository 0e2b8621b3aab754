"""The plans prepared for a robust join, for people: the part of the space of each, and a map."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from slackwater.control.records import QueryMemory
from slackwater.control.robust import RobustMemory, show_orders
from slackwater.control.robust_join import JoinCosts
from slackwater.control.robust_set import Prepared
from slackwater.optimize.seconds import Seconds
from slackwater.plan.graph import JoinGraph
from slackwater.robust.space import Dimension, Point

WIDE, HIGH = 32, 8  # characters of a map
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ?"
HERE = "*"


def prepared_lines(graph: JoinGraph, memory: QueryMemory) -> Iterator[str]:
    """Plans, what may become of rates and shares, and which plan is the best where."""
    robust = memory.find(RobustMemory)
    if robust is None or robust.prepared is None:
        return
    known, now = robust.prepared, robust.prepared.point(robust.looks[-1])
    worse = f"at most {known.terms.tolerance:.0%} worse than the best in {known.covered:.0%}"
    yield f"{len(known.plans.plans)} plans prepared in batch {known.batch}, {worse} of the space"
    for number, (plan, part) in enumerate(zip(known.plans.plans, known.parts, strict=True)):
        force = ", in force" if number == robust.tally.plan else ""
        yield f"plan {number}{force}, for {part:.0%} of the space: {show_orders(plan)}"
    for one, value in _uncertain(known, now):
        yield f"{one.name} from {one.lo:.4g} to {one.hi:.4g}, now {value:.4g}"
    yield from _map(graph, robust, known, now)


def prepared_value(memory: QueryMemory) -> dict[str, Any] | None:
    """The same for machines, without the map."""
    robust = memory.find(RobustMemory)
    if robust is None or robust.prepared is None:
        return None
    known = robust.prepared
    both = zip(known.plans.plans, known.parts, strict=True)
    return {
        "batch": known.batch,
        "tolerance": known.terms.tolerance,
        "covered": known.covered,
        "in_force": robust.tally.plan,
        "plans": [{"orders": show_orders(plan), "part": part} for plan, part in both],
        "space": {
            one.name: {"from": one.lo, "to": one.hi, "now": value}
            for one, value in _uncertain(known, known.point(robust.looks[-1]))
        },
    }


def _uncertain(known: Prepared, now: Point) -> list[tuple[Dimension, float]]:
    both = zip(known.plans.space.dimensions, now, strict=True)
    return [(one, value) for one, value in both if not one.is_certain]


def _map(graph: JoinGraph, robust: RobustMemory, known: Prepared, now: Point) -> Iterator[str]:
    """The best plan by the two dimensions that swing most; all others are as they are now."""
    space, inside = known.plans.space, known.plans.space.clamp(now)
    if len(space.free) < 2 or len(known.plans.plans) < 2:
        return
    swings = {n: space.dimensions[n].hi / max(space.dimensions[n].lo, 1e-300) for n in space.free}
    across, upwards = sorted(swings, key=lambda n: (-swings[n], n))[:2]
    units = robust.seconds.get(robust.place, Seconds()).units()
    costs = JoinCosts(graph, units, known.depths)
    one, other = space.dimensions[across], space.dimensions[upwards]
    here = _step(one, inside[across], WIDE), _step(other, inside[upwards], HIGH)

    def best(x: int, y: int) -> str:
        at = {across: _middle(one, x, WIDE), upwards: _middle(other, y, HIGH)}
        point = tuple(at.get(n, value) for n, value in enumerate(inside))
        prices = [costs.cost(plan, point) for plan in known.plans.plans]
        return DIGITS[min(prices.index(min(prices)), len(DIGITS) - 1)]

    yield f"the best plan by {one.name} (to the right) and {other.name} (upwards); {HERE} is now"
    for y in reversed(range(HIGH)):
        line = (HERE if (x, y) == here else best(x, y) for x in range(WIDE))
        yield f"|{''.join(line)}|"


def _middle(one: Dimension, step: int, steps: int) -> float:
    return one.lo + (one.hi - one.lo) * (step + 0.5) / steps


def _step(one: Dimension, value: float, steps: int) -> int:
    return min(steps - 1, int((value - one.lo) / (one.hi - one.lo) * steps))
