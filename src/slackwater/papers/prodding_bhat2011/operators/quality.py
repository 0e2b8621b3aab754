"""How good estimates were: accuracy over many, latency won, aggressiveness, quality of texts.

All functions take single numbers or arrays. Reference: Bhat 2011, sections 3.4, 4.4 (M2 to M8 and
M10 here, with guards; M1 is ``estimate.accuracy``); what the source work prints as accuracy in one
place is the error.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from slackwater.errors import SlackwaterError
from slackwater.estimate.accuracy import Array, accuracy


class Quality(Protocol):
    """How good an early value was; 100 is perfect (M10).

    Parameters
    ----------
    early, final
        The two values of one window and group, numbers or not.
    gap
        Microseconds between them.
    """

    def __call__(self, early: Any, final: Any, gap: int) -> float: ...


def error_percent(early: npt.ArrayLike, final: npt.ArrayLike) -> Array:
    """M4 in percent: 100 − M1."""
    return 100.0 - accuracy(early, final)


def mean_accuracy(early: npt.ArrayLike, final: npt.ArrayLike) -> float | None:
    """M2: the mean over all pairs that are known, ``None`` if there is none."""
    known = _known(accuracy(early, final))
    return float(known.mean()) if known.size else None


def worst(early: npt.ArrayLike, final: npt.ArrayLike) -> float | None:
    """M3: the least accuracy of all pairs that are known, ``None`` if there is none."""
    known = _known(accuracy(early, final))
    return float(known.min()) if known.size else None


def _known(found: Array) -> Array:
    flat = np.ravel(found)
    return flat[~np.isnan(flat)]


def latency_gain(early: npt.ArrayLike, final: npt.ArrayLike) -> float:
    """M5: mean latency of finals minus mean latency of estimates, in the unit given."""
    return float(np.mean(np.asarray(final)) - np.mean(np.asarray(early)))


def latency_gain_percent(early: npt.ArrayLike, final: npt.ArrayLike) -> float:
    """M6: the gain as a share of the mean latency of finals.

    >>> round(latency_gain_percent([568], [616]), 2)
    7.79
    """
    base = float(np.mean(np.asarray(final)))
    return 100.0 * latency_gain(early, final) / base if base else 0.0


def aggressiveness(offset: npt.ArrayLike, slide: float) -> Array:
    """M7 as a share of the slide: how long before the window's end a prod comes.

    ``offset`` is negative for a prod after the end.

    >>> float(aggressiveness(30, slide=120))
    0.25
    """
    if slide <= 0:
        raise SlackwaterError(
            "WINDOW_INVALID", f"aggressiveness: slide is {slide}, it must be above 0"
        )
    return np.asarray(np.asarray(offset, np.float64) / slide)


def covered_share(size: float, slide: float, p: npt.ArrayLike) -> Array:
    """M8: the share of a window's time before a prod of aggressiveness ``p``, ``1 − p·S/R``.

    >>> round(float(covered_share(12, 2, 0.5)), 4)
    0.9167
    """
    if slide <= 0 or size <= 0:
        raise SlackwaterError(
            "WINDOW_INVALID", f"covered share: size {size}, slide {slide}; both must be above 0"
        )
    return np.asarray(np.clip(1.0 - np.asarray(p, np.float64) * slide / size, 0.0, 1.0))


def hamming(early: str, final: str, gap: int = 0) -> float:  # noqa: ARG001 (a Quality)
    """Quality of a text: the share of places at which both agree, in percent.

    A shorter text disagrees at the places it does not have.

    >>> hamming("abcd", "abcx")
    75.0
    """
    longest = max(len(early), len(final))
    if longest == 0:
        return 100.0
    agree = sum(one == other for one, other in zip(early, final, strict=False))
    return 100.0 * agree / longest


def relative_quality(
    early: float,
    final: float,
    gap: int = 0,  # noqa: ARG001 (a Quality)
) -> float:
    """The default quality: M1, whatever the gap."""
    return float(accuracy(early, final))
