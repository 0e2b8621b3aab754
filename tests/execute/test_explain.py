"""A new controller is one class: it is seen everywhere without anybody knowing it by name."""

from __future__ import annotations

from pathlib import Path

from starlette.testclient import TestClient

import slackwater as sw
from slackwater import testing
from slackwater.control.request import Request
from slackwater.dashboard.page import page
from slackwater.dashboard.runs import Runs
from slackwater.dashboard.settings import Settings
from slackwater.events import log
from slackwater.execute.explain import live_lines, live_value
from tests.control.test_adapt import SWAP, query
from tests.control.test_controller import WITH_BELL
from tests.driver import batch, feed, make_loop, readings


def ringing(folder: Path) -> list[str]:
    query = readings().window("10 s").aggregate(n="count(*)").query("q", sink=sw.memory())
    loop = make_loop((query,), folder, controllers=WITH_BELL)
    for table in (batch((1, 1, 1), (12, 1, 1)), batch((25, 1, 1))):
        feed(loop, table)
    lines = live_lines(loop)
    assert live_value(loop)["q"]["controllers"]["bell"] == {"rung": 2}
    loop.close()
    again = make_loop((query,), folder, controllers=WITH_BELL)  # its memory comes back
    feed(again, batch((38, 1, 1)))
    assert live_value(again)["q"]["controllers"]["bell"] == {"rung": 3}
    again.close()
    return lines


def test_a_toy_controller_is_seen_in_events_explain_metrics_and_on_the_page(tmp_path: Path) -> None:
    assert "query q: bell: rung 2" in ringing(tmp_path)
    told = [e for e in log.read(tmp_path / "events.jsonl") if e["event"] == "batch"]
    assert [e["queries"]["q"]["controllers"]["bell"]["rung"] for e in told] == [1, 2, 3]
    shown = Runs([tmp_path])
    shown.all[0].look_through()
    with TestClient(page(shown, Settings()), base_url="http://127.0.0.1") as client:
        on_page = client.get("/api/runs/0/history").json()
        assert on_page["explained"]["q"]["bell"] == {"rung": 3}
        assert on_page["numbers"]["controller"]["q"]["bell/rung"] == [1, 2, 3]
        lines = client.get("/metrics").text.splitlines()
    shown.all[0].close()
    gauge = [line for line in lines if line.startswith("slackwater_controller_value{")]
    assert [line for line in gauge if 'controller="bell"' in line and line.endswith(" 3.0")]


def test_the_plan_of_a_join_is_explained_with_its_cost_memory_and_changes(tmp_path: Path) -> None:
    """Asked for in batch 5, and still there when the pipeline goes on after a restart."""
    limited = query(resources=sw.resources(memory="1 GB"))
    loop = testing.make_loop((limited,), tmp_path, testing.Settings(tier="columnar"))
    for number, tables in enumerate(SWAP[:8]):
        if number == 5:
            loop.inbox.put(Request("replan-1", "q", tree="(a (b c))"))
        loop.process(testing.micro(loop, tables), number)
    lines, join = live_lines(loop), live_value(loop)["q"]["join"]
    told = [e for e in log.read(tmp_path / "events.jsonl") if e["event"] == "batch"][-1]
    assert "query q: plan in force: (a (b c))" in lines
    assert [line for line in lines if "ms predicted" in line and "ms measured" in line]
    assert [line for line in lines if "MB held" in line and "limit 1 GB" in line]
    assert [line for line in lines if line.startswith("query q: plans compared in batch ")]
    assert [line for line in lines if "(a (b c)), moving" in line and "by a person" in line]
    assert join["predicted_s"] == told["queries"]["q"]["controllers"]["adapt"]["predicted_s"]
    assert join["held"] == told["queries"]["q"]["held"]
    assert join["limit"] == 1_000_000_000
    assert join["compared"]["runner_up_s"] > 0
    assert join["migrations"][-1]["batch"] == 5
    loop.close()
    again = testing.make_loop((limited,), tmp_path, testing.Settings(tier="columnar"))
    assert live_value(again)["q"]["join"]["migrations"] == join["migrations"]
    again.close()


def test_what_a_join_holds_are_the_states_of_its_trees_and_nothing_else(tmp_path: Path) -> None:
    """A batch tells bytes of inputs and inner nodes; those of the windows above do not count."""
    loop = testing.make_loop((query("((a b) c)"),), tmp_path, testing.Settings(tier="columnar"))
    for number, tables in enumerate(SWAP[:3]):
        loop.process(testing.micro(loop, tables), number)
    told = [e for e in log.read(tmp_path / "events.jsonl") if e["event"] == "batch"][-1]
    [above] = [stage.state.identity for stage in loop.policy.plan.queries[0].stages]
    assert len(told["state"]["by"]) == 5  # three inputs, one inner node, the windows
    windows = told["state"]["by"][above][2]
    assert told["queries"]["q"]["held"] == told["state"]["bytes"] - windows > 0
    loop.close()
