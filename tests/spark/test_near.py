"""In the spark tier, too, few rows are read in the driver, if it can."""

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from slackwater.plan.opening import ReadingStep
from slackwater.spark import near
from slackwater.spark.columnar import ColumnarEngine
from slackwater.spark.reading import Reading
from slackwater.spark.run import Run
from tests.spark.test_labelling import READING

RUN = Run("s", "00000000-d.parquet", 0, 10, 0, 0, {})


def reading(text: str) -> Reading:
    step = ReadingStep("open-1", text, 1, {"panes": ("s",)})
    schemas = {"s": pa.schema({"pane": pa.int64()}), "open-1": pa.schema({"n": pa.int64()})}
    return replace(READING, steps={"duckdb": (step,)}, schemas=schemas)


@pytest.mark.parametrize(
    ("text", "few", "can"),
    [
        ("SELECT count(*) AS n FROM panes WHERE pane > $after", 10, True),
        ("SELECT count(*) AS n FROM panes WHERE pane > $after", 9, False),
        ("SELECT spark_partition_id() AS n FROM panes", 10, False),
    ],
)
def test_the_driver_reads_what_is_few_and_known_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, few: int, can: bool
) -> None:
    monkeypatch.setattr(near, "FEW", few)
    driver = near.Near(ColumnarEngine(tmp_path))
    assert driver.can_read(reading(text), [RUN]) is can
    driver.engine.close()
