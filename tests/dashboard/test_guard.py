"""Who may read: this machine, or whoever has the token; nobody may write."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from slackwater.dashboard.page import page
from slackwater.dashboard.runs import Runs
from slackwater.dashboard.settings import Settings
from slackwater.errors import SlackwaterError
from tests.events.story import ended

TOKEN = "open-sesame-please"


@pytest.fixture
def runs(tmp_path: Path) -> Iterator[Runs]:
    runs = Runs([ended(tmp_path / "run", 5)])
    runs.all[0].look_through()
    yield runs
    for run in runs.all:
        run.close()


@pytest.fixture
def plain(runs: Runs) -> Iterator[TestClient]:
    with TestClient(page(runs, Settings()), base_url="http://127.0.0.1:8765") as client:
        yield client


@pytest.fixture
def locked(runs: Runs) -> Iterator[TestClient]:
    guard = page(runs, Settings("0.0.0.0", token=TOKEN))
    with TestClient(guard, base_url="http://example.org") as client:
        yield client


@pytest.mark.parametrize("method", ["post", "put", "delete", "patch", "options"])
@pytest.mark.parametrize("path", ["/", "/api/runs", "/metrics"])
def test_nothing_can_be_changed(plain: TestClient, method: str, path: str) -> None:
    assert getattr(plain, method)(path).status_code == 405


def test_a_name_that_is_not_this_machine_is_not_answered(plain: TestClient) -> None:
    """A page from elsewhere whose name leads here must not read."""
    assert plain.get("/api/runs").status_code == 200
    assert plain.get("/api/runs", headers={"Host": "localhost:8765"}).status_code == 200
    for name in ("evil.example", "evil.example:8765", "127.0.0.1.evil.example", ""):
        assert plain.get("/api/runs", headers={"Host": name}).status_code == 421


def test_browsers_are_told_to_load_nothing_from_elsewhere(plain: TestClient) -> None:
    for path in ("/", "/api/runs", "/static/main.js", "/nowhere"):
        headers = plain.get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"


@pytest.mark.parametrize("path", ["/", "/api/runs", "/metrics", "/static/main.js", "/api/live"])
def test_without_the_token_nothing_is_given(locked: TestClient, path: str) -> None:
    for headers in ({}, {"Authorization": "Bearer wrong"}, {"Cookie": "slackwater=wrong"}):
        answer = locked.get(path, headers=headers)
        assert answer.status_code == 401
        assert "token is missing or wrong" in answer.text
    assert locked.get(f"{path}?token=nearly-right").status_code == 401


def test_the_token_opens_as_header_or_once_in_the_address(locked: TestClient) -> None:
    bearer = {"Authorization": f"Bearer {TOKEN}"}
    assert locked.get("/metrics", headers=bearer).status_code == 200
    answer = locked.get(f"/?token={TOKEN}", follow_redirects=False)
    assert answer.status_code == 303
    assert TOKEN not in answer.headers["location"]
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "samesite=strict" in cookie.lower()
    assert TOKEN not in cookie
    assert locked.get("/api/runs").status_code == 200  # the client kept the cookie


@pytest.mark.parametrize("value", ['"\xe9"', '"\\351"', '"', "a b", "="])
def test_a_cookie_that_cannot_be_ours_is_refused(locked: TestClient, value: str) -> None:
    cookie = f"slackwater={value}".encode("latin-1")
    assert locked.get("/api/runs", headers={"cookie": cookie}).status_code == 401


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.7", "example.org"])
def test_other_addresses_need_a_token(host: str) -> None:
    with pytest.raises(SlackwaterError, match="TOKEN_MISSING"):
        Settings(host)
    assert Settings(host, token=TOKEN).token == TOKEN


def test_a_token_that_is_easy_to_guess_is_refused() -> None:
    with pytest.raises(SlackwaterError, match="TOKEN_SHORT"):
        Settings(token="1234")


def test_loopback_needs_none() -> None:
    assert all(
        Settings(host).is_loopback for host in ("127.0.0.1", "127.1.2.3", "::1", "localhost")
    )
    assert Settings("::1").url(80) == "http://[::1]:80/"
