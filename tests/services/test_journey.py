"""Whole pipelines between real servers: whatever dies, the tables are those of a calm run.

``KILLS`` says how often the process is killed; brokers and database die a tenth as often.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.services import topic_story
from tests.services.broker import Broker
from tests.services.cluster import Cluster
from tests.services.journey import OUTPUTS, Journey, Rows

KILLS = int(os.environ.get("KILLS", "4"))
STRIKES = max(1, KILLS // 10)
pytestmark = [pytest.mark.services, pytest.mark.timeout(max(400, KILLS * 60))]


def journey(name: str, topic: str, kafka: Broker, postgres: Cluster, folder: Path) -> Journey:
    """A new one, with its topics."""
    made = Journey(name, topic, kafka.servers, postgres.url, folder)
    for output in OUTPUTS.values():
        kafka.topic(made.table(output), 2)
    return made


def child(one: Journey) -> subprocess.Popen[str]:
    told = [one.name, one.topic, one.servers, one.url, str(one.folder)]
    command = [sys.executable, "-m", "tests.services.journey", *told]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def finish(one: Journey) -> None:
    said, _ = child(one).communicate(timeout=200)
    assert said.split()[-1] == "done"


@pytest.fixture
def topic(kafka: Broker) -> str:
    name = kafka.fresh(3)
    kafka.send(name, topic_story.messages(1_200, bad_every=60), 3)
    return name


@pytest.fixture
def calm(topic: str, kafka: Broker, postgres: Cluster, tmp_path: Path) -> dict[str, Rows]:
    """The tables of an undisturbed run."""
    one = journey("calm", topic, kafka, postgres, tmp_path)
    finish(one)
    return one.ending(kafka, postgres)


def test_whatever_dies_the_tables_are_those_of_a_calm_run(
    calm: dict[str, Rows], topic: str, kafka: Broker, postgres: Cluster, tmp_path: Path
) -> None:
    draw = random.Random(11)
    assert all(sum(rows.values()) for rows in calm.values())
    assert {sum(calm[f"{kind} results"].values()) for kind in ("postgres", "delta", "iceberg")} == {
        sum(calm["postgres results"].values())
    }
    kills = strikes = rounds = 0
    while kills < KILLS:
        one = journey(f"killed{rounds}", topic, kafka, postgres, tmp_path)
        kills += _killed(one, KILLS - kills, draw)
        assert one.ending(kafka, postgres) == calm, f"after {kills} kills"
        rounds += 1
    while strikes < STRIKES:
        one = journey(f"struck{strikes}", topic, kafka, postgres, tmp_path)
        _struck(one, kafka, postgres, draw)
        assert one.ending(kafka, postgres) == calm, f"after {strikes} strikes"
        strikes += 1
    print(f"{kills} kills in {rounds} runs, broker and database killed {strikes} times each")


def _killed(one: Journey, most: int, draw: random.Random) -> int:
    """SIGKILL, again and again, within batches and between them; then to the end."""
    kills = 0
    while kills < most:
        process = child(one)
        for _ in _lines(process, draw.randint(1, 3)):
            pass
        time.sleep(draw.uniform(0, 0.8))
        ended = process.poll() is not None
        process.kill()
        process.communicate()
        if ended:
            return kills
        kills += 1
    finish(one)
    return kills


def _struck(one: Journey, kafka: Broker, postgres: Cluster, draw: random.Random) -> None:
    """Broker and database die under a process that waits for them and goes on by itself."""
    process = child(one)
    for strike in draw.sample(["broker", "database"], 2):
        for _ in _lines(process, draw.randint(1, 3)):
            pass
        time.sleep(draw.uniform(0, 0.5))
        assert process.poll() is None, "it was too quick to be struck"
        if strike == "broker":
            kafka.kill()
            kafka.start()
        else:
            postgres.restart()
    said, _ = process.communicate(timeout=300)
    assert said.split()[-1:] == ["done"]


def _lines(process: subprocess.Popen[str], count: int) -> Iterator[str]:
    """The next lines: ``ready``, then one for each batch."""
    assert process.stdout is not None
    for _ in range(count):
        yield process.stdout.readline()
