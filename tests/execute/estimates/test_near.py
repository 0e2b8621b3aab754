"""In the spark tier, too, few rows are read in the driver, if it can."""

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from slackwater.execute.duck import DuckEngine
from slackwater.execute.estimates.in_driver import Near
from slackwater.execute.estimates.reading import Reading
from slackwater.execute.limits import Limits
from slackwater.plan.sql.estimates import ReadingStep
from slackwater.plan.sql.statement import Statement
from slackwater.runs.run import Run
from tests.execute.estimates.test_label import READING

RUN = Run("s", "00000000-d.parquet", 0, 10, 0, 0, {})


def reading(text: str) -> Reading:
    parameters = ("after",) if "$after" in text else ()
    statement = Statement(text, ("panes",), parameters)
    step = ReadingStep("open-1", statement, 1, {"panes": ("s",)})
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
    tmp_path: Path, text: str, few: int, can: bool
) -> None:
    driver = Near(DuckEngine(tmp_path), Limits(driver_rows=few))
    assert driver.can_read(reading(text), [RUN]) is can
    driver.engine.close()
