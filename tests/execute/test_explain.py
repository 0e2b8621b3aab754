"""A new controller is one class: it is seen everywhere without anybody knowing it by name."""

from __future__ import annotations

from pathlib import Path

from starlette.testclient import TestClient

import slackwater as sw
from slackwater.dashboard.page import page
from slackwater.dashboard.runs import Runs
from slackwater.dashboard.settings import Settings
from slackwater.events import log
from slackwater.execute.explain import live_lines, live_value
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
