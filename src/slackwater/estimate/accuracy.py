"""Accuracy of estimates: it can only be told afterwards, when the final value is known.

Reference: Bhat 2011, section 3.4 (M1 here, with guards).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


def accuracy(early: npt.ArrayLike, final: npt.ArrayLike, *, is_clamped: bool = False) -> Array:
    """M1 in percent: ``(|F| − |F − E|) / |F| · 100``.

    The base is ``|F|``. A final of 0 gives 100 if the estimate is 0 too, else 0. An estimate of
    more than twice the final gives a negative accuracy, 0 if clamped; an unknown value ``nan``.

    >>> accuracy([98, 150, 5, 0], [100, 100, 0, 0]).tolist()
    [98.0, 50.0, 0.0, 100.0]
    """
    e, f = np.broadcast_arrays(np.asarray(early, np.float64), np.asarray(final, np.float64))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        found = 100.0 * (1.0 - np.abs(f - e) / np.abs(f))
    at_zero = np.where(np.isnan(e), np.nan, np.where(e == 0, 100.0, 0.0))
    found = np.where(f == 0, at_zero, found)
    return np.asarray(np.maximum(found, 0.0) if is_clamped else found, dtype=np.float64)
