"""The smallest fixed slack that meets a target, exactly.

Between two needs of its late rows the answer of a result does not change. So the share of good
results is a step function of the slack, and all its steps come from one pass over the pairs: the
running partial results of each window, in the order in which a growing slack lets rows in. The
share need not grow with the slack (a late negative value can repair a sum by missing it), hence
steps are looked at from the left and nothing is assumed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from slackwater.replay.advise.quality import Target, keeps
from slackwater.replay.advise.reduce import runs, scan_runs
from slackwater.replay.advise.stakes import Stakes
from slackwater.stats.arrival import Instants
from slackwater.stats.relative_error import relative_errors


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """From slack ``at[n]`` on, ``good[n]`` results keep the bound; ``at[0]`` is 0."""

    at: Instants
    good: Instants

    def smallest(self, needed: int, unit: int = 1) -> int:
        """The smallest multiple of ``unit`` under which enough results are good."""
        multiple = -(-self.at // unit) * unit
        until = np.append(self.at[1:], np.iinfo(np.int64).max)
        fits = (self.good >= needed) & (multiple < until)
        return int(multiple[np.argmax(fits)])


def steps(stakes: Stakes, target: Target) -> Steps:
    """How many results keep the bound, for every fixed slack."""
    results, pairs = stakes.results, stakes.pairs
    untouched = results.count - results.touched.size
    present = results.base[0] > 0
    answers = stakes.measure.get(results.base[1:])
    before = keeps(relative_errors(results.exact, answers, present), target)
    owner = np.repeat(np.arange(pairs.starts.size), np.diff(pairs.starts, append=pairs.need.size))
    good = _good_after(stakes, owner, target)
    last = _last_of_need(pairs.need, pairs.starts)
    good, owner, need = good[last], owner[last], pairs.need[last]
    previous = np.concatenate([[False], good[:-1]])
    first = runs(owner)
    previous[first] = before
    change = good.astype(np.int64) - previous
    order = np.argsort(need, kind="stable")
    need, running = need[order], np.cumsum(change[order])
    ends = np.append(runs(need)[1:], need.size) - 1 if need.size else runs(need)
    start = untouched + int(before.sum())
    return Steps(np.append(0, need[ends]), start + np.append(0, running[ends]))


def _good_after(
    stakes: Stakes, owner: Instants, target: Target
) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Whether the result of each pair is good once this pair and those before it are in."""
    results, pairs = stakes.results, stakes.pairs
    scanned = []
    for merge, base, column in zip(stakes.merges, results.base, pairs.columns, strict=True):
        begun = column.copy()
        begun[pairs.starts] = merge(base, column[pairs.starts])
        scanned.append(scan_runs(merge, begun, pairs.starts))
    answers = stakes.measure.get(tuple(scanned[1:]))
    # What the last pair of a result leaves is exact by definition, to the last digit.
    ends = np.append(pairs.starts[1:], pairs.need.size) - 1
    exact = answers[ends][owner] if owner.size else answers
    present = scanned[0] > 0
    return keeps(relative_errors(exact, answers, present), target)


def _last_of_need(need: Instants, starts: Instants) -> Instants:
    """Pairs after which the slack has to grow before the same result changes again."""
    if not need.size:
        return np.zeros(0, dtype=np.int64)
    is_last = np.append(need[1:] != need[:-1], True)
    is_last[starts[1:] - 1] = True
    return np.flatnonzero(is_last)
