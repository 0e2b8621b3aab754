"""Whole pipelines into a real server: disturbed or not, the tables are the same."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import slackwater as sw
from tests import story as files
from tests.driver import batch, readings, run
from tests.services import story
from tests.services.cluster import PASSWORD, Cluster

pytestmark = [pytest.mark.services, pytest.mark.timeout(300)]

KILLS = 12
RESTARTS = 3


@pytest.fixture
def calm(postgres: Cluster, tmp_path: Path) -> dict[str, Counter[str]]:
    """The ending of an undisturbed run; the server is empty again."""
    story.tell(postgres.url, tmp_path / "calm")
    found = story.ending(postgres)
    postgres.run("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
    return found


def test_tables_have_what_files_would_have(postgres: Cluster, tmp_path: Path) -> None:
    story.tell(postgres.url, tmp_path / "tables")
    run(files.queries(readings("1 day")), files.batches(), tmp_path / "files")
    expected = {
        path: sum(rows.values())
        for path, rows in files.ending(tmp_path / "files").items()
        if path != "slack"
    }
    found = story.ending(postgres)
    for query in ("joined", *story.KEYED):
        for output, folder in (("late", "side"), ("quality", "quality")):
            rows = sum(found.get(f"{query}_{output}", Counter()).values())
            assert rows == expected.get(f"{folder}/{query}", 0), (query, output)
    assert sum(found["joined_results"].values()) == expected["results/joined"]
    assert sum(expected.values()) > 100
    for query in story.KEYED:  # one row for each window and key, and none is missing
        rows = files._rows(tmp_path / "files" / "results" / query)
        names = [n for n in ("window_start", "window_end", "k", "odd") if n in rows[0]]
        keys = {tuple(row[name] for name in names) for row in rows}
        assert sum(found[f"{query}_results"].values()) == len(keys)
        text = f"SELECT kind, revision FROM {query}_results"
        counts = Counter(postgres.rows(text))
        best: dict[Any, tuple[bool, int, str]] = {}
        for row in rows:
            key = tuple(row[name] for name in names)
            rank = (row["kind"] != "estimate", row["revision"], row["kind"])
            best[key] = max(best.get(key, rank), rank)
        assert counts == Counter((kind, revision) for _, revision, kind in best.values())


@pytest.mark.parametrize("disturbed", ["process", "server"])
def test_killed_at_random_moments_the_tables_are_those_of_an_undisturbed_run(
    postgres: Cluster, calm: dict[str, Counter[str]], tmp_path: Path, disturbed: str
) -> None:
    draw = random.Random(disturbed)
    if disturbed == "server":
        _server_dies(postgres, tmp_path, draw)
    else:
        _process_dies(postgres, tmp_path, draw)
    assert story.ending(postgres) == calm
    assert all(not rows for name, rows in calm.items() if name.endswith("__waiting"))


def _process_dies(postgres: Cluster, folder: Path, draw: random.Random) -> None:
    """SIGKILL, again and again, some tenths of a second after it set to work."""
    kills = 0
    for _ in range(100):
        child = _child(postgres, folder / "killed")
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        if kills < KILLS:
            time.sleep(draw.uniform(0.3, 1.2))
            kills += child.poll() is None
            child.kill()
        words = child.stdout.read().split()
        child.stdout.close()
        status = child.wait()
        if kills >= KILLS and status == 0:
            assert words[-1] == "done"
            return
        if status == 0:  # it came to its end first: once more from the beginning
            _empty(postgres, folder / "killed")
        assert status in (0, -signal.SIGKILL)
    raise AssertionError("it never ended")


def _empty(postgres: Cluster, folder: Path) -> None:
    postgres.run("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
    subprocess.run(["rm", "-rf", str(folder)], check=True)


def _server_dies(postgres: Cluster, folder: Path, draw: random.Random) -> None:
    """The server is killed under a pipeline that waits for it and goes on."""
    over = threading.Event()
    struck: list[float] = []

    def strike() -> None:
        for _ in range(RESTARTS):
            if over.wait(draw.uniform(0.2, 0.8)):
                return
            postgres.restart()
            struck.append(time.monotonic())

    striker = threading.Thread(target=strike)
    tables = files.batches()
    loop = story.make_loop(story.queries(postgres.url), folder / "struck")
    striker.start()
    try:
        for number, table in enumerate(tables):
            story.feed(loop, table, number)
            time.sleep(0.1)
        loop.finish()
    finally:
        over.set()
        striker.join()
        loop.close()
    assert struck


def _child(postgres: Cluster, folder: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.services.story", postgres.url, str(folder)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ})


def test_no_secret_is_in_any_file(postgres: Cluster, tmp_path: Path) -> None:
    """Neither where all goes well, nor where the server refuses; the address has the password."""
    address = postgres.url.replace("@", f":{PASSWORD.replace(' ', '%20')}@")
    os.environ["ANSWERS_URL"] = address
    told = []
    try:
        asked = readings().window("4 s").group_by("k").aggregate(n="count(*)")
        secret = sw.secret(env="ANSWERS_URL")
        query = asked.query("q", sw.slack("1 s"), sink=sw.postgres("answers", secret))
        told.append(repr(query))
        told.append(sw.pipeline(query).explain("json"))
        rows = [batch((1, 1, 1), (9, 2, 2)), batch((20, 1, 1))]
        run((query,), rows, tmp_path / "well", flush=False)
        postgres.run("DROP TABLE answers")
        again = (replace(query, name="q2", sink=sw.postgres("others", secret)),)
        with pytest.raises(sw.SinkError) as caught:
            run_and_drop(postgres, again, tmp_path / "refused")
        told += [str(caught.value), repr(caught.value), repr(caught.value.__context__)]
    finally:
        del os.environ["ANSWERS_URL"]
    for text in told:
        assert PASSWORD not in text
        assert "%20horse%20" not in text
    searched = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(searched) > 10
    for path in searched:
        data = path.read_bytes()
        assert b"battery" not in data, path


def run_and_drop(postgres: Cluster, queries: Any, folder: Path) -> None:
    """The table goes in mid-run."""
    loop = story.make_loop(queries, folder)
    try:
        story.feed(loop, batch((1, 1, 1), (9, 2, 2)), 0)
        postgres.run("DROP TABLE others, others__waiting")
        story.feed(loop, batch((20, 1, 1)), 1)
    finally:
        loop.close()
