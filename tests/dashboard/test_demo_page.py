"""The page of a running demo: charts of live data, and events that keep to the schema."""

from __future__ import annotations

import json
import socket
import time
import urllib.request
from pathlib import Path
from threading import Thread

import pytest
from playwright.sync_api import expect
from pyspark.sql import SparkSession
from typer.testing import CliRunner, Result

from slackwater.cli.main import app
from slackwater.events.log import read
from tests.dashboard.browser import DRAWN, INK, chromium, needs_chromium, visit
from tests.events.test_schema import undocumented


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


def wait_for(url: str) -> None:
    for _ in range(200):
        try:
            urllib.request.urlopen(url).read()
            return
        except OSError:
            time.sleep(0.1)
    raise AssertionError(f"nothing is served at {url}")


@needs_chromium
@pytest.mark.browser
@pytest.mark.slow
def test_a_running_demo_is_drawn_live(spark: SparkSession, tmp_path: Path) -> None:
    url = f"http://127.0.0.1:{free_port()}/"
    words = ["demo", "--seconds", "8", "--json", "--keep", str(tmp_path / "ck"), "--dashboard"]
    words += ["--port", url.rsplit(":", maxsplit=1)[-1].strip("/")]
    results: list[Result] = []
    demo = Thread(target=lambda: results.append(CliRunner().invoke(app, words)))
    demo.start()
    wait_for(url)
    with chromium() as browser, visit(browser, url, wait=".run") as seen:
        seen.page.wait_for_selector(DRAWN, state="attached", timeout=120_000)
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
    demo.join(120)
    assert json.loads(results[0].stdout)["page"] == url
    events = list(read(tmp_path / "ck" / "events.jsonl"))
    assert {"start", "batch", "stop"} <= {event["event"] for event in events}
    assert [found for event in events for found in undocumented(event)] == []
