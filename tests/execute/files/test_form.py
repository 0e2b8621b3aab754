"""Which forms of files are read here, and which are left to Spark before a file is looked at."""

from __future__ import annotations

import pickle

import pyarrow as pa
import pytest

from slackwater.execute.files import Form, why_not
from slackwater.query.schema import Schema

COLUMNS = Schema.of(ts="timestamp", k="LONG", d="decimal(10, 2)", s="string", a="array<int>")
PLAIN = ("ts", "k", "d", "s")


def form(kind: str = "csv", zone: str = "UTC", **options: str) -> Form:
    return Form(kind, COLUMNS, tuple(options.items()), zone)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"header": "true", "enforceSchema": "FALSE"},
        {"SEP": "\\t", "nullValue": "NA", "mode": "PERMISSIVE", "encoding": "UTF-8"},
        {"maxFilesPerTrigger": "3", "pathGlobFilter": "*.csv", "quote": '"', "escape": "\\"},
    ],
)
def test_usual_options_are_read_here(options: dict[str, str]) -> None:
    assert why_not(form(**options), PLAIN) is None


@pytest.mark.parametrize(
    "options",
    [
        {"header": "yes"},
        {"sep": "||"},
        {"sep": ",", "delimiter": ","},
        {"header": "true", "HEADER": "false"},
        {"nullValue": 'a"'},
        {"nullValue": "a,b"},
        {"mode": "DROPMALFORMED"},
        {"multiLine": "true"},
        {"timestampFormat": "yyyy"},
        {"timeZone": "UTC"},
        {"comment": "#"},
        {"encoding": "latin1"},
        {"nobodyKnows": "1"},
    ],
)
def test_options_that_mean_more_are_left_to_spark(options: dict[str, str]) -> None:
    assert why_not(form(**options), PLAIN) is not None


def test_options_of_one_format_are_not_those_of_another() -> None:
    assert why_not(form("json", header="true"), PLAIN) is not None
    assert why_not(form("parquet", mergeSchema="true"), PLAIN) is None
    assert why_not(form("orc"), PLAIN) is not None


@pytest.mark.parametrize("kind", ["array<int>", "void", "char(3)", "interval day", "variant"])
def test_types_that_are_not_read_here_matter_only_if_asked_for(kind: str) -> None:
    columns = Schema.of(k="bigint", odd=kind)
    assert why_not(Form("csv", columns, (), "UTC"), ("k",)) is None
    assert why_not(Form("csv", columns, (), "UTC"), ("k", "odd")) is not None


def test_bytes_are_read_from_parquet_only() -> None:
    found = [
        why_not(Form(kind, Schema.of(b="binary"), (), "UTC"), ("b",))
        for kind in ("parquet", "csv", "json")
    ]
    assert [reason is None for reason in found] == [True, False, False]


@pytest.mark.parametrize("names", [("k", "K"), ("k", "_corrupt_record")])
def test_columns_that_spark_fills_in_its_own_way_are_left_to_it(names: tuple[str, ...]) -> None:
    columns = Schema.of(**dict.fromkeys(names, "string"))
    assert why_not(Form("json", columns, (), "UTC"), ("k",)) is not None


@pytest.mark.parametrize(
    ("zone", "is_known"),
    [
        ("Europe/Berlin", True),
        ("+05:30", True),
        ("UTC-3", True),
        ("PST", False),
        ("No/Where", False),
    ],
)
def test_a_zone_must_be_known_here(zone: str, is_known: bool) -> None:
    assert (why_not(form(zone=zone), PLAIN) is None) == is_known
    assert why_not(form(zone=zone), ("k",)) is None


def test_no_column_is_nothing_to_read() -> None:
    assert why_not(form(), ()) is not None
    assert why_not(form(), ("nobody",)) is not None


def test_a_form_travels_and_names_the_types_that_spark_gives() -> None:
    travelled = pickle.loads(pickle.dumps(form()))
    assert travelled == form()
    assert travelled.schema(PLAIN).types == [
        pa.timestamp("us", "UTC"),
        pa.int64(),
        pa.decimal128(10, 2),
        pa.string(),
    ]
