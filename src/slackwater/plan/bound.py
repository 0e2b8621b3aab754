"""Error bounds of a query: which aggregates they are about, and what to measure for them."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from slackwater.plan.aggregate import calls_of, rename_aliases, value_sums
from slackwater.plan.partial import Partial
from slackwater.plan.propagation import part_error
from slackwater.plan.terms import Terms
from slackwater.query.contract import ErrorKind, Method

_KINDS: dict[type[exp.Expr], ErrorKind] = {
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
    ``limit`` and ``risk`` are what is promised of the column; ``is_derived`` tells whether that
    follows from the bounds of all its aggregates.
    """

    column: str
    kind: ErrorKind
    epsilon: float
    delta: float
    share: float = 0.5
    sums: tuple[str, ...] = ()
    limit: float = 0.0
    risk: float = 0.0
    is_derived: bool = True

    @property
    def is_heuristic(self) -> bool:
        return self.kind == "heuristic" or not self.is_derived


@dataclass(frozen=True, slots=True)
class Promise(Terms):
    """Terms whose fulfilment is measured."""

    def told(self) -> dict[str, object]:
        """What is promised, for people."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class ErrorContract(Promise):
    """All bounds of a query, and the limits of the slack, in microseconds."""

    bounds: tuple[Bound, ...]
    granularity: int
    at_least: int
    at_most: int | None
    method: Method
    per_key: bool = False

    @property
    def columns(self) -> dict[str, float]:
        """The bounded result columns and the strictest bound on each."""
        found: dict[str, float] = {}
        for bound in self.bounds:
            found[bound.column] = min(bound.limit, found.get(bound.column, bound.limit))
        return found

    @property
    def added(self) -> tuple[str, ...]:
        """What a quality table says beside keys and bounded columns."""
        sides = [f"{name}_{side}" for name in self.columns for side in ("true", "error")]
        return ("rows", "within", *sides)

    @property
    def confidence(self) -> float:
        return 1 - min(bound.risk for bound in self.bounds)

    def told(self) -> dict[str, object]:
        per_key = {"per_key": True} if self.per_key else {}
        return {"max_error": self.columns, "confidence": self.confidence, **per_key}


@dataclass(frozen=True, slots=True)
class RecallContract(Promise):
    """The share of its results a join must find, in what share of periods; limits of the slack."""

    gamma: float
    confidence: float
    over: int
    granularity: int
    at_least: int
    at_most: int | None
    method: Method

    def told(self) -> dict[str, object]:
        return {
            "min_recall": self.gamma,
            "confidence": self.confidence,
            "over_us": self.over,
        }


def bounds_of(
    column: str, tree: exp.Expr, epsilon: float, delta: float
) -> tuple[tuple[Bound, ...], tuple[Partial, ...]]:
    """The bounds on a result column, one for each aggregate inside, and partials to keep for them.

    A composite of k aggregates gives each of them δ/k (union bound), and the error that interval
    arithmetic leaves them; where that leaves nothing, ε itself stands in.
    """
    tree = rename_aliases(tree)
    calls = calls_of(tree)
    part = epsilon if _is_call(tree) else part_error(tree, epsilon)
    bounds: list[Bound] = []
    partials: list[Partial] = []
    for call in calls:
        kind = _KINDS.get(type(call), "heuristic")
        share = float(call.args["quantile"].sql()) if kind == "quantile" else 0.5
        sums = value_sums(call) if kind in ("sum", "avg") else ()
        names = tuple(part.name for part in sums)
        bounds.append(
            Bound(
                column,
                kind,
                epsilon if part is None else part,
                delta / len(calls),
                share,
                names,
                limit=epsilon,
                risk=delta,
                is_derived=part is not None,
            )
        )
        partials += sums
    return tuple(bounds), tuple(partials)


def measured_bound(column: str, epsilon: float, delta: float) -> Bound:
    """The bound on a column of which nothing is known but its measured error."""
    return Bound(column, "heuristic", epsilon, delta, limit=epsilon, risk=delta)


def _is_call(tree: exp.Expr) -> bool:
    """Whether an expression is one aggregate and nothing else."""
    bare = tree.unnest()
    return isinstance(bare.this if isinstance(bare, exp.Filter) else bare, exp.AggFunc)
