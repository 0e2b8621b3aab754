"""Both engines give the same for every placement, and the same as a statement over the windows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations

import duckdb
import pyarrow as pa
import pytest

from slackwater.hybrid.algebra import Step, steps, windows
from slackwater.hybrid.cost import Composite
from slackwater.hybrid.sql import composite, statement
from slackwater.papers.hybrid_ji2018.correlated import measured
from slackwater.papers.hybrid_ji2018.measure import agree, sustained
from slackwater.papers.hybrid_ji2018.operators.change import Change, Row
from slackwater.papers.hybrid_ji2018.operators.columns import MigOperator
from slackwater.papers.hybrid_ji2018.operators.execution import Execution
from slackwater.papers.hybrid_ji2018.operators.rows import RowIncrements, RowScans, row_operator
from slackwater.papers.hybrid_ji2018.workload import (
    COLUMNS,
    MEANINGS,
    QUERIES,
    Pressed,
    m_way,
    query,
)

SMALL = Pressed(factor=300, rate=3000)  # windows of 1 s, 10 rows a slide, 7 plugs
MOVES = 3


@pytest.fixture(scope="module")
def engine() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as found:
        found.execute("SET threads = 1")
        yield found


def run(
    root: Step, column: frozenset[str], engine: duckdb.DuckDBPyConnection
) -> list[Counter[Row]]:
    return list(Execution(root, column, MEANINGS, engine).run(SMALL.feed(), MOVES))


def from_scratch(root: Step, engine: duckdb.DuckDBPyConnection) -> list[Counter[Row]]:
    """The whole plan as one statement over the rows of each window, move by move."""
    feed, longest = SMALL.feed(), max(windows(root), key=lambda one: one.size)
    rows = feed(round(longest.rate * longest.size))
    every = steps(root)
    sql = statement(composite(every[-1], {step.name for step in every}))
    found = []
    for _ in range(MOVES):
        rows += feed(round(longest.rate * longest.slide))
        for window in windows(root):
            inside = rows[-round(window.rate * window.size) :]
            columns = list(zip(*inside, strict=True))
            engine.register(
                window.name, pa.table(dict(zip(COLUMNS, map(list, columns), strict=True)))
            )
        found.append(Counter(engine.execute(sql).fetchall()))
    return found


@pytest.mark.spec("qddh:F122", "qddh:F123", "qddh:F124", "qddh:F134")
@pytest.mark.parametrize("name", list(QUERIES))
def test_every_engine_gives_what_a_statement_over_the_windows_gives(
    name: str, engine: duckdb.DuckDBPyConnection
) -> None:
    root = query(name, SMALL)
    truth = from_scratch(root, engine.cursor())
    names = [step.name for step in steps(root)]
    some = [frozenset(pair) for pair in combinations(names, 2)][:: len(names)]
    for column in (frozenset[str](), frozenset(names), *some):
        got = run(root, column, engine)
        assert all(agree(one, other) for one, other in zip(got, truth, strict=True)), column
    assert sum(truth[-1].values()) > 0


@pytest.mark.spec("qddh:F134")
def test_queries_have_the_operators_that_the_text_tells_of() -> None:
    sizes = {name: len(steps(query(name, SMALL))) for name in QUERIES}
    assert sizes == {"Q1": 7, "Q2": 7, "Q3": 6, "Q4": 6, "Q5": 4, "Q6": 9}
    for m in (2, 5, 8):
        assert len(steps(m_way((m,), SMALL))) == 3 * m
    assert [round(window.size * SMALL.factor / 60) for window in windows(m_way((3,), SMALL))] == [
        1,
        3,
        5,
    ]
    assert Pressed(1, 2000).plugs == 2125


@pytest.mark.spec("qddh:F134")
def test_the_correlated_aggregate_is_the_same_in_both_engines() -> None:
    assert measured(20_000, 1)["equal"]


@pytest.mark.spec("qddh:F122")
def test_a_mean_follows_single_rows_and_a_maximum_looks_through_its_window() -> None:
    means, highest = query("Q4", SMALL), query("Q3", SMALL)
    kinds = [
        type(row_operator(step, MEANINGS))
        for root in (means, highest)
        for step in steps(root)
        if step.name == "plugs5"
    ]
    assert kinds == [RowIncrements, RowScans]


@pytest.mark.spec("qddh:F124")
def test_only_what_changed_is_shipped_and_the_old_result_goes(
    engine: duckdb.DuckDBPyConnection,
) -> None:
    root = query("Q4", SMALL)
    plugs = next(step for step in steps(root) if step.name == "plugs1")
    mig = MigOperator(composite(plugs, {"plugs1"}), engine)
    assert [port.name for port in mig.composite.ports] == ["load1"]
    first = [(1, 0, 1, 10), (1, 0, 1, 30), (2, 0, 1, 5)]
    one = mig.update(Change(first, []))
    assert (sorted(one.came), one.went) == ([(1, 20.0), (2, 5.0)], [])
    two = mig.update(Change([(2, 0, 1, 7)], first[:2]))
    assert (sorted(two.came), sorted(two.went)) == ([(2, 6.0)], sorted(one.came))
    three = mig.update(Change([], [(2, 0, 1, 5), (2, 0, 1, 7)]))
    assert three.came == []


@pytest.mark.spec("qddh:F135")
def test_a_rate_is_replayed_and_what_gets_through_is_told(
    engine: duckdb.DuckDBPyConnection,
) -> None:
    fed: list[int] = []
    for rate in (1500.0, 6000.0):
        pressed = Pressed(300, rate)
        feed = pressed.feed()
        execution = Execution(query("Q5", pressed), frozenset(), MEANINGS, engine)

        def counted(count: int, feed=feed) -> list[Row]:  # type: ignore[no-untyped-def]
            fed.append(count)
            rows: list[Row] = feed(count)
            return rows

        list(execution.run(counted, MOVES))
        cost = execution.cost(MOVES * pressed.slide)
        assert 0 < cost.bottleneck <= cost.total
        assert sustained(rate, cost) == rate / max(1.0, cost.bottleneck)
    assert fed == [1500, *[5] * MOVES, 6000, *[20] * MOVES]  # a full window, then slide by slide


def test_operators_are_timed_one_by_one(engine: duckdb.DuckDBPyConnection) -> None:
    column = frozenset({"plugs5", "join", "shown"})
    execution = Execution(query("Q4", SMALL), column, MEANINGS, engine)
    list(execution.run(SMALL.feed(), MOVES))
    assert list(execution.operators) == ["load5", "load1", "plugs1", "shown"]
    assert isinstance(execution.operators["shown"].what, Composite)
    assert all(one.seconds > 0 for one in execution.operators.values())
