"""The PD controller: slack by feedback from measured coverage, without a model.

It moves a fraction α of the largest delay seen, so K never leaves ``[0, MaxD]``. There is no
integral term: with little disorder the coverage stays above the setpoint at K = 0 for long, and
an integral would wind up. Reference: Ji 2018, ch. 3 (eq. 3.7), ch. 4.
"""

from __future__ import annotations

from dataclasses import dataclass

VERSION = 1


@dataclass(frozen=True, slots=True)
class PDParams:
    """Gains ``U_p`` and ``U_d``."""

    proportional: float = 0.2
    derivative: float = 4.0


@dataclass(frozen=True, slots=True)
class PDState:
    """The fraction α in force and the error before."""

    alpha: float = 0.0
    error: float | None = None
    version: int = VERSION


def step(params: PDParams, state: PDState, setpoint: float, measured: float) -> PDState:
    """The state after one measurement; the slack is then :func:`slack_of`.

    >>> after = step(PDParams(), PDState(alpha=0.5, error=0.01), setpoint=0.98, measured=0.96)
    >>> round(after.alpha, 6)
    0.544
    """
    error = setpoint - measured
    change = 0.0 if state.error is None else error - state.error
    moved = state.alpha + params.proportional * error + params.derivative * change
    return PDState(min(1.0, max(0.0, moved)), error)


def slack_of(state: PDState, max_delay: int) -> int:
    """``K = α·MaxD`` in microseconds."""
    return round(state.alpha * max_delay)
