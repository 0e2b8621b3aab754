"""A look at a join that runs: what came and is held, and whether what was counted is news."""

from __future__ import annotations

from math import inf

from slackwater.control.records import Observation
from slackwater.optimize.facts import Facts, names_of
from slackwater.plan.join import JoinPlan

FEW = 50.0  # fewer counts than this say nothing yet
LOOKED_AT = 1_000  # new rows by which pairs are counted


def came(join: JoinPlan, seen: Observation, facts: Facts) -> Facts:
    """With the rows of a batch, and those that are held when it begins."""
    states = {part.name: part.state.identity for part in join.inputs}
    fresh = {
        name: sum(count.rows for count in seen.panes.get(state, ()) if count.passes)
        for name, state in states.items()
    }
    held = {name: seen.held.get(state, 0) for name, state in states.items()}
    widths = {
        name: seen.sizes.get(state, 0) / held[name] if held[name] else 0.0
        for name, state in states.items()
    }
    return facts.came(fresh, held, widths)


def surprise_of(before: Facts, after: Facts) -> float:
    """By what factor something differs from what was known, at most; where enough was counted."""
    ratios = []
    few = FEW * max(1.0, max(after.fresh.values(), default=0) / LOOKED_AT)
    for name, count in after.pairs.items():
        known = before.pairs.get(name)
        if known is not None and max(count.found, known.found) >= few:
            ratios.append(count.share / known.share if known.share else inf)
    for name, count in after.made.items():
        known = before.made.get(name)
        if known is not None and max(count.found, known.found) >= FEW and known.share:
            # pairs that were counted a little wrong make up for it here
            pairs = before.revised(after.pairs, set(names_of(name)))
            ratios.append(pairs * count.share / known.share)
    # what cannot be is no news
    return max((max(ratio, 1 / ratio) for ratio in ratios if 0 < ratio < inf), default=1.0)
