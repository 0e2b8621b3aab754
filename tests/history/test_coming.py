"""Queries that came and went, as people read it."""

from __future__ import annotations

from pathlib import Path

from slackwater.events.log import EventLog, read
from slackwater.history.entry import entry_of
from slackwater.history.history import History
from slackwater.plan.build import check
from slackwater.plan.explain import explain_value
from slackwater.plan.stage import lay_out
from tests.coming import told
from tests.driver import feed, make_loop
from tests.story import batches


def test_a_history_tells_which_queries_came_and_went(tmp_path: Path) -> None:
    tables = batches(6)
    for sets, part in ((("counts", "wide"), range(3)), (("counts", "few"), range(3, 6))):
        loop = make_loop([told(name) for name in sets], tmp_path)
        for number in part:
            feed(loop, tables[number], number)
        loop.close()
    plan = explain_value(lay_out(check([told("counts"), told("few")])))
    written = EventLog(tmp_path / "events.jsonl")
    written.write("change", batch=2, added=["few"], removed=["wide"], how="in place", plan=plan)
    written.close()
    history = History()
    history.add(list(read(tmp_path / "events.jsonl")))
    assert list(history.plan.queries) == ["counts", "few"]
    assert set(history.queries) == {"counts", "few", "wide"}
    assert list(history.gone) == ["wide"]
    titles = {entry.kind: entry.title for entry in history.happened(50)}
    assert titles["query_added"] == "query few came"
    assert titles["query_removed"] == "query wide went"
    assert titles["change"] == "other queries: with few and without wide"


def test_a_demand_is_told_with_its_reason() -> None:
    event = {"event": "demand", "batch": 3, "query": "q", "asked": "remove", "reason": "no such"}
    entry = entry_of(event, 0.0)
    assert (entry.title, entry.text, entry.query) == ("asked to remove query q", "no such", "q")
