"""Random pipelines agree with the oracle; every run looks somewhere else.

The seed is drawn anew and told with what failed. ``python -m tests.differential --seconds 3600``
looks for longer; the switches of what is not drawn yet are ``FEATURES`` in ``generate``.
"""

from __future__ import annotations

import os

import pytest
from pyspark.sql import SparkSession

from tests.differential.compare import differences
from tests.differential.generate import FEATURES, make
from tests.differential.hunt import hunt
from tests.differential.kills import kill_seven
from tests.differential.oracle import expected
from tests.differential.runner import Left
from tests.differential.seven import from_scratch, seven

SECONDS = float(os.environ.get("DIFFERENTIAL_SECONDS", "45"))


@pytest.mark.slow
def test_random_pipelines_agree(spark: SparkSession) -> None:
    first = os.urandom(4).hex()
    seeds = (f"{first}-{number}" for number in range(10_000))
    tally = hunt(spark, seeds, SECONDS, reduce=False)
    print(f"seed {first}: {tally}")
    assert tally.failures == []


@pytest.mark.kill
@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("tier", ["columnar", "spark"])
def test_seven_queries_survive_sigkill(tier: str) -> None:
    """As the undisturbed run of the same tier, as the oracle, as DuckDB from scratch."""
    killed = kill_seven(tier, 3, os.urandom(4).hex())
    assert killed.wrong == []
    assert killed.kills == 3


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
        (0.20, [case.zone != "UTC" for case in cases]),
        (0.30, [any(t.late for b in expected(c, {}) for t in b.values()) for c in cases[:100]]),
    ):
        assert sum(what) > share * len(what)
