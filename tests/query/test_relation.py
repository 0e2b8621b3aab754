"""SQL over the rows of a window: what is read, typed, and refused with a way round."""

from __future__ import annotations

import pytest

from slackwater.errors import Problem
from slackwater.query.relation import Relation, read_relation
from slackwater.query.schema import Schema

SCHEMA = Schema.of(ts="timestamp", k="bigint", v="int", name="string", price="decimal(10,2)")


def read(text: str) -> Relation:
    found = read_relation(text, SCHEMA, "here")
    assert isinstance(found, Relation), found
    return found


@pytest.mark.parametrize(
    ("text", "columns", "reads"),
    [
        (
            "SELECT count(*) AS n FROM window WHERE v > (SELECT max(v) / 2 FROM window)",
            {"n": "bigint"},
            ("v",),
        ),
        (
            "SELECT median(v) AS m, collect_set(name) AS s, sum(price) AS p FROM window w",
            {"m": "double", "s": "array<string>", "p": "decimal(20,2)"},
            ("v", "name", "price"),
        ),
        (
            ("WITH big AS (SELECT * FROM window WHERE v > 3), n AS (SELECT count(*) AS c FROM big) "
            "SELECT (SELECT max(c) FROM n) AS c, (SELECT max(ts) FROM big) AS t"),
            {"c": "bigint", "t": "timestamp"},
            ("ts", "k", "v", "name", "price"),
        ),
        (
            ("SELECT sum(d) AS d FROM (SELECT v - lag(v) OVER (PARTITION BY k ORDER BY ts) AS d "
            "FROM window)"),
            {"d": "bigint"},
            ("ts", "k", "v"),
        ),
        (
            ("SELECT max(c) AS top FROM (SELECT name, count(*) AS c FROM window GROUP BY name "
            "HAVING count(*) > 1 ORDER BY c DESC LIMIT 3)"),
            {"top": "bigint"},
            ("name",),
        ),
        ("SELECT count(*) AS n FROM window", {"n": "bigint"}, ()),
        ("SELECT count(*) FILTER (WHERE a.v > b.v) AS n FROM window a, window b WHERE a.k = b.k",
         {"n": "bigint"}, ("k", "v")),
    ],
)  # fmt: skip
def test_a_query_says_what_it_gives_and_what_it_reads(
    text: str, columns: dict[str, str], reads: tuple[str, ...]
) -> None:
    found = read(text)
    assert {column.name: column.type for column in found.columns} == columns
    assert found.reads == reads


def test_nothing_of_the_text_but_what_was_understood_reaches_the_engine() -> None:
    found = read("SELECT count(*) AS n /* ; DROP TABLE x */ FROM window -- more")
    assert found.over("rows_here") == 'SELECT count(*) AS "n" FROM rows_here AS "window"'


@pytest.mark.parametrize(
    ("text", "condition", "said"),
    [
        ("", "SQL_EMPTY", "query over window"),
        ("SELECT count( FROM window", "SQL_UNPARSABLE", "not an SQL query"),
        ("DROP TABLE window", "RELATE_SHAPE", "not one SELECT"),
        ("SELECT 1 AS a; SELECT 2 AS b", "RELATE_SHAPE", "not one SELECT"),
        ("SELECT v FROM window", "RELATE_SHAPE", "one row"),
        ("SELECT k, count(*) AS n FROM window GROUP BY k", "RELATE_SHAPE", "one row"),
        ("SELECT count(*) AS n FROM window HAVING count(*) > 3", "RELATE_SHAPE", "one row"),
        ("SELECT sum(v) OVER () AS s FROM window", "RELATE_SHAPE", "one row"),
        ("SELECT max(v) AS m FROM window LIMIT 0", "RELATE_SHAPE", "one row"),
        ("SELECT count(*) FROM window", "NAME_MISSING", "expr AS name"),
        ("SELECT NULL AS n", "TYPE_MISMATCH", "cast it"),
        ("SELECT count(*) AS n FROM other", "SQL_UNSUPPORTED", "only table"),
        ("SELECT count(*) AS n FROM parquet.`/etc/x`", "SQL_UNSUPPORTED", "only table"),
        ("SELECT count(*) AS n FROM read_csv('x')", "SQL_UNSUPPORTED", "only table"),
        ("SELECT count(*) AS n FROM range(9)", "SQL_UNSUPPORTED", "only table"),
        ("SELECT sum(missing) AS n FROM window", "SQL_UNSUPPORTED", "window.v"),
        ("SELECT count(*) AS n FROM window a JOIN window b ON v = 1", "SQL_UNSUPPORTED", "a.v or"),
        ("SELECT max((SELECT v FROM window)) AS m FROM window", "SQL_UNSUPPORTED", "aggregate in"),
        ("SELECT first(v) AS f FROM window", "SQL_UNSUPPORTED", "no order"),
        ("SELECT approx_count_distinct(v) AS n FROM window", "SQL_UNSUPPORTED", "count(DISTINCT"),
        ("SELECT max(hash(v)) AS h FROM window", "SQL_UNSUPPORTED", "md5"),
        ("SELECT max(getenv('HOME')) AS h FROM window", "SQL_UNSUPPORTED", "not offered"),
        ("SELECT sum(name) AS s FROM window", "SQL_UNSUPPORTED", "cast it"),
        ("SELECT count(*) AS n FROM window TABLESAMPLE (5 ROWS)", "SQL_UNSUPPORTED", "only table"),
        (
            "WITH window AS (SELECT 1 AS a) SELECT max(a) AS a FROM window",
            "SQL_UNSUPPORTED",
            "rows",
        ),
        (
            "SELECT max(v) AS m FROM (SELECT v FROM window UNION SELECT name FROM window)",
            "SQL_UNSUPPORTED",
            "same types",
        ),
    ],
)
def test_what_is_not_a_sound_query_is_refused_with_a_way_round(
    text: str, condition: str, said: str
) -> None:
    problem = read_relation(text, SCHEMA, "here")
    assert isinstance(problem, Problem), problem
    assert problem.condition == condition
    assert said in f"{problem.message} {problem.hint}"
