"""Random draws that can be repeated anywhere: counter-based uniforms, and variates by inversion.

Only the raw output of a bit generator is used, which NumPy never changes between versions (its
distributions may change), and elementwise functions of it.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def uniforms(seed: int, block: int, shape: tuple[int, int]) -> Floats:
    """Numbers in [0, 1) of the Philox stream keyed by (seed, block)."""
    key = np.array([seed, block], dtype=np.uint64)
    raw = np.random.Philox(key=key).random_raw(shape[0] * shape[1])
    scaled: Floats = np.multiply(raw >> np.uint64(11), 2.0**-53, dtype=np.float64)
    return scaled.reshape(shape)


def normal(first: Floats, second: Floats) -> Floats:
    """Standard normal variates from two arrays of uniforms (Box-Muller)."""
    variates: Floats = np.sqrt(-2.0 * np.log1p(-first)) * np.cos(2.0 * np.pi * second)
    return variates


def zipf(ranks: int, skew: float, draw: Floats) -> Ints:
    """Zipf variates from uniforms, counted from 0: rank - 1."""
    return np.searchsorted(_zipf_steps(ranks, skew), draw, side="right").astype(np.int64)


def zipf_shares(ranks: int, skew: float) -> Floats:
    """Probability of each rank k = 1..``ranks`` under a Zipf law: 1 / k^skew, normalised."""
    weights = np.arange(1, ranks + 1, dtype=np.float64) ** -skew
    shares: Floats = weights / weights.sum()
    return shares


@lru_cache(maxsize=16)
def _zipf_steps(ranks: int, skew: float) -> Floats:
    return np.cumsum(zipf_shares(ranks, skew))[:-1]  # the last rank takes what rounding leaves
