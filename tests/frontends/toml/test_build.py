"""A pipeline file gives the queries that Python gives."""

from __future__ import annotations

import tomllib
from dataclasses import replace
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
    RankTable,
    SourceQueryTable,
    StartTable,
)
from slackwater.query.contract import MaxError, max_error, min_recall, slack
from slackwater.query.estimates import estimates
from slackwater.query.join import join
from slackwater.query.rank import rank
from slackwater.query.resources import resources
from slackwater.query.schema import Schema
from slackwater.query.stream import LookUp
from slackwater.query.table import TableDef
from tests.frontends.kinds import (
    JOIN,
    QUERY,
    READINGS,
    WINDOWS,
    Place,
    problems,
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
        max_error(0.01, **terms, granularity="100 ms", method="conformal", per_key=True),
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
    first = rank("readings.value > 9", budget="100 ms", precedence="full")
    terms_ = {"resources": limits, "rank": first, "lifespan": "30 s"}
    query = joined.select("readings.key AS key").query("paid", promise, **terms_)
    assert sound(tmp_path, JOIN).queries == (query,)


@pytest.mark.parametrize(
    ("text", "uncertainty"),
    [("3", 3), ('{ "p.rate" = 2, "p-readings" = 5 }', {"p.rate": 2, "p-readings": 5})],
)
def test_a_robust_join_is_the_one_that_python_gives(
    tmp_path: Path, text: str, uncertainty: Any
) -> None:
    terms = f'order = "robust"\nuncertainty = {text}\ntolerance = 0.1'
    base = sound(tmp_path, JOIN.replace('order = "adaptive"', terms)).queries[0].stream.base
    plain = sound(tmp_path, JOIN).queries[0].stream.base
    robust = {"order": "robust", "uncertainty": uncertainty, "tolerance": 0.1}
    assert base == replace(plain, **robust)  # type: ignore[type-var]


@pytest.mark.parametrize("text", ["{}", "2.5", '"much"', "{ a = 0.5 }"])
def test_an_uncertainty_that_is_no_whole_number_is_refused(tmp_path: Path, text: str) -> None:
    terms = f'order = "robust"\nuncertainty = {text}'
    found = problems(tmp_path, JOIN.replace('order = "adaptive"', terms))
    [(where, (condition, _))] = found.items()
    assert where == "query.paid.uncertainty"
    assert condition == "KEY_TYPE"


def test_an_optional_stream_is_the_one_that_python_gives(tmp_path: Path) -> None:
    text = JOIN.replace('as = "p",', 'as = "p", optional = true,')
    base = sound(tmp_path, text).queries[0].stream.base
    plain = sound(tmp_path, JOIN).queries[0].stream.base
    first, second = plain.inputs  # type: ignore[union-attr]
    assert base == replace(plain, inputs=(first, second.optional()))  # type: ignore[type-var]


def test_a_lookup_is_the_one_that_python_gives(tmp_path: Path) -> None:
    text = WINDOWS.replace(
        "[[query]]", '[table.names]\npath = "names.parquet"\nrefresh = "1 hour"\n[[query]]', 1
    )
    found = 'from = "readings"\nlookup = { table = "names", on = "key", how = "inner" }'
    (query,) = sound(tmp_path, text.replace('from = "readings"', found)).queries
    (plain,) = sound(tmp_path, WINDOWS).queries
    table = TableDef(
        "names", Schema.of(key="bigint", name="string"), "1 hour", tmp_path / "names.parquet"
    )
    steps = list(plain.stream.steps)
    steps.insert(1, LookUp(table, ("key",), "inner"))  # behind costly
    assert query.stream.steps == tuple(steps)
    [found_table] = [step.table for step in query.stream.steps if isinstance(step, LookUp)]
    assert found_table.is_same(table)


@pytest.mark.parametrize(
    ("tables", "lookup", "condition"),
    [
        ("", '{ table = "names", on = "key" }', "TABLE_UNKNOWN"),
        ('[table.names]\npath = "names.xls"\n', '{ table = "names", on = "key" }', "TABLE_SOURCE"),
        ('[table.names]\nrefresh = "1 h"\n', '{ table = "names", on = "key" }', "KEY_MISSING"),
        ('[table.names]\npath = "names.parquet"\n', '{ table = "names" }', "KEY_MISSING"),
    ],
)
def test_a_lookup_that_cannot_be_read_is_told(
    tmp_path: Path, tables: str, lookup: str, condition: str
) -> None:
    text = tables + WINDOWS.replace('from = "readings"', f'from = "readings"\nlookup = {lookup}')
    assert condition in {found for found, _ in problems(tmp_path, text).values()}


def test_the_two_files_above_say_all_there_is_to_say() -> None:
    windows, join_ = (tomllib.loads(text)["query"][0] for text in (WINDOWS, JOIN))
    used = {
        SourceQueryTable: {*windows, "min_recall", "over", "slack", "resources", "relate", "lookup"}
        | {"rank", "lifespan", "filter", "apply"},
        JoinQueryTable: {*join_, *windows} - {"from", "costly"}
        | {"slack", "uncertainty", "tolerance", "relate"},
        LevelTable: {*windows["then"][0], "relate"},
        EstimatesTable: {key for one in windows["estimates"] for key in one},
        CostlyTable: set(windows["costly"]),
        InputTable: {*join_["join"][1], "optional", "lookup", "filter", "apply"},
        RankTable: set(join_["rank"]),
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


def test_sql_over_windows_stands_in_place_of_aggregates(tmp_path: Path) -> None:
    text = READINGS + '[[query]]\nname = "q"\nfrom = "readings"\nwindow = "10 s"\n'
    sql = "SELECT count(*) AS n FROM window WHERE value > (SELECT avg(value) FROM window)"
    (query,) = sound(tmp_path, f'{text}relate = "{sql}"').queries
    assert query.stream == stream().window("10 s").relate(sql)
    both = problems(tmp_path, f'{text}relate = "{sql}"\naggregate = {{ n = "count(*)" }}')
    neither = problems(tmp_path, text)
    assert {where: one[0] for where, one in both.items()} == {"query.q.relate": "KEY_TWICE"}
    assert {where: one[0] for where, one in neither.items()} == {"query.q.aggregate": "KEY_MISSING"}
