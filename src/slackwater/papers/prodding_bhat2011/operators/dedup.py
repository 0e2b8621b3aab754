"""Duplicate elimination among prods: it passes them at once and keeps its memory.

Reference: Bhat 2011, ch. 3.
"""

from __future__ import annotations

from typing import Any

from slackwater.papers.prodding_bhat2011.operators.element import TS, DataTuple, Output, Punctuation
from slackwater.papers.prodding_bhat2011.operators.operator import Operator
from slackwater.papers.prodding_bhat2011.operators.predicate import Le


class Dedup(Operator):
    """The first tuple of each key; its memory ends with the punctuation that covers it."""

    def __init__(self, key: tuple[str, ...]) -> None:
        self._key = key
        self.seen: dict[tuple[Any, ...], int] = {}

    def take(self, element: Output, now: int, port: int = 0) -> list[Output]:
        match element:
            case DataTuple(row, _, provisional):
                key = tuple(row[name] for name in self._key)
                if key in self.seen:
                    return []
                if provisional is None:
                    self.seen[key] = row[TS]
            case Punctuation(_, Le(bound), ()):
                self.seen = {key: ts for key, ts in self.seen.items() if ts >= int(bound)}
        return [element]
