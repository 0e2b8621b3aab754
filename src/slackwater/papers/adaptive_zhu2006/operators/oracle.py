"""Results by definition: all combinations whose pairs are within the window and whose edges hold.

No plan, no state, no order: what every plan, model and migration must give. Reference: Zhu 2006,
ch. 10 (no missing, no duplicate, no incorrect result).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable

from slackwater.papers.adaptive_zhu2006.operators.plan import Condition
from slackwater.papers.adaptive_zhu2006.operators.query import Column, Query
from slackwater.papers.adaptive_zhu2006.operators.row import Row, Single


def combinations_of(query: Query, arrivals: Iterable[Single]) -> list[Row]:
    """All valid combinations of one tuple of every stream."""
    by_stream: dict[str, list[Row]] = {stream: [] for stream in query.columns}
    for single in arrivals:
        by_stream[single.stream].append(Row.of(single))
    streams = sorted(by_stream)
    found = by_stream[streams[0]]
    for stream in streams[1:]:
        pairs = (one.merge(other) for one in found for other in by_stream[stream])
        found = [row for row in pairs if query.windows.is_valid(row) and _agrees(query, row)]
    return found


def expected(
    query: Query,
    arrivals: Iterable[Single],
    conditions: Iterable[Condition] = (),
    drop: Iterable[Column] = (),
) -> Counter[Hashable]:
    """The multiset of results; with selects and projects, if there are."""
    gone = set(drop)
    kept = [
        row
        for row in combinations_of(query, arrivals)
        if all(condition.holds(row) for condition in conditions)
    ]
    return Counter(_record(row, gone) for row in kept)


def _record(row: Row, gone: set[Column]) -> Hashable:
    return tuple(
        (
            stream,
            one.seq,
            tuple(
                sorted(
                    (name, value)
                    for name, value in zip(one.columns, one.values, strict=True)
                    if Column(stream, name) not in gone
                )
            ),
        )
        for stream, one in sorted(row.parts.items())
    )


def _agrees(query: Query, row: Row) -> bool:
    known = row.parts.keys()
    return all(edge.holds(row) for edge in query.edges if edge.streams <= known)
