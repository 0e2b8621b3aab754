"""Sketches inside DuckDB: the bytes are those of Spark's ``hll_*`` and ``kll_*`` functions.

DuckDB lacks them, so merged groups pass through the DataSketches library: once per group of
partials, never per row.
"""

from __future__ import annotations

from typing import Any

import datasketches
import duckdb
import pyarrow as pa
from duckdb.func import FunctionNullHandling, PythonUDFType
from duckdb.sqltypes import BIGINT, BLOB, DOUBLE, VARCHAR

from slackwater.plan.aggregate import HLL_LOG_K, KLL_K

_INTEGERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")


def _merge_hll(sketches: pa.ListArray) -> pa.Array:
    merged = []
    for group in sketches.to_pylist():
        union = datasketches.hll_union(HLL_LOG_K)
        for sketch in group or ():
            if sketch is not None:
                union.update(datasketches.hll_sketch.deserialize(sketch))
        merged.append(union.get_result(datasketches.tgt_hll_type.HLL_8).serialize_compact())
    return pa.array(merged, pa.binary())


def _merge_kll(sketches: pa.ListArray) -> pa.Array:
    merged = []
    for group in sketches.to_pylist():
        whole = datasketches.kll_doubles_sketch(KLL_K)
        for sketch in group or ():
            if sketch is not None:
                whole.merge(datasketches.kll_doubles_sketch.deserialize(sketch))
        merged.append(whole.serialize())
    return pa.array(merged, pa.binary())


def _make_hll(values: pa.ListArray, kinds: pa.Array) -> pa.Array:
    """Sketches of lists of values, given as text with the type they had."""
    made = []
    for group, kind in zip(values.to_pylist(), kinds.to_pylist(), strict=True):
        sketch = datasketches.hll_sketch(HLL_LOG_K, datasketches.tgt_hll_type.HLL_8)
        plain = int if kind in _INTEGERS else str
        for value in group or ():
            if value is not None:
                sketch.update(plain(value))
        made.append(sketch.serialize_compact())
    return pa.array(made, pa.binary())


def _make_kll(values: pa.ListArray, _kinds: pa.Array) -> pa.Array:
    made = []
    for group in values.to_pylist():
        sketch = datasketches.kll_doubles_sketch(KLL_K)
        for value in group or ():
            if value is not None:
                sketch.update(float(value))
        made.append(sketch.serialize())
    return pa.array(made, pa.binary())


def _estimate(sketches: pa.Array) -> pa.Array:
    values = [
        None
        if sketch is None
        else round(datasketches.hll_sketch.deserialize(sketch).get_estimate())
        for sketch in sketches.to_pylist()
    ]
    return pa.array(values, pa.int64())


def _quantile(sketches: pa.Array, fractions: pa.Array) -> pa.Array:
    values = []
    for sketch, fraction in zip(sketches.to_pylist(), fractions.to_pylist(), strict=True):
        whole = None if sketch is None else datasketches.kll_doubles_sketch.deserialize(sketch)
        known = whole is not None and not whole.is_empty()
        values.append(whole.get_quantile(fraction, True) if whole is not None and known else None)
    return pa.array(values, pa.float64())


def register(connection: duckdb.DuckDBPyConnection) -> None:
    """Make the sketch functions known to a connection."""
    blobs, texts = duckdb.list_type(BLOB), duckdb.list_type(VARCHAR)
    functions: list[tuple[str, Any, list[Any], Any]] = [
        ("hll_union_list", _merge_hll, [blobs], BLOB),
        ("kll_merge_list", _merge_kll, [blobs], BLOB),
        ("hll_of_list", _make_hll, [texts, VARCHAR], BLOB),
        ("kll_of_list", _make_kll, [texts, VARCHAR], BLOB),
        ("hll_sketch_estimate", _estimate, [BLOB], BIGINT),
        ("kll_sketch_get_quantile_double", _quantile, [BLOB, DOUBLE], DOUBLE),
    ]
    for name, function, takes, gives in functions:
        connection.create_function(
            name,
            function,
            takes,
            gives,
            type=PythonUDFType.ARROW,
            null_handling=FunctionNullHandling.SPECIAL,
        )
