"""Views on results: the whole history, or the latest answer of each window.

There is no retraction: a newer estimate takes the place of an older one, and a final, which always
follows, that of all. Reference: Bhat 2011, ch. 3.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from slackwater.papers.prodding_bhat2011.operators.element import Result

Key = tuple[int, tuple[Any, ...]]


def history(results: Iterable[Result]) -> dict[Key, list[Result]]:
    """All answers of each window and group, in the order given."""
    found: dict[Key, list[Result]] = {}
    for result in results:
        found.setdefault((result.window, result.group), []).append(result)
    return found


def latest(results: Iterable[Result]) -> dict[Key, Result]:
    """The answer that counts: the final one, else the newest revision."""
    return {
        key: max(answers, key=lambda one: (one.kind == "final", one.revision))
        for key, answers in history(results).items()
    }
