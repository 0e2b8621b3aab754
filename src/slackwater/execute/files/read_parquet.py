"""Parquet files, as Spark's reader takes them: columns of the type stored, or of a wider one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pyarrow.types as kinds

from slackwater.execute.files.form import Form
from slackwater.execute.files.not_plain import NotPlain
from slackwater.execute.files.part import Part

_ROWS = 1 << 17
_1900 = {32: -25_567, 64: -25_567 * 86_400_000_000}  # days, microseconds
_INTEGERS = {8: pa.int8(), 16: pa.int16(), 32: pa.int32(), 64: pa.int64()}
_TYPES = {
    ("BOOLEAN", "None"): pa.bool_(),
    ("INT32", "None"): pa.int32(),
    ("INT64", "None"): pa.int64(),
    ("FLOAT", "None"): pa.float32(),
    ("DOUBLE", "None"): pa.float64(),
    ("BYTE_ARRAY", "String"): pa.string(),
    ("BYTE_ARRAY", "None"): pa.binary(),
    ("INT32", "Date"): pa.date32(),
}
_CODECS = ("UNCOMPRESSED", "SNAPPY", "GZIP", "ZSTD")
_ENCODINGS = {
    *("PLAIN", "PLAIN_DICTIONARY", "RLE_DICTIONARY", "RLE", "BIT_PACKED"),
    *("DELTA_BINARY_PACKED", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY"),
}
_WIDER = {  # what Spark widens without a loss
    pa.int8(): (pa.int16(), pa.int32(), pa.int64()),
    pa.int16(): (pa.int32(), pa.int64()),
    pa.int32(): (pa.int64(),),
    pa.float32(): (pa.float64(),),
}


def read_parquet(
    part: Part, form: Form, names: Sequence[str], *, threads: bool
) -> Iterator[pa.RecordBatch]:
    """The columns of a file, some rows at a time; those it does not have are null."""
    schema = form.schema(names)
    with pq.ParquetFile(part.file) as file:
        _check_names(file)
        places = [_place(file, field) for field in schema]
        stored = [None if p is None else file.schema.column(p).path for p in places]
        wanted = [name for name in stored if name is not None]
        if not wanted:
            raise NotPlain("the file has none of the columns")
        groups = range(*part.span(file.metadata.num_row_groups))
        for batch in file.iter_batches(_ROWS, groups, columns=wanted, use_threads=threads):
            columns = [
                _column(batch, name, field.type) for name, field in zip(stored, schema, strict=True)
            ]
            yield pa.record_batch(columns, schema=schema)


def _check_names(file: pq.ParquetFile) -> None:
    """Refuse a file whose columns have one name twice, or another one where their data is told."""
    schema, metadata = file.schema, file.metadata
    names = [schema.column(place).path for place in range(len(schema))]
    parts = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    told = ([part.column(place).path_in_schema for place in range(len(names))] for part in parts)
    if len(set(names)) < len(names) or any(other != names for other in told):
        raise NotPlain("the names of columns do not agree")


def _place(file: pq.ParquetFile, field: pa.Field) -> int | None:
    """Which column of the file a field is; letters may differ in case, as for Spark."""
    schema = file.schema
    tops = [schema.column(place).path for place in range(len(schema))]
    wanted = field.name.lower()
    found = [place for place, name in enumerate(tops) if name.lower() == wanted]
    nested = [name for name in file.schema_arrow.names if name.lower() == wanted]
    if len(found) > 1 or len(nested) != len(found):
        raise NotPlain(f"column {field.name!r} is there twice, or is nested")
    if not found:
        return None
    _check_type(schema.column(found[0]), field)
    _check_storage(file.metadata, found[0])
    return found[0]


def _check_type(leaf: pq.ColumnSchema, field: pa.Field) -> None:
    if leaf.max_repetition_level or leaf.max_definition_level > 1:
        raise NotPlain(f"column {field.name!r} is nested")
    stored = _stored(leaf)
    if field.type not in (stored, *_WIDER.get(stored, ())):
        raise NotPlain(f"column {field.name!r} is stored as {leaf.physical_type}")


def _stored(leaf: pq.ColumnSchema) -> pa.DataType | None:
    """The type that a column surely is to Spark; ``None`` if that takes a thought."""
    meaning = json.loads(leaf.logical_type.to_json())
    match meaning:
        case {"Type": "Decimal", "precision": int(digits), "scale": int(scale)} if digits <= 38:
            return pa.decimal128(digits, scale)
        case {"Type": "Timestamp", "timeUnit": "microseconds" | "milliseconds"}:
            return pa.timestamp("us", "UTC" if meaning["isAdjustedToUTC"] else None)
        case {"Type": "Int", "isSigned": True, "bitWidth": width}:
            return _INTEGERS[width]
    return _TYPES.get((leaf.physical_type, meaning["Type"]))


def _check_storage(metadata: pq.FileMetaData, place: int) -> None:
    """Refuse what Spark's reader cannot unpack: it would fail where we would not."""
    for number in range(metadata.num_row_groups):
        part = metadata.row_group(number).column(place)
        if part.compression not in _CODECS or not set(part.encodings) <= _ENCODINGS:
            raise NotPlain(f"a column is packed with {part.compression}, {part.encodings}")


def _column(batch: pa.RecordBatch, name: str | None, kind: pa.DataType) -> pa.Array:
    if name is None:
        return pa.nulls(batch.num_rows, kind)
    values = pc.cast(batch.column(name), kind)
    if kinds.is_temporal(kind):
        first = pc.min(values)
        if first.is_valid and first.value < _1900[kind.bit_width]:
            raise NotPlain("a time is before 1900: the calendar depends on who wrote it")
    return values
