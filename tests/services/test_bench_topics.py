"""``slackwater bench kafka`` gives both engines the same messages, and judges what they say."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from slackwater.bench import topics
from slackwater.bench.cases import Case
from tests.services.broker import Broker

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.services, pytest.mark.timeout(300)]


def test_both_engines_answer_alike_and_the_topic_is_gone(
    kafka: Broker, connected: SparkSession, tmp_path: Path
) -> None:
    case = Case("sliding", 10, 5, 3_000, 10, batches=3, warmup=1, stores=("hdfs",))
    [found] = topics.measure(connected, [case], kafka.servers, cache=tmp_path)
    assert found.equal
    assert found.results > 60
    assert topics.report([found])["cases"][0]["ratio"] > 0
    assert not [name for name in kafka.topics() if name.startswith("slackwater-bench")]
