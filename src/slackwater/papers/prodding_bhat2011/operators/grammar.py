"""The grammar checker: no tuple may follow a punctuation that it matches.

Offending tuples are counted and go to a side output; the stream that leaves is grammatical.
Reference: Bhat 2011, ch. 1.
"""

from __future__ import annotations

from slackwater.papers.prodding_bhat2011.operators.element import TS, DataTuple, Output, Punctuation
from slackwater.papers.prodding_bhat2011.operators.intervals import IntervalSet, intervals_of
from slackwater.papers.prodding_bhat2011.operators.operator import Operator
from slackwater.papers.prodding_bhat2011.operators.predicate import Predicate


class Grammar(Operator):
    """Holds tuples back that break a promise.

    Parameters
    ----------
    is_closed_bound
        Whether ``[<= t]`` speaks of ``t`` itself, as for the bucket above.
    """

    def __init__(self, *, is_closed_bound: bool = False) -> None:
        self._is_closed_bound = is_closed_bound
        self._closed: dict[tuple[tuple[str, Predicate], ...], IntervalSet] = {}
        self.side: list[DataTuple] = []

    @property
    def violations(self) -> int:
        return len(self.side)

    def take(self, element: Output, now: int, port: int = 0) -> list[Output]:
        match element:
            case Punctuation():
                known = self._closed.setdefault(element.attributes, IntervalSet())
                spans = intervals_of(element.time, is_closed=self._is_closed_bound)
                for low, high in spans:
                    known.add(low, high)
            case DataTuple() if self._breaks(element):
                self.side.append(element)
                return []
        return [element]

    def _breaks(self, element: DataTuple) -> bool:
        return any(
            element.row[TS] in known
            and all(one.matches(element.row.get(name)) for name, one in attributes)
            for attributes, known in self._closed.items()
        )
