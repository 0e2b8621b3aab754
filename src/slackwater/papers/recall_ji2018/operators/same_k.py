"""Same-K: buffers of different sizes in front of a synchronisation buffer act like equal ones.

The synchronisation buffer lets tuples go at ``min_j (T_j - k_j)``, whoever is slowest. So each
stream waits ``T_i - min_j (T_j - k_j)`` in all, which exceeds the wait without any slack by the
same amount for every stream. One common K per join is enough, and the search for it has one
dimension. The amount depends on the local current times: it holds for one instant.

Reference: Ji 2018, ch. 4.
"""

from __future__ import annotations

from collections.abc import Sequence

from slackwater.errors import SlackwaterError


def same_k(times: Sequence[int], slacks: Sequence[int]) -> int:
    """The common K with the effect of the slacks ``k_i`` at local current times ``T_i``.

    >>> same_k([100, 90], [5, 20]), same_k([100, 90], [30, 5])
    (20, 20)
    """
    _check(times, slacks)
    return min(times) - min(time - k for time, k in zip(times, slacks, strict=True))


def effective_slacks(times: Sequence[int], slacks: Sequence[int]) -> tuple[int, ...]:
    """How long a tuple of each stream waits in both buffers: ``k_i + K_i^sync``.

    >>> effective_slacks([100, 95, 80], [10, 0, 3]) == effective_slacks([100, 95, 80], [3, 3, 3])
    True
    """
    _check(times, slacks)
    released = min(time - k for time, k in zip(times, slacks, strict=True))
    return tuple(time - released for time in times)


def _check(times: Sequence[int], slacks: Sequence[int]) -> None:
    if not times or len(times) != len(slacks) or min(slacks) < 0:
        raise SlackwaterError(
            "SLACKS_INVALID",
            f"same K: {len(times)} local current times and slacks {list(slacks)}",
            "give one slack of 0 or more for each stream",
        )
