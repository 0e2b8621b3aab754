"""What all tests share: UTC, one Spark per worker, hypothesis profiles, the ``spec`` marker."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from tests.examples import examples

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tests.driver import Driver

pytest_plugins = ["tests.spec_report"]

os.environ["TZ"] = "UTC"
time.tzset()
os.environ["PYSPARK_PYTHON"] = sys.executable
os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
os.environ.setdefault("MPLBACKEND", "agg")

# every run looks at other examples; a failing one is printed so that it can be had again
settings.register_profile("slackwater", examples(30, 300), deadline=None, print_blob=True)
settings.load_profile("slackwater")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--rewrite-golden", action="store_true", help="write the golden texts of statements anew"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if "spark" in getattr(item, "fixturenames", ()):
            item.add_marker("spark")
    if "services" not in config.getoption("markexpr"):
        reason = "needs a real server: make test-services"
        for item in items:
            if item.get_closest_marker("services"):
                item.add_marker(pytest.mark.skip(reason=reason))
    if "cluster" not in config.getoption("markexpr"):
        clustered = [item for item in items if item.get_closest_marker("cluster")]
        items[:] = [item for item in items if item not in clustered]
        config.hook.pytest_deselected(items=clustered)


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """One local Spark for all tests of this worker; stopped when they are done."""
    from slackwater.spark.session import local_session

    session = local_session(
        "slackwater-tests",
        cores=2,
        conf={
            "spark.driver.memory": "1500m",
            # many small jobs, each run once: compile quickly, not well (half the CPU time)
            "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
            "spark.sql.session.timeZone": "UTC",
            "spark.sql.shuffle.partitions": "2",
            "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("warehouse")),
            "spark.ui.enabled": "false",
        },
    )
    yield session
    session.stop()


@pytest.fixture(params=["columnar", "spark"])
def driver(request: pytest.FixtureRequest) -> Driver:
    """State in the driver, and state spread over tasks that take turns; without Java."""
    from tests.driver import Driver

    return Driver(request.param)
