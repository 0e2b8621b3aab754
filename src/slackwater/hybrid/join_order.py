"""Phase one: the best logical plan if the row engine did it all (Ji 2018, ch. 6).

Dynamic programming over subsets of the inputs, bushy trees allowed; where an aggregate on top may
as well be done below the joins, both ways are tried.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

from slackwater.errors import SlackwaterError
from slackwater.hybrid.algebra import Aggregate, Join, Project, Relation, check, columns
from slackwater.hybrid.cost import Cost, CostModel, together
from slackwater.hybrid.placement import priced

Subset = frozenset[int]
Members = frozenset[tuple[int, str]]
"""Columns by the number of their input."""
MOST = 12  # inputs; 3^n splits are looked at


@dataclass(frozen=True, slots=True)
class Equal:
    """Columns of two inputs, by their numbers, that are the same; ``share`` of the pairs match."""

    left: int
    column: str
    right: int
    other: str
    share: float


@dataclass(frozen=True, slots=True)
class Grouped:
    """An aggregate of one input's columns over the join of all; its groups are of that input."""

    name: str
    of: int
    keys: tuple[str, ...]
    values: tuple[tuple[str, str, str], ...]
    groups: float


@dataclass(frozen=True, slots=True)
class JoinQuery:
    """Inputs with what is asked of each alone, what joins them, what is shown of the result.

    ``unique`` are inputs with at most one row for each value of their join column.
    """

    inputs: tuple[Relation, ...]
    equal: tuple[Equal, ...]
    shown: tuple[tuple[str, str], ...]
    grouped: Grouped | None = None
    unique: frozenset[int] = frozenset()


def logical_plan(query: JoinQuery, costs: CostModel) -> Relation:
    """The best of all join orders and aggregate places."""
    if len(query.inputs) > MOST:
        message = f"{len(query.inputs)} inputs are too many to try all orders"
        raise SlackwaterError("SEARCH_TOO_LARGE", message, f"join {MOST} at most")
    found = [_ordered(one, costs) for one in alternatives(query)]
    best = min(found, key=lambda plan: priced(plan, costs, frozenset()).rank)
    check(best)
    return best


def alternatives(query: JoinQuery) -> Iterator[JoinQuery]:
    """The query as it is; with its aggregate below the joins, if that means the same."""
    yield query
    grouped = query.grouped
    if grouped is None or not _may_go_down(query, grouped):
        return
    below = Aggregate(
        grouped.name, query.inputs[grouped.of], grouped.keys, grouped.values, grouped.groups
    )
    sources = tuple(below if n == grouped.of else one for n, one in enumerate(query.inputs))
    yield replace(query, inputs=sources, grouped=None)


def _may_go_down(query: JoinQuery, grouped: Grouped) -> bool:
    """Groups are by the join column alone, and every row finds one partner at most."""
    others = frozenset(range(len(query.inputs))) - {grouped.of}
    joined = {
        column
        for one in query.equal
        for number, column in ((one.left, one.column), (one.right, one.other))
        if number == grouped.of
    }
    return others <= query.unique and joined == set(grouped.keys)


def _ordered(query: JoinQuery, costs: CostModel) -> Relation:
    best: dict[Subset, tuple[Relation, Cost]] = {
        frozenset({n}): (one, priced(one, costs, frozenset())) for n, one in enumerate(query.inputs)
    }
    everything = frozenset(range(len(query.inputs)))
    for size in range(2, len(everything) + 1):
        for subset in map(frozenset, combinations(sorted(everything), size)):
            found = [
                (plan, together((best[one][1], best[other][1])).plus(costs.row(plan)))
                for one, other in _splits(subset)
                if one in best and other in best
                for plan in _joined(query, (one, best[one][0]), (other, best[other][0]))
            ]
            if found:
                best[subset] = min(found, key=lambda entry: entry[1].rank)
    if everything not in best:
        message = f"nothing joins some of {len(everything)} inputs"
        raise SlackwaterError("PLAN_INVALID", f"logical plan: {message}", "connect all inputs")
    return _finished(query, best[everything][0])


def _splits(subset: Subset) -> Iterator[tuple[Subset, Subset]]:
    """Ways to take a set apart, each once: the left part has the first input."""
    first, *rest = sorted(subset)
    for size in range(len(rest)):
        for some in combinations(rest, size):
            left = frozenset({first, *some})
            yield left, subset - left


def _joined(
    query: JoinQuery, left: tuple[Subset, Relation], right: tuple[Subset, Relation]
) -> Iterator[Join]:
    """The join of two parts by everything that connects them; none if nothing does."""
    on, share = [], 1.0
    for members, matching in _same(query):
        mine = [_kept(side, members) for side in (left, right)]
        if mine[0] is not None and mine[1] is not None:
            on.append((mine[0], mine[1]))
            share *= matching
    if on:
        numbers = ["".join(map(str, sorted(part))) for part, _ in (left, right)]
        yield Join(f"join {':'.join(numbers)}", left[1], right[1], tuple(on), share)


def _kept(side: tuple[Subset, Relation], members: Members) -> str | None:
    """The column that a part still has of some that are equal."""
    part, plan = side
    known = set(columns(plan))
    return next((c for n, c in sorted(members) if n in part and c in known), None)


def _same(query: JoinQuery) -> list[tuple[Members, float]]:
    """Columns that are all equal, and the share of pairs of rows in which two of them are."""
    found: list[tuple[Members, float]] = []
    for one in query.equal:
        members, share = frozenset({(one.left, one.column), (one.right, one.other)}), one.share
        apart = []
        for known, least in found:
            if known & members:
                members, share = members | known, min(share, least)
            else:
                apart.append((known, least))
        found = [*apart, (members, share)]
    return found


def _finished(query: JoinQuery, plan: Relation) -> Relation:
    grouped = query.grouped
    if grouped is not None:
        plan = Aggregate(grouped.name, plan, grouped.keys, grouped.values, grouped.groups)
    return Project("shown", plan, query.shown)
