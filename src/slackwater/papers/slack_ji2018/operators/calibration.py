"""Calibration: estimates of coverage, corrected by what was measured afterwards.

The model takes lateness to be independent and the near future to resemble the recent past; where
neither holds its estimates are off by about the same amount for a while. The mean of the newest
estimation errors, weighted exponentially, is added to the estimates to come.

Reference: Ji 2018, ch. 4 (calibration).
"""

from __future__ import annotations

from dataclasses import dataclass

VERSION = 1


@dataclass(frozen=True, slots=True)
class CalibrationParams:
    """Weight of the newest error, above 0 and at most 1."""

    weight: float = 0.05


@dataclass(frozen=True, slots=True)
class CalibrationState:
    """Mean error, and the estimates not measured yet by upper endpoint, oldest first."""

    error: float = 0.0
    estimates: tuple[tuple[int, float], ...] = ()
    version: int = VERSION


def promise(state: CalibrationState, end: int, estimate: float) -> CalibrationState:
    """Remember what was expected of a window when it fired."""
    return CalibrationState(state.error, (*state.estimates, (end, estimate)))


def settle(
    params: CalibrationParams, state: CalibrationState, end: int, measured: float
) -> CalibrationState:
    """The state after a window was measured; each window counts once.

    >>> state = promise(CalibrationState(), end=10, estimate=0.98)
    >>> round(settle(CalibrationParams(0.5), state, 10, measured=0.96).error, 6)
    -0.01
    """
    left = tuple(entry for entry in state.estimates if entry[0] > end)
    for known, estimate in state.estimates:
        if known == end:
            error = state.error + params.weight * (measured - estimate - state.error)
            return CalibrationState(max(-1.0, min(1.0, error)), left)
    return CalibrationState(state.error, left)
