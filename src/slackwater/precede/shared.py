"""Join attributes that are the same, and joins in a row on one of them (spec precedence A11, A16).

``S.sector = N.sector`` and ``S.sector = B.sector`` make one attribute of three columns: a row of
any of the three streams has the value on which all of them are joined.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from slackwater.precede.pipeline import Operator, Pipeline, stream_of


@dataclass(frozen=True)
class Shared:
    """What the joins of a pipeline share."""

    pipeline: Pipeline

    @cached_property
    def classes(self) -> tuple[frozenset[str], ...]:
        """The columns of each attribute."""
        found: list[frozenset[str]] = []
        for join in self.pipeline.joins:
            touched = [one for one in found if one & {*join.keys}]
            found = [one for one in found if one not in touched]
            found.append(frozenset(join.keys).union(*touched))
        return tuple(found)

    def attribute(self, join: str) -> frozenset[str]:
        """The columns whose values are equal on the way through a join."""
        key = self.pipeline.by_name[join].keys[0]
        return next(one for one in self.classes if key in one)

    def column(self, stream: str, join: str) -> str | None:
        """Where a raw row of a stream has the value of a join; ``None``: it has it not, or never
        comes to this join.
        """
        if all(edge.operator != join for edge in self.pipeline.route(stream)):
            return None
        mine = sorted(one for one in self.attribute(join) if stream_of(one) == stream)
        return mine[0] if mine else None

    def streams(self, join: str) -> tuple[str, ...]:
        """The streams whose raw rows have the value of a join."""
        return tuple(s for s in self.pipeline.streams if self.column(s, join) is not None)

    def first_join(self, stream: str) -> str | None:
        """The join that a stream meets first."""
        met = [self.pipeline.by_name[edge.operator] for edge in self.pipeline.route(stream)]
        return next((operator.name for operator in met if operator.kind == "join"), None)

    def next_join(self, join: Operator) -> Operator | None:
        """The join that reads what a join gives, be it through other operators."""
        later = self.pipeline.behind(join.edges[0])[1:]
        return next((operator for operator in later if operator.kind == "join"), None)

    def last(self, join: Operator) -> Operator:
        """The end of the run of joins on one attribute that a join is in."""
        following = self.next_join(join)
        if following is None or self.attribute(following.name) != self.attribute(join.name):
            return join
        return self.last(following)

    def run(self, join: str) -> tuple[str, ...]:
        """The joins in a row on the attribute of a join, itself included."""
        end = self.last(self.pipeline.by_name[join])
        return tuple(one.name for one in self.pipeline.joins if self.last(one) == end)
