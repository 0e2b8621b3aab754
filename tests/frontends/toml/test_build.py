"""A pipeline file gives the queries that Python gives."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from slackwater.frontends.table import keys_of
from slackwater.frontends.toml.model import (
    CostlyTable,
    ErrorTable,
    EstimatesTable,
    InputTable,
    JoinQueryTable,
    LevelTable,
    SourceQueryTable,
    StartTable,
)
from slackwater.query.contract import MaxError, max_error, min_recall, slack
from slackwater.query.estimates import estimates
from slackwater.query.join import join
from slackwater.query.resources import resources
from tests.frontends.kinds import (
    JOIN,
    QUERY,
    READINGS,
    WINDOWS,
    Place,
    sound,
    stream,
)


def test_a_file_gives_the_query_that_python_gives(tmp_path: Path) -> None:
    counts = stream(arrival="at", max_ahead="1 hour").costly(9, aside="3:1", starve="1 min")
    counts = counts.where("value > 1").select("key AS sensor", "value")
    counts = counts.window("10 s", "5 s", start="1 s").group_by("sensor").aggregate(n="count(*)")
    above = counts.where("n > 1").where("n < 9").select("n")
    above = above.window("1 min", "30 s", start="2 s").group_by("n % 2 AS odd")
    terms = {"confidence": 0.9, "of": "n", "at_least": "1 s", "at_most": 20}
    query = above.aggregate(n="sum(n)").query(
        "q",
        max_error(0.01, **terms, granularity="100 ms", method="model"),
        late="revise",
        keep="1 min",
        idle="5 s",
        estimates=[
            estimates(every="5 s", where="n > 3"),
            estimates(accuracy=0.9, of="n", band=0.8),
            estimates(aggressiveness=0.3),
        ],
        sink=Place(str(tmp_path / "out")),
        side=Place(str(tmp_path / "late")),
        quality=Place(str(tmp_path / "quality")),
    )
    assert sound(tmp_path, WINDOWS).queries == (query,)


def test_a_join_is_the_one_that_python_gives(tmp_path: Path) -> None:
    joined = join(
        stream(),
        stream("payments").where("value > 0").select("ts", "key").named("p"),
        on=["readings.key = p.key"],
        within={"readings": "5 s", "p": "9 s"},
        emit="ordered",
        order="adaptive",
        cross=True,
        how="inner",
    )
    terms = {"confidence": 0.8, "over": "20 s", "at_least": 1, "at_most": "1 min"}
    promise = min_recall(0.9, **terms, granularity=0.5, method="feedback")
    limits = resources(memory="512 MB", cpu=0.8)
    query = joined.select("readings.key AS key").query("paid", promise, resources=limits)
    assert sound(tmp_path, JOIN).queries == (query,)


def test_the_two_files_above_say_all_there_is_to_say() -> None:
    windows, join_ = (tomllib.loads(text)["query"][0] for text in (WINDOWS, JOIN))
    used = {
        SourceQueryTable: {*windows, "min_recall", "over", "slack", "resources"},
        JoinQueryTable: {*join_, *windows} - {"from", "costly"} | {"slack"},
        LevelTable: set(windows["then"][0]),
        EstimatesTable: {key for one in windows["estimates"] for key in one},
        CostlyTable: set(windows["costly"]),
        InputTable: set(join_["join"][1]),
    }
    assert {table: set(keys_of(table)) for table in used} == used


def test_aggregates_may_follow_a_join_and_windows_may_be_for_pairs(tmp_path: Path) -> None:
    text = JOIN.replace('{ readings = "5 s", p = "9 s" }', '{ "readings, p" = "5 s" }')
    text += 'window = "10 s"\naggregate = { n = "count(*)" }\n[[query.then]]\n'
    (query,) = sound(tmp_path, text + 'window = "1 min"\naggregate = { n = "sum(n)" }').queries
    assert query.stream.base.within == {("readings", "p"): "5 s"}  # type: ignore[union-attr]
    assert len(query.stream.steps) == 3


def test_the_first_level_over_a_join_may_stand_under_then(tmp_path: Path) -> None:
    text = JOIN + '[[query.then]]\nwindow = "10 s"\naggregate = { n = "count(*)" }'
    steps = sound(tmp_path, text).queries[0].stream.steps
    assert [type(step).__name__ for step in steps] == ["Select", "Aggregate"]


@pytest.mark.parametrize(
    ("text", "contract"),
    [
        ("", slack(0)),
        ('slack = "2 s"', slack("2 s")),
        ("max_error = 1", max_error(1)),
        (
            '[[query.max_error]]\nepsilon = 0.1\nof = "n"\n[[query.max_error]]\nepsilon = 0.2',
            (max_error(0.1, of="n"), max_error(0.2)),
        ),
        (
            """
