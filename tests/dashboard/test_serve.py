"""Starting the page: what is refused and how; and a long run, which must open at once."""

from __future__ import annotations

import json
import socket
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from slackwater.events.segments import FULL
from tests.dashboard.browser import chromium, needs_chromium, visit
from tests.dashboard.serving import refused, resident, serving
from tests.events.story import SECOND, WALL, batch, ended, plan, tell

LONG = 100_000  # batches


def test_what_cannot_be_shown_is_refused_with_a_reason(tmp_path: Path) -> None:
    assert "[CHECKPOINT_MISSING]" in refused("dashboard", tmp_path / "nowhere")
    (tmp_path / "events.jsonl").write_text("something else\n")
    assert "[EVENTS_FOREIGN]" in refused("dashboard", tmp_path)
    assert "[EVENTS_FOREIGN]" in refused("report", "--output", tmp_path / "r.html", tmp_path)
    assert "[CHECKPOINT_MISSING]" in refused("metrics")
    tell(tmp_path / "empty", 0).close()
    assert "[RUN_EMPTY]" in refused("report", "--output", tmp_path / "r.html", tmp_path / "empty")
    run = ended(tmp_path / "run", 2)
    assert "[STORAGE_FAILED]" in refused("report", "--output", tmp_path / "no" / "r.html", run)


def test_a_taken_port_and_an_open_address_are_refused(tmp_path: Path) -> None:
    run = ended(tmp_path, 2)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        said = refused("dashboard", "--port", taken.getsockname()[1], run)
    assert "[PORT_TAKEN]" in said
    assert "--port" in said
    assert "[TOKEN_MISSING]" in refused("dashboard", "--host", "0.0.0.0", "--port", 0, run)
    assert "[TOKEN_SHORT]" in refused("dashboard", "--port", 0, run, SLACKWATER_TOKEN="abc")
    assert "[ADDRESS_REFUSED]" in refused(
        "dashboard", "--host", "203.0.113.7", "--port", 0, run, SLACKWATER_TOKEN="long-enough"
    )


def test_it_listens_on_loopback_only(tmp_path: Path) -> None:
    with serving(ended(tmp_path, 2)) as (url, _):
        assert url.startswith("http://127.0.0.1:")
        assert json.loads(urllib.request.urlopen(f"{url}api/runs").read())[0]["newest"] == 1
        request = urllib.request.Request(f"{url}api/runs", method="DELETE")
        with pytest.raises(urllib.error.HTTPError, match="405"):
            urllib.request.urlopen(request)


def long_run(folder: Path) -> Path:
    """A log of many batches, in full files as the engine leaves them."""
    folder.mkdir()
    start = {"event": "start", "schema": 1, "batch": -1, "plan": plan(), "at": WALL}
    event = json.dumps({"event": "batch", **batch(8)}, separators=(",", ":"))
    eight = batch(8)
    moving = [eight["streams"]["readings"]["clock"]]
    moving += [query["watermark"] for query in eight["queries"].values()]
    lines, size, files = [json.dumps(start)], 0, 1
    for number in range(LONG):
        line = event.replace('"batch":8', f'"batch":{number}', 1)
        line = line.replace(str(eight["at"]), str(WALL + number * 36_000), 1)
        for value in moving:
            line = line.replace(str(value), str(value + number * SECOND // 10))
        lines.append(line)
        size += len(line)
        if size > FULL:
            (folder / f"events.{files:08d}.jsonl").write_text("\n".join(lines) + "\n")
            header = {"event": "segment", "schema": 1, "start": start}
            lines, size, files = [json.dumps(header)], 0, files + 1
    (folder / "events.jsonl").write_text("\n".join(lines) + "\n")
    return folder


@needs_chromium
@pytest.mark.browser
@pytest.mark.slow
def test_a_hundred_thousand_batches_open_at_once_and_fit_in_200_mb(tmp_path: Path) -> None:
    folder = long_run(tmp_path / "long")
    with serving(folder) as (url, pid), chromium() as browser:
        began = time.monotonic()
        with visit(browser, url) as seen:
            first = time.monotonic() - began
            seen.page.wait_for_selector(".banner", state="hidden", timeout=60_000)
            whole = json.loads(urllib.request.urlopen(f"{url}api/runs/0/history").read())
            assert whole["newest"] == LONG - 1
            assert sum(whole["numbers"]["run"][""]["batches"]) == LONG
            assert seen.points() <= 1_000
        again = time.monotonic()
        with visit(browser, url):
            again = time.monotonic() - again
        peak = resident(pid)
    print(f"newest part after {first:.2f} s, all of it {again:.2f} s, at most {peak:.0f} MB")
    assert first < 30  # about 1.5 s alone; tests run beside others, and are no benchmark
    assert again < 30
    assert peak < 200
