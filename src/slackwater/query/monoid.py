"""User-defined monoids: a name for an expression over mergeable aggregates."""

from __future__ import annotations

from collections.abc import Callable

import sqlglot
from sqlglot import exp

from slackwater.errors import SlackwaterError


def monoid(body: str, *parameters: str) -> Callable[..., str]:
    """A reusable aggregate made of mergeable ones.

    The monoid is the product of the aggregates inside ``body``; it merges because they do.

    Examples
    --------
    >>> rms = monoid("sqrt(sum(x * x) / count(x))", "x")
    >>> rms("speed - 1")
    'SQRT(SUM((speed - 1) * (speed - 1)) / COUNT((speed - 1)))'
    """
    tree = sqlglot.parse_one(body, read="spark")

    def call(*arguments: str) -> str:
        if len(arguments) != len(parameters):
            raise SlackwaterError(
                "MONOID_ARGUMENTS",
                f"{body!r} takes {len(parameters)} arguments ({', '.join(parameters)}), "
                f"got {len(arguments)}",
            )
        given = {
            name: exp.paren(sqlglot.parse_one(text, read="spark"))
            for name, text in zip(parameters, arguments, strict=True)
        }

        def fill(node: exp.Expr) -> exp.Expr:
            if isinstance(node, exp.Column) and node.name in given:
                return given[node.name].copy()
            return node

        return tree.transform(fill).sql("spark")

    return call
