"""How good were the answers: errors against the truth, and whether a requirement was kept.

Reference: Ji 2018, ch. 4 (relative error; metrics, eq. 4.10; wrong results).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from slackwater.papers.slack_ji2018.operators.swa import WindowResult
from slackwater.stats.relative_error import relative_error

Floats = npt.NDArray[np.float64]


def errors_of(results: Iterable[WindowResult], exact: Mapping[int, Any]) -> Floats:
    """Errors by true window, also of those that gave no result at all."""
    given = {result.end: result.value for result in results}
    return np.array(
        [
            relative_error(value, given.get(end), is_given=end in given)
            for end, value in sorted(exact.items())
        ],
        dtype=np.float64,
    )


def fulfilment(errors: Floats, epsilon: float) -> float:
    """``Φ(ε_thr)``: the share of the true results that were given within the bound."""
    return float((errors <= epsilon).mean()) if errors.size else 1.0


def error_cdf(errors: Floats, bounds: npt.ArrayLike) -> Floats:
    """``Φ`` at each of several bounds."""
    return np.array([fulfilment(errors, bound) for bound in np.asarray(bounds).tolist()])


@dataclass(frozen=True, slots=True)
class WrongResults:
    """A line of the table of wrong results; errors are ``None`` if all is right."""

    results: int
    wrong: int
    smallest: float | None
    largest: float | None


def wrong_results(errors: Floats) -> WrongResults:
    """How many results were wrong, and by how much at least and at most.

    >>> wrong_results(np.array([0.0, 0.25, 0.5]))
    WrongResults(results=3, wrong=2, smallest=0.25, largest=0.5)
    """
    wrong = errors[errors > 0]
    if wrong.size == 0:
        return WrongResults(errors.size, 0, None, None)
    return WrongResults(errors.size, wrong.size, float(wrong.min()), float(wrong.max()))
