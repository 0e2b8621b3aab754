"""``slackwater replan``: another tree for a pipeline that runs elsewhere."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from slackwater.cli.main import app
from slackwater.execute.loop import Loop
from tests.driver import Driver
from tests.migrate.test_replan import joins
from tests.story import batches

cli = CliRunner()


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Loop[Any]]:
    loop = Driver().make_loop(joins(), tmp_path / "ck")
    yield loop
    loop.close()


def asked(loop: Loop[Any], *words: str) -> tuple[int, str, str]:
    result = cli.invoke(app, ["replan", str(loop.checkpoint.folder), *words])
    return result.exit_code, result.stdout, result.stderr


def test_the_next_batch_joins_as_asked_and_says_so(running: Loop[Any]) -> None:
    def run() -> None:
        while not running.inbox.waiting():
            time.sleep(0.01)
        Driver().feed(running, batches(1)[0])

    batch = threading.Thread(target=run)
    batch.start()
    code, shown, said = asked(running, "(a (b c))", "--query", "ordered")
    batch.join()
    assert code == 0, said
    assert "joined as (a (b c)) from batch 0 on" in shown


def test_who_does_not_wait_gets_the_name_of_the_request(running: Loop[Any]) -> None:
    code, shown, said = asked(running, "(a b c)", "-q", "immediate", "--wait", "0", "--json")
    assert code == 0, said
    told = json.loads(shown)
    assert (told["tree"], told["reason"]) == (None, None)
    assert [one.id for one in running.inbox.waiting()] == [told["request"]]
    assert "left for the next batch" in asked(running, "(a b c)", "-q", "ordered", "--wait", "0")[1]
    assert "no answer yet" in asked(running, "(a b c)", "-q", "ordered", "--wait", "0.1")[1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["((a b) d)", "-q", "ordered"], "[JOIN_ORDER]"),
        (["((a b) c)"], "[QUERY_UNKNOWN]"),
        (["((a b) c)", "-q", "x"], "there are: immediate, ordered"),
    ],
)
def test_what_cannot_be_done_is_refused(running: Loop[Any], words: list[str], said: str) -> None:
    code, shown, told = asked(running, *words)
    assert (code, shown) == (2, "")
    assert said in told
    assert running.inbox.waiting() == ()


def test_a_folder_that_is_no_checkpoint_is_told(tmp_path: Path) -> None:
    result = cli.invoke(app, ["replan", str(tmp_path), "(a b)"])
    assert result.exit_code == 2
    assert "[CHECKPOINT_MISSING]" in result.stderr
