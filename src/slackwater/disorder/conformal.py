"""Conformal control: all of the risk that was promised is spent, and no more.

Every answer earns ``risk`` of a broken one, every answer that breaks its bound costs one. What is
left is the *credit*, and the next slack is planned with a share of risk that follows it: adaptive
conformal inference, ``α ← α + γ (δ - miss)``, summed up. No model of the stream is needed for the
share to come out right, only answers that are judged:

* *Integrator.* The planned share is ``risk · exp((credit - reserve) / width)``: more while there is
  credit, less in debt. A slow second sum (``bias``) takes out what would last, as in a drift. What
  credit there is near its end is spent on purpose, since more would be given up: there the share
  grows until any answer may break.
* *Gain.* The more answers wait to be judged, the later a change of the slack shows, so the wider
  ``width`` is (as with any dead time: who turns further while waiting will have turned too far).
* *Saturation.* The share never falls below ``least`` of the risk: beyond, quantiles of a heavy tail
  say nothing. In a debt that is deeper every broken answer doubles the slack instead, so that it
  passes any delay there is after a few of them; it shrinks again with those that are kept, at a
  pace that comes to rest where two thirds of the risk are used.
* *Forgetting.* Credit above ``most`` is given up: a year of calm does not pay for a day of errors.
* *Judgement that comes late.* Answers not judged yet count with what is known of them already: one
  that has failed costs at once, of any other nothing is expected but its share.
* *Forecast.* From the share to a slack it is a quantile of what recent spans needed, or, before
  enough of them are known, the analytical model (``disorder/slack.py``).

What follows for any sequence of delays, however it was chosen: if ``d`` is the deepest debt, of N
judged answers at most ``δ N + d`` are broken, and of any n in a row at most ``δ n + most + d``. The
debt is where stretching begins, as many answers more as double the slack beyond the largest delay
(delays that grow for ever make that grow with their logarithm only), and those whose failure could
not be seen yet. Hence the share is right in the long run if judgement takes a vanishing part of it.

Reference: I. Gibbs, E. Candès: Adaptive Conformal Inference Under Distribution Shift, 2021;
A. Angelopoulos, E. Candès, R. Tibshirani: Conformal PID Control for Time Series Prediction, 2023.
Ours differ in that the integrator moves the level of the quantile, not the quantile itself, as the
needed slacks of a heavy tail have no scale to add to.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

VERSION = 1
DOUBLED = math.log(2)
FURTHEST = 20.0  # doublings at most
ALLOWED = 10.0  # broken answers of a stretch that people look at
LOST = 3 * ALLOWED  # so deep a debt shows that waiting longer does not help
CALM = 2 / 3  # of the risk: so many broken answers leave a stretched slack as it is
PROMPT = 5  # answers that may wait to be judged before the gain falls
DULLEST = 2.0  # times the width, however many wait: debt has to show some time
FULL = 0.9  # of the most credit: beyond it is spent on purpose


@dataclass(frozen=True, slots=True)
class ConformalParams:
    """What is promised, and over which stretch it should come right.

    Parameters
    ----------
    risk
        ``δ``: share of the answers that may be broken.
    allowed
        Broken answers (in spans) that a stretch people look at may have: ``δ`` times its length.
        It is the scale of credit and debt, and hence the step size.
    least
        Smallest share of the risk that is planned with.
    """

    risk: float
    allowed: float = ALLOWED
    least: float = 0.4

    @property
    def reserve(self) -> float:
        """The credit that is kept."""
        return 0.15 * self.allowed

    @property
    def most(self) -> float:
        """Credit beyond it is given up."""
        return 0.4 * self.allowed

    def width(self, off: float, waiting: int = 0) -> float:
        """A credit that is off by so much changes the planned share by a factor of e."""
        dull = min(DULLEST, max(1.0, waiting / PROMPT))
        return (0.3 if off < 0 else 0.15) * self.allowed * dull

    def spent(self, credit: float) -> float:
        """The logarithm of the factor that a credit near its end allows, up to any risk."""
        return (credit / self.most - FULL) / (1 - FULL) * -math.log(self.risk)

    @property
    def slow(self) -> float:
        """Spans in which the second sum moves as far as the first is off."""
        return 5 * self.allowed


@dataclass(frozen=True, slots=True)
class ConformalState:
    """Credit of what was judged, with that of what is only expected; all in spans.

    ``level`` is the share of answers that the next slack may break. In debt it exceeds what the
    past would have needed for that by so many ``doublings``.
    """

    credit: float = 0.0
    expected: float = 0.0
    bias: float = 0.0
    level: float | None = None
    doublings: float = 0.0
    version: int = VERSION

    @property
    def is_lost(self) -> bool:
        """Whether more was broken than any slack so far made up for."""
        return self.credit < -LOST

    def planned(self, params: ConformalParams) -> float:
        """The share of the allowed risk that the next slack is planned with."""
        return 1.0 if self.level is None else self.level / params.risk


@dataclass(frozen=True, slots=True)
class Came:
    """What came of answers since the last step, in spans.

    Of ``judged`` ones ``broken`` broke their bound. ``pending`` are answers not judged yet, each
    with the share of it that is expected to be broken. ``given`` answers are new.
    """

    judged: float = 0.0
    broken: float = 0.0
    pending: tuple[float, ...] = ()
    given: int = 0


def step(params: ConformalParams, state: ConformalState, came: Came) -> ConformalState:
    """The state after answers were judged.

    >>> calm = step(ConformalParams(0.05), ConformalState(), Came(judged=30))
    >>> hurt = step(ConformalParams(0.05), calm, Came(judged=1, broken=1))
    >>> round(calm.credit, 2), round(hurt.credit, 2)
    (1.5, 0.55)
    >>> round(calm.planned(ConformalParams(0.05)), 3), round(hurt.planned(ConformalParams(0.05)), 3)
    (1.0, 0.729)
    """
    credit = min(params.most, state.credit + params.risk * came.judged - came.broken)
    expected = min(params.most, credit + sum(params.risk - broken for broken in came.pending))
    off = expected - params.reserve
    off /= params.width(off, len(came.pending))
    bias = _bias(params, state, off, came.given)
    wanted, floor = max(off + bias, params.spent(expected)), math.log(params.least)
    lost = max(0.0, state.expected - expected) if wanted < floor - DOUBLED else 0.0
    doublings = state.doublings + lost - CALM * params.risk * came.given
    return replace(
        state,
        credit=credit,
        expected=expected,
        bias=bias,
        level=min(1.0, params.risk * math.exp(max(floor, wanted))),
        doublings=min(FURTHEST, max(0.0, doublings)),
    )


def _bias(params: ConformalParams, state: ConformalState, off: float, given: int) -> float:
    """The slow sum; it rests while the share is at one of its ends, and never winds up."""
    if not math.log(params.least) <= off + state.bias <= DOUBLED:
        return state.bias
    moved = state.bias + given * off / params.slow
    return min(DOUBLED, max(-DOUBLED, moved))


def stretched(state: ConformalState, steps: int, grain: int) -> int:
    """A slack in granules with its doublings; in debt even one of nothing grows, by ``grain``."""
    if not state.doublings:
        return steps
    return math.ceil(max(steps, grain) * 2**state.doublings)
