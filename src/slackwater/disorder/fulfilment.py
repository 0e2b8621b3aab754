"""How likely a result keeps its error bound, given the coverage its window has.

The other direction of ``threshold``: there a bound gives the coverage that is needed, here a known
coverage gives the share of results within the bound. Used for windows of the recent past, whose
coverage under any slack is known exactly once their stragglers are in.

For a grouped query the rows missing from a window hit its keys at random: a key with n rows misses
a binomial number of them. So a key with few rows needs a coverage close to 1, however many rows
the busy keys have.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from slackwater.disorder.threshold import Moments, Requirement

Array = npt.NDArray[np.float64]
MANY = 200  # rows from which on the binomial is taken as normal
DECILES = np.arange(0.05, 1, 0.1)  # how rows per result are told

FAR = 8.0
_NONE, _ALL = (0.5 * (1.0 + math.erf(z / math.sqrt(2))) for z in (-FAR, FAR))
_erf = np.vectorize(math.erf, otypes=[np.float64])


def normal_below(z: Array) -> Array:
    """The share of a standard normal below z; beyond eight deviations it is that at eight."""
    found = np.where(z > 0, _ALL, _NONE)
    is_between = ~(np.abs(z) >= FAR)
    if is_between.any():  # most of a matrix of slacks is not
        found[is_between] = 0.5 * (1.0 + _erf(z[is_between] / math.sqrt(2)))
    return np.asarray(found)


def kept_share(
    requirement: Requirement,
    coverage: Array,
    moments: Moments,
    sizes: Sequence[float] | None,
    *,
    of_worst: bool = False,
) -> Array:
    """Share of results within the bound for each coverage in an array.

    Parameters
    ----------
    moments
        Rows of one window, with mean and variance of the values.
    sizes
        Rows per result of a grouped query, each standing for an equal share of its results;
        ``None`` if each window has one result.
    of_worst
        The share of those results that keep it least, instead of all.
    """
    missing = np.clip(1.0 - coverage, 0.0, 1.0)
    if requirement.kind == "heuristic":
        return (missing <= requirement.epsilon).astype(np.float64)
    if requirement.kind in ("avg", "quantile"):
        found = [_sampled(requirement, missing, moments, n) for n in sizes or (moments.rows,)]
    elif sizes is None:
        found = [_one_sum(requirement, missing, moments)]
    else:
        found = [_binomial_below(requirement.epsilon, missing, n) for n in sizes]
    return np.asarray(np.min(found, axis=0) if of_worst else np.mean(found, axis=0))


def _one_sum(requirement: Requirement, missing: Array, moments: Moments) -> Array:
    """One result per window: how many rows are missing is known, which values they had is not."""
    margin = (requirement.epsilon - missing) * moments.rows
    if requirement.kind == "count" or moments.mean == 0 or moments.variance == 0:
        return (margin >= 0).astype(np.float64)
    scatter = moments.variance / moments.mean**2
    spread = np.sqrt(np.maximum(missing * (1 - missing) * moments.rows * scatter, 1e-12))
    return np.where(missing == 0, 1.0, normal_below(margin / spread))


def _sampled(requirement: Requirement, missing: Array, moments: Moments, rows: float) -> Array:
    """A mean or a rank of a sample: no bias, less precise the more is missing."""
    share = requirement.share
    scatter = share * (1 - share)
    if requirement.kind == "avg":
        scatter = moments.variance / moments.mean**2 if moments.mean else math.inf
    present = np.maximum(1 - missing, 1e-9)
    spread = np.sqrt(scatter * missing / (present * max(rows, 1.0)))
    with np.errstate(divide="ignore", invalid="ignore"):
        kept = 2 * normal_below(requirement.epsilon / spread) - 1
    return np.where(missing == 0, 1.0, np.where(missing >= 1, 0.0, kept))


def _binomial_below(epsilon: float, missing: Array, rows: float) -> Array:
    """Chance that at most ``epsilon * rows`` of some rows are missing."""
    count = max(1, round(rows))
    allowed = math.floor(epsilon * count + 1e-9)
    if count > MANY:
        spread = np.sqrt(np.maximum(count * missing * (1 - missing), 1e-12))
        return normal_below((allowed + 0.5 - count * missing) / spread)
    chance = np.zeros_like(missing)
    for failures, ways in enumerate(_ways(count, allowed)):
        chance += ways * missing**failures * (1 - missing) ** (count - failures)
    return np.minimum(chance, 1.0)


@lru_cache(maxsize=256)
def _ways(count: int, allowed: int) -> tuple[float, ...]:
    return tuple(float(math.comb(count, failures)) for failures in range(allowed + 1))


def size_deciles(rows: npt.ArrayLike) -> tuple[float, ...]:
    """Rows per result in brief: the middle of each tenth of the results, by size.

    >>> size_deciles([1, 2, 3])[0]
    1.1
    """
    sizes = np.asarray(rows, dtype=np.float64)
    return tuple(round(float(size), 3) for size in np.quantile(sizes, DECILES))
