"""Columns of text as the values they stand for, if Spark surely reads the same out of them.

Arrow's casts take less than Spark does, and mean the same by what they take, but for the few
spellings refused here: hexadecimal integers, numbers as booleans, odd names of infinity.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds

from slackwater.execute.files.instants import instants
from slackwater.execute.files.letters import edges, letters
from slackwater.execute.files.not_plain import NotPlain

_NOT_FINITE = pa.array(["NaN", "Inf", "-Inf", "Infinity", "-Infinity"])
_NARROW, WIDE = 38, 76  # digits of Arrow's decimals


def typed(texts: pa.StringArray, kind: pa.DataType, zone: str) -> pa.Array:
    """Texts as values of a type; raises `NotPlain` or an Arrow error."""
    if kinds.is_string(kind):
        return texts
    if kinds.is_timestamp(kind) and kind.tz:
        return instants(texts, zone)
    if kinds.is_decimal(kind):
        return _decimals(texts, kind)
    if kinds.is_integer(kind):
        _refuse(letters(texts).max(initial=0) > ord("9"), "an integer has letters in it")
    elif kinds.is_boolean(kind):
        _refuse(letters(texts).min(initial=255) < ord("A"), "a boolean is not true or false")
    values = pc.cast(texts, kind)
    if kinds.is_floating(kind):
        _check_finite(texts, values)
    return values


def _decimals(texts: pa.StringArray, kind: pa.Decimal128Type) -> pa.Array:
    """Texts as decimals. Arrow does not notice when more digits come than it has room for."""
    _refuse(letters(texts).max(initial=0) > ord("9"), "a decimal has letters in it")
    longest = np.diff(edges(texts)).max(initial=0)
    if longest + kind.scale <= _NARROW:
        return pc.cast(texts, kind)
    _refuse(longest + kind.scale > WIDE, "a decimal has very many digits")
    return pc.cast(pc.cast(texts, pa.decimal256(WIDE, kind.scale)), kind)


def whole(column: pa.ChunkedArray) -> pa.Array:
    """A column that was read in one go, as one array."""
    return column.combine_chunks()


def _check_finite(texts: pa.StringArray, values: pa.Array) -> None:
    odd = pc.invert(pc.is_finite(values))
    if pc.any(odd).as_py():
        spelled = pc.is_in(texts.filter(odd), _NOT_FINITE)
        _refuse(not pc.all(spelled).as_py(), "a number is infinite or odd")


def _refuse(odd: bool | np.bool_, reason: str) -> None:
    if odd:
        raise NotPlain(reason)
