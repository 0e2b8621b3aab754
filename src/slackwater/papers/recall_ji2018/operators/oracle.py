"""The exact answer of a join: the same tuples without disorder, or all combinations tried.

Reference: Ji 2018, ch. 4 (sorted versions give the true results).
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Any

from slackwater.papers.recall_ji2018.operators.combined import Combined
from slackwater.papers.recall_ji2018.operators.condition import Term
from slackwater.papers.recall_ji2018.operators.engine import JoinQuery, OneJoin
from slackwater.papers.recall_ji2018.operators.windows import JoinWindows
from slackwater.stats.arrival import Arrival, Delayed


def exact_join(query: JoinQuery, arrivals: Iterable[Arrival[Any]]) -> list[Combined]:
    """All true results, in event-time order: the join of the time-sorted streams."""
    join = OneJoin(query)
    ordered = sorted(arrivals, key=lambda arrival: (arrival.ts, arrival.seq))
    outcomes = [outcome for a in ordered for outcome in join.update(Delayed(a, 0))]
    return [result for outcome in (*outcomes, *join.flush()) for result in outcome.results]


def all_combinations(
    windows: JoinWindows, terms: Iterable[Term], arrivals: Iterable[Arrival[Any]]
) -> list[tuple[tuple[str, int], ...]]:
    """Identities of all true results straight from the definition; for small inputs only."""
    known = list(arrivals)
    by_stream = [[a for a in known if a.stream == name] for name in sorted(windows.streams)]
    conditions = list(terms)
    return [
        tuple((part.stream, part.seq) for part in parts)
        for parts in product(*by_stream)
        if windows.allows({part.stream: part.ts for part in parts})
        and all(term.holds({part.stream: part.payload for part in parts}) for term in conditions)
    ]
