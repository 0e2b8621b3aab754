"""How good the results are: errors against the exact answer, coverage, latency, rows lost.

Reference: Ji 2018, ch. 4 (relative error, exact value 0; latency, fulfilment).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from slackwater.errors import SlackwaterError
from slackwater.replay.advise.measure import Floats
from slackwater.replay.advise.stakes import Stakes
from slackwater.replay.advise.watermarks import Watermarks
from slackwater.stats.relative_error import relative_errors

ROUNDING = 1e-12  # sums in another order differ in the last digits only


@dataclass(frozen=True, slots=True)
class Target:
    """A share of at least ``confidence`` of all results has a relative error up to ``error``."""

    error: float = 0.01
    confidence: float = 0.95

    def __post_init__(self) -> None:
        if not 0 <= self.error < 1:
            raise SlackwaterError(
                "ERROR_INVALID",
                f"the error is {self.error}, it must be at least 0 and below 1",
                "0.01 stands for one percent",
            )
        if not 0 < self.confidence <= 1:
            raise SlackwaterError(
                "CONFIDENCE_INVALID",
                f"the confidence is {self.confidence}, it must be above 0 and at most 1",
                "0.95 stands for 95 % of the results",
            )

    def needed(self, results: int) -> int:
        """How many results have to keep the bound."""
        return int(np.ceil(self.confidence * results - 1e-9))


@dataclass(frozen=True, slots=True)
class Quality:
    """The results under one policy.

    ``within`` is the share of results within the error bound. ``mean_error`` leaves out the
    ``infinite`` ones (exact value 0, another one given). ``latency`` is the mean over results of
    windows that closed in the recording, ``still_open`` counts the others. A row is ``late`` if it
    missed a window, ``lost`` if it missed all of its windows.
    """

    within: float
    mean_error: float
    max_error: float
    infinite: int
    coverage: float
    latency: float | None
    results: int
    still_open: int
    late: int
    lost: int


def keeps(errors: Floats, target: Target) -> npt.NDArray[np.bool_]:
    return errors <= target.error + ROUNDING


def quality(stakes: Stakes, watermarks: Watermarks, target: Target) -> Quality:
    """The quality of all results when rows met these watermarks."""
    results, pairs = stakes.results, stakes.pairs
    missed = watermarks.at[pairs.suspect] >= pairs.end
    partial = stakes.partials(missed)
    present = partial[0] > 0
    errors = relative_errors(results.exact, stakes.measure.get(partial[1:]), present)
    finite = np.isfinite(errors)
    broken = int((~keeps(errors, target)).sum())
    absent = float((1 - partial[0] / results.rows[results.touched]).sum())
    latency, still_open = _latency(stakes, watermarks, results.touched[~present])
    return Quality(
        within=1 - broken / results.count,
        mean_error=float(errors[finite].sum()) / max(1, results.count - int((~finite).sum())),
        max_error=float(errors.max(initial=0.0)),
        infinite=int((~finite).sum()),
        coverage=1 - absent / results.count,
        latency=latency,
        results=results.count,
        still_open=still_open,
        late=int((watermarks.at >= stakes.suspects.first_end).sum()),
        lost=int((watermarks.at >= stakes.suspects.last_end).sum()),
    )


def _latency(
    stakes: Stakes, watermarks: Watermarks, without: npt.NDArray[np.int64]
) -> tuple[float | None, int]:
    """Mean latency of the results that were given; how many windows' results were not closed."""
    ends = stakes.frames.ends(stakes.windows)
    at = np.searchsorted(stakes.windows, stakes.results.window[without])
    given = stakes.per_window - np.bincount(at, minlength=stakes.windows.size)
    closed = watermarks.closed
    weights = given[closed]
    total = int(weights.sum())
    late = float(((watermarks.closing[closed] - ends[closed]) * weights).sum())
    return (late / total if total else None), int(given[~closed].sum())
