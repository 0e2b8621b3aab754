"""What tests of the runtime share."""

import pytest

from slackwater.execute.duck import DuckEngine


@pytest.fixture(scope="session")
def duck(tmp_path_factory: pytest.TempPathFactory) -> DuckEngine:
    """The driver's engine, for statements; no Spark."""
    return DuckEngine(tmp_path_factory.mktemp("runs"), sketches=False)
