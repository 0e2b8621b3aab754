"""How wrong an answer is, as a share of the truth: one definition for all who measure.

The meter of the engine says the same in SQL (``plan.statement``); a test compares the two.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def relative_errors(
    truth: npt.ArrayLike, answers: npt.ArrayLike, given: npt.ArrayLike = True
) -> Floats:
    """``|A − Â| / |A|``, entry by entry; never negative, never NaN.

    * A result never given, or one of the two without a value (NaN stands for null) is an error of
      1: all of it is missing. Null for null is right.
    * Equal is right, also 0 for 0 and ∞ for ∞.
    * Where the truth is 0 or infinite, anything else is infinitely wrong.
    * The truth counts by its size, so that sums below 0 have errors above 0.

    Parameters
    ----------
    truth, answers
        ``A`` and ``Â``: the exact values and those that were said.
    given
        Whether there was a result at all.

    Examples
    --------
    >>> nan = float("nan")
    >>> relative_errors([10, -4, 0, 0, nan, 10], [9, -5, 0, 1, nan, nan]).tolist()
    [0.1, 0.25, 0.0, inf, 0.0, 1.0]
    >>> relative_errors([5, nan], [5, nan], given=[True, False]).tolist()
    [0.0, 1.0]
    """
    true, said = np.asarray(truth, np.float64), np.asarray(answers, np.float64)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        errors = np.abs(said - true) / np.abs(true)
    errors = np.where((true == 0) | np.isinf(true), np.inf, errors)
    errors = np.where(said == true, 0.0, errors)
    void, unknown = np.isnan(true), np.isnan(said)
    errors = np.where(void | unknown, np.where(void & unknown, 0.0, 1.0), errors)
    return np.asarray(np.where(given, errors, 1.0), dtype=np.float64)


def relative_error(truth: float | None, answer: float | None, *, is_given: bool = True) -> float:
    """The error of one answer; ``None`` is null.

    >>> relative_error(10, 9), relative_error(0, 1), relative_error(3, None)
    (0.1, inf, 1.0)
    """
    true, said = (math.nan if value is None else value for value in (truth, answer))
    return float(relative_errors(true, said, is_given))
