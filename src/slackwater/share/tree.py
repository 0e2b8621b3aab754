"""The part of a global plan behind one source: filters that queries share, windows at its ends.

*Below* an operator is what reads it, as in Ji 2018, ch. 5; a *branch* has several children. Waiting
is per source: streams are put in order independently of each other, so a join is a window of one
tree for each of its inputs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isfinite, prod
from typing import Literal

from slackwater.errors import SlackwaterError

Kind = Literal["source", "filter", "window"]


@dataclass(frozen=True, slots=True)
class Operator:
    """An operator by its name, and what reads it; a window has the name of its query."""

    name: str
    kind: Kind
    children: tuple[Operator, ...] = ()

    @property
    def is_branch(self) -> bool:
        return len(self.children) > 1

    @property
    def is_bottom_branch(self) -> bool:
        """A branch none of whose children is one."""
        return self.is_branch and not any(child.is_branch for child in self.children)

    def walk(self) -> Iterator[Operator]:
        """All operators, each before its children."""
        yield self
        for child in self.children:
            yield from child.walk()

    @property
    def queries(self) -> tuple[str, ...]:
        """``Q(v)``: queries that use this operator."""
        return tuple(one.name for one in self.walk() if one.kind == "window")

    def paths(self) -> Iterator[tuple[Operator, ...]]:
        """From here to each window."""
        if not self.children:
            yield (self,)
        for child in self.children:
            for path in child.paths():
                yield (self, *path)


def source(name: str, *children: Operator) -> Operator:
    """A stream as it comes in."""
    return Operator(name, "source", children)


def filtered(name: str, *children: Operator) -> Operator:
    """Rows that a predicate keeps."""
    return Operator(name, "filter", children)


def window(query: str) -> Operator:
    """The window operator of a query: an aggregate, or one input of a join."""
    return Operator(query, "window")


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a tree now.

    Parameters
    ----------
    slacks
        ``κ_j`` of every query: how long its rows have to wait in all, any unit of time.
    kept
        Selectivity ``f_x`` of every filter, of the rows that reach it.
    rate
        Rows of the source in a unit of time.
    """

    slacks: Mapping[str, int]
    kept: Mapping[str, float]
    rate: float = 1.0

    def slack(self, operator: Operator) -> int:
        """``κ^s(v)``, the largest sharable size: what the least patient of its queries waits."""
        return min(self.slacks[query] for query in operator.queries)

    def share(self, operator: Operator) -> float:
        """Rows that leave a child for each that reaches it; all of them if it is no filter."""
        return self.kept[operator.name] if operator.kind == "filter" else 1.0

    def rate_of(self, path: tuple[Operator, ...]) -> float:
        """Rows that leave the last operator of a path from the source."""
        return self.rate * prod(self.share(operator) for operator in path)


def check(root: Operator, facts: Facts) -> None:
    """Refuse a tree or facts that mean nothing."""
    operators = list(root.walk())
    names = [operator.name for operator in operators]
    for problem in (
        *(f"{name!r} is there twice" for name in sorted(set(names)) if names.count(name) > 1),
        *(_shape(operator, is_root=operator is root) for operator in operators),
        *(_fact(operator, facts) for operator in operators),
    ):
        if problem:
            raise SlackwaterError(
                "SHARING_INVALID",
                f"sharing behind {root.name!r}: {problem}",
                "a source is above filters, filters above windows; every query has a slack of 0 or "
                "more, every filter a selectivity between 0 and 1",
            )


def _shape(operator: Operator, *, is_root: bool) -> str:
    if (operator.kind == "source") != is_root:
        return f"{operator.name!r} is a {operator.kind} in the wrong place"
    if (operator.kind == "window") != (not operator.children):
        return f"{operator.name!r} is a {operator.kind} with {len(operator.children)} readers"
    return ""


def _fact(operator: Operator, facts: Facts) -> str:
    if operator.kind == "window" and facts.slacks.get(operator.name, -1) < 0:
        return f"the slack of {operator.name!r} is {facts.slacks.get(operator.name)}"
    if operator.kind == "filter" and not 0 <= facts.kept.get(operator.name, -1.0) <= 1:
        return f"the selectivity of {operator.name!r} is {facts.kept.get(operator.name)}"
    if operator.kind == "source" and not (isfinite(facts.rate) and facts.rate >= 0):
        return f"the rate of {operator.name!r} is {facts.rate}"
    return ""
