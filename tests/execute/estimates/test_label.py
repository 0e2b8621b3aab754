"""Estimates are labelled in memory exactly as the statement does it that Spark runs."""

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from slackwater.execute.duck import DuckEngine
from slackwater.execute.estimates.arrow import labelled
from slackwater.execute.estimates.reading import HIDDEN, Reading
from slackwater.plan.estimates import EstimateColumns
from slackwater.plan.sql.estimates import spoken
from slackwater.plan.window import Window
from slackwater.query.schema import Schema

INSTANT = pa.timestamp("us", tz="UTC")
COLUMNS = EstimateColumns(("total", "top"), ("total",))
SHOWN = pa.schema(
    [
        ("window_start", INSTANT),
        ("window_end", INSTANT),
        ("key", pa.string()),
        ("total", pa.float64()),
        ("top", pa.decimal128(12, 2)),
        ("kind", pa.string()),
        ("revision", pa.int32()),
        ("coverage", pa.float64()),
        ("boundary", pa.bool_()),
        ("emitted_at", INSTANT),
        ("tuples", pa.int64()),
        ("prod", pa.string()),
        *((name, pa.float64()) for name in COLUMNS.names[2:]),
    ]
)
READING = Reading(
    "q",
    (),
    Window(10, 10),
    ("key",),
    ("total", "top"),
    Schema(()),
    COLUMNS,
    0.9,
    True,
    {},
    {},
    SHOWN,
)
OPENED = pa.schema(
    [
        ("__start", pa.int64()),
        ("__end", pa.int64()),
        ("key", pa.string()),
        ("total", pa.float64()),
        ("top", pa.decimal128(12, 2)),
        ("__rows", pa.int64()),
    ]
)
MARKS = pa.schema(
    [
        ("__start", pa.int64()),
        ("__ask", pa.int32()),
        ("prod", pa.string()),
        ("revision", pa.int32()),
        ("coverage", pa.float64()),
        ("__age", pa.float64()),
        ("__keep", pa.bool_()),
        *((f"{name}_{end}", pa.float64()) for name in COLUMNS.numeric for end in ("low", "high")),
    ]
)
START = st.integers(-2, 3).map(lambda n: 10 * n)
NUMBER = st.floats(-1e6, 1e6)
SHARE = st.floats(0, 1)


@st.composite
def windows(draw: st.DrawFn) -> dict[str, object]:
    start = draw(START)
    top = draw(st.none() | st.decimals(-1000, 1000, places=2))
    total = draw(st.none() | NUMBER)
    key = draw(st.none() | st.sampled_from("ab"))
    return dict(zip(OPENED.names, (start, start + 10, key, total, top, 3), strict=True))


@st.composite
def asked(draw: st.DrawFn) -> dict[str, object]:
    ask = draw(st.integers(0, 2))
    known = draw(st.booleans())
    lows, highs = draw(SHARE), draw(SHARE.map(lambda s: 1 + s))
    ends = (lows, highs) * 2 if known else (None,) * 4
    plain = (draw(START), ask, f"p{ask}", draw(st.integers(0, 5)), draw(SHARE), draw(SHARE))
    return dict(zip(MARKS.names, (*plain, draw(st.booleans()), *ends), strict=True))


@given(st.lists(windows(), max_size=8), st.lists(asked(), min_size=1, max_size=6))
def test_labelled_as_the_statement_says(
    duck: DuckEngine, rows: list[dict[str, object]], calls: list[dict[str, object]]
) -> None:
    opened, marks = pa.Table.from_pylist(rows, OPENED), pa.Table.from_pylist(calls, MARKS)
    mine = labelled(opened, marks, READING, 5, 77)
    names = (READING.keys, READING.values)
    text = spoken(duck.writer, names, COLUMNS, [None] * 3, READING.output)
    told = {"origin": 5, "emitted_at": 77}
    theirs = duck.run(text, READING.said, told, {"opened": opened, "marks": marks})
    assert mine.schema == pa.schema([*SHOWN, *HIDDEN])
    assert _rows(mine) == _rows(theirs)


def _rows(table: pa.Table) -> list[list[str]]:
    """Rows in an order of their own; decimals become floats in one engine's way or the other's."""
    return sorted([_show(value) for value in row.values()] for row in table.to_pylist())


def _show(value: object) -> str:
    return f"{value + 0.0:.12g}" if isinstance(value, float) else repr(value)
