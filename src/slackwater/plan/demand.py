"""What may be asked of estimates: a condition on their rows, and when they come.

Everyone who asks is held to the same: a query when it is built, a person, a program, a file, a
stream of prods.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TypeGuard

from sqlglot import exp

from slackwater.errors import Problem
from slackwater.plan.window import Window
from slackwater.query.expression import Expression, is_boolean, parse, type_of
from slackwater.query.schema import Schema
from slackwater.units import DAY

LONGEST = 10_000  # characters of a condition
LATEST = 366 * DAY  # after the end of a window nobody asks for an estimate of it
_OTHER = (
    exp.AggFunc,
    exp.Window,
    exp.UDTF,
    exp.Parameter,
    exp.SessionParameter,
    exp.Placeholder,
    exp.Query,
    exp.DDL,
    exp.DML,
    exp.Command,
    exp.Block,
)


def read_condition(text: object, schema: Schema, at: str) -> Expression | Problem:
    """The condition of a demand, over the columns of a query's results; or what is wrong with it.

    It says of one row whether it is meant: no aggregates, no other rows, no parameters.
    """
    if not isinstance(text, str) or not text.strip():
        return Problem("SQL_EMPTY", at, f"expected an SQL condition, got {text!r:.100}")
    if len(text) > LONGEST:
        hint = f"at most {LONGEST:,} characters"
        return Problem("SQL_TOO_LONG", at, f"a condition of {len(text):,} characters", hint)
    if not is_text(text):
        return Problem("TEXT_INVALID", at, f"{text!r:.100} has characters that are half of one")
    try:
        return _understood(text, schema, at)
    except RecursionError:
        return Problem("SQL_TOO_DEEP", at, f"{text!r:.100} … is nested too deeply", "ask for less")


@lru_cache(maxsize=256)  # a request is looked at by whoever passes it on
def _understood(text: str, schema: Schema, at: str) -> Expression | Problem:
    parsed = parse(text, schema, at)
    if isinstance(parsed, Problem):
        return parsed
    strange = parsed[1].tree.find(*_OTHER)
    if strange is not None:
        hint = 'compare columns of the result with values, e.g. "sensor = 7"'
        found = strange.sql("spark")
        return Problem(
            "SQL_NOT_SCALAR",
            at,
            f"{text!r:.100} is not a condition on one row: {found!r:.100}",
            hint,
        )
    kind = type_of(parsed[1], schema)
    if is_boolean(kind) is False:
        return Problem("TYPE_MISMATCH", at, f"{text!r:.100} is {kind}, not a condition")
    return parsed[1]


def aggressiveness_problem(value: object, window: Window, at: str) -> Problem | None:
    """What is wrong with an aggressiveness, of these windows."""
    if not is_number(value):
        text = f"{value!r:.100} is not a finite number"
        return Problem("ESTIMATES_RANGE", at, text, "a share of the slide, e.g. 0.3")
    most, least = window.size / window.slide, -LATEST / window.slide
    if not value < most:
        return Problem(
            "ESTIMATES_RANGE", at, f"{value:g} is before the window begins", f"below {most:g}"
        )
    if not value > least:
        text = f"{value:g} is more than a year after the window"
        return Problem("ESTIMATES_RANGE", at, text, f"above {least:g}")
    return None


def share_problem(value: object, at: str, hint: str = "") -> Problem | None:
    """What is wrong with a share; none and all are no shares."""
    if is_number(value) and 0 < value < 1:
        return None
    return Problem("ESTIMATES_RANGE", at, f"{value!r:.100} is not between 0 and 1", hint)


def is_number(value: object) -> TypeGuard[float]:
    """Whether this is a number one can reckon with."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number that no float holds
        return False


def is_text(value: str) -> bool:
    """Whether a text can be written down: JSON and file names may bring half characters."""
    try:
        value.encode()
    except UnicodeError:
        return False
    return True
