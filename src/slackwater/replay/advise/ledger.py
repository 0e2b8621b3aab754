"""What the engine would know and have measured at each step of a simulated controller."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from slackwater.disorder.error_slack import Sums
from slackwater.disorder.fulfilment import DECILES
from slackwater.replay.advise.quality import Target, keeps
from slackwater.replay.advise.stakes import Pairs, Stakes
from slackwater.replay.advise.timeline import BEFORE_ALL, Timeline
from slackwater.stats.relative_error import relative_errors


class Ledger:
    """Follows a simulation.

    ``sums`` are of the values of the last step, ``sizes`` the rows per result measured last, and
    ``within`` of the ``measured`` results of the last step kept the bound. A result is
    measured once it was given and the largest delay so far has passed.
    """

    def __init__(self, timeline: Timeline, stakes: Stakes, target: Target) -> None:
        self._timeline, self._stakes, self._target = timeline, stakes, target
        self._ends = stakes.frames.ends(stakes.windows)
        self._first_result = np.concatenate([[0], np.cumsum(stakes.per_window)])
        # A suspect that has not come yet will find its window closed.
        self._met = np.full(stakes.suspects.row.size, -BEFORE_ALL)
        self._watermark = BEFORE_ALL
        self._longest = 0
        self._windows = 0  # measured so far
        self.sums: Sums = (0.0, 0.0, 0.0)
        self.sizes: tuple[float, ...] | None = None
        self.measured = 0
        self.within = 0

    @property
    def watermark(self) -> int | None:
        """That before the last step."""
        return None if self._watermark == BEFORE_ALL else self._watermark

    @property
    def settled(self) -> int | None:
        """The end of the last window that was measured."""
        return int(self._ends[self._windows - 1]) if self._windows else None

    def pass_by(self, begin: int, end: int, slack: int) -> None:
        """Rows ``begin`` to ``end`` came while this slack was in force."""
        timeline, suspects = self._timeline, self._stakes.suspects
        one, two = np.searchsorted(suspects.row, [begin, end])
        if begin:
            self._watermark = max(self._watermark, int(timeline.progress[begin - 1]) - slack)
        self._met[one:two] = self._watermark
        clock = int(timeline.progress[end - 1])
        late = timeline.progress[begin:end] - timeline.times[begin:end]
        self._longest = max(self._longest, int(late.max()))
        self.sums = self._sums(begin, end)
        known = min(clock - self._longest, self._watermark)
        until = int(np.searchsorted(self._ends, known, side="right"))
        self._measure(self._windows, max(until, self._windows))

    def _sums(self, begin: int, end: int) -> Sums:
        """Count, sum and sum of squares of the values of some rows."""
        if self._timeline.values is None:
            return (0.0, 0.0, 0.0)
        values = self._timeline.values[begin:end]
        known = values[~np.isnan(values)]
        return (float(known.size), float(known.sum()), float((known * known).sum()))

    def _measure(self, first: int, last: int) -> None:
        """Results of the windows number ``first`` to ``last`` count as measured now."""
        stakes, self._windows = self._stakes, last
        ids = self._first_result[[first, last]]
        one, two = np.searchsorted(stakes.results.touched, ids)
        self.measured = int(ids[1] - ids[0])
        self.within = self.measured
        if self.measured:
            rows = stakes.results.rows[ids[0] : ids[1]]
            self.sizes = tuple(np.quantile(rows, DECILES).tolist())
        if one == two:
            return
        part = _part(stakes, int(one), int(two))
        missed = self._met[part.pairs.suspect] >= part.pairs.end
        partial = part.partials(missed)
        present = partial[0] > 0
        errors = relative_errors(part.results.exact, stakes.measure.get(partial[1:]), present)
        self.within -= int((~keeps(errors, self._target)).sum())


def _part(stakes: Stakes, one: int, two: int) -> Stakes:
    """Only the touched results number ``one`` to ``two``."""
    pairs, results = stakes.pairs, stakes.results
    bounds = np.append(pairs.starts, pairs.need.size)
    begin, end = int(bounds[one]), int(bounds[two])
    some = Pairs(
        suspect=pairs.suspect[begin:end],
        end=pairs.end[begin:end],
        need=pairs.need[begin:end],
        columns=tuple(column[begin:end] for column in pairs.columns),
        starts=pairs.starts[one:two] - begin,
    )
    base = tuple(column[one:two] for column in results.base)
    kept = replace(
        results, touched=results.touched[one:two], base=base, exact=results.exact[one:two]
    )
    return replace(stakes, pairs=some, results=kept)
