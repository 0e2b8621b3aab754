"""How much each group has to do, and what of it several tasks could share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from slackwater.control.share import Loads, Rows
from slackwater.execute.slices import GROUPS
from slackwater.plan.spread import Spread
from slackwater.plan.stage import PipelinePlan
from slackwater.runs.catalog import Catalog
from slackwater.runs.run import Run, total_rows


def loads(
    plan: PipelinePlan, spread: Spread, tasks: int, fresh: Iterable[Run], catalog: Catalog
) -> Loads:
    """Rows by group; of each join that allows it, the input with most rows may be divided."""
    new: dict[str, list[Run]] = {}
    for run in fresh:
        new.setdefault(run.state, []).append(run)
    divided: dict[str, str] = {}
    divisible: set[str] = set()
    for query in plan.queries:
        if query.join is not None and query.name in spread.divisible:
            inputs = {one.name: [one.state.identity] for one in query.join.inputs}
            for one in () if query.join.grouped is None else query.join.grouped.inputs:
                inputs[one.name].append(one.state.identity)
            rows = {
                states[0]: total_rows(
                    run for s in states for run in (*new.get(s, ()), *catalog.at(s))
                )
                for states in inputs.values()
            }
            divided[query.name] = max(rows, key=lambda one: rows[one])
            divisible |= {state for states in inputs.values() for state in states}
    held = catalog.runs
    return Loads(
        tasks,
        Rows(
            _by_group(run for s, runs in new.items() if s not in divisible for run in runs),
            _by_group(run for s, runs in held.items() if s not in divisible for run in runs),
        ),
        Rows(
            _by_group(run for s in divisible for run in new.get(s, ())),
            _by_group(run for s in divisible for run in held.get(s, ())),
        ),
        divided,
    )


def _by_group(runs: Iterable[Run]) -> tuple[int, ...]:
    found: Counter[int] = Counter()
    for run in runs:
        for one in run.slices or ():
            found[one.group] += one.rows
    return tuple(found[group] for group in range(GROUPS))
