"""Which ways of choosing a slack are measured beside each other."""

from __future__ import annotations

from collections.abc import Sequence

from slackwater.errors import Problem, QueryError
from slackwater.query.contract import METHODS, Method

USUAL: tuple[Method, ...] = ("calibrated", "conformal")


def choose(names: Sequence[str]) -> tuple[Method, ...]:
    """The methods of these names, the usual ones if there are none.

    >>> choose(["model"])
    ('model',)
    """
    unknown = [name for name in names if name not in METHODS]
    if unknown:
        text = f"no method {', '.join(unknown)}; there are: {', '.join(METHODS)}"
        raise QueryError([Problem("CONTRACT_METHOD", "bench, method", text)])
    return tuple(method for method in METHODS if method in names) or USUAL
