"""What is wrong with a pipeline file is told, all of it at once."""

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
from slackwater.frontends.toml.read import read, read_data
from tests.frontends.kinds import (
    CATALOG,
    JOIN,
    QUERY,
    READINGS,
    RMS,
    WINDOWS,
    load,
    problems,
)


def test_the_package_is_imported_without_an_engine() -> None:
    script = (
        "import slackwater.frontends.toml.read, sys;"
        "sys.exit(' '.join({'pyspark', 'pyarrow', 'duckdb', 'pandas'} & set(sys.modules)))"
    )
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.stderr.strip() == ""


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
