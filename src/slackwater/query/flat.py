"""Spark SQL as it is read here: functions keep the names they were written with."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.dialects.spark import Spark


def _is_aggregate(name: str, build: Any) -> bool:
    """By the class that is built; some have another name than Spark's (``bit_xor``)."""
    found: Any = getattr(build, "__self__", None) or exp.FUNCTION_BY_NAME.get(name)
    return isinstance(found, type) and issubclass(found, exp.AggFunc)


def _percentile(given: list[Any]) -> exp.Expr:
    """With two arguments; how often each value counts, a third, would be lost."""
    if len(given) == 2:
        return exp.Quantile(this=given[0], quantile=given[1])
    return exp.Anonymous(this="percentile", expressions=given)


_AGGREGATES = {
    name: build for name, build in Spark.Parser.FUNCTIONS.items() if _is_aggregate(name, build)
} | {"PERCENTILE": _percentile}


class Read(Spark):
    """Spark as people write it."""

    class Parser(Spark.Parser):  # type: ignore[misc, valid-type]
        FUNCTIONS = Spark.Parser.FUNCTIONS | {"PERCENTILE": _percentile}


class Flat(Spark):
    """Spark without functions of its own but for aggregates, which keep their classes."""

    class Parser(Spark.Parser):  # type: ignore[misc, valid-type]
        FUNCTIONS = _AGGREGATES


@lru_cache(maxsize=4096)
def read_flat(sql: str) -> exp.Expr:
    return sqlglot.parse_one(sql, dialect=Flat)


# What sqlglot writes with another function than the one it read.
_RENAMED: dict[type[exp.Expr], str] = {exp.UnixDate: "unix_date", exp.SHA: "sha1"}


def read_spark(sql: str) -> exp.Expr:
    """Spark SQL as a tree that is written as it was read."""
    return sqlglot.parse_one(sql, dialect=Read).transform(_as_read, copy=False)


def _as_read(node: exp.Expr) -> exp.Expr:
    name = _RENAMED.get(type(node))
    return node if name is None else exp.Anonymous(this=name, expressions=[node.this])
