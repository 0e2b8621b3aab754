"""Rows per second and rows held, from sources upwards (Ji 2018, eq. 6.1 to 6.3)."""

from __future__ import annotations

from dataclasses import dataclass

from slackwater.hybrid.algebra import Aggregate, Join, Project, Relation, Select, Window, windows


@dataclass(frozen=True, slots=True)
class Cardinality:
    """What one second of arrivals makes an operator give, ``rate``; and ``held``, its relation."""

    rate: float
    held: float


def slides(root: Relation) -> float:
    """How often in a second the windows below move: those of the fastest of them."""
    return max(
        1 / one.slide if one.unit == "seconds" else one.rate / one.slide for one in windows(root)
    )


def cardinality(root: Relation) -> Cardinality:
    """Of one operator; ``Cardinalities`` remembers those of a plan."""
    return Cardinalities().of(root)


class Cardinalities:
    """Cardinalities by name of the operator, each worked out once."""

    def __init__(self) -> None:
        self._known: dict[str, Cardinality] = {}

    def of(self, root: Relation) -> Cardinality:
        if root.name not in self._known:
            self._known[root.name] = self._work_out(root)
        return self._known[root.name]

    def _work_out(self, root: Relation) -> Cardinality:
        match root:
            case Window():
                size = root.size * (root.rate if root.unit == "seconds" else 1.0)
                return Cardinality(root.rate, size)
            case Select():
                over = self.of(root.over)
                return Cardinality(over.rate * root.share, over.held * root.share)
            case Project():
                return self.of(root.over)
            case Join():
                left, right = self.of(root.left), self.of(root.right)
                met = left.rate * root.share * right.held + right.rate * root.share * left.held
                return Cardinality(met, root.share * left.held * right.held)
            case Aggregate():
                return Cardinality(slides(root) * root.groups, root.groups)
