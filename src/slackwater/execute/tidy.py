"""After a batch: runs that nobody needs any more go, those that have become many are merged."""

from __future__ import annotations

from collections.abc import Iterable

from slackwater.control.turn import Turn
from slackwater.execute.batch import Batch, Layout
from slackwater.execute.compaction import compact, estimate_rule, merge_rules
from slackwater.execute.duck import DuckEngine
from slackwater.execute.limits import Limits
from slackwater.runs.catalog import Catalog
from slackwater.runs.retention import claims, fences, purge


def begin(catalog: Catalog, turns: Iterable[Turn]) -> None:
    """States that are new in mid-stream have what came with this batch, and nothing before."""
    for turn in turns:
        for stream, state in turn.query.fed:
            clock = turn.clocks[stream]
            catalog.begin(state.identity, None if clock is None else clock + 1)


def tidy(layout: Layout, engine: DuckEngine, batch: Batch, limits: Limits) -> None:
    """Leave in the catalog what is needed, in as few runs as reading it should take."""
    queries, fan_in = layout.plan.queries, limits.fan_in
    catalog, decision, turns = batch.catalog, batch.decision, batch.turns
    begin(catalog, turns.values())
    trees = {name: turn.trees for name, turn in turns.items() if turn.trees}
    purge(catalog, claims(queries, decision.queries, trees), fences(turns.values()))
    joins = {name: (layout.joins[name], some) for name, some in trees.items()}
    rules = merge_rules(engine.writer, queries, layout.shapes, joins)
    compact(engine, catalog, rules, decision.batch, fan_in=fan_in)
    for reading in layout.readings.values():
        compact(engine, catalog, estimate_rule(reading), decision.batch, fan_in=fan_in)
