"""A pipeline file is queries, or a list of everything that is wrong with it. No Spark here."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from slackwater.errors import QueryError, SourceError
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
from slackwater.frontends.toml.read import PipelineFile, read, read_data
from slackwater.query.contract import MaxError, max_error, min_recall, slack
from slackwater.query.estimates import estimates
from slackwater.query.join import join
from slackwater.query.monoid import monoid
from tests.frontends.kinds import CATALOG, READINGS, Place, stream

QUERY = """
[[query]]
name = "q"
from = "readings"
window = "10 s"
aggregate = { n = "count(*)" }
"""


def load(folder: Path, text: str) -> PipelineFile:
    path = folder / "pipeline.toml"
    path.write_text(text, encoding="utf-8")
    return read(path, CATALOG)


def sound(folder: Path, text: str) -> PipelineFile:
    file = load(folder, text)
    assert file.problems == ()
    return file


def problems(folder: Path, text: str) -> dict[str, tuple[str, str]]:
    """Condition and message with hint of each problem, by where it is."""
    return {p.where: (p.condition, f"{p.message} {p.hint}") for p in load(folder, text).problems}


def test_the_package_is_imported_without_an_engine() -> None:
    script = (
        "import slackwater.frontends.toml.read, sys;"
        "sys.exit(' '.join({'pyspark', 'pyarrow', 'duckdb', 'pandas'} & set(sys.modules)))"
    )
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.stderr.strip() == ""


# -------------------------------------------------------------------------------- everything said

WINDOWS = (
    READINGS
    + """
arrival = "at"
max_ahead = "1 hour"
[[query]]
name = "q"
from = "readings"
costly = { budget = 9, aside = "3:1", starve = "1 min" }
where = "value > 1"
select = ["key AS sensor", "value"]
window = "10 s"
slide = "5 s"
start = "1 s"
group_by = "sensor"
aggregate = { n = "count(*)" }
max_error = 0.01
confidence = 0.9
of = "n"
at_least = "1 s"
at_most = 20
granularity = "100 ms"
method = "model"
late = "revise"
keep = "1 min"
idle = "5 s"
sink = { path = "out" }
side = { kind = "folder", path = "late" }
quality = { kind = "folder", path = "quality" }
[[query.then]]
where = ["n > 1", "n < 9"]
select = "n"
window = "1 min"
slide = "30 s"
start = "2 s"
group_by = ["n % 2 AS odd"]
aggregate = { n = "sum(n)" }
[[query.estimates]]
every = "5 s"
where = "n > 3"
[[query.estimates]]
accuracy = 0.9
of = "n"
band = 0.8
[[query.estimates]]
aggressiveness = 0.3
"""
)

JOIN = (
    READINGS
    + READINGS.replace("readings", "payments")
    + """
