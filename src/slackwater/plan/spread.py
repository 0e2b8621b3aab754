"""By which columns the state of a query is spread over groups, so that each group works alone.

Rows that meet must lie in one group: rows of one key, rows of a join with equal columns, answers
that go into one window above. A *leg* is a stretch of a query's levels that one group can do by
itself; between two legs answers change their groups.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from slackwater.plan.join import JoinPlan
from slackwater.plan.stage import PipelinePlan, QueryPlan, Stage
from slackwater.query.expression import Expression


@dataclass(frozen=True, slots=True)
class Leg:
    """Levels ``first`` to ``last`` of a query; level 0 is its join.

    ``columns`` are, by level, those that say in which group a row of that level lies; if there are
    none all rows are in one.
    """

    first: int
    last: int
    columns: Mapping[int, tuple[str, ...]] = field(default_factory=dict)


def whole(query: QueryPlan) -> Leg:
    """All levels of a query at once."""
    return Leg(0 if query.join is not None else 1, len(query.stages))


@dataclass(frozen=True, slots=True)
class Spread:
    """The legs of each query, and the columns of every state that raw rows go into.

    ``common`` has by join the column that all its inputs have in common, as each calls it.
    ``divisible`` are joins of which one input may be parted between tasks that have all of the
    others: nobody else reads their inputs.
    """

    legs: Mapping[str, tuple[Leg, ...]]
    fed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    common: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    divisible: frozenset[str] = frozenset()

    def joined(self, query: str, members: frozenset[str]) -> tuple[str, ...]:
        """The columns by which combinations of some inputs of a join are spread."""
        names = self.common[query]
        return next(((names[name],) for name in names if name in members), ())

    def apart(self, queries: Collection[str]) -> dict[str, tuple[Leg, ...]]:
        """The legs, if joins of these queries are to be legs of their own."""
        return {
            name: _broken(legs) if name in queries else legs for name, legs in self.legs.items()
        }


def spread(plan: PipelinePlan) -> Spread:
    """As few legs as possible; states that queries share are spread once, for all of them."""
    common = _common(plan)
    fed: dict[str, tuple[str, ...]] = {}
    for query in plan.queries:
        if query.join is not None:
            fed |= _fed(query.join, common[query.name])
        else:
            identity, keys = query.base.state.identity, query.base.keys
            kept = _lasting(query.stages)
            known = fed.get(identity, keys)
            both = tuple(name for name in known if name in kept)
            fed[identity] = both or known
    legs = {query.name: _legs(query, fed, common.get(query.name, {})) for query in plan.queries}
    return Spread(legs, fed, common, _divisible(plan))


def _common(plan: PipelinePlan) -> dict[str, dict[str, str]]:
    """By join, the column that all its inputs have in common, by input.

    Joins that share an input but not the column it is spread by have none.
    """
    joins = {query.name: query.join for query in plan.queries if query.join is not None}
    found = {name: _equal(join) for name, join in joins.items()}
    while True:
        wanted: dict[str, set[tuple[str, ...]]] = {}
        for name, join in joins.items():
            for identity, columns in _fed(join, found[name]).items():
                wanted.setdefault(identity, set()).add(columns)
        torn = {identity for identity, columns in wanted.items() if len(columns) > 1}
        lost = {n for n, join in joins.items() if found[n] and torn & _fed(join, {}).keys()}
        if not lost:
            return found
        found |= {name: {} for name in lost}


def _fed(join: JoinPlan, common: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """By input state of a join: the columns by which its rows are spread."""
    return {
        one.state.identity: (common[one.name],) if one.name in common else () for one in join.inputs
    }


def _divisible(plan: PipelinePlan) -> frozenset[str]:
    readers = Counter(state.identity for query in plan.queries for _, state in query.fed)
    return frozenset(
        query.name
        for query in plan.queries
        if query.join is not None
        and not query.join.is_outer  # who has a part of an input cannot say that a row is missing
        and all(readers[one.state.identity] == 1 for one in query.join.inputs)
    )


def _broken(legs: tuple[Leg, ...]) -> tuple[Leg, ...]:
    """The join by itself, the levels above it in a leg that follows."""
    first, *others = legs
    if first.first > 0 or first.last == 0:
        return legs
    above = {level: names for level, names in first.columns.items() if level > 0}
    return (Leg(0, 0, {0: first.columns[0]}), Leg(1, first.last, above), *others)


def _legs(
    query: QueryPlan, fed: Mapping[str, tuple[str, ...]], common: Mapping[str, str]
) -> tuple[Leg, ...]:
    found: list[Leg] = []
    stages, level = query.stages, 0
    if query.join is not None:
        equal = tuple(common.values())[:1]
        columns = {0: equal}
        # the columns of optional inputs are null where these are missing
        required = query.join.graph.required
        same = dict.fromkeys(column for name, column in common.items() if name in required)
        names = _carried(same, stages[0])[:1] if stages else ()
        while names and len(columns) <= len(stages):
            level += 1
            columns[level] = names
            names = _carried(dict.fromkeys(names), stages[level]) if level < len(stages) else ()
        found.append(Leg(0, level, columns))
    while level < len(stages):
        first = level + 1
        columns = {first: _begun(query, level, fed)}
        while (level := level + 1) < len(stages):
            above = _carried(dict.fromkeys(columns[level]), stages[level])
            if len(above) < len(columns[level]):
                break
            columns[level + 1] = above
        found.append(Leg(first, level, columns))
    return tuple(found)


def _begun(query: QueryPlan, level: int, fed: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """The columns of the first level of a leg.

    Rows that may be revised can change their key with that, and are found again only where all of
    them are: in one group.
    """
    stage = query.stages[level]
    if level == 0 and query.join is None:
        return fed[stage.state.identity]
    if stage.state.kind == "rows":
        return ()
    return _lasting(query.stages[level:])


def _lasting(stages: Sequence[Stage]) -> tuple[str, ...]:
    """The keys of the lowest level that are keys of every level above, as far up as there are."""
    carried = {name: name for name in stages[0].keys}
    for stage in stages[1:]:
        names = _plain(stage)
        above = {low: names[now] for low, now in carried.items() if now in names}
        if not above:
            break
        carried = above
    return tuple(carried)


def _carried(below: Mapping[str, object], stage: Stage) -> tuple[str, ...]:
    """Keys of a level that are nothing but these columns of the one below, in their order."""
    names = _plain(stage)
    return tuple(names[name] for name in below if name in names)


def _plain(stage: Stage) -> dict[str, str]:
    """By column of the level below: the key of this level that is the same."""
    found: dict[str, str] = {}
    for name, value in stage.state.keys:
        column = _column(value)
        if column is not None:
            found.setdefault(column, name)
    return found


def _column(value: Expression) -> str | None:
    tree = value.tree
    return tree.name if isinstance(tree, exp.Column) else None


def _equal(join: JoinPlan) -> dict[str, str]:
    """The column that rows of all inputs have in common, by input; equal values have one type."""
    for members in join.graph.classes:
        types = {join.joined.type_of(column) for _, column in members}
        if {name for name, _ in members} == set(join.graph.names) and len(types) == 1:
            return dict(reversed(members))
    return {}
