"""Reports and answers add up to a summary, and to a picture."""

from __future__ import annotations

import io
import json
from collections import Counter
from datetime import UTC, datetime, timedelta

import pyarrow as pa
from rich.console import Console

from slackwater.cli.feed import Answers
from slackwater.cli.summary import print_summary
from slackwater.cli.tally import Tally, spread
from slackwater.cli.view import JsonView, PlainView, frame
from tests.cli.reports import plan, report


def answers(batch: int, *kinds: str) -> Answers:
    """Windows that end 4 seconds before the clock of the batch."""
    end = datetime(2024, 1, 1, tzinfo=UTC) + timedelta(seconds=10 * batch - 4)
    rows = [
        {
            "window_start": end - timedelta(seconds=10),
            "window_end": end,
            "total": 1.5,
            "kind": kind,
            "revision": int(kind == "revision"),
        }
        for kind in kinds
    ]
    return Answers("sums", batch, pa.Table.from_pylist(rows))


def grown() -> Tally:
    tally = Tally(plan())
    for batch in (1, 2):
        tally.add(answers(batch, "final", "revision"))
        tally.add(report(batch))
    return tally


def test_a_summary_adds_up() -> None:
    summary = grown().summary(seconds=4.0)
    assert (summary["rows"], summary["rows_per_second"], summary["batches"]) == (200, 50.0, 2)
    query = summary["queries"]["sums"]
    assert (query["late"], query["dropped"], query["aside"]) == (10, 6, 2)
    assert query["late_share"] == 0.05
    assert (query["answers"], query["finals"], query["revisions"]) == (4, 2, 2)
    assert query["latency_s"] == {"median": 4.0, "p95": 4.0}
    assert query["max_lateness_s"] == 2.0
    assert summary["batch_ms"] == {"median": 114.0, "p95": 115.0}
    assert json.loads(json.dumps(summary)) == summary


ESTIMATES = {
    "prods": 2,
    "rows": 30,
    "late": 1,
    "refused": 0,
    "aggressiveness": {"accuracy-1": 0.25},
    "accuracy": {"total": {"pairs": 9, "mean": 91.0, "recent": 92.5, "worst": 60.0}},
}


def estimated() -> Tally:
    tally = Tally(plan())
    for batch in (1, 2):
        tally.add(answers(batch, "final", "revision", "estimate", "estimate"))
        tally.add(report(batch, estimates=ESTIMATES))
    return tally


def test_estimates_are_counted_apart_from_answers() -> None:
    query = estimated().summary(1.0)["queries"]["sums"]
    assert (query["answers"], query["finals"], query["revisions"]) == (4, 2, 2)
    told = query["estimates"]
    assert (told["given"], told["prods"], told["mistimed"], told["refused"]) == (60, 4, 2, 0)
    assert told["accuracy"]["total"]["recent"] == 92.5
    assert grown().summary(1.0)["queries"]["sums"]["estimates"] is None


def test_estimates_are_mentioned_while_running_and_at_the_end() -> None:
    words = "60 by 4 prods; total 92.50 % accurate, worst 60.00 %; accuracy-1 at 0.25; 2 mistimed"
    paper = Console(width=160, file=io.StringIO(), record=True)
    paper.print(frame(estimated(), "title", 4.0))
    live = paper.export_text()
    assert f"estimates of sums  {words}" in live
    assert "estimate 0" not in live
    places = {"results": {"sums": "here"}, "side": {"sums": "aside"}, "events": "", "log": ""}
    for tally, is_told in ((estimated(), True), (grown(), False)):
        print_summary(paper, {**tally.summary(4.0), **places})
        assert (words in paper.export_text()) == is_told


def test_answers_of_a_batch_that_was_not_committed_do_not_count() -> None:
    tally = Tally(plan())
    tally.add(answers(1, "final"))
    tally.add(report(2, emitted=0))
    assert tally.summary(1.0)["queries"]["sums"]["finals"] == 0


def test_kinds_of_answers_that_were_not_seen_are_unknown() -> None:
    tally = Tally(plan())
    tally.add(report(1, emitted=1_000))
    assert tally.summary(1.0)["queries"]["sums"]["finals"] is None


def test_windows_closed_by_the_end_of_the_stream_have_no_latency() -> None:
    tally = Tally(plan())
    tally.add(answers(1, "final"))
    tally.add(report(1, watermark=1 << 61, emitted=1))
    query = tally.summary(1.0)["queries"]["sums"]
    assert query["latency_s"] == {"median": None, "p95": None}
    assert query["watermark_us"] is None


def test_a_spread_is_by_nearest_rank() -> None:
    assert spread(Counter({1: 94, 2: 1, 9: 5})) == {"median": 1.0, "p95": 2.0}
    assert spread(Counter()) == {"median": None, "p95": None}


def test_a_frame_shows_clock_watermark_lag_late_rows_and_newest_answers() -> None:
    paper = Console(width=120, file=io.StringIO(), record=True)
    paper.print(frame(grown(), "title", 4.0, 60.0))
    text = paper.export_text()
    for shown in ("2024-01-01 00:00:20", "00:00:18", "2.0 s", "revision 1", "30 rows in 2 runs"):
        assert shown in text


def test_an_empty_tally_can_be_shown() -> None:
    paper = Console(width=120, file=io.StringIO(), record=True)
    paper.print(frame(Tally(plan()), "title", 0.0))
    assert "sums" in paper.export_text()


def test_the_views_for_pipes_print_a_line_per_batch() -> None:
    for view in (JsonView, PlainView):
        file = io.StringIO()
        shown = view(Console(file=file, width=40))
        tally = grown()
        shown.show(tally, 1.0)
        shown.show(tally, 1.2)
        assert len(file.getvalue().splitlines()) == 1, view
