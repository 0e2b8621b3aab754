"""Open windows are folded in memory as the statement does it that Spark runs."""

from collections.abc import Callable

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import slackwater as sw
from slackwater.execute.duck import DuckEngine
from slackwater.execute.estimates.arrow import FOLDED, can_fold, folded
from slackwater.plan.build import check
from slackwater.plan.sql.estimates import Fold, fold
from slackwater.plan.stage import Stage, lay_out
from slackwater.query.stream import Stream, StreamDef

SCHEMA = sw.Schema.of(ts="timestamp", k="string", v="bigint", x="double", at="timestamp")
KINDS = {"count": pa.int64(), "sum": pa.int64(), "dsum": pa.float64(), "min": pa.int64()}


def stages(size: str, slide: str, **values: str) -> tuple[Stage, ...]:
    rows = Stream(StreamDef("r", SCHEMA, "ts")).window(size, slide).group_by("k")
    return lay_out(check([rows.aggregate(**values).query("q")])).queries[0].stages


def plain(size: str, slide: str) -> tuple[Stage, Fold]:
    values = {"total": "sum(v)", "n": "count(*)", "mean": "avg(x)", "low": "min(v)"}
    found = stages(size, slide, **values)
    known = fold(found)
    assert known is not None
    return found[0], known


def panes_of(stage: Stage) -> pa.Schema:
    kinds = {part.name: KINDS[part.name.partition("_")[0]] for part in stage.state.partials}
    return pa.schema({"pane": pa.int64(), "k": pa.string(), **kinds, "__rows": pa.int64()})


WINDOWS = [("6 s", "6 s"), ("6 s", "2 s"), ("7 s", "3 s")]
NUMBER = st.none() | st.integers(-1000, 1000)
OPENED = pa.schema(
    {
        "__start": pa.int64(),
        "__end": pa.int64(),
        "k": pa.string(),
        "total": pa.int64(),
        "n": pa.int64(),
        "mean": pa.float64(),
        "low": pa.int64(),
        "__rows": pa.int64(),
    }
)


def value_of(kind: pa.DataType) -> st.SearchStrategy[object]:
    return NUMBER.map(lambda n: None if n is None else n / 8) if kind == pa.float64() else NUMBER


@given(st.data(), st.sampled_from(WINDOWS))
def test_folded_as_the_statement_says(
    duck: DuckEngine, data: st.DataObject, sizes: tuple[str, str]
) -> None:
    stage, known = plain(*sizes)
    schema = panes_of(stage)
    parts = {n: value_of(schema.field(n).type) for n in schema.names if n in known.merges}
    counts = {n: st.integers(0, 9) for n in parts if n.startswith("count")}
    row = st.fixed_dictionaries(
        {
            "pane": st.integers(-20, 20).map(lambda n: n * stage.state.pane),
            "k": st.none() | st.sampled_from("ab"),
            **parts,
            **counts,
            "__rows": st.integers(1, 9),
        }
    )
    panes = pa.Table.from_pylist(data.draw(st.lists(row, max_size=12)), schema)
    after, last = (data.draw(st.integers(-20_000_000, 20_000_000)) for _ in range(2))
    mine = folded(panes, known, stage.window, after, last, OPENED)
    text = duck.writer.open(stage, "__rows")
    theirs = duck.run(text, OPENED, {"after": after, "last": last}, {"panes": panes})
    assert mine.schema == OPENED
    assert sorted(map(repr, mine.to_pylist())) == sorted(map(repr, theirs.to_pylist()))


@pytest.mark.parametrize(
    "value",
    ["stddev_samp(x)", "approx_count_distinct(v)", "sum(v) + 1", "bool_and(v > 0)"],
)
def test_what_is_no_plain_total_takes_a_statement(value: str) -> None:
    assert fold(stages("6 s", "6 s", one=value)) is None


def test_two_levels_take_statements() -> None:
    rows = Stream(StreamDef("r", SCHEMA, "ts")).window("6 s").group_by("k").aggregate(n="count(*)")
    query = rows.window("12 s").aggregate(most="max(n)").query("q")
    assert fold(lay_out(check([query])).queries[0].stages) is None


@pytest.mark.parametrize(
    ("change", "can"),
    [
        (lambda schema, name: schema, True),
        (lambda schema, name: _with(schema, "k", pa.float64()), False),  # 0.0 and -0.0 are one key
        (lambda schema, name: _with(schema, name("min"), pa.float64()), False),  # of nan
        (lambda schema, name: _with(schema, name("min"), pa.string()), False),
        (lambda schema, name: _with(schema, name("min"), pa.timestamp("us", "UTC")), True),
        (lambda schema, name: _with(schema, name("sum"), pa.decimal128(20, 2)), False),
    ],
)
def test_only_types_that_arrow_merges_alike(
    change: Callable[[pa.Schema, Callable[[str], str]], pa.Schema], can: bool
) -> None:
    stage, known = plain("6 s", "6 s")
    schema = panes_of(stage)

    def name(kind: str) -> str:
        return next(n for n in schema.names if n.startswith(f"{kind}_"))

    assert can_fold(known, change(schema, name).empty_table(), stage.window) is can


def test_many_panes_are_left_to_the_statement() -> None:
    stage, known = plain("6 s", "2 s")
    schema = panes_of(stage)
    panes = pa.table([pa.nulls(FOLDED // 3, kind) for kind in schema.types], schema=schema)
    assert can_fold(known, panes, stage.window)
    assert not can_fold(known, panes, plain("8 s", "2 s")[0].window)


def _with(schema: pa.Schema, name: str, kind: pa.DataType) -> pa.Schema:
    return schema.set(schema.get_field_index(name), pa.field(name, kind))
