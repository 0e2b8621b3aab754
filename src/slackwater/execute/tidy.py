"""After a batch: runs that nobody needs any more go, those that have become many are merged."""

from __future__ import annotations

from slackwater.execute.batch import Batch, Layout
from slackwater.execute.compaction import compact, estimate_rule, merge_rules
from slackwater.execute.duck import DuckEngine
from slackwater.execute.limits import Limits
from slackwater.runs.retention import claims, fences, purge


def tidy(layout: Layout, engine: DuckEngine, batch: Batch, limits: Limits) -> None:
    """Leave in the catalog what is needed, in as few runs as reading it should take."""
    queries, fan_in = layout.plan.queries, limits.fan_in
    catalog, decision, turns = batch.catalog, batch.decision, batch.turns
    trees = {name: turn.trees for name, turn in turns.items() if turn.trees}
    purge(catalog, claims(queries, decision.queries, trees), fences(turns.values()))
    joins = {name: (layout.joins[name], some) for name, some in trees.items()}
    rules = merge_rules(engine.writer, queries, layout.shapes, joins)
    compact(engine, catalog, rules, decision.batch, fan_in=fan_in)
    for reading in layout.readings.values():
        compact(engine, catalog, estimate_rule(reading), decision.batch, fan_in=fan_in)
