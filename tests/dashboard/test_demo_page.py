"""The page of a running demo: charts of live data, and events that keep to the schema."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect

from slackwater.events.log import read
from tests.dashboard.browser import DRAWN, INK, chromium, needs_chromium, visit
from tests.dashboard.serving import environment
from tests.events.test_schema import undocumented

CODE = "from slackwater.cli.main import main; main()"


@needs_chromium
@pytest.mark.slow
def test_a_running_demo_is_drawn_live(tmp_path: Path) -> None:
    words = ["demo", "--seconds", "300", "--json", "--keep", str(tmp_path / "ck"), "--dashboard"]
    with subprocess.Popen(
        [sys.executable, "-c", CODE, *words, "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    ) as demo, chromium() as browser:  # fmt: skip
        assert demo.stderr is not None
        line = demo.stderr.readline()
        assert line.startswith("page at http://127.0.0.1:"), line
        url = line.removeprefix("page at ").strip()
        with visit(browser, url, wait=".run") as seen:
            seen.page.wait_for_selector(DRAWN, state="attached", timeout=120_000)  # Spark starts
            first = seen.points()
            expect(seen.page.locator(".pill")).to_have_text("live")
            expect(seen.page.locator("html")).not_to_have_attribute(
                "data-points", str(first), timeout=60_000
            )
            assert seen.points() > first
            assert seen.page.locator("article.query").count() == 3
            assert min(seen.page.evaluate(INK)[:3]) > 100
            assert seen.complaints == []
            assert seen.strangers(url) == []
        demo.send_signal(signal.SIGINT)  # ends after the batch at hand
        out, _ = demo.communicate(timeout=120)
    assert json.loads(out)["page"] == url
    events = list(read(tmp_path / "ck" / "events.jsonl"))
    assert {"start", "batch", "stop"} <= {event["event"] for event in events}
    assert [found for event in events for found in undocumented(event)] == []
