"""Messages as rows; those that cannot become one say why, and keep their bytes and their place."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from slackwater.query.names import quoted
from slackwater.query.schema import Column, Schema

MALFORMED = "__malformed"
BESIDE = Schema(
    (
        Column("_key", "binary"),
        Column("_topic", "string"),
        Column("_partition", "int"),
        Column("_offset", "bigint"),
        Column("_arrival", "timestamp"),
    )
)
_JSON = (
    "timestampFormat timestampNTZFormat dateFormat timeZone locale primitivesAsString "
    "prefersDecimal allowComments allowUnquotedFieldNames allowSingleQuotes "
    "allowNumericLeadingZeros allowNonNumericNumbers allowBackslashEscapingAnyCharacter "
    "allowUnquotedControlChars"
)
_OPTIONS = {name.lower(): name for name in _JSON.split()}


def is_of_json(name: str) -> bool:
    """Whether an option is for reading JSON, as Spark names it."""
    return name.lower() in _OPTIONS


def rows(
    read: DataFrame, columns: Schema, value: str, time: str | None, options: Mapping[str, str]
) -> DataFrame:
    """A row for each message that the connector read, with ``__malformed`` set where it is none."""
    if value == "raw":
        told, own = read, {"value": "value"}
        reasons = [("value IS NULL", "no value")]
    else:
        told, own = _parsed(read, columns, options)
        reasons = _REASONS
    beside = dict(
        zip(BESIDE.names, ("key", "topic", "partition", "offset", "timestamp"), strict=True)
    )
    if time is not None:
        reasons = [*reasons, (f"{(own | beside)[time]} IS NULL", f"no {time}")]
    whens = " ".join(f"WHEN {test} THEN {_literal(reason)}" for test, reason in reasons)
    told = told.withColumn("__reason", F.expr(f"CASE {whens} END"))
    named = [F.expr(sql).alias(name) for name, sql in (own | beside).items()]
    return told.select(*named, F.expr(_ASIDE).alias(MALFORMED))


# Spark takes what it can of a text and forgives the rest: what stands behind an object, or a second
# one. So each stands in a list, with an end behind it that must come next.
_WRAPPED = """concat('{"rows":[', __text, ',{"__end":true}]}')"""
_REASONS = [
    ("value IS NULL", "no value"),
    ("NOT is_valid_utf8(__text)", "not UTF-8"),
    (
        "__json.__corrupt IS NOT NULL AND try_parse_json(__text) IS NULL",
        "not JSON",
    ),
    (
        """__json.__corrupt IS NOT NULL OR size(__json.rows) <> 2 OR __json.rows[0] IS NULL
        OR NOT coalesce(__json.rows[1].__end, false)""",
        "not one object of the schema",
    ),
]
_ASIDE = """CASE WHEN __reason IS NOT NULL THEN named_struct(
    'topic', topic, 'partition', partition, 'offset', offset, 'arrival', timestamp,
    'key', key, 'value', value, 'reason', __reason) END"""


def _parsed(
    read: DataFrame, columns: Schema, options: Mapping[str, str]
) -> tuple[DataFrame, dict[str, str]]:
    """Messages read as JSON into ``__json``, and where each column is in it."""
    fields = ", ".join(f"{quoted(c.name)}: {c.type}" for c in columns.columns)
    shape = f"rows ARRAY<STRUCT<{fields}, __end: BOOLEAN>>, __corrupt STRING"
    given = {_OPTIONS[name.lower()]: value for name, value in options.items()}
    told = {**given, "mode": "PERMISSIVE", "columnNameOfCorruptRecord": "__corrupt"}
    text = read.withColumn("__text", F.expr("CAST(value AS STRING)"))
    parsed = text.withColumn("__json", F.from_json(F.expr(_WRAPPED), shape, told))
    return parsed, {c.name: f"__json.rows[0].{quoted(c.name)}" for c in columns.columns}


def _literal(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
