"""Error bounds of a query: which aggregates they are about, and what to measure for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sqlglot import exp

from slackwater.plan.aggregate import Partial, calls_of, value_sums

Kind = Literal["count", "sum", "avg", "quantile", "heuristic"]
_KINDS: dict[type[exp.Expr], Kind] = {
    exp.Count: "count",
    exp.CountIf: "count",
    exp.Sum: "sum",
    exp.Avg: "avg",
    exp.ApproxQuantile: "quantile",
}


@dataclass(frozen=True, slots=True)
class Bound:
    """``Pr[error > epsilon] <= delta`` for one aggregate inside a result column.

    ``sums`` names the partials with count, sum and sum of squares of its values, if the error
    depends on them; ``share`` is p of a percentile. ``heuristic`` kinds have no error model.
    """

    column: str
    kind: Kind
    epsilon: float
    delta: float
    share: float = 0.5
    sums: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ErrorContract:
    """All bounds of a query, and the limits of the slack, in microseconds."""

    bounds: tuple[Bound, ...]
    granularity: int
    at_least: int
    at_most: int | None
    method: str

    @property
    def columns(self) -> dict[str, float]:
        """The bounded result columns and the strictest bound on each."""
        found: dict[str, float] = {}
        for bound in self.bounds:
            found[bound.column] = min(bound.epsilon, found.get(bound.column, bound.epsilon))
        return found

    @property
    def confidence(self) -> float:
        return 1 - min(bound.delta for bound in self.bounds)


@dataclass(frozen=True, slots=True)
class RecallContract:
    """The share of its results a join must find in every period, and the limits of the slack."""

    gamma: float
    over: int
    granularity: int
    at_least: int
    at_most: int | None
    method: str


def bounds_of(
    column: str, tree: exp.Expr, epsilon: float, delta: float
) -> tuple[tuple[Bound, ...], tuple[Partial, ...]]:
    """The bounds on a result column, one for each aggregate inside, and partials to keep for them.

    A composite of k aggregates gives each of them δ/k (union bound).
    """
    calls = calls_of(tree)
    bounds: list[Bound] = []
    partials: list[Partial] = []
    for call in calls:
        kind = _KINDS.get(type(call), "heuristic")
        share = float(call.args["quantile"].sql()) if kind == "quantile" else 0.5
        sums = value_sums(call) if kind in ("sum", "avg") else ()
        names = tuple(part.name for part in sums)
        bounds.append(Bound(column, kind, epsilon, delta / len(calls), share, names))
        partials += sums
    return tuple(bounds), tuple(partials)
