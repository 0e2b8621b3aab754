"""Estimates meet their finals in memory as the statement does it that Spark runs."""

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from slackwater.execute.duck import DuckEngine
from slackwater.execute.estimates.arrow import can_pair, pairs_of
from slackwater.execute.estimates.reading import Reading
from slackwater.plan.estimates import EstimateColumns
from slackwater.plan.sql.estimates import paired
from slackwater.plan.window import Window
from slackwater.query.schema import Schema

INSTANT = pa.timestamp("us", tz="UTC")
COLUMNS = EstimateColumns(("total",), ("total",))


def reading(**keys: pa.DataType) -> Reading:
    shown = pa.schema(
        {
            "window_start": INSTANT,
            "window_end": INSTANT,
            **keys,
            "total": pa.int64(),
            "kind": pa.string(),
            "emitted_at": INSTANT,
            "tuples": pa.int64(),
            "prod": pa.string(),
        }
    )
    names = (tuple(keys), ("total",))
    return Reading("q", (), Window(10, 10), *names, Schema(()), COLUMNS, 0.9, True, {}, {}, shown)


TWO = reading(k=pa.string(), n=pa.int64())
START = st.integers(-2, 2).map(lambda n: 10 * n)
KEYS = {"k": st.none() | st.sampled_from(["a", "b", "ä|", ""]), "n": st.none() | st.integers(0, 2)}
ESTIMATE = st.fixed_dictionaries(
    {
        "__start": START,
        "__age": st.integers(0, 4).map(lambda n: n / 4),
        **KEYS,
        "total": st.none() | st.integers(-5, 5),
        "tuples": st.integers(0, 5),
        "prod": st.integers(0, 10**6).map(lambda n: f"every/{n}"),
        "emitted_at": st.integers(0, 50),
    }
)


@st.composite
def final(draw: st.DrawFn) -> dict[str, object]:
    start = draw(START)
    keys = {name: draw(one) for name, one in KEYS.items()}
    return {
        "window_start": start,
        "window_end": start + 10,
        **keys,
        "total": draw(st.none() | st.integers(-5, 5)),
        "kind": draw(st.sampled_from(["final", "final", "revision"])),
        "emitted_at": 100,
        "tuples": 6,
        "prod": None,
    }


def group_of(row: dict[str, object]) -> tuple[object, ...]:
    return row["window_start"], row["k"], row["n"]


@given(
    st.lists(ESTIMATE, max_size=20, unique_by=lambda row: row["prod"]),
    st.lists(final(), max_size=12, unique_by=group_of),
)
def test_paired_as_the_statement_says(
    duck: DuckEngine, rows: list[dict[str, object]], ends: list[dict[str, object]]
) -> None:
    said, finals = pa.Table.from_pylist(rows, TWO.kept), pa.Table.from_pylist(ends, TWO.shown)
    mine = pairs_of(said, finals, TWO)
    text = paired(duck.writer, TWO.keys, TWO.columns)
    theirs = duck.run(text, TWO.pairs, {}, {"said": said, "finals": finals})
    assert mine.schema == TWO.pairs
    assert mine.to_pylist() == theirs.to_pylist()


def test_one_group_is_no_group() -> None:
    whole = reading()
    said = {"__start": 0, "__age": 0.5, "total": 4, "tuples": 2, "prod": "p/1", "emitted_at": 7}
    end = {"window_start": 0, "window_end": 10, "total": 8, "kind": "final", "emitted_at": 9}
    finals = pa.Table.from_pylist([end | {"tuples": 4, "prod": None}], whole.shown)
    [pair] = pairs_of(pa.Table.from_pylist([said], whole.kept), finals, whole).to_pylist()
    assert (pair["__group"], pair["total"], pair["__total_final"], pair["__gap"]) == (
        "",
        4.0,
        8.0,
        2.0,
    )


def test_only_keys_with_one_way_of_writing_them() -> None:
    none = TWO.kept.empty_table()
    assert can_pair(none, TWO)
    assert not can_pair(none, reading(k=pa.float64()))
    assert not can_pair(none, reading(k=INSTANT))


def test_many_estimates_are_left_to_the_statement() -> None:
    row = dict.fromkeys(TWO.kept.names)
    assert can_pair(pa.Table.from_pylist([row], TWO.kept), TWO, most=1)
    assert not can_pair(pa.Table.from_pylist([row, row], TWO.kept), TWO, most=1)
