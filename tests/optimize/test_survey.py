"""Of a join of many streams a few pairs are looked at in a batch, in turn."""

from __future__ import annotations

from dataclasses import replace

import slackwater as sw
from slackwater import testing
from slackwater.optimize.facts import Count, Facts, named
from slackwater.optimize.survey import PAIRS, pairs_to_look_at
from slackwater.plan.build import check
from slackwater.plan.join import JoinPlan
from slackwater.plan.stage import lay_out

EVERY = 5
Looked = list[tuple[tuple[str, str], ...]]


def plan(count: int) -> JoinPlan:
    """Streams by one key: every pair of them is connected."""
    streams = [testing.rows(f"s{n}", time="ts", ts="timestamp", k="bigint") for n in range(count)]
    joined = sw.join(*streams, on="k", within="1 s").select("s0.k AS k")
    found = lay_out(check((joined.query("q"),))).queries[0].join
    assert found is not None
    return found


def looked(join: JoinPlan, batches: int, silent: str = "") -> Looked:
    """The surveys of some batches, each counted when the next one begins."""
    rows = {name: 0 if name == silent else 10 for name in join.graph.names}
    facts, found = Facts(fresh=rows, held=rows), Looked()
    for batch in range(batches):
        survey = pairs_to_look_at(join.graph, facts, batch, is_due=batch % EVERY == 0)
        counted = {named(set(pair)): Count(1, 1) for pair in survey}
        facts = replace(facts, pairs=facts.pairs | counted)
        found.append(survey)
    return found


def test_all_pairs_of_eight_streams_are_looked_at_at_once() -> None:
    surveys = looked(plan(8), 1 + EVERY)
    assert list(map(len, surveys)) == [28, *[0] * (EVERY - 1), 28]


def test_of_many_streams_those_never_looked_at_come_first_and_then_all_in_turn() -> None:
    surveys = looked(plan(20), 120)
    assert max(map(len, surveys)) == PAIRS
    beginning = [pair for survey in surveys[:7] for pair in survey]
    assert len(set(beginning)) == len(beginning) == 190
    later = {pair for survey in surveys[7:] for pair in survey}
    assert len(later) == 190


def test_a_silent_stream_keeps_nobody_from_being_looked_at() -> None:
    surveys = looked(plan(20), 20, silent="s0")
    assert len({pair for survey in surveys for pair in survey}) == 19 * 18 // 2
