"""One set-up under one way to treat an overload, repeated with several seeds."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from slackwater.papers.precedence_works2015.operators.system import System, SystemParams
from slackwater.papers.precedence_works2015.workload import Setup
from slackwater.precede.baselines import DISCIPLINES, Discipline
from slackwater.precede.cost import Model
from slackwater.precede.flows import RowClass, flows
from slackwater.units import SECOND

LOG = logging.getLogger(__name__)
Row = dict[str, Any]
BY_NAME = {one.name: one for one in DISCIPLINES}
RANKED = tuple(BY_NAME[name] for name in ("PP", "PR", "PR-Prune"))


@dataclass(frozen=True, slots=True)
class Scale:
    """How long a run is, in virtual seconds, and its seeds."""

    seconds: int
    seeds: tuple[int, ...]


FULL, ONCE, QUICK = Scale(120, (1, 2, 3)), Scale(120, (1,)), Scale(40, (1,))


def demand(setup: Setup, seconds: int = 120) -> float:
    """What serving everything first come, first served takes, in units a second."""
    query = setup.query
    system = System(BY_NAME["Trad"], query, SystemParams(0.0))
    for source in setup.sources(seconds * SECOND, 1):
        system.recent.arrive(source)
    kinds = system.recent.kinds
    classes = tuple(RowClass(*kind, count / seconds) for kind, count in kinds.items())
    network = flows(query.pipeline, classes, query.window)
    return Model(query.pipeline, network, 0.0, 3).demand()


def run(
    setup: Setup, discipline: Discipline, params: SystemParams, seconds: int, seed: int
) -> System:
    system = System(discipline, setup.query, params, seed)
    system.run(setup.sources(seconds * SECOND, seed), seconds * SECOND)
    return system


def measured(setup: Setup, discipline: Discipline, params: SystemParams, scale: Scale) -> Row:
    """Means over the seeds, and the counts of each."""
    rows = [told(run(setup, discipline, params, scale.seconds, seed)) for seed in scale.seeds]
    LOG.info("%s %s %s", setup.mix.name, len(setup.names), discipline.name)
    found = {key: mean_of([row[key] for row in rows]) for key in rows[0] if key != "series"}
    return {
        "system": discipline.name,
        **found,
        "each": [row["levels"] for row in rows],
        "seeds": scale.seeds,
        "series": rows[0]["series"],
    }


def mean_of(values: list[Any]) -> Any:
    """The mean of numbers, of lists, or of dictionaries of them."""
    if isinstance(values[0], dict):
        keys = dict.fromkeys(key for one in values for key in one)
        return {key: fmean(one.get(key, 0.0) for one in values) for key in keys}
    if isinstance(values[0], list):
        return [fmean(several) for several in zip(*values, strict=True)]
    return fmean(values)


def told(system: System) -> Row:
    """What is written down of one run (PR-89)."""
    books, done = system.executor.books, system.adaptions
    levels, moments = (1, 2, 3), range(max(books.series, default=-1) + 1)
    return {
        "levels": [books.results[level] for level in levels],
        "others": books.insignificant,
        "all": books.results.total(),
        "expired": [books.significant[level] for level in levels],
        "promising_expired": [books.promising[level] for level in levels],
        "plans": len(done),
        "examined": _mean(one.examined for one in done),
        "search_s": _mean(one.seconds for one in done),
        "delay_s": _mean(one.delay / SECOND for one in done),
        "dynamic": _mean(len(one.plan.dynamic) for one in done),
        "units": dict(sorted(books.units.items())),
        "state": _mean(system.sizes.state),
        "queues": _mean(system.sizes.queues),
        "series": [[books.series[at][level] for level in levels] for at in moments],
    }


def _mean(values: Iterable[float]) -> float:
    known = [*values]
    return fmean(known) if known else 0.0
