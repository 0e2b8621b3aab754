"""Files with an object of JSON on each line, as Spark's reader takes them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json as pa_json
import pyarrow.types as kinds

from slackwater.execute.files.form import Form
from slackwater.execute.files.not_plain import NotPlain
from slackwater.execute.files.part import Part
from slackwater.execute.files.pieces import in_order, pieces
from slackwater.execute.files.texts import WIDE, typed, whole

_MINUS_ZERO = re.compile(rb"-0[^.0-9eE]")
_LONG_NUMBER = re.compile(rb"[0-9]{29}|[eE](?:\+?0*[1-9]|-[0-9][0-9])[0-9]")
_NOT_FINITE = re.compile(rb"[:,\[]\s*-?(?:Inf|NaN)")
_DIGITS = re.compile(rb"[0-9]{500}")
# Spark's parser has bounds on depth and lengths; a line up to the first cannot reach any of them.
_LONG_LINE = 1_000
_LONGEST_LINE = 50_000
_MOST_NESTED = 500


def read_json(
    part: Part, form: Form, names: Sequence[str], *, threads: bool
) -> Iterator[pa.RecordBatch]:
    """The columns of a file, piece by piece."""
    schema = form.schema(names)
    stored = pa.schema([(field.name, _stored(field.type)) for field in schema])
    parse = pa_json.ParseOptions(explicit_schema=stored, unexpected_field_behavior="ignore")

    def work(piece: bytes) -> pa.RecordBatch:
        piece = piece.strip(b"\r\n")
        lines = _check_lines(piece)
        read = pa_json.ReadOptions(use_threads=False, block_size=len(piece) + 1)
        table = pa_json.read_json(pa.py_buffer(piece), read, parse)
        if table.num_rows != lines:
            raise NotPlain("a line has more than one object")
        columns = [_typed(whole(table[f.name]), f.type, form.zone, piece) for f in schema]
        return pa.record_batch(columns, schema=schema)

    filled = (piece for piece in pieces(part) if piece.strip(b"\r\n"))
    yield from in_order(work, filled, threads=threads)


def _stored(kind: pa.DataType) -> pa.DataType:
    """The type of the values as they are written: times are texts, numbers may be long."""
    if kinds.is_decimal(kind):
        return pa.decimal256(WIDE, kind.scale)
    return pa.string() if kinds.is_temporal(kind) else kind


def _typed(values: pa.Array, kind: pa.DataType, zone: str, piece: bytes) -> pa.Array:
    if kinds.is_temporal(kind):
        return typed(values, kind, zone)
    if kinds.is_decimal(kind):
        return _decimals(values, kind, piece)
    if kinds.is_floating(kind):
        _check_floats(values, piece)
    return values


def _decimals(values: pa.Array, kind: pa.Decimal128Type, piece: bytes) -> pa.Array:
    """Decimals of their own width. Arrow does not notice when there are too many digits."""
    if _LONG_NUMBER.search(piece):
        raise NotPlain("a number has very many digits or a large exponent")
    return pc.cast(values, kind)


def _check_floats(values: pa.Array, piece: bytes) -> None:
    if pc.any(pc.invert(pc.is_finite(values))).as_py():
        raise NotPlain("a number is too large")
    if (values.to_numpy(zero_copy_only=False) == 0).any() and _MINUS_ZERO.search(piece):
        raise NotPlain("a zero with a sign is an integer to Spark")


def _check_lines(piece: bytes) -> int:
    """The number of lines; all but one object on each is refused."""
    data = np.frombuffer(piece, np.uint8)
    ends = np.flatnonzero(data == ord("\n"))
    last = data[ends - 1]
    last = np.where(last == ord("\r"), data[ends - 2], last)
    usual = piece.startswith(b"{") and piece.endswith(b"}")
    if not (usual and (last == ord("}")).all() and (data[ends + 1] == ord("{")).all()):
        raise NotPlain("a line is not one object")
    if (b"Inf" in piece or b"NaN" in piece) and _NOT_FINITE.search(piece):
        raise NotPlain("a number is not finite")
    pc.cast(pa.array([piece], pa.binary()), pa.string())
    _check_lengths(piece, ends)
    return len(ends) + 1


def _check_lengths(piece: bytes, ends: npt.NDArray[np.int64]) -> None:
    starts = np.concatenate([np.zeros(1, np.int64), ends + 1])
    longest = np.diff(starts, append=len(piece)).max()
    if longest <= _LONG_LINE:
        return
    opening = np.isin(np.frombuffer(piece, np.uint8), np.frombuffer(b"{[", np.uint8))
    opened = np.add.reduceat(opening, starts, dtype=int)
    if longest > _LONGEST_LINE or opened.max() > _MOST_NESTED or _DIGITS.search(piece):
        raise NotPlain("a line is very long or deep")
