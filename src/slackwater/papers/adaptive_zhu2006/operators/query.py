"""What a query is, whatever its plan: streams with their columns, join predicates, windows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from slackwater.papers.adaptive_zhu2006.operators.row import Row, Single
from slackwater.papers.adaptive_zhu2006.operators.windows import Windows


@dataclass(frozen=True, slots=True)
class Column:
    """A column ID: the stream and the name within it."""

    stream: str
    name: str

    def of(self, row: Row) -> object:
        return row.parts[self.stream].value(self.name)

    def __str__(self) -> str:
        return f"{self.stream}.{self.name}"


@dataclass(frozen=True, slots=True)
class Equal:
    """An edge of the join graph: two columns are equal."""

    left: Column
    right: Column

    @property
    def streams(self) -> frozenset[str]:
        return frozenset((self.left.stream, self.right.stream))

    def side(self, streams: Iterable[str]) -> Column:
        """The one of the two columns that these streams have."""
        return self.left if self.left.stream in streams else self.right

    def holds(self, row: Row) -> bool:
        return self.left.of(row) == self.right.of(row)


@dataclass(frozen=True, slots=True, eq=False)
class Query:
    """Streams with their columns, the edges between them and the windows."""

    columns: Mapping[str, tuple[str, ...]]
    edges: tuple[Equal, ...]
    windows: Windows

    def between(self, left: Iterable[str], right: Iterable[str]) -> tuple[Equal, ...]:
        """The edges from some streams to others."""
        ends = (frozenset(left), frozenset(right))
        return tuple(e for e in self.edges if all(len(e.streams & end) == 1 for end in ends))

    def single(self, stream: str, ts: int, seq: int, values: tuple[object, ...]) -> Single:
        return Single(stream, ts, seq, self.columns[stream], values)


def edges(*texts: str) -> tuple[Equal, ...]:
    """Join predicates from texts.

    >>> edges("A.x=B.y")[0].right
    Column(stream='B', name='y')
    """
    found = []
    for text in texts:
        left, right = (Column(*side.strip().split(".")) for side in text.split("="))
        found.append(Equal(left, right))
    return tuple(found)
