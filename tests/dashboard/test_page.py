"""What the page is told: runs, numbers, log, news."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from slackwater.dashboard.live import Cursor, cursors, news
from slackwater.dashboard.page import STATIC, page
from slackwater.dashboard.runs import Runs
from slackwater.dashboard.settings import Settings
from slackwater.events.log import EventLog
from tests.events.story import WALL, batch, costly, ended, tell


@pytest.fixture
def shown(tmp_path: Path) -> Iterator[tuple[Runs, EventLog]]:
    log = tell(tmp_path / "going", 20)
    runs = Runs([tmp_path / "going", ended(tmp_path / "over", 30)])
    for run in runs.all:
        run.look_through()
    yield runs, log
    log.close()
    for run in runs.all:
        run.close()


@pytest.fixture
def client(shown: tuple[Runs, EventLog]) -> Iterator[TestClient]:
    with TestClient(page(shown[0], Settings()), base_url="http://127.0.0.1") as client:
        yield client


def test_runs_are_listed_with_their_plans(client: TestClient) -> None:
    going, over = client.get("/api/runs").json()
    assert (going["name"], going["newest"], going["ended"]) == ("going", 19, None)
    assert (over["name"], over["newest"], over["ended"]) == ("over", 29, "stopped")
    assert set(over["plan"]["queries"]) == {"fixed", "bounded"}
    assert over["plan"]["queries"]["bounded"]["promise"]["target"] == 0.9


def test_history_is_thinned_on_demand_and_cut_to_a_span(client: TestClient) -> None:
    whole = client.get("/api/runs/1/history").json()
    assert len(whole["numbers"]["run"][""]["at"]) == 30
    few = client.get("/api/runs/1/history?points=5").json()
    assert len(few["numbers"]["run"][""]["at"]) == 5
    part = client.get(f"/api/runs/1/history?low={WALL}&high={WALL + 1_000_000}").json()
    assert part["numbers"]["run"][""]["batch"] == [0, 1, 2]


def test_samples_of_estimates_come_with_the_numbers(
    client: TestClient, shown: tuple[Runs, EventLog]
) -> None:
    whole = client.get("/api/runs/1/history").json()
    assert [sample["batch"] for sample in whole["samples"]["fixed"]] == list(range(6, 30, 2))
    runs, log = shown
    run = runs.all[0]
    cursor = Cursor(0, run.epoch, 19)
    for number in (20, 21):
        log.write("batch", **batch(number))
    run.look()
    message = news(run, cursor)[0]
    assert [sample["batch"] for sample in message["samples"]["fixed"]] == [20]


def test_explanations_of_controllers_come_with_the_numbers(
    client: TestClient, shown: tuple[Runs, EventLog]
) -> None:
    assert client.get("/api/runs/0/history").json()["explained"] == {}
    runs, log = shown
    run = runs.all[0]
    cursor = Cursor(0, run.epoch, 19)
    log.write("batch", **costly(20))
    run.look()
    message = news(run, cursor)[0]
    assert message["explained"]["fixed"]["toy"]["mood"] == "calm 20"
    assert message["numbers"]["controller"]["fixed"]["order/cost (rows)"] == [1_234_587]
    assert client.get("/api/runs/0/history").json()["explained"] == message["explained"]


def test_the_log_ends_where_one_looks(client: TestClient) -> None:
    everything = client.get("/api/runs/1/log").json()["entries"]
    assert everything[-1]["kind"] == "stop"
    until = WALL + 5_000_000
    past = client.get(f"/api/runs/1/log?until={until}&newest=2").json()["entries"]
    assert len(past) == 2
    assert all(entry["at"] <= until for entry in past)


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/api/runs/7/history", 404),
        ("/api/runs/..%2f..%2fetc/history", 404),
        ("/api/runs/x/log", 404),
        ("/api/runs/%C2%B2/history", 404),  # a digit to some, no number to others
        (f"/api/runs/{'9' * 5000}/log", 404),
        ("/api/runs/0/history?low=nan&high=-inf", 200),
        ("/api/runs/0/log?until=1", 200),  # before anything happened
        ("/api/runs/0/history?points=1000000000", 422),
        ("/api/runs/0/history?low=soon", 422),
        ("/static/../page.py", 404),
        ("/static/%2e%2e/page.py", 404),
        ("/docs", 404),
        ("/openapi.json", 404),
    ],
)
def test_odd_questions_have_plain_answers(client: TestClient, path: str, status: int) -> None:
    answer = client.get(path)
    assert answer.status_code == status
    assert "Traceback" not in answer.text


@pytest.mark.parametrize("version", ["x", "1.2.x", "²", "9" * 5000])
def test_metrics_in_a_format_that_nobody_knows_are_refused_in_words(
    client: TestClient, version: str
) -> None:
    accepted = f"application/openmetrics-text; version={version}".encode()
    answer = client.get("/metrics", headers={"accept": accepted})
    assert answer.status_code == 400
    assert "no format is known by that version" in answer.text


@given(
    st.sampled_from(
        [
            "/api/runs/{}/history",
            "/api/runs/{}/log",
            "/api/runs/0/history?points={}",
            "/api/runs/0/history?low={}",
            "/api/runs/0/history?high={}",
            "/api/runs/0/log?newest={}",
            "/api/runs/0/log?until={}",
            "/api/runs/0/log?since={}",
            "/static/{}",
            "/{}",
        ]
    ),
    st.text() | st.integers().map(str) | st.floats().map(str),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_address_breaks_the_page(client: TestClient, path: str, text: str) -> None:
    assert client.get(path.format(quote(text, safe=""))).status_code < 500


@given(st.sampled_from(["accept", "cookie", "authorization", "range", "host"]), st.binary())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_header_breaks_the_page(client: TestClient, name: str, value: bytes) -> None:
    shapes = [b"%b", b"application/openmetrics-text;version=%b", b'slackwater="%b"', b"bytes=%b"]
    for shape in shapes:
        for path in ("/", "/metrics"):
            answer = client.get(path, headers={name: shape % value.translate(None, b"\r\n")})
            assert answer.status_code < 500


def test_news_are_what_a_viewer_does_not_have(shown: tuple[Runs, EventLog]) -> None:
    runs, log = shown
    run = runs.all[0]
    cursor = Cursor(0, run.epoch, 19)
    assert [message["kind"] for message in news(run, cursor)] == ["state"]
    assert news(run, cursor) == []
    log.write("batch", **batch(20))
    run.look()
    [message] = news(run, cursor)
    assert message["numbers"]["run"][""]["batch"] == [20]
    log.write("repair", batch=10, removed=[])
    run.look()
    assert [message["kind"] for message in news(run, cursor)] == ["reset", "state"]
    log.write("stop", batch=10, reason="stopped")
    run.look()
    assert news(run, cursor)[0]["ended"] == "stopped"


def test_who_is_far_behind_gets_the_news_thinned(shown: tuple[Runs, EventLog]) -> None:
    runs, log = shown
    for number in range(20, 1_500):
        log.write("batch", **batch(number))
    run = runs.all[0]
    run.look_through()
    [message, _] = news(run, Cursor(0, run.epoch, 19))
    assert len(message["numbers"]["run"][""]["batch"]) == 500
    assert message["numbers"]["run"][""]["batch"][-1] == 1_499


def test_cursors_that_make_no_sense_are_left_out(shown: tuple[Runs, EventLog]) -> None:
    given = ["0.0.5", "1.2.-1", "9.0.0", "x", "0.0", "-1.0.0", "0.0.0.0"]
    given += ["².0.0", "--1.0.0", "0.-.0", f"0.{'9' * 5000}.0"]
    assert [(c.number, c.batch) for c in cursors(given, shown[0])] == [(0, 5), (1, -1)]


def test_static_files_bring_their_licence_and_name_no_other_host() -> None:
    assert "MIT" in (STATIC / "vendor" / "uPlot.LICENSE").read_text()
    for file in [*STATIC.glob("*.js"), *STATIC.glob("*.css"), STATIC / "index.html"]:
        text = file.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert "http://" not in text, file.name
        assert "https://" not in text, file.name
        assert "innerHTML" not in text, file.name
