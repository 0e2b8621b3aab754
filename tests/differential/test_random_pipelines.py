"""Random pipelines agree with the oracle; every run looks somewhere else.

Most of them run without Java, where there is time for many; some on Spark. The seed is drawn anew
and told with what failed. ``python -m tests.differential --seconds 3600`` looks for longer; the
switches of what is not drawn yet are ``FEATURES`` in ``generate``.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace

import duckdb
import pytest
from pyspark.sql import SparkSession

from tests.differential.arrow import Arrow
from tests.differential.compare import differences
from tests.differential.generate import FEATURES, make
from tests.differential.hunt import hunt, is_fair
from tests.differential.kills import kill_seven
from tests.differential.oracle import expected
from tests.differential.place import Left
from tests.differential.seven import from_scratch, seven
from tests.differential.spark import Spark
from tests.differential.terms import remainder

SECONDS = float(os.environ.get("DIFFERENTIAL_SECONDS", "45"))
SPARK_SECONDS = float(os.environ.get("DIFFERENTIAL_SPARK_SECONDS", "15"))


def seeds() -> Iterator[str]:
    first = os.urandom(4).hex()
    return (f"{first}-{number}" for number in range(10_000))


def test_random_pipelines_agree() -> None:
    tally = hunt(Arrow(), seeds(), SECONDS, reduce=False)
    print(tally)
    assert tally.failures == []
    assert tally.pipelines > 0


def test_random_pipelines_agree_on_spark(spark: SparkSession) -> None:
    tally = hunt(Spark(spark), seeds(), SPARK_SECONDS, reduce=False)
    print(tally)
    assert tally.failures == []
    assert tally.pipelines > 0


@pytest.mark.kill
@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("tier", ["columnar", "spark"])
def test_seven_queries_survive_sigkill(tier: str) -> None:
    """As the undisturbed run of the same tier, as the oracle, as DuckDB from scratch."""
    killed = kill_seven(tier, 3, os.urandom(4).hex())
    assert killed.wrong == []
    assert killed.kills == 3
    assert killed.moves > 0
    assert killed.tracks > 0


def test_the_oracle_itself_agrees_with_duckdb() -> None:
    """The newest answers of the seven queries, by definition and by SQL."""
    case = seven()
    scratch = from_scratch(case)
    told = list(expected(case, {}))
    for asked in case.queries:
        if not asked.levels:
            count = sum(len(batch[asked.name].joined) for batch in told)
            assert count == sum(scratch[asked.name].values())
            continue
        newest = {}
        for batch in told:
            for answer in sorted(batch[asked.name].answers, key=lambda a: a.revision):
                newest[answer.start, *answer.keys.values()] = tuple(answer.values.values())
        rows = [(*key, *values) for key, values in newest.items()]
        assert sorted(rows, key=repr) == sorted(scratch[asked.name], key=repr)


@pytest.mark.parametrize("value", [7, -7, 2**62 + 1, -(2**62) - 1, 2**63 - 1, 0])
def test_remainders_of_the_oracle_are_those_of_duckdb(value: int) -> None:
    """Beyond 53 bits, too, where floats are not exact."""
    [found] = duckdb.execute("SELECT ?::BIGINT % 3", [value]).fetchall()
    assert remainder(value, 3) == found[0]


def test_cases_are_fair_and_may_be_made_smaller_only_as_long_as_they_are() -> None:
    """Rows in a gap of days are strays to the engine, whether drawn as such or left over."""
    for number in range(200):
        assert is_fair(make(f"fair-{number}"))
    case = seven()
    few = [{name: rows[-1:] for name, rows in batch.items()} for batch in case.batches]
    assert is_fair(case)
    assert not is_fair(replace(case, batches=tuple(few)))


def test_a_run_that_said_nothing_differs_in_everything() -> None:
    """The comparison sees what is missing: it cannot pass by looking away."""
    found = differences(seven(), Left())
    for query in ("tumbling", "revised", "sliding", "levels", "aside", "late", "ordered"):
        assert any(query in text and "missing" in text for text in found)
    assert any("not set aside" in text for text in found)
    assert any("estimate missing" in text for text in found)


def test_cases_have_what_they_are_meant_to_have() -> None:
    """Of five hundred cases, enough have each of the things that are drawn."""
    cases = [make(f"meant-{number}", dict.fromkeys(FEATURES, True)) for number in range(500)]
    queries = [asked for case in cases for asked in case.queries]
    for share, what in (
        (0.15, [case.public for case in cases]),
        (0.25, [len(case.lives) > 1 for case in cases]),
        (0.10, [any(life.tier == "spark" for life in case.lives) for case in cases]),
        (0.20, [asked.join is not None for asked in queries]),
        (0.20, [len(asked.levels) > 1 for asked in queries]),
        (0.40, [asked.late == "revise" for asked in queries]),
        (0.20, [bool(asked.prods) for asked in queries]),
        (0.04, [isinstance(asked.slack, str) for asked in queries]),
        (0.10, [bool(case.replans) for case in cases]),
        (0.20, [case.zone != "UTC" for case in cases]),
        (0.30, [any(t.late for b in expected(c, {}) for t in b.values()) for c in cases[:100]]),
    ):
        assert sum(what) > share * len(what)
