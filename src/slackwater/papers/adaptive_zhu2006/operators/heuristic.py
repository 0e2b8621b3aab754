"""The optimiser that the run-time experiments use: joins in the order of measured selectivities.

Reference: Zhu 2006, ch. 16.4. A selectivity is pairs that match over pairs that are possible,
among the tuples of the last window.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from slackwater.papers.adaptive_zhu2006.operators.plan import Join, Plan, Source
from slackwater.papers.adaptive_zhu2006.operators.query import Column, Equal, Query
from slackwater.papers.adaptive_zhu2006.operators.row import Single


def selectivities(query: Query, recent: Iterable[Single]) -> dict[Equal, float]:
    """Of every edge, from the tuples given; an edge with an empty side is left out."""
    values: dict[Column, Counter[object]] = {}
    for single in recent:
        for name, value in zip(single.columns, single.values, strict=True):
            values.setdefault(Column(single.stream, name), Counter())[value] += 1
    found = {}
    for edge in query.edges:
        left, right = values.get(edge.left), values.get(edge.right)
        if left and right:
            matches = sum(count * right[value] for value, count in left.items())
            found[edge] = matches / (left.total() * right.total())
    return found


def reordered(query: Query, known: Mapping[Equal, float]) -> Plan:
    """A linear tree: the edge of least selectivity first, then the least that leads on."""
    edges = sorted(query.edges, key=lambda edge: known.get(edge, 1.0))
    first = edges[0]
    inside = {first.left.stream, first.right.stream}
    plan: Plan = Join((Source(first.left.stream), Source(first.right.stream)))
    while left := [one for one in edges if len(one.streams & inside) == 1]:
        [stream] = left[0].streams - inside
        plan = Join((plan, Source(stream)))
        inside.add(stream)
    return plan
