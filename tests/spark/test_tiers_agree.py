"""State on the executors gives what state in the driver gives: random streams, a few of each kind.

The oracles are those of ``tests/properties``, where the driver's state is held to them.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.query.stream import Query
from tests import story
from tests.execute.test_costly import OFTEN, backlogs, told, totals
from tests.properties import test_engines_agree as engines
from tests.properties import test_estimates_agree as estimates
from tests.properties import test_joins_agree as joins
from tests.spark.driver import SparkDriver, batch, readings

FEW = settings(max_examples=3, suppress_health_check=[HealthCheck.function_scoped_fixture])
STEPS = [[(1.0, 0, 1), (5.0, 1, 2), (9.0, 1, 7), (14.5, 0, 2)], [(15.5, 0, 3)], [(6.0, 1, 5)]]
CUTS = st.lists(st.lists(engines.ROW, max_size=8), min_size=2, max_size=3)


@pytest.fixture
def executors(spark: SparkSession) -> SparkDriver:
    return SparkDriver("spark", spark)


@pytest.mark.slow
@FEW
@given(CUTS, engines.WINDOW, engines.LATE)
@example(STEPS, (2, 2), "revise").via("a watermark that moves without closing a window")
def test_windows_give_what_the_interpreter_gives(
    executors: SparkDriver, cuts: Any, window: tuple[int, int], late: str
) -> None:
    engines.check(engines.two_levels(*window), cuts, executors, slack=2, late=late)


@FEW
@given(CUTS, engines.WINDOW, engines.LATE, st.sampled_from(estimates.SHAPES[1:3]))
def test_estimates_say_what_ending_the_stream_would(
    executors: SparkDriver, cuts: Any, window: tuple[int, int], late: str, shape: Any
) -> None:
    tables = [batch(*rows) for rows in cuts]
    terms = {"prods": [sw.estimates(every=0)], "slack": 2, "late": late}
    estimates.check(shape(*window), tables, executors, **terms)


@FEW
@given(joins.CASES)
def test_joins_equal_duckdb(executors: SparkDriver, given_case: Any) -> None:
    case, tree = joins.random_case(min(given_case[0], 4), *given_case[1:])
    cuts = joins.stream_of(given_case[-1], case.names, 3, 5)
    found = joins.found(case, cuts, tree, driver=executors)
    assert found == {tree: joins.expected(case, cuts)}


def test_a_backlog_may_change_its_tier_between_batches(spark: SparkSession, tmp_path: Path) -> None:
    def ask(sink: Any) -> tuple[Query, ...]:
        stream = readings("1 day").costly(9, aside="3:1", starve="20 s")
        terms = {"sink": sink, "estimates": OFTEN}
        return (totals(stream.where("v > 0")).query("q", sw.slack("2 s"), **terms),)

    tables = story.batches(6)
    straight, halting = sw.memory(), sw.memory()
    whole = engines.PLAIN.run(ask(straight), tables, tmp_path / "a")
    for number, table in enumerate(tables):
        driver = SparkDriver("spark" if number in (2, 3) else "columnar", spark)
        loop = driver.make_loop(ask(halting), tmp_path / "b")
        driver.feed(loop, table, number)
        if number == len(tables) - 1:
            loop.finish()
        loop.close()
    assert told(halting) == told(straight)
    assert told(halting, "estimate") == told(straight, "estimate")
    assert backlogs(loop) == backlogs(whole)


@pytest.mark.slow
def test_the_story_ends_the_same_on_the_executors(executors: SparkDriver) -> None:
    """Two levels that are revised, and a join that keeps inner results under a contract."""
    asked = story.queries(readings("1 day"))
    told, tables = (asked[1], asked[3]), story.batches(5)
    with TemporaryDirectory() as folder:
        engines.PLAIN.run(told, tables, Path(folder) / "plain")
        executors.run(told, tables, Path(folder) / "spark")
        assert story.ending(Path(folder) / "spark") == story.ending(Path(folder) / "plain")
