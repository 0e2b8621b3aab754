"""Python functions on Spark: as SQL, in both places of state; errors, and what cannot be sent."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.control.records import Tier
from slackwater.errors import SlackwaterError
from slackwater.execute.sinks import MemorySink
from slackwater.query.stream import Query, Stream
from tests.driver import answers, readings
from tests.execute.calling import SQL, counted, filtered, is_large, many
from tests.spark.driver import SparkDriver
from tests.story import batches, ending, write_input

TIERS = pytest.mark.parametrize("tier", ["columnar", pytest.param("spark", marks=pytest.mark.slow)])


def asked(stream: Stream) -> Query:
    """A window over a column that Python computes, with late rows set aside."""
    double = lambda v: pc.multiply(v, 2)  # noqa: E731 - has no name of its own
    scored = stream.apply(double, "bigint", name="double").where("double > 20")
    windows = scored.window("4 s", "2 s").group_by("k")
    return windows.aggregate(n="count(*)", s="sum(double)").query("q", sw.slack("3 s"), late="side")


@TIERS
def test_functions_on_executors_are_as_sql(spark: SparkSession, tier: Tier, tmp_path: Path) -> None:
    driver, tables = SparkDriver(tier, spark), batches(4, rows=40)
    driver.run((asked(filtered(readings("1 day"))),), tables, tmp_path / "functions")
    same = readings("1 day").where(SQL).select("k", "v", "v * 2 AS double").where("double > 20")
    windows = same.window("4 s", "2 s").group_by("k")
    query = windows.aggregate(n="count(*)", s="sum(double)").query(
        "q", sw.slack("3 s"), late="side"
    )
    SparkDriver("columnar", spark).run((query,), tables, tmp_path / "sql")
    assert ending(tmp_path / "functions")["results/q"] == ending(tmp_path / "sql")["results/q"]
    assert ending(tmp_path / "functions")["side/q"] == ending(tmp_path / "sql")["side/q"]


@pytest.mark.slow
@TIERS
def test_streams_of_a_join_have_their_own_functions(
    spark: SparkSession, tier: Tier, tmp_path: Path
) -> None:
    a, b = readings(name="a"), readings(name="b")
    found = []
    for name, one, other in (
        ("functions", filtered(a), b.where(is_large)),
        ("sql", a.where(SQL), b.where("v > 4")),
    ):
        sink = sw.memory()
        joined = sw.join(one, other, on=["a.k = b.k", "a.v = b.v"], within="1 s")
        tables: list[Any] = [{"a": many(n, 60), "b": many(9 + n, 60)} for n in range(2)]
        SparkDriver(tier, spark).run((joined.query("q", sink=sink),), tables, tmp_path / name)
        found.append(answers(sink))
    assert found[0] == found[1]


def test_an_error_on_an_executor_is_told_and_the_batch_is_not_lost(
    spark: SparkSession, tmp_path: Path
) -> None:
    def risky(v: pa.Array) -> pa.Array:
        raise ValueError("no model here")

    driver = SparkDriver("columnar", spark)
    stream = readings().where("v > 4").where(risky)
    loop = driver.make_loop((counted(stream),), tmp_path)
    with pytest.raises(SlackwaterError) as error:
        driver.feed(loop, many(0, 50))
    assert loop.batch == -1
    loop.close()
    assert error.value.condition == "FUNCTION_FAILED"
    assert "function risky failed on" in error.value.message
    assert "ValueError: no model here" in error.value.message
    sink = sw.memory()
    mended = readings().where("v > 4").where(lambda v: pc.greater(v, 4), name="risky")
    driver.run((counted(mended, sink=sink),), [many(0, 50)], tmp_path)
    assert answers(sink)


def test_what_cannot_be_sent_is_refused_before_anything_starts(
    spark: SparkSession, tmp_path: Path
) -> None:
    lock = threading.Lock()

    def locked(v: pa.Array) -> pa.Array:
        with lock:
            return pc.greater(v, 4)

    write_input(tmp_path / "rows", [many(0, 10)])
    stream = sw.stream("r", sw.files(str(tmp_path / "rows")), time="ts")
    with pytest.raises(sw.QueryError) as error:
        sw.pipeline(counted(stream.where(locked))).start(str(tmp_path / "q"), spark=spark)
    [problem] = error.value.problems
    assert problem.condition == "FUNCTION_UNPICKLABLE"
    assert "'locked'" in problem.where
    assert not (tmp_path / "q").exists()


@pytest.mark.slow
def test_effects_are_kept_over_a_restart_of_a_real_stream(
    spark: SparkSession, tmp_path: Path
) -> None:
    """The first life dies after its functions ran; the second repeats the batch without them."""
    log = str(tmp_path / "sent")

    def send(v: pa.Array) -> pa.Array:
        with open(log, "a") as file:  # noqa: PTH123 - as a person writes it
            file.writelines(f"{value}\n" for value in v.to_pylist())
        return pc.greater(v, 4)

    class Stopping(MemorySink):
        def prepare(self, batch: int, results: Any) -> Any:
            raise SlackwaterError("STOPPED", "the process stops here")

    write_input(tmp_path / "rows", [many(0, 200)])
    stream = sw.stream("r", sw.files(str(tmp_path / "rows")), time="ts")
    windows = stream.where("v > 2").where(send, effects=True).window("1 s").aggregate(n="count(*)")
    died, sink, folder = windows.query("q", sink=Stopping()), sw.memory(), str(tmp_path / "q")
    with pytest.raises(SlackwaterError, match="stops here"):
        sw.pipeline(died).run(folder, spark=spark)
    assert not list((tmp_path / "q" / "manifest").iterdir())
    sw.pipeline(windows.query("q", sink=sink)).run(folder, spark=spark).stop()
    lines = Path(log).read_text().splitlines()
    assert len(lines) == sum(v > 2 for v in many(0, 200)["v"].to_pylist())
    assert answers(sink)
