"""The sink for Kafka does, on a real broker, what the engine relies on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import slackwater as sw
from slackwater.testing import check_latest, check_sink
from tests.services.broker import Broker, committed

pytestmark = pytest.mark.services


def test_a_history_conforms(kafka: Broker, tmp_path: Path) -> None:
    name = kafka.fresh(2)
    check_sink(
        lambda: sw.kafka_sink(name, kafka.servers, waiting=tmp_path),
        lambda: [json.loads(one.value) for one in committed(kafka, name)],
        goes_back=False,
    )


def test_of_each_key_the_message_that_counts_comes_last(kafka: Broker, tmp_path: Path) -> None:
    name = kafka.fresh(3)
    check_latest(
        lambda: sw.kafka_sink(name, kafka.servers, mode="latest", waiting=tmp_path),
        lambda: [json.loads(one) for one in newest(kafka, name).values()],
    )


def newest(kafka: Broker, name: str) -> dict[str, str]:
    """What a reader keeps who takes the last message of each key."""
    found: dict[str, str] = {}
    for one in committed(kafka, name):
        found.pop(one.key, None)
        if one.value is not None:
            found[one.key] = one.value
    return found
