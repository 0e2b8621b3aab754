"""The benchmark of ranks, over few rows: what it counts, and that ranks show in it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from typer.testing import CliRunner

from slackwater.bench import plot, precedence
from slackwater.bench.precedence import CASES, Outcome, Run, choose, measure, report
from slackwater.bench.stocks import draw
from slackwater.cli.main import app
from slackwater.errors import QueryError
from slackwater.papers.precedence_works2015.workload import EVEN, Setup
from slackwater.query.rank import PRECEDENCES
from slackwater.units import SECOND

SMALL = replace(CASES[1], seconds=20, warmup=12)


@pytest.fixture(scope="module")
def overloaded() -> dict[str, Outcome]:
    return {one.system: one for one in measure([SMALL])}


def test_rows_are_cut_into_seconds_and_none_is_lost() -> None:
    given = draw(Setup(mix=EVEN, window=SECOND), 3)
    assert [batch["S"].num_rows for batch in given.batches] == [34, 33, 33]
    assert given.rows == 3 * 100
    assert given.names == ("S", "N", "B")


def test_a_result_counts_if_it_came_after_the_warm_up_and_was_given_in_time() -> None:
    ranks, came, given = (np.array(n) for n in ((1, 1, 1, 2), (4, 5, 6, 6), (5, 8, 26, 6)))
    found = Run(ranks, came, given, 1.0, 0.01, (), pa.table({}))
    assert found.of_level(1, 5).tolist() == [3, 20]
    assert found.within(1, 5, 10) == 1
    assert found.within(1, 0, 10) == 2
    assert found.within(2, 5, 0) == 1


@pytest.mark.slow
def test_ranks_show_under_overload_on_the_same_rows(overloaded: dict[str, Outcome]) -> None:
    assert set(overloaded) == {"no limit", precedence.BEHIND, *PRECEDENCES}
    level1 = {name: one.levels[0] for name, one in overloaded.items()}
    assert level1["prune"] > 2 * level1["none"]
    assert 2 * level1["static"] < level1["full"] <= level1["no limit"]
    assert {one.budget for one in overloaded.values()} == {None, 50}
    soon = overloaded["full"].soon
    assert soon is not None
    assert soon > 0.9


def test_without_overload_all_ways_give_the_results_of_a_query_without_ranks() -> None:
    case = replace(
        CASES[-1], setup=replace(CASES[-1].setup, rate=200), seconds=8, warmup=2, rounds=1
    )
    found = list(measure([case]))
    assert [one.system for one in found] == ["plain", "none", *PRECEDENCES[:-1]]
    assert all(one.equal for one in found)
    assert len({one.levels for one in found}) == 1
    assert found[0].levels[0] > 0


@pytest.mark.slow
def test_the_report_has_every_figure_and_a_picture_of_waits(
    overloaded: dict[str, Outcome], tmp_path: Path
) -> None:
    told = json.loads(json.dumps(report(list(overloaded.values()))))
    waits = told["waits"]
    assert set(waits) == {"prune", precedence.BEHIND}
    assert waits[precedence.BEHIND]["slowest"][-1] > max(waits["prune"]["median"])
    wanted = {"case", "system", "level1", "level2", "level3", "level1_vs_none", "search_s"}
    assert wanted | {"overhead_share"} <= set(told["cases"][0])
    (picture,) = plot.draw(told, tmp_path)
    assert picture.stat().st_size > 10_000


def test_the_command_refuses_cases_that_there_are_not() -> None:
    with pytest.raises(QueryError, match="CASE_UNKNOWN"):
        choose(["5 times"])
    assert [case.label for case in choose((), quick=True)] == ["4 times"]
    assert CliRunner().invoke(app, ["bench", "precedence", "--only", "5 times"]).exit_code != 0
