"""Phase two: an engine for every operator of a logical plan, from sources upwards (Ji 2018, ch. 6).

An operator of the row engine costs the same whatever is around it, so that of all partial plans
that end with it only the best is kept. What the column engine does as one may cost less when it
grows, so that all partial plans that end with it are kept. A unary chain of n operators has n + 1
plans instead of 2^n.

Where the query is known to be feasible, partial plans with a bottleneck are dropped at once. Here
only a *finished* operator counts: the source work drops any, which may lose a plan whose last
statement gets cheaper as it grows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from slackwater.hybrid.algebra import Relation, Step, Window, inputs, steps
from slackwater.hybrid.cost import Cost, CostModel, together
from slackwater.hybrid.sql import composite

Rank = Callable[[Cost], tuple[bool, float]]


@dataclass(frozen=True, slots=True)
class Partial:
    """A plan up to some operator.

    Parameters
    ----------
    column
        Operators that the column engine does.
    open
        Whether the last operator is one of them: it may still grow.
    finished
        The cost of everything but what is open.
    cost
        The cost as if the plan ended here.
    """

    column: frozenset[str]
    open: bool
    finished: Cost
    cost: Cost


NOTHING = Partial(frozenset(), False, Cost(), Cost())


@dataclass(frozen=True, slots=True)
class Placement:
    """The best plan, and among how many it was found."""

    column: frozenset[str]
    cost: Cost
    plans: int


@dataclass(frozen=True, slots=True)
class Rules:
    """How to search.

    Parameters
    ----------
    prunes
        Whether one plan is kept for each operator of the row engine, or all are.
    drops_infeasible
        Whether to drop partial plans with a bottleneck; for queries that are known to be feasible.
    minds_feasibility
        Whether feasible plans go before others; without it the least total use wins.
    at_most
        Operators that are looked at together; larger plans are cut.
    """

    prunes: bool = True
    drops_infeasible: bool = False
    minds_feasibility: bool = True
    at_most: int | None = None

    @property
    def rank(self) -> Rank:
        return _by_order if self.minds_feasibility else _by_use


def place(root: Relation, costs: CostModel, rules: Rules = Rules()) -> Placement:  # noqa: B008
    """The best placement of a plan's operators."""
    plans = _Search(costs, rules).plans(root)
    best = min(plans, key=lambda one: rules.rank(one.cost))
    return Placement(best.column, best.cost, len(plans))


def priced(root: Relation, costs: CostModel, column: frozenset[str]) -> Cost:
    """The cost of a placement that somebody else chose."""

    def up_to(one: Relation) -> Partial:
        if isinstance(one, Window):
            return NOTHING
        below = [up_to(source) for source in inputs(one)]
        return _in_columns(one, below, costs) if one.name in column else _in_rows(one, below, costs)

    return up_to(root).cost


def pure(root: Relation, costs: CostModel) -> tuple[Cost, Cost]:
    """All operators in rows, and all in columns."""
    return (
        priced(root, costs, frozenset()),
        priced(root, costs, frozenset(step.name for step in steps(root))),
    )


def plan_count(root: Relation) -> int:
    """``p(v)``: partial plans that pruning leaves; 2^n is what it saves from.

    >>> from slackwater.hybrid.algebra import Select, Window
    >>> plan = Window("w", ("v",), 1.0, 10.0, 1.0)
    >>> for name in "abc":
    ...     plan = Select(name, plan, "v > 0", 0.5)
    >>> plan_count(plan)
    4
    """
    return 1 if isinstance(root, Window) else 1 + prod(plan_count(one) for one in inputs(root))


class _Search:
    def __init__(self, costs: CostModel, rules: Rules) -> None:
        self._costs, self._rules = costs, rules

    def plans(self, root: Relation) -> list[Partial]:
        return self._up_to(root)[0]

    def _up_to(self, one: Relation) -> tuple[list[Partial], int]:
        """Plans, and how many operators are looked at together in them."""
        if isinstance(one, Window):
            return [NOTHING], 0
        below = [self._up_to(source) for source in inputs(one)]
        lists, together_now = self._cut(below)
        found = [*self._rows(one, lists), *self._columns(one, lists)]
        if self._rules.drops_infeasible:
            found = [plan for plan in found if plan.finished.is_feasible]
        return found, together_now

    def _cut(self, below: list[tuple[list[Partial], int]]) -> tuple[list[list[Partial]], int]:
        """Inputs with one plan each, the largest first, until few enough operators are left."""
        lists, sizes = [plans for plans, _ in below], [size for _, size in below]
        most = self._rules.at_most
        while most is not None and sum(sizes) + 1 > most and any(sizes):
            largest = max(range(len(sizes)), key=lambda number: sizes[number])
            lists[largest], sizes[largest] = [self._best(lists[largest])], 0
        return lists, sum(sizes) + 1

    def _rows(self, step: Step, lists: list[list[Partial]]) -> Iterator[Partial]:
        choices: Sequence[Sequence[Partial]] = lists
        if self._rules.prunes:
            choices = [[self._best(plans)] for plans in lists]
        for below in product(*choices):
            yield _in_rows(step, below, self._costs)

    def _columns(self, step: Step, lists: list[list[Partial]]) -> Iterator[Partial]:
        for below in product(*lists):
            yield _in_columns(step, below, self._costs)

    def _best(self, plans: list[Partial]) -> Partial:
        return min(plans, key=lambda one: self._rules.rank(one.cost))


def _in_rows(step: Step, below: Sequence[Partial], costs: CostModel) -> Partial:
    cost = together(plan.cost for plan in below).plus(costs.row(step))
    column = frozenset[str]().union(*(plan.column for plan in below))
    return Partial(column, False, cost, cost)


def _in_columns(step: Step, below: Sequence[Partial], costs: CostModel) -> Partial:
    finished = together(plan.finished if plan.open else plan.cost for plan in below)
    column = frozenset({step.name}).union(*(plan.column for plan in below))
    used = costs.column(composite(step, column))
    return Partial(column, True, finished, finished.plus(used))


def _by_order(cost: Cost) -> tuple[bool, float]:
    return cost.rank


def _by_use(cost: Cost) -> tuple[bool, float]:
    return False, cost.total
