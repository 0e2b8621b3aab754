"""Active criteria as people know them: which values of a column promise a rank, and how much."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from slackwater.control.records import Explanation
from slackwater.plan.join import JoinPlan
from slackwater.plan.ranks import Promised
from slackwater.plan.stage import QueryPlan

BEST = 5  # values of a column that are told by name


@dataclass(frozen=True, slots=True)
class Criterion:
    """Values of a stream's column that promise a rank from now on, the best first."""

    rank: int
    column: str
    promised: Promised


def criteria_of(query: QueryPlan, promised: Iterable[Promised]) -> tuple[Criterion, ...]:
    """Promises by the columns that people know."""
    join = query.join
    if join is None:
        return ()
    return tuple(Criterion(one.rank, _column(join, one), one) for one in promised)


def _column(join: JoinPlan, one: Promised) -> str:
    name = join.inputs[one.input].name
    shared = join.common_values(name)[one.column][0]
    column = dict(join.graph.classes[shared])[name]
    return f"{name}.{column.removeprefix(f'{name}_')}"


def told_of(criteria: Iterable[Criterion]) -> Explanation:
    """By rank how many values promise it, how many results in all, and which are the best."""
    ranks: dict[int, list[Criterion]] = defaultdict(list)
    for one in criteria:
        ranks[one.rank].append(one)
    told: Explanation = {}
    for rank, mine in sorted(ranks.items()):
        told[f"criteria_{rank}"] = sum(len(one.promised.values) for one in mine)
        told[f"yield_{rank}"] = round(sum(one.promised.gain for one in mine), 3)
        told[f"best_{rank}"] = "; ".join(
            f"{one.column} = {', '.join(one.promised.values[:BEST])}" for one in mine
        )
    return told