[[query]]
name = "paid"
join = ["readings", { from = "payments", as = "p", where = "value > 0", select = ["ts", "key"] }]
on = ["readings.key = p.key"]
within = { readings = "5 s", p = "9 s" }
emit = "ordered"
order = "written"
cross = true
how = "inner"
select = ["readings.key AS key"]
min_recall = 0.9
confidence = 0.8
over = "20 s"
at_least = 1
at_most = "1 min"
granularity = 0.5
method = "feedback"
"""
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
        order="written",
        cross=True,
        how="inner",
    )
    terms = {"confidence": 0.8, "over": "20 s", "at_least": 1, "at_most": "1 min"}
    promise = min_recall(0.9, **terms, granularity=0.5, method="feedback")
    query = joined.select("readings.key AS key").query("paid", promise)
    assert sound(tmp_path, JOIN).queries == (query,)


def test_the_two_files_above_say_all_there_is_to_say() -> None:
    windows, join_ = (tomllib.loads(text)["query"][0] for text in (WINDOWS, JOIN))
    used = {
        SourceQueryTable: {*windows, "min_recall", "over", "slack"},
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


# ---------------------------------------------------------------------------------------- monoids

RMS = """
[monoid.rms]
body = "sqrt(sum(x * x) / count(x))"
parameters = ["x"]
[monoid.share]
body = "sum(a) / sum(b)"
parameters = ["a", "b"]
"""


def aggregates(folder: Path, text: str, monoids: str = RMS) -> Any:
    query = QUERY.replace('"count(*)"', f'"{text}"')
    return sound(folder, monoids + READINGS + query).queries[0].stream.steps[-1].values  # type: ignore[union-attr]


def test_a_monoid_is_written_out_where_it_is_called(tmp_path: Path) -> None:
    rms = monoid("sqrt(sum(x * x) / count(x))", "x")
    assert aggregates(tmp_path, "rms(value - 1)") == (("n", rms("value - 1")),)
    assert aggregates(tmp_path, "RMS(value - 1)") == (("n", rms("value - 1")),)


def test_what_a_monoid_is_made_of_stays_together(tmp_path: Path) -> None:
    ((_, text),) = aggregates(tmp_path, "1 - share(value, key)")
    assert text == "1 - (SUM((value)) / SUM((key)))"


def test_a_text_without_a_monoid_stays_as_it_was_written(tmp_path: Path) -> None:
    assert aggregates(tmp_path, "sum( value )") == (("n", "sum( value )"),)


@pytest.mark.parametrize(
    ("monoids", "text", "where", "condition"),
    [
        (RMS, "rms(value, key)", "query.q.aggregate.n", "MONOID_ARGUMENTS"),
        ('[monoid.sum]\nbody = "min(x)"', "count(*)", "monoid.sum", "MONOID_NAME"),
        ('[monoid."a b"]\nbody = "min(x)"', "count(*)", "monoid.a b", "MONOID_NAME"),
        ('[monoid.odd]\nbody = "sum("', "count(*)", "monoid.odd", "MONOID_INVALID"),
        ("[monoid.odd]\nparameters = [1]", "count(*)", "monoid.odd.body", "KEY_MISSING"),
        ("[monoid.odd]\nparameters = [1]", "count(*)", "monoid.odd.parameters", "KEY_TYPE"),
    ],
)
def test_what_is_wrong_with_a_monoid_is_told(
    tmp_path: Path, monoids: str, text: str, where: str, condition: str
) -> None:
    query = QUERY.replace('"count(*)"', f'"{text}"')
    assert problems(tmp_path, monoids + READINGS + query)[where][0] == condition


# ----------------------------------------------------------------------------------- what is wrong


def test_everything_wrong_is_told_at_once(tmp_path: Path) -> None:
    text = """