confidence = 0.5
method = "model"
[[query.max_error]]
epsilon = 0.1
[[query.max_error]]
epsilon = 0.2
confidence = 0.7
""",
            (
                max_error(0.1, confidence=0.5, method="model"),
                max_error(0.2, confidence=0.7, method="model"),
            ),
        ),
    ],
)
def test_contracts(tmp_path: Path, text: str, contract: Any) -> None:
    assert sound(tmp_path, READINGS + QUERY + text).queries[0].contract == contract


def test_one_of_several_bounds_may_say_what_a_bound_of_python_may() -> None:
    assert set(keys_of(ErrorTable)) == set(MaxError.__dataclass_fields__)


def test_a_budget_and_estimates_may_be_short(tmp_path: Path) -> None:
    text = READINGS + QUERY + "costly = 7\nestimates = { every = 0 }"
    (query,) = sound(tmp_path, text).queries
    assert query.stream.steps[0] == stream().costly(7).steps[0]
    assert query.estimates == (estimates(every=0),)


def test_max_ahead_may_be_without_bound(tmp_path: Path) -> None:
    text = READINGS + 'max_ahead = "any"' + QUERY
    assert sound(tmp_path, text).queries[0].stream == (
        stream(max_ahead=None).window("10 s").aggregate(n="count(*)")
    )


def test_whole_numbers_stay_whole(tmp_path: Path) -> None:
    """Parameters are part of what a checkpoint means: 1 and 1.0 are told apart there."""
    (query,) = sound(tmp_path, READINGS + QUERY + "max_error = 1\nconfidence = 0.5").queries
    assert isinstance(query.contract, MaxError)
    assert type(query.contract.epsilon) is int


def test_how_to_run_is_read_and_paths_start_at_the_file(tmp_path: Path) -> None:
    head = """
[pipeline]
checkpoint = "state"
trigger = "2 s"
tier = "spark"
columnar_rows = 10
heartbeat = "1 s"
flush = false
max_state_rows = 99
"""
    start = sound(tmp_path, head + READINGS + QUERY).start
    assert start is not None
    assert set(start.said()) == set(keys_of(StartTable))
    assert start.checkpoint == str(tmp_path / "state")
    assert (start.tier, start.max_state_rows) == ("spark", 99)


def test_places_with_a_scheme_stay_as_they_are(tmp_path: Path) -> None:
    text = READINGS + QUERY + 'sink = { path = "s3a://bucket/out" }\nside = { path = "file:///x" }'
    (query,) = sound(tmp_path, text).queries
    assert (query.sink, query.side) == (Place("s3a://bucket/out"), Place("/x"))


def test_limits_of_a_file_are_those_of_its_pipeline(tmp_path: Path) -> None:
    text = '\n[resources]\nmemory = "512 MB"\ncpu = 0.8\n'
    assert sound(tmp_path, JOIN + text).resources == resources(memory="512 MB", cpu=0.8)
    assert sound(tmp_path, JOIN).resources is None
