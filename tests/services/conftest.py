"""Real servers for tests marked ``services``; one for all of a run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.services.broker import Broker, broker, jars
from tests.services.cluster import PASSWORD, Cluster, cluster, programs

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def server() -> Iterator[Cluster]:
    if programs() is None:
        pytest.skip("PostgreSQL is not installed (make test-services installs it)")
    with cluster() as made:
        yield made


@pytest.fixture
def postgres(server: Cluster, monkeypatch: pytest.MonkeyPatch) -> Cluster:
    """The server with nothing in it, and the password in the environment."""
    server.run("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
    monkeypatch.setenv("ANSWERS_PASSWORD", PASSWORD)
    return server


@pytest.fixture(scope="session")
def kafka() -> Iterator[Broker]:
    """A broker, for all of a run; every test makes topics of its own."""
    if not jars().exists():
        pytest.skip("there is no broker of Kafka (make test-services fetches it)")
    with broker() as made:
        yield made


@pytest.fixture(scope="session")
def connected(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """A session with Spark's connector for Kafka."""
    from slackwater.spark.session import local_session

    conf = {
        "spark.driver.memory": "1g",
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("warehouse")),
    }
    session = local_session("slackwater-services", cores=2, conf=conf, kafka=True)
    yield session
    session.stop()
