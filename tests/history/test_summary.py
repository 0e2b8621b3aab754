"""Batches add up to a summary."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict

from slackwater.history.history import History
from slackwater.history.summary import Answered, Spread, Summary, spread, summarize
from tests.events.story import EVENT, SECOND, batch, plan


def told(batches: int) -> Summary:
    history = History()
    history.use_plan(plan())
    history.add([{"event": "batch", **batch(number)} for number in range(batches)])
    return summarize(history, 4.0, {"fixed": Answered(7, 1, Spread(2.0, 3.0))})


def test_a_summary_adds_up() -> None:
    summary = told(8)
    assert (summary.rows, summary.rows_per_second, summary.batches) == (800, 200.0, 8)
    assert summary.batch_ms == Spread(113.0, 113.0)
    assert summary.verb_ms == {
        "observe": 100.0,
        "decide": 1.0,
        "execute": 8.0,
        "deliver": 2.0,
        "commit": 2.0,
    }
    assert summary.tier == "columnar"
    assert summary.state is not None
    assert (summary.state.rows, summary.state.by["bb"]) == (30, (1, 20, 2000))
    stream = summary.streams["readings"]
    assert (stream.rows, stream.clock_us) == (800, EVENT + 7 * SECOND)
    assert json.loads(json.dumps(asdict(summary)))["queries"].keys() == {"fixed", "bounded"}


def test_a_query_has_its_late_rows_answers_and_estimates() -> None:
    query = told(8).queries["fixed"]
    assert (query.late, query.late_share, query.dropped, query.answers) == (35, 0.04375, 7, 16)
    assert (query.slack_us, query.late_policy, query.max_lateness_s) == (2 * SECOND, "drop", 4.0)
    assert (query.finals, query.revisions, query.latency_s) == (7, 1, Spread(2.0, 3.0))
    assert query.watermark_us == EVENT + 5 * SECOND
    given = query.estimates
    assert given is not None
    assert (given.given, given.prods, given.mistimed, given.refused) == (24, 8, 1, 1)
    assert given.accuracy["total"]["pairs"] == 7
    assert given.accuracy["total"]["worst"] == 70.0
    assert given.aggressiveness.keys() == {"accuracy-1"}


def test_what_was_not_seen_is_unknown() -> None:
    query = told(8).queries["bounded"]
    assert (query.finals, query.revisions, query.latency_s) == (None, None, Spread())
    assert (query.estimates, query.backlog, query.controllers) == (None, None, {})


def test_before_the_first_batch_queries_and_streams_are_there() -> None:
    summary = told(0)
    assert (summary.rows, summary.batches, summary.state) == (0, 0, None)
    assert summary.queries["fixed"].slack_us == 2 * SECOND
    assert summary.streams.keys() == {"readings"}
    assert summary.batch_ms == Spread()


def test_the_end_of_the_stream_is_no_watermark() -> None:
    history = History()
    event = {"event": "batch", **batch(0)}
    event["queries"]["fixed"]["watermark"] = 1 << 61
    history.add([event])
    assert summarize(history, 1.0, {}).queries["fixed"].watermark_us is None


def test_a_spread_is_by_nearest_rank() -> None:
    assert spread(Counter({1: 94, 2: 1, 9: 5})) == Spread(1.0, 2.0)
    assert spread(Counter()) == Spread()
