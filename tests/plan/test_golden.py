"""The text of every statement for DuckDB, and that DuckDB runs it.

``pytest tests/plan/test_golden.py --rewrite-golden`` writes the texts anew; look at the diff.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import chain

import duckdb
import pytest

from slackwater.execute.duck import connected
from slackwater.plan.stage import QueryPlan
from tests.plan import golden_cases
from tests.plan.golden_statements import WRITER, Golden, statements
from tests.plan.golden_text import FOLDER, in_lines, in_one, rewrite, sections

PLANS = {
    **{f"windows: {name}": plan for name, plan in golden_cases.windows().items()},
    **{f"join: {name}": plan for name, plan in golden_cases.joins().items()},
}
ROWS = "(SELECT n * 750_000 AS __ts FROM range(0, 40) AS r(n))"  # over half a minute
EXAMPLES = {
    "timestamp": "make_timestamptz(__ts)",
    "timestamp_ntz": "make_timestamp(__ts)",
    "bigint": "(__ts // 750000) % 3",
    "int": "CAST((__ts // 750000) % 5 AS INT)",
    "double": "CAST((__ts // 750000) % 7 AS DOUBLE) - 1",
    "string": "'s' || ((__ts // 750000) % 2)",
    "decimal(10,2)": "CAST((__ts // 750000) % 11 / 4 AS DECIMAL(10, 2))",
    "decimal(38,2)": "CAST((__ts // 750000) % 11 / 4 AS DECIMAL(38, 2))",
}
TIME = 12_000_000
AFTER = {"changed": 30 * TIME, "kept": TIME, "results": TIME, "shown": TIME}


def written() -> dict[str, dict[str, str]]:
    """The texts by kind and case."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for one in chain.from_iterable(statements(*plan) for plan in PLANS.items()):
        if one.case:
            assert one.case not in found[one.kind], "two texts of one name"
            found[one.kind][one.case] = in_lines(one.text)
    return dict(found)


TEXTS = written()


@pytest.fixture(scope="module", autouse=True)
def golden(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--rewrite-golden"):
        rewrite(TEXTS)


@pytest.mark.parametrize("kind", sorted(TEXTS))
def test_statements_are_written_as_before(kind: str) -> None:
    path = FOLDER / f"{kind}.sql"
    assert path.exists(), "no golden texts: look at --rewrite-golden"
    known = sections(path.read_text(encoding="utf-8"))
    assert TEXTS[kind].keys() == known.keys()
    for case, text in TEXTS[kind].items():
        assert text == known[case], case


def test_there_are_no_golden_texts_that_nothing_writes() -> None:
    assert sorted(path.name for path in FOLDER.iterdir()) == sorted(f"{kind}.sql" for kind in TEXTS)


def test_lines_lose_nothing_of_a_text() -> None:
    for one in chain.from_iterable(statements(*plan) for plan in PLANS.items()):
        assert in_one(in_lines(one.text)) == one.text


@pytest.fixture(scope="module")
def duck() -> Iterator[duckdb.DuckDBPyConnection]:
    with connected("UTC", sketches=True) as connection:
        yield connection


@pytest.fixture(scope="module")
def bare() -> Iterator[duckdb.DuckDBPyConnection]:
    """Without tables and views of its own."""
    with connected("UTC", sketches=True) as connection:
        yield connection


@pytest.mark.parametrize("case", PLANS)
def test_duckdb_runs_every_statement_and_none_is_without_rows(
    duck: duckdb.DuckDBPyConnection, case: str
) -> None:
    make_raw(duck, PLANS[case])
    found = statements(case, PLANS[case])
    assert [one.kind for one in found if not run(duck, PLANS[case], one)] == []


@pytest.mark.parametrize("case", PLANS)
def test_a_statement_says_what_it_reads_and_which_parameters_it_takes(
    bare: duckdb.DuckDBPyConnection, case: str
) -> None:
    for one in statements(case, PLANS[case]):
        plain = re.sub(r"\$\w+", "0", one.text)  # names of tables are told of whole texts only
        assert bare.get_table_names(plain) == set(one.statement.reads), one.kind
        takes = duckdb.extract_statements(one.text)[0].named_parameters
        assert set(takes) == set(one.statement.parameters), one.kind


def make_raw(duck: duckdb.DuckDBPyConnection, plan: QueryPlan) -> None:
    """A few rows of each stream."""
    for stream, state in plan.fed:
        columns = [f"{EXAMPLES[c.type]} AS {WRITER.name(c.name)}" for c in state.input.columns]
        duck.execute(
            f"CREATE OR REPLACE TABLE {made(f'raw {stream}')} AS "
            f"SELECT __ts, {', '.join(columns)} FROM {ROWS}"
        )


def run(duck: duckdb.DuckDBPyConnection, plan: QueryPlan, one: Golden) -> int:
    """Run a statement over what earlier ones gave; the number of its rows."""
    for name, sources in one.reads.items():
        several = (sources,) if isinstance(sources, str) else sources
        parts = [f"SELECT * FROM {made(source)}" for source in several]
        duck.execute(f"CREATE OR REPLACE VIEW {name} AS {' UNION ALL BY NAME '.join(parts)}")
    known = parameters(plan, one.kind)
    given = {name: known[name] for name in one.statement.parameters}
    table = duck.sql(one.text, params=given or None).to_arrow_table()
    if one.gives:
        duck.register("given_now", table)
        duck.execute(f"CREATE OR REPLACE TABLE {made(one.gives)} AS FROM given_now")
        duck.unregister("given_now")
    return table.num_rows


def parameters(plan: QueryPlan, kind: str) -> dict[str, int]:
    """The watermark moves on to the end; what is closed already may be revised."""
    inputs = range(len(plan.fed))
    return {
        "after": AFTER.get(kind, 0),
        "upto": 600 * 1_000_000,
        "first": 0,
        "horizon": -TIME,
        "kept": -TIME,
        "last": TIME,
        "origin": 0,
        "emitted_at": TIME,
        "clock": TIME,
        **{f"live{n}": 0 for n in inputs},
        **{f"low{n}": 0 for n in inputs},
    }


def made(name: str) -> str:
    """The table of what a statement gave; statements themselves have names for views."""
    return WRITER.name(f"made: {name}")
