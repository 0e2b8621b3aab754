"""Macros and names: a column may be called what a macro calls its own."""

from __future__ import annotations

import string
from decimal import Decimal

import duckdb
import pytest

from slackwater.query.macros import teach
from slackwater.query.translate import translate

TEXTS = {
    "{0} / {0}": ("decimal(10,2)", Decimal("1.0000000000000")),
    "pmod({0}, {0})": ("int", 0),
    "substring(cast({0} as string), {0} - 5, {0})": ("int", "5"),
    "bround({0}, 1)": ("double", 5.0),
    "cast({0} as string)": ("double", "5.0"),
    "concat(upper(cast({0} as string)), 'ß')": ("int", "5ß"),
}


@pytest.mark.parametrize("name", [*string.ascii_lowercase, "key", "select"])
def test_a_column_may_have_any_name(name: str) -> None:
    with duckdb.connect(":memory:") as duck:
        teach(duck)
        for text, (kind, wanted) in TEXTS.items():
            found = translate(text.format(f"`{name}`"), {name: kind})
            given = f"CAST(5 AS {'DECIMAL(10,2)' if 'dec' in kind else kind})"
            rows = duck.sql(f'SELECT {found.sql} FROM (SELECT {given} AS "{name}")').fetchall()
            assert rows == [(wanted,)], text
