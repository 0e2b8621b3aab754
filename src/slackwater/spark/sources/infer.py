"""Column types of data files, in Spark's names, found with Arrow (no Spark session needed)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.json as pa_json
import pyarrow.parquet as pq
import pyarrow.types as kinds

from slackwater.errors import SourceError
from slackwater.query.names import quoted
from slackwater.query.schema import Column, Schema
from slackwater.spark.sources.folder import refuse_unreadable

SAMPLE_FILES = 3
SAMPLE_BYTES = 1 << 20
UNKNOWN = "void"  # only nulls were seen

_INSTANT = pa.timestamp("us", tz="UTC")
_NUMBERS = ("tinyint", "smallint", "int", "bigint", "float", "double")

_PLAIN: dict[pa.DataType, str] = {
    pa.bool_(): "boolean",
    pa.int8(): "tinyint",
    pa.int16(): "smallint",
    pa.int32(): "int",
    pa.int64(): "bigint",
    pa.uint8(): "smallint",
    pa.uint16(): "int",
    pa.uint32(): "bigint",
    pa.uint64(): "decimal(20,0)",
    pa.float32(): "float",
    pa.float64(): "double",
    pa.string(): "string",
    pa.large_string(): "string",
    pa.string_view(): "string",
    pa.binary(): "binary",
    pa.large_binary(): "binary",
    pa.date32(): "date",
    pa.date64(): "date",
    pa.null(): UNKNOWN,
}


def infer(
    files: Sequence[Path], file_format: str, options: Mapping[str, str], *, by_spark: bool = True
) -> Schema:
    """The schema of the first files, which must agree.

    ``by_spark`` says that Spark itself will read the files; it does not know nanoseconds.
    """
    first = files[:SAMPLE_FILES]
    found = [(path, _read(path, file_format, options, by_spark=by_spark)) for path in first]
    merged = found[0][1]
    for path, types in found[1:]:
        if file_format == "csv" and list(types) != list(found[0][1]):
            _refuse_header(found[0][0], list(found[0][1]), path, list(types))
        merged = {
            name: _merged(name, merged.get(name), types.get(name), path)
            for name in {**merged, **types}
        }
    null = "int" if file_format == "parquet" else "string"  # as Spark takes a column of nulls
    return Schema(tuple(Column(n, t.replace(UNKNOWN, null)) for n, t in merged.items()))


def types_of(path: Path, file_format: str, options: Mapping[str, str]) -> dict[str, str]:
    """The types of one file; those that Spark cannot read begin with ``!``."""
    try:
        if file_format == "parquet":
            return _parquet_types(path, by_spark=True)
        return _csv_types(path, options) if file_format == "csv" else _json_types(path)
    except (pa.ArrowInvalid, OSError) as error:
        refuse_unreadable(path, error)


def spark_type(kind: pa.DataType) -> str | None:
    """Spark's name of an Arrow type, ``None`` if Spark has no such type.

    Examples
    --------
    >>> spark_type(pa.timestamp("us", tz="UTC")), spark_type(pa.timestamp("us"))
    ('timestamp', 'timestamp_ntz')
    >>> spark_type(pa.list_(pa.int32())), spark_type(pa.time64("us"))
    ('array<int>', None)
    """
    if kind in _PLAIN:
        return _PLAIN[kind]
    if kinds.is_timestamp(kind):
        return "timestamp" if kind.tz else "timestamp_ntz"
    if kinds.is_decimal128(kind):
        return f"decimal({kind.precision},{kind.scale})"
    if kinds.is_dictionary(kind):
        return spark_type(kind.value_type)
    return _family_type(kind) or _nested_type(kind)


def parse_instants(column: pa.Array) -> pa.Array:
    """ISO 8601 strings as instants; without a zone they are UTC. Raises ``ArrowInvalid``."""
    try:
        return column.cast(_INSTANT)
    except pa.ArrowInvalid:
        return column.cast(pa.timestamp("us")).cast(_INSTANT)


def csv_options(
    options: Mapping[str, str],
) -> tuple[pa_csv.ReadOptions, pa_csv.ParseOptions, list[str]]:
    """Spark's CSV options as Arrow's: how to read, how to parse, what means null."""
    header = options.get("header", "true").lower() == "true"
    parse = pa_csv.ParseOptions(
        delimiter=options.get("sep", options.get("delimiter", ",")),
        quote_char=options.get("quote", '"') or False,
        newlines_in_values=options.get("multiLine", "false").lower() == "true",
    )
    read = pa_csv.ReadOptions(block_size=SAMPLE_BYTES, autogenerate_column_names=not header)
    return read, parse, ["", options["nullValue"]] if "nullValue" in options else [""]


def _read(
    path: Path, file_format: str, options: Mapping[str, str], *, by_spark: bool
) -> dict[str, str]:
    try:
        if file_format == "parquet":
            types = _parquet_types(path, by_spark=by_spark)
        elif file_format == "csv":
            types = _csv_types(path, options)
        else:
            types = _json_types(path)
    except (pa.ArrowInvalid, OSError) as error:
        refuse_unreadable(path, error)
    unknown = [f"{name}: {why}" for name, why in types.items() if why.startswith("!")]
    if unknown:
        raise SourceError(
            "SOURCE_TYPE",
            f"{path} has columns that Spark cannot read: {'; '.join(unknown).replace('!', '')}",
            "rewrite the files without them (timestamps in microseconds), or give a schema",
        )
    return types


def _parquet_types(path: Path, *, by_spark: bool) -> dict[str, str]:
    with pq.ParquetFile(path) as file:
        leaves = {leaf.path: leaf for leaf in map(file.schema.column, range(len(file.schema)))}
        schema = file.schema_arrow
    return {
        field.name: _parquet_type(field.type, leaves.get(field.name), by_spark=by_spark)
        for field in schema
    }


def _parquet_type(kind: pa.DataType, leaf: pq.ColumnSchema | None, *, by_spark: bool) -> str:
    if leaf is not None and leaf.physical_type == "INT96":
        return "timestamp"  # Arrow shows it without a zone, Spark reads it as an instant
    if by_spark and kinds.is_timestamp(kind) and kind.unit == "ns":
        return "!timestamps in nanoseconds"
    return spark_type(kind) or f"!{kind}"


def _csv_types(path: Path, options: Mapping[str, str]) -> dict[str, str]:
    read, parse, nulls = csv_options(options)
    convert = pa_csv.ConvertOptions(null_values=nulls)
    with pa_csv.open_csv(path, read, parse, convert) as stream:
        schema = stream.schema
    named = schema.names if not read.autogenerate_column_names else _numbered(len(schema))
    return {name: _text_type(kind) for name, kind in zip(named, schema.types, strict=True)}


def _json_types(path: Path) -> dict[str, str]:
    with pa.input_stream(str(path), compression="detect") as stream:
        text = stream.read(SAMPLE_BYTES)
    whole = text if len(text) < SAMPLE_BYTES else text[: text.rfind(b"\n") + 1]
    table = pa_json.read_json(pa.BufferReader(whole), pa_json.ReadOptions(block_size=SAMPLE_BYTES))
    return {name: _json_type(table.column(name)) for name in table.column_names}


def _json_type(column: pa.ChunkedArray) -> str:
    if not kinds.is_string(column.type):
        return _text_type(column.type)
    try:
        parse_instants(column)
    except pa.ArrowInvalid:
        return "string"
    return "timestamp"


def _text_type(kind: pa.DataType) -> str:
    # In text an instant without a zone is in the session's time zone, as Spark itself infers it.
    return (spark_type(kind) or f"!{kind}").replace("timestamp_ntz", "timestamp")


def _merged(name: str, one: str | None, two: str | None, path: Path) -> str:
    if one is None or two is None or one == two:
        return one or two or UNKNOWN
    if UNKNOWN in (one, two):
        return two if one == UNKNOWN else one
    if one in _NUMBERS and two in _NUMBERS:
        return max(one, two, key=_NUMBERS.index)
    raise SourceError(
        "SOURCE_INCONSISTENT",
        f"column {name!r} is {one} in the first file and {two} in {path}",
        "give a schema, or keep the odd files out with glob=",
    )


def _refuse_header(first: Path, names: list[str], path: Path, other: list[str]) -> None:
    raise SourceError(
        "SOURCE_INCONSISTENT",
        f"the columns of {first} are {', '.join(names)}; those of {path} are {', '.join(other)}",
        "CSV files of one source need the same columns in the same order",
    )


def _numbered(count: int) -> list[str]:
    return [f"_c{number}" for number in range(count)]  # Spark's names without a header


def _family_type(kind: pa.DataType) -> str | None:
    """Types with a parameter that Spark does not keep: a width, a unit."""
    if kinds.is_fixed_size_binary(kind):
        return "binary"
    return "bigint" if kinds.is_duration(kind) else None


def _nested_type(kind: pa.DataType) -> str | None:
    if kinds.is_list(kind) or kinds.is_large_list(kind):
        return _array(kind)
    if kinds.is_map(kind):
        return _map(kind)
    return _struct(kind) if kinds.is_struct(kind) else None


def _array(kind: pa.DataType) -> str | None:
    inner = spark_type(kind.value_type)
    return inner and f"array<{inner}>"


def _map(kind: pa.DataType) -> str | None:
    key, item = spark_type(kind.key_type), spark_type(kind.item_type)
    return f"map<{key},{item}>" if key and item else None


def _struct(kind: pa.DataType) -> str | None:
    inner = [(field.name, spark_type(field.type)) for field in kind]
    if any(name is None for _, name in inner):
        return None
    return f"struct<{','.join(f'{_field(n)}:{t}' for n, t in inner)}>"


def _field(name: str) -> str:
    return name if name.isidentifier() else quoted(name)
