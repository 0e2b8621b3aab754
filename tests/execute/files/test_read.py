"""Plain files are read, others refused with a reason; what Spark makes of them needs Spark."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from slackwater.execute.files import Form, NotPlain, read
from slackwater.execute.files.part import Part
from slackwater.execute.files.pieces import pieces
from slackwater.query.schema import Schema

HEADER = (("enforceSchema", "false"), ("header", "true"))
PAIR = Schema.of(k="bigint", s="string")

Rows = list[dict[str, Any]]
Give = Callable[..., Rows]


def rows_of(path: Path, form: Form, names: Sequence[str] | None = None, **more: Any) -> Rows:
    wanted = names or form.columns.names
    table = pa.Table.from_batches(list(read(Part(path), form, wanted, **more)), form.schema(wanted))
    return table.to_pylist()


@pytest.fixture
def csv(tmp_path: Path) -> Give:
    def give(text: str | bytes, *options: tuple[str, str], zone: str = "UTC", **types: str) -> Rows:
        path = tmp_path / "a.csv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        columns = Schema.of(**types) if types else PAIR
        return rows_of(path, Form("csv", columns, options or HEADER, zone))

    return give


@pytest.fixture
def lines(tmp_path: Path) -> Give:
    def give(text: str | bytes, **types: str) -> Rows:
        path = tmp_path / "a.json"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        columns = Schema.of(**types) if types else PAIR
        return rows_of(path, Form("json", columns, (), "UTC"))

    return give


def test_a_csv_file_has_the_values_its_texts_stand_for(csv: Give) -> None:
    types = {"b": "boolean", "i": "int", "d": "double", "m": "decimal(5,2)", "n": "date"}
    text = "b,i,d,m,n\nTRUE,-7,1e3,1.5,2024-02-29\nfalse,007,NaN,,\n"
    one, two = csv(text, **types)
    assert one["b"] is True
    assert (one["i"], one["d"], str(one["m"])) == (-7, 1000.0, "1.50")
    assert one["n"] == date(2024, 2, 29)
    assert (two["i"], two["m"], two["n"]) == (7, None, None)
    assert two["d"] != two["d"]


@pytest.mark.parametrize(
    ("text", "zone", "hour"),
    [
        ("2024-07-01 12:00:00", "UTC", 12),
        ("2024-07-01T12:00:00.000", "Europe/Berlin", 10),
        ("2024-07-01 12:00", "+05:00", 7),
        ("2024-07-01T12:00:00Z", "Europe/Berlin", 12),
        ("2024-07-01T12:00:00.5+02:00", "UTC", 10),
        ("2024-10-27 02:00:00", "Europe/Berlin", 0),  # that hour comes twice
    ],
)
def test_a_time_is_in_the_zone_it_names_or_the_sessions(
    csv: Give, text: str, zone: str, hour: int
) -> None:
    (row,) = csv(f"t\n{text}\n", zone=zone, t="timestamp")
    assert row["t"].astimezone(UTC).hour == hour


def test_a_wall_clock_has_no_zone(csv: Give) -> None:
    assert csv("t\n2024-03-31 02:30:00\n", zone="Europe/Berlin", t="timestamp_ntz") == [
        {"t": datetime(2024, 3, 31, 2, 30)}  # noqa: DTZ001 - a wall clock
    ]


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("bigint", " 5"),
        ("bigint", "+5"),
        ("bigint", "0x10"),
        ("bigint", "1.0"),
        ("tinyint", "128"),
        ("boolean", "1"),
        ("boolean", " true"),
        ("double", "nan"),
        ("double", "1e400"),
        ("double", "1.5f"),
        ("decimal(5,2)", "1.555"),
        ("decimal(5,2)", "1e2"),
        ("decimal(38,18)", "310244586507253785080.649593885798095917"),
        ("date", "2024-1-1"),
        ("timestamp", "2024-03-31 02:30:00"),
        ("timestamp", "2024-01-01 12Z"),
        ("timestamp", "2024-01-01 12:00+01:00"),
        ("timestamp", "2024-01-01 12:00:00+18:30"),
        ("timestamp", "2024-01-01 12:00:00.1234567"),
        ("timestamp", "1975-01-01 00:00:00"),
        ("timestamp", "2040-01-01 00:00:00"),
    ],
)
def test_texts_that_may_mean_something_else_are_left_to_spark(
    csv: Give, kind: str, text: str
) -> None:
    with pytest.raises(NotPlain):
        csv(f"x\n{text}\n", zone="Europe/Berlin", x=kind)


@pytest.mark.parametrize(
    "text",
    [
        "s,k\na,1\n",
        "k\n1\n",
        "\nk,s\n1,a\n",
        "k,s\n1\n",
        "k,s\n1,a,b\n",
        "k,s\n1,a\n  \n",
        'k,s\n1,"a""b"\n',
        'k,s\n1,a"b\n',
        'k,s\n1,"a\nb"\n',
        'k,s\n1,"a\\b"\n',
        'k,s\n1,"a" \n',
        "k,s\n1,a\r2,b\n",
        "k,s\n1,a\0\n",
        "k,s\n\ufeff1,a\n",
        b"k,s\n1,\xff\n",
    ],
)
def test_csv_files_that_are_not_plain_are_left_to_spark(csv: Give, text: str | bytes) -> None:
    with pytest.raises(NotPlain):
        csv(text)


def test_a_line_of_nothing_but_tabs_is_no_row_to_spark(csv: Give) -> None:
    with pytest.raises(NotPlain):
        csv("1\ta\n\t\n", ("sep", "\t"), k="bigint", s="string")


def test_another_text_may_mean_null(csv: Give) -> None:
    options = (*HEADER, ("nullValue", "NA"))
    assert csv("k,s\nNA,NA\n1,\n", *options) == [{"k": None, "s": None}, {"k": 1, "s": None}]
    with pytest.raises(NotPlain):
        csv('k,s\n1,""\n', *options)


def test_without_a_header_columns_are_in_their_place(csv: Give) -> None:
    found = csv("1;a\n", ("header", "false"), ("sep", ";"), k="bigint", s="string")
    assert found == [{"k": 1, "s": "a"}]


def test_only_the_columns_asked_for_must_be_plain(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("k,s\nodd,a\n")
    assert rows_of(path, Form("csv", PAIR, HEADER, "UTC"), ["s"]) == [{"s": "a"}]


@pytest.mark.parametrize("threads", [False, True])
def test_a_large_file_comes_in_pieces_and_in_order(tmp_path: Path, threads: bool) -> None:
    path = tmp_path / "a.csv"
    count = 800_000
    path.write_text("k,s\n" + "".join(f"{n},text{n}\n" for n in range(count)))
    batches = list(read(Part(path), Form("csv", PAIR, HEADER, "UTC"), ["k"], threads=threads))
    assert len(batches) > 2
    assert pa.Table.from_batches(batches)["k"].to_pylist() == list(range(count))


def test_a_piece_ends_where_a_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\r\n1,2\r\n\r\n3,4"))
    for size in range(1, 20):
        found = list(pieces(Part(path), size=size))
        assert b"".join(found) == b"a,b\r\n1,2\r\n\r\n3,4"
        assert all(piece.endswith(b"\n") for piece in found[:-1])


def test_packings_that_spark_knows_otherwise_are_left_to_it(tmp_path: Path) -> None:
    for name in ("a.csv.snappy", "a.csv.GZ", "a.csv.zst"):
        (tmp_path / name).write_bytes(b"k,s\n1,a\n")
        with pytest.raises(NotPlain):
            rows_of(tmp_path / name, Form("csv", PAIR, HEADER, "UTC"))


def test_a_file_of_objects_has_nulls_for_what_is_missing(lines: Give) -> None:
    text = '{"k":1,"s":"a","z":[{"k":2}]}\n{"s":null}\n{}\n'
    assert lines(text) == [{"k": 1, "s": "a"}, {"k": None, "s": None}, {"k": None, "s": None}]


@pytest.mark.parametrize(
    "text",
    [
        '{"k":1.0}',
        '{"k":"1"}',
        '{"s":1}',
        '{"k":9223372036854775808}',
        '{"k":1,"k":2}',
        '{"k":1}{"k":2}',
        '{"k":1} {"k":2}\n{"k":\n3}',
        '{"k":\n1}',
        '[{"k":1}]',
        '{"k":1}\n\n{"k":2}\n',
        '{"k":1} ',
        "{'k':1}",
        '{"z":-Inf,"k":1}',
        '{"z":' + "[" * 1200 + "]" * 1200 + "}",
        '{"z":1' + "0" * 1200 + "}",
        b'{"s":"\xff"}',
    ],
)
def test_lines_that_are_not_plain_objects_are_left_to_spark(lines: Give, text: str | bytes) -> None:
    with pytest.raises(NotPlain):
        lines(text)


def test_a_zero_with_a_sign_is_plain_only_with_a_point(lines: Give) -> None:
    assert str(lines('{"x":-0.0}', x="double")[0]["x"]) == "-0.0"
    with pytest.raises(NotPlain):
        lines('{"x":-0}', x="double")


def test_a_decimal_in_an_object_must_fit(lines: Give) -> None:
    assert str(lines('{"x":1.5,"y":1e-05}', x="decimal(5,2)", y="double")[0]["x"]) == "1.50"
    for text in ('{"x":1e60}', '{"x":1.555}', '{"x":' + "9" * 45 + "}"):
        with pytest.raises(NotPlain):
            lines(text, x="decimal(5,2)")


def test_parquet_columns_are_found_by_name_and_missing_ones_are_null(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"S": ["a"], "k": pa.array([1], pa.int32())}), path)
    columns = Schema.of(k="bigint", s="string", t="timestamp")
    found = rows_of(path, Form("parquet", columns, (), "UTC"))
    assert found == [{"k": 1, "s": "a", "t": None}]


@pytest.mark.parametrize(
    ("kind", "stored"),
    [
        ("bigint", pa.array([1], pa.uint32())),
        ("int", pa.array([1], pa.int64())),
        ("string", pa.array([b"a"])),
        ("timestamp", pa.array([1], pa.timestamp("ns", "UTC"))),
        ("timestamp", pa.array([1], pa.timestamp("us"))),
        ("timestamp_ntz", pa.array([1], pa.timestamp("us", "UTC"))),
        ("date", pa.array([date(1899, 12, 31)])),
        ("timestamp", pa.array([-(10**16)], pa.timestamp("us", "UTC"))),
        ("decimal(10,2)", pa.array([1], pa.decimal128(9, 2))),
        ("bigint", pa.array([[1]])),
    ],
)
def test_parquet_columns_of_another_type_are_left_to_spark(
    tmp_path: Path, kind: str, stored: pa.Array
) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"x": stored}), path)
    with pytest.raises(NotPlain):
        rows_of(path, Form("parquet", Schema.of(x=kind), (), "UTC"))


def test_parquet_names_that_differ_in_case_only_are_left_to_spark(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"x": [1], "X": [2]}), path)
    with pytest.raises(NotPlain):
        rows_of(path, Form("parquet", Schema.of(x="bigint"), (), "UTC"))


def test_files_that_are_damaged_missing_or_elsewhere_are_left_to_spark(tmp_path: Path) -> None:
    form = Form("parquet", PAIR, (), "UTC")
    (tmp_path / "a.parquet").write_bytes(b"PAR1 nothing PAR1")
    for path in (tmp_path / "a.parquet", tmp_path / "missing", "s3a://bucket/a.parquet"):
        with pytest.raises(NotPlain):
            list(read(Part(path), form, ["k"]))


def test_a_column_that_is_in_the_path_is_left_to_spark(tmp_path: Path) -> None:
    folder = tmp_path / "K=1"
    folder.mkdir()
    (folder / "a.csv").write_text("k,s\n1,a\n")
    with pytest.raises(NotPlain):
        rows_of(folder / "a.csv", Form("csv", PAIR, HEADER, "UTC"))
