"""What tests of the runtime share."""

import pytest

from slackwater.spark.columnar import ColumnarEngine


@pytest.fixture(scope="session")
def duck(tmp_path_factory: pytest.TempPathFactory) -> ColumnarEngine:
    """The driver's engine, for statements; no Spark."""
    return ColumnarEngine(tmp_path_factory.mktemp("runs"), sketches=False)
