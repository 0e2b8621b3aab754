"""Spark SQL whose functions are all read alike: a name and its arguments in order."""

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


_AGGREGATES = {
    name: build for name, build in Spark.Parser.FUNCTIONS.items() if _is_aggregate(name, build)
}


class Flat(Spark):
    """Spark without functions of its own but for aggregates, which keep their classes."""

    class Parser(Spark.Parser):  # type: ignore[misc, valid-type]
        FUNCTIONS = _AGGREGATES


@lru_cache(maxsize=4096)
def read_flat(sql: str) -> exp.Expr:
    return sqlglot.parse_one(sql, dialect=Flat)
