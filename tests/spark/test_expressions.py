"""Every function, operator and cast that a query may use: Spark against DuckDB, on edge values."""

from __future__ import annotations

import random
import re

import pytest
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.query.expression import parse
from slackwater.query.schema import Schema
from tests.spark import cases
from tests.spark.edges import COLUMNS, compare, edge_table, tame_table

RANDOM = 150


def _ulps(text: str) -> int:
    """Spark promises one unit in the last place for most, and Java's own differ by that much."""
    return 4 if re.match(rf"({'|'.join(cases.INEXACT)})\(", text) else 0


def test_every_line_of_the_tables_means_the_same_in_both_engines(spark: SparkSession) -> None:
    seed = random.randrange(2**32)
    draw = random.Random(seed)
    texts = list(cases.every_case(draw))
    assert len(texts) > 900
    found = compare(spark, texts, edge_table(draw), _ulps)
    assert not found, f"seed {seed}\n" + "\n".join(found[:40])


def test_random_expressions_mean_the_same_in_both_engines(spark: SparkSession) -> None:
    seed = random.randrange(2**32)
    draw = random.Random(seed)
    texts = [cases.random_case(draw) for _ in range(RANDOM)]
    found = compare(spark, texts, tame_table(draw), _ulps)
    assert not found, f"seed {seed}\n" + "\n".join(found[:40])


def test_what_is_written_reaches_spark_with_its_meaning(spark: SparkSession) -> None:
    """Expressions are kept in a normal form; Spark must not notice."""
    seed = random.randrange(2**32)
    draw = random.Random(seed)
    texts = [*cases.OTHERS, *draw.sample(list(cases.every_case(draw)), 200)]
    schema = Schema.of(**COLUMNS)
    normal = {}
    for text in dict.fromkeys(texts):
        parsed = parse(text, schema, "here")
        assert isinstance(parsed, tuple), parsed
        normal[text] = parsed[1].sql
    found = compare(spark, list(normal), edge_table(draw), _ulps, normal)
    assert not found, f"seed {seed}\n" + "\n".join(found[:40])


def test_a_function_of_ones_own_is_refused_as_such(spark: SparkSession) -> None:
    spark.udf.register("plus_one", lambda value: value + 1, "int")
    try:
        source = spark.readStream.format("rate").load()
        stream = sw.stream("r", source, time="timestamp").where("plus_one(value) > 1")
        with pytest.raises(sw.QueryError, match=r"plus_one\(\) is not supported: functions regis"):
            sw.pipeline(stream.window("1 s").aggregate(n="count(*)").query("q"))
    finally:
        spark.sql("DROP TEMPORARY FUNCTION plus_one")
