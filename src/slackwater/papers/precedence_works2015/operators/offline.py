"""The results of a chain of joins by definition: the oracle (PR-31)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from slackwater.papers.precedence_works2015.operators.meeting import Meeting
from slackwater.papers.precedence_works2015.operators.row import Row, Source, merge, row_of
from slackwater.papers.precedence_works2015.operators.steps import PLAIN
from slackwater.precede.pcql import Window
from slackwater.precede.pipeline import Operator, Pipeline

Members = tuple[tuple[str, int], ...]


def offline(pipeline: Pipeline, window: Window, sources: Iterable[Source]) -> Counter[Members]:
    """Every combination of rows that agree and meet, all rows being known; for joins only."""
    meeting, rows = Meeting(window), dict[str, list[Row]]()
    for source in sources:
        meeting.arrive(source)
        rows.setdefault(source.stream, []).append(row_of(source))
    last = ""
    for join in pipeline.operators:
        left, right = (rows.get(source, []) for source in join.inputs)
        last = join.name
        rows[last] = [
            merge(one, other)
            for one in left
            for other in right
            if meeting.holds(one.newest, other.newest) and _agree(join, one, other)
        ]
    found = (tuple(sorted((p.stream, p.seq) for p in row.parts)) for row in rows[last])
    return Counter(found)


def _agree(join: Operator, left: Row, right: Row) -> bool:
    sides = zip(join.keys, (left, right), strict=True)
    mine, others = ({*PLAIN.values(key, row.get(key))} for key, row in sides)
    return bool(mine & others)
