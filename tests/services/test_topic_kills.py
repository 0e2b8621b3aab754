"""Estimates, revisions, joins, late rows and quality tables go into topics, whoever dies.

``KILLS`` says how often the process is killed; there is no Spark in it, so that it is soon there.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.services import story
from tests.services.broker import Broker

KILLS = int(os.environ.get("KILLS", "6"))
pytestmark = [pytest.mark.services, pytest.mark.timeout(max(300, KILLS * 20))]


def begun(kafka: Broker, name: str) -> str:
    """The topics of one telling, and how a child finds them."""
    for topic in story.topics(name):
        kafka.topic(topic, 2)
    return f"{kafka.servers}/{name}"


def test_killed_at_random_moments_the_topics_are_those_of_an_undisturbed_run(
    kafka: Broker, tmp_path: Path
) -> None:
    draw, kills, rounds = random.Random(3), 0, 0
    story.tell(begun(kafka, "calm"), tmp_path / "calm")
    calm = story.told(kafka, "calm")
    assert sum(sum(rows.values()) for rows in calm.values()) > 100
    while kills < KILLS:
        name = f"killed{rounds}"
        kills += _killed(begun(kafka, name), tmp_path / name, KILLS - kills, draw)
        assert story.told(kafka, name) == calm, f"after {kills} kills"
        rounds += 1
    print(f"{kills} kills in {rounds} tellings")


def _killed(where: str, folder: Path, most: int, draw: random.Random) -> int:
    """SIGKILL within batches and between them, then to the end; how many it took."""
    kills = 0
    while True:
        command = [sys.executable, "-m", "tests.services.story", where, str(folder)]
        child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        if kills < most:
            for _ in range(draw.randint(0, 2)):
                child.stdout.readline()
            time.sleep(draw.uniform(0, 0.6))
            kills += child.poll() is None
            child.kill()
        child.communicate()
        if child.returncode == 0:
            return kills