[pipeline]
tier = "gpu"
chekpoint = "x"
[source.a]
kind = "row"
colums = 3
[source.b]
kind = "tape"
path = "nowhere"
time = "ts"
[source.g]
kind = "rows"
time = ""
count = "many"
columns = { a = "int" }
spreads = [{ mean = 1 }, { maen = 2 }]
[source.ok]
kind = "rows"
time = "ts"
columns = { ts = "timestamp" }
[[query]]
name = "q"
from = "okay"
windw = "10 s"
aggregate = { n = 3 }
sink = { kind = "papr" }
[[query]]
from = "ok"
window = "5 bananas"
aggregate = { n = "count(*)" }
[[query]]
name = "s"
from = "ok"
window = "10 s"
aggregate = { n = "count(*)" }
sink = { kind = "paper", title = "x" }
"""
    found = problems(tmp_path, text)
    expected = {
        "pipeline.tier": ("KEY_TYPE", "got 'gpu', wanted one of auto, columnar, spark"),
        "pipeline.chekpoint": ("KEY_UNKNOWN", "did you mean 'checkpoint'?"),
        "source.a.kind": ("KEY_TYPE", "no source is 'row' did you mean 'rows'?"),
        "source.a.colums": ("KEY_UNKNOWN", "did you mean 'columns'?"),
        "source.b": ("SOURCE_MISSING", "record it first"),
        "source.g.time": ("KEY_TYPE", "got '', wanted text"),
        "source.g.count": ("KEY_TYPE", "got 'many', wanted a whole number above 0"),
        "source.g.spreads[2].mean": ("KEY_MISSING", "is missing; it is a number"),
        "source.g.spreads[2].maen": ("KEY_UNKNOWN", "allowed here: mean"),
        "query.q.from": ("SOURCE_UNKNOWN", "there is no [source.okay] did you mean 'ok'?"),
        "query.q.windw": ("KEY_UNKNOWN", "did you mean 'window'?"),
        "query.q.window": ("KEY_MISSING", "is missing; it is a duration"),
        "query.q.aggregate": ("KEY_TYPE", 'wanted a table of texts, e.g. { name = "..." }'),
        "query.q.sink.kind": ("KEY_TYPE", "no sink is 'papr' did you mean 'paper'?"),
        "query[2].name": ("KEY_MISSING", "is missing; it is text"),
        "query[2].window": ("KEY_TYPE", "got '5 bananas', wanted a duration"),
        "query.s.sink": ("SINK_EMPTY", "buy some"),
    }
    assert set(found) == set(expected)
    for where, (condition, words) in expected.items():
        assert found[where][0] == condition
        assert words in found[where][1]


def test_sound_queries_are_read_whatever_is_wrong_elsewhere(tmp_path: Path) -> None:
    file = load(tmp_path, "[pipeline]\ntier = 3" + READINGS + QUERY + "sink = { kind = 3 }")
    assert [query.name for query in file.queries] == ["q"]
    assert file.start is None
    assert len(file.problems) == 2


@pytest.mark.parametrize(
    ("text", "where", "words"),
    [
        ("", "pipeline.toml.query", "one [[query]] at least"),
        (READINGS, "pipeline.toml.query", "is missing"),
        (READINGS + "query = []", "source.readings.query", "no such key"),
        ("query = []" + READINGS, "pipeline.toml.query", "one [[query]] at least"),
        ("query = [3]" + READINGS, "pipeline.toml.query", "a list of tables"),
        ("querry = 3" + READINGS + QUERY, "pipeline.toml.querry", "did you mean 'query'?"),
        ("source = 3\nquery = []", "pipeline.toml.source", "got 3, wanted a table"),
        ("[source]\nreadings = 3" + QUERY, "source.readings", "got 3, wanted a table"),
        ('[source.readings]\ntime = "x"' + QUERY, "source.readings.kind", "one of rows, tape"),
        (READINGS + "max_ahead = true" + QUERY, "source.readings.max_ahead", 'or "any"'),
        (READINGS + "spreads = 3" + QUERY, "source.readings.spreads", "a list of tables"),
        (READINGS + "spreads = [3]" + QUERY, "source.readings.spreads[1]", "wanted a table"),
        ("pipeline = 3" + READINGS + QUERY, "pipeline.toml.pipeline", "wanted a table"),
        ("[pipeline]\ncolumnar_rows = 0" + READINGS + QUERY, "pipeline.columnar_rows", "above 0"),
        ("[pipeline]\ncolumnar_rows = true" + READINGS + QUERY, "pipeline.columnar_rows", "whole"),
        ("[pipeline]\nflush = 1" + READINGS + QUERY, "pipeline.flush", "true or false"),
        (READINGS + QUERY + 'sink = { kind = "folder" }', "query.q.sink.path", "it is a path"),
        (READINGS + QUERY + "sink = {}", "query.q.sink.kind", "is missing; it is one of folder"),
        (READINGS + QUERY + "sink = 3", "query.q.sink", "wanted a table"),
        (READINGS + QUERY + 'late = "maybe"', "query.q.late", "one of drop, side, revise"),
        (READINGS + QUERY + "costly = 0", "query.q.costly.budget", "above 0"),
        (READINGS + QUERY + 'costly = "x"', "query.q.costly", "or a table with budget"),
        (READINGS + QUERY + 'max_error = "x"', "query.q.max_error", "a number, or a list"),
        (READINGS + QUERY + "max_error = [{}]", "query.q.max_error[1].epsilon", "is missing"),
        (READINGS + QUERY + "estimates = { evry = 1 }", "query.q.estimates[1].evry", "'every'"),
        (READINGS + QUERY + "where = []", "query.q.where", "text or a list of texts"),
        (READINGS + QUERY + "idle = nan", "query.q.idle", "a duration"),
        (READINGS + QUERY + "joni = 1", "query.q.joni", "did you mean 'join'?"),
        (READINGS + QUERY + "within = 1", "query.q.within", "it belongs to a query with join"),
        (READINGS + QUERY + 'join = ["x"]', "query.q.from", "a query with from, which has no join"),
    ],
)
def test_wrong_shapes_are_named(tmp_path: Path, text: str, where: str, words: str) -> None:
    assert words in problems(tmp_path, text)[where][1]


TWO = READINGS + READINGS.replace("readings", "payments") + '[[query]]\nname = "paid"\n'
PAIR = 'join = ["readings", "payments"]\non = "key"\nwithin = "5 s"\n'
ALONE = 'from = "readings"\nwindow = "1 s"\naggregate = { n = "count(*)" }\n'


@pytest.mark.parametrize(
    ("text", "where", "condition"),
    [
        ('join = ["readings", "paymnts"]\non = "key"', "join[2].from", "SOURCE_UNKNOWN"),
        ('join = ["readings", { as = "x" }]\nwithin = "5 s"', "join[2].from", "KEY_MISSING"),
        ('join = ["readings", 3]\nwithin = "5 s"', "join[2]", "KEY_TYPE"),
        ('join = "readings"', "join", "KEY_TYPE"),
        ('join = ["readings", "payments"]\non = "key"\nwithin = "soon"', "within", "KEY_TYPE"),
        ('join = ["readings", "payments"]\nwithin = {}', "within", "KEY_TYPE"),
        (PAIR + "costly = 3", "costly", "KEY_UNKNOWN"),
        (PAIR + 'from = "readings"', "from", "KEY_UNKNOWN"),
        (PAIR + 'group_by = "key"', "group_by", "KEY_ALONE"),
        (PAIR + 'slide = "1 s"', "slide", "KEY_ALONE"),
        ('from = "readings"\nwithin = "5 s"\nwindow = "1 s"', "within", "KEY_UNKNOWN"),
        (PAIR + "min_recall = 0.9\nslack = 1", "slack", "KEY_TWICE"),
        (ALONE + "max_error = 0.9\nslack = 1", "slack", "KEY_TWICE"),
        (PAIR + 'over = "1 s"', "over", "KEY_ALONE"),
        (ALONE + 'max_error = 0.1\nover = "1 s"', "over", "KEY_ALONE"),
        (ALONE + "confidence = 0.9", "confidence", "KEY_ALONE"),
        (ALONE + "granularity = 1", "granularity", "KEY_ALONE"),
    ],
)
def test_what_is_wrong_with_a_join_or_contract_is_named(
    tmp_path: Path, text: str, where: str, condition: str
) -> None:
    assert problems(tmp_path, TWO + text)[f"query.paid.{where}"][0] == condition


JUNK = [
    *(3, 0, -1, 1.5, float("nan"), float("inf"), 10**30, True, datetime(2020, 1, 1, tzinfo=UTC)),
    *("", "x", "1 s", "n", [], [3], ["x"], {}, {"a": 1}, {"a": "x"}, [{}], [{"a": 1}]),
]


def junked(value: Any) -> Iterator[Any]:
    """A value with each of its parts, one after the other, replaced by junk."""
    yield from JUNK
    if not isinstance(value, dict | list):
        return
    for key, part in value.items() if isinstance(value, dict) else enumerate(value):
        for other in junked(part):
            copy = value.copy()
            copy[key] = other
            yield copy


@pytest.mark.parametrize("text", [WINDOWS, JOIN, RMS + READINGS + QUERY])
def test_whatever_a_key_is_given_is_taken_or_told(tmp_path: Path, text: str) -> None:
    file, data = tmp_path / "pipeline.toml", tomllib.loads(text)
    found = [read_data(one, file, CATALOG) for one in junked(data) if isinstance(one, dict)]
    assert sum(bool(one.problems) for one in found) > 100  # and none of them raised


def test_broken_toml_says_where(tmp_path: Path) -> None:
    with pytest.raises(QueryError) as refused:
        load(tmp_path, "\n[source.]\n")
    (problem,) = refused.value.problems
    assert problem.condition == "TOML_INVALID"
    assert "line 2" in problem.message


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="DOCUMENT_MISSING"):
        read(tmp_path / "none.toml", CATALOG)
