"""Rows as messages: each is one object of JSON, and its key another."""

from __future__ import annotations

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
from confluent_kafka import Producer

from slackwater.errors import SinkError
from slackwater.execute.sinks.mode import ranked

KEY, VALUE, FINAL, REVISION = "key", "value", "final", "revision"
_OVERHEAD = 512  # bytes of a message beside its key and value, at most
_PIECE = 10_000  # messages that are taken out of a table at a time
_ISO = "%Y-%m-%dT%H:%M:%S.%f"


def messages(rows: pa.Table, keys: tuple[str, ...], *, newest: bool) -> pa.Table:
    """Key and value of each row, in its order; and how much it counts, where rows say so.

    ``newest``: a row that withdraws an answer has no value, which removes its key.
    """
    value, rank = _object(rows.schema), []
    if newest and ranked(rows.column_names):
        rank = [f"kind <> 'estimate' AS {FINAL}", f"CAST(revision AS INT) AS {REVISION}"]
        value = f"CASE WHEN NOT ({_withdrawn(rows.schema, keys)}) THEN {value} END"
    key = (
        _object(pa.schema([rows.schema.field(name) for name in keys])) if keys else "NULL::VARCHAR"
    )
    columns = [f"{key} AS {KEY}", f"{value} AS {VALUE}", *rank]
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'; SET preserve_insertion_order = true")
        connection.register("rows", rows)
        return connection.sql(f"SELECT {', '.join(columns)} FROM rows").to_arrow_table()


def refuse_large(told: pa.Table, most: int, place: str) -> None:
    """Refuse a message that no broker takes, before its batch is done."""
    length = pc.fill_null(pc.binary_length(told[VALUE]), 0)
    largest = pc.max(length).as_py() or 0
    if largest + _OVERHEAD > most:
        raise SinkError(
            "SINK_VALUE",
            f"{place}: a row is a message of {largest} bytes, more than the {most} that are sent",
            "select less, or raise message.max.bytes in options= and max.message.bytes of the "
            "topic; nothing is lost or doubled",
        )


def send(producer: Producer, topic: str, told: pa.Table) -> None:
    """Hand messages to a client, in their order; it takes them one by one."""
    for piece in told.to_batches(max_chunksize=_PIECE):
        pairs = zip(piece[KEY].to_pylist(), piece[VALUE].to_pylist(), strict=True)
        for key, value in pairs:
            while True:
                try:
                    producer.produce(topic, value, key)
                    break
                except BufferError:
                    producer.poll(0.5)
        producer.poll(0)


def _withdrawn(schema: pa.Schema, keys: tuple[str, ...]) -> str:
    """A revision without values; the columns of an answer stand before its kind."""
    before = schema.names[: schema.names.index("kind")]
    values = [_named(name) for name in before if name not in keys]
    gone = " AND ".join(f"{name} IS NULL" for name in values) or "FALSE"
    return f"kind = 'revision' AND {gone}"


def _object(schema: pa.Schema) -> str:
    """A text of JSON with a field for each column."""
    fields = ", ".join(f"{_named(f.name)} := {_said(_named(f.name), f.type)}" for f in schema)
    return f"CAST(to_json(struct_pack({fields})) AS VARCHAR)"


def _said(value: str, kind: pa.DataType, depth: int = 0) -> str:
    """What JSON says of a value: exact, and as Spark's reader of JSON takes it back."""
    one = f"__e{depth}"  # of a list: a name for each level
    if pa.types.is_timestamp(kind):
        instant = value if kind.tz is None else f"timezone('UTC', {value})"
        text = f"strftime({instant}, '{_ISO}')"
        return text if kind.tz is None else f"{text} || 'Z'"
    if pa.types.is_floating(kind):
        odd = f"CASE WHEN isnan({value}) THEN 'NaN' WHEN {value} > 0 THEN 'Infinity' "
        odd += "ELSE '-Infinity' END"
        return (
            f"CASE WHEN isfinite({value}) THEN to_json({value}) "
            f"WHEN {value} IS NOT NULL THEN to_json({odd}) END"
        )
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        return f"to_base64({value})"
    if pa.types.is_struct(kind):
        fields = ", ".join(
            f"{_named(f.name)} := {_said(f'{value}.{_named(f.name)}', f.type, depth)}" for f in kind
        )
        return f"CASE WHEN {value} IS NOT NULL THEN struct_pack({fields}) END"
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        told = _said(one, kind.value_type, depth + 1)
        return f"list_transform({value}, lambda {one}: {told})"
    if pa.types.is_map(kind):
        told = f"struct_pack(key := CAST({one}.key AS VARCHAR), "
        told += f"value := {_said(f'{one}.value', kind.item_type, depth + 1)})"
        entries = f"list_transform(map_entries({value}), lambda {one}: {told})"
        return f"CASE WHEN {value} IS NOT NULL THEN map_from_entries({entries}) END"
    if pa.types.is_boolean(kind) or pa.types.is_integer(kind) or pa.types.is_string(kind):
        return value
    return f"CAST({value} AS VARCHAR)"  # decimals, days, intervals: exact as text


def _named(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
