"""Files read without Spark are what Spark's readers make of them, or are left to Spark.

Random files, most with something odd in them: a value of another type, a strange byte, a quote, a
line too short. Those that are read here are read by Spark, too, and must be equal to the last bit.
"""

from __future__ import annotations

import bz2
import gzip
import random
from collections.abc import Callable, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from slackwater.execute.files import SETTINGS, Form, NotPlain, read
from slackwater.execute.files.part import Part
from slackwater.query.names import quoted
from slackwater.query.schema import Schema
from slackwater.spark.session import one_meaning
from slackwater.spark.sources.base import ddl
from tests.examples import IS_DEEP
from tests.spark.odd_files import csv_form, csv_text, json_form, json_text, same
from tests.spark.odd_parquet import parquet_form, write_parquet
from tests.spark.odd_values import ZONES, Chance

ROUNDS = 60 if IS_DEEP else 6
FILES = 200
HEADER = (("enforceSchema", "false"), ("header", "true"))
PAIR = Schema.of(k="bigint", s="string")

Write = Callable[[Chance, Form, Path, bool], None]


def write_csv(chance: Chance, form: Form, path: Path, odd: bool) -> None:
    path.write_bytes(csv_text(chance, form, odd=odd))


def write_json(chance: Chance, form: Form, path: Path, odd: bool) -> None:
    path.write_bytes(json_text(chance, form, odd=odd))


def write_columns(chance: Chance, form: Form, path: Path, odd: bool) -> None:
    write_parquet(chance, form, path, odd=odd)


KINDS: dict[str, tuple[Callable[[Chance, str], Form], Write]] = {
    "csv": (csv_form, write_csv),
    "json": (json_form, write_json),
    "parquet": (parquet_form, write_columns),
}


def ours(path: Path, form: Form, names: Sequence[str]) -> pa.Table:
    return pa.Table.from_batches(list(read(Part(path), form, names)), form.schema(names))


def by_spark(
    session: SparkSession, folder: Path, form: Form, names: Sequence[str]
) -> dict[str, pa.Table]:
    """What Spark reads out of each file of a folder."""
    one_meaning(session, form.zone)
    reader = (
        session.read.format(form.format).schema(ddl(form.columns)).options(**dict(form.options))
    )
    columns = [F.col(quoted(name)) for name in names]
    rows = reader.load(str(folder)).select(F.col("_metadata.file_name").alias("file"), *columns)
    table = rows.toArrow()
    return {
        path.name: table.filter(pc.equal(table["file"], path.name)).drop_columns(["file"])
        for path in folder.iterdir()
    }


def plain_files(
    folder: Path, form: Form, names: Sequence[str], odd: dict[Path, bool]
) -> dict[str, pa.Table]:
    """The files read here; the others are taken away, which only odd ones may be."""
    found = {}
    for path in sorted(folder.iterdir()):
        try:
            found[path.name] = ours(path, form, names)
        except NotPlain as error:
            if not odd[path]:
                pytest.fail(f"{form}: {path.read_bytes()!r} was left to Spark: {error}")
            path.unlink()
    return found


@pytest.fixture
def session(spark: SparkSession) -> SparkSession:
    """A session whose settings are nobody else's."""
    own = spark.newSession()
    one_meaning(own, "UTC")
    return own


@pytest.mark.deep
@pytest.mark.parametrize("kind", KINDS)
def test_random_files_are_read_as_spark_reads_them(
    session: SparkSession, tmp_path: Path, kind: str
) -> None:
    make, write = KINDS[kind]
    for number in range(ROUNDS):
        seed = random.SystemRandom().randrange(1 << 32)
        chance = Chance(random.Random(seed))
        form = make(chance, chance.random.choice(ZONES))
        folder = tmp_path / str(number)
        folder.mkdir()
        odd = {folder / f"{file}.{kind}": chance.often(0.75) for file in range(FILES)}
        for path, is_odd in odd.items():
            write(chance, form, path, is_odd)
        names = [name for name in form.columns.names if chance.often(0.7)]
        names = names or list(form.columns.names)
        found = plain_files(folder, form, names, odd)
        wanted = by_spark(session, folder, form, names)
        unlike = [name for name, table in found.items() if not same(table, wanted[name])]
        shown = [(folder / name).read_bytes() for name in unlike[:3]]
        assert unlike == [], f"seed {seed}, {form}, {names}: {shown}"


def test_settings_that_matter_are_as_they_must_be(session: SparkSession) -> None:
    found = {name: str(session.conf.get(name)) for name in SETTINGS}
    assert found == SETTINGS


CSV = b"k,s\n1,a\n2,\n,c\n"
PLAIN = {
    "usual.csv": CSV,
    "marked.csv": b"\xef\xbb\xbf" + CSV,
    "windows.csv": CSV.replace(b"\n", b"\r\n"),
    "cut.csv": CSV.rstrip(b"\n"),
    "shouted.csv": CSV.replace(b"k,s", b"K,S"),
    "quoted.csv": b'"k","s"\n"1","a, b"\n2,""\n',
    "blank.csv": b"k,s\n\n1,a\n\n\n2,b\n\n",
    "header.csv": b"k,s\n",
    "header_cut.csv": b"k,s",
    "empty.csv": b"",
    "packed.csv.gz": gzip.compress(CSV),
    "packed.csv.bz2": bz2.compress(CSV),
    "twice.csv.gz": gzip.compress(CSV) + gzip.compress(b"3,d\n"),
    "slashed.csv": b"k,s\n1,a\\b\n2,\\\n",
    "spaced.csv": b"k,s\n1, a \n2,\t\n",
}


def test_plain_csv_files_of_many_makers_are_read_as_spark_reads_them(
    session: SparkSession, tmp_path: Path
) -> None:
    for name, data in PLAIN.items():
        (tmp_path / name).write_bytes(data)
    form = Form("csv", PAIR, HEADER, "UTC")
    wanted = by_spark(session, tmp_path, form, PAIR.names)
    unlike = [n for n in PLAIN if not same(ours(tmp_path / n, form, PAIR.names), wanted[n])]
    assert unlike == []


DEEP = b'{"z":' + b"[" * 400 + b"]" * 400 + b',"k":1}\n'
LINES = {
    "usual.json": b'{"k":1,"s":"a"}\n{"s":null}\n{}\n{"k":2,"z":{"k":3}}\n',
    "windows.json": b'{"k":1,"s":"a"}\r\n{"k":2}\r\n',
    "marked.json": b'\xef\xbb\xbf{"k":1}\n',
    "empty.json": b"",
    "escaped.json": b'{"\\u006b":1,"s":"\\ud83d\\ude00 \\n \\" \\\\ \\u0000"}\n',
    "shouted.json": b'{"K":1,"S":"a"}\n',
    "deep.json": DEEP,
    "packed.json.gz": gzip.compress(b'{"k":1,"s":"a"}\n'),
}


def test_plain_json_files_of_many_makers_are_read_as_spark_reads_them(
    session: SparkSession, tmp_path: Path
) -> None:
    for name, data in LINES.items():
        (tmp_path / name).write_bytes(data)
    form = Form("json", PAIR, (), "UTC")
    wanted = by_spark(session, tmp_path, form, PAIR.names)
    unlike = [n for n in LINES if not same(ours(tmp_path / n, form, PAIR.names), wanted[n])]
    assert unlike == []
