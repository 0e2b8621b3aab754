"""E5: how long PR and PR-Prune search, by the number of runs on one attribute (4.7)."""

from __future__ import annotations

from statistics import median

from slackwater.papers.precedence_works2015.complexity import params
from slackwater.papers.precedence_works2015.measuring import BY_NAME, Row, run
from slackwater.papers.precedence_works2015.workload import chain
from slackwater.precede.construction import PR, PR_PRUNE, Situation, construct

PATHS = (1, 2, 4, 8)
SEEDS = (1,)


def situation(joins: int, paths: int, seed: int, seconds: int = 30) -> Situation:
    """What an optimiser knows after half a minute in which nobody has promised anything."""
    setup = chain(joins, paths)
    system = run(setup, BY_NAME["PP"], params(setup), seconds, seed)
    return system.look_at()


def over_paths(is_quick: bool) -> list[Row]:
    """Plans examined and seconds, medians over three situations."""
    joins, known, seeds = (4, (1, 4), (1,)) if is_quick else (8, PATHS, SEEDS)
    found = []
    for paths in known:
        here = [situation(joins, paths, seed) for seed in seeds]
        for strategy in (PR, PR_PRUNE):
            searches = [construct(one, strategy) for one in here]
            row: Row = {"joins": joins, "paths": paths, "system": strategy.name}
            row["examined"] = median(one.examined for one in searches)
            row["seconds"] = median(one.seconds for one in searches)
            row["dynamic"] = median(len(one.plan.dynamic) for one in searches)
            found.append(row)
    return found
