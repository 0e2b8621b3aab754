"""What is at stake when windows close: every result, and the rows that may miss it.

A row that comes when the clock is at ``c`` is missing from a window that ends at ``e`` exactly if
the slack is at most ``c - e``; one microsecond more saves it. So with every slack

* rows that came while all their windows were running are in: they are summed up once, per pane;
* the others, the *suspects*, are kept one by one with each window they may miss (a *pair*) and the
  slack they *need*.

Everything else is counted on pairs, few even if rows are many. Reference: Ji 2018, ch. 3.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from slackwater.errors import SlackwaterError
from slackwater.replay.advise.frames import Frames
from slackwater.replay.advise.measure import Columns, Floats, Measure
from slackwater.replay.advise.reduce import expand, reduce_by_code, reduce_runs, runs
from slackwater.replay.advise.timeline import Timeline
from slackwater.stats.arrival import Instants

MOST = 150_000_000  # pairs and cells; each takes some 50 bytes while it is sorted


@dataclass(frozen=True, slots=True, eq=False)
class Suspects:
    """Rows that miss a window without slack, in arrival order."""

    row: Instants
    clock: Instants  # before the row
    first_end: Instants
    last_end: Instants


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """A suspect and a window it may miss, ordered by result, then by the slack it needs."""

    suspect: Instants
    end: Instants
    need: Instants
    columns: Columns
    starts: Instants  # where the pairs of each touched result begin


@dataclass(frozen=True, slots=True, eq=False)
class Results:
    """All (window, key) results, by window, then by key.

    ``rows`` counts all rows of a result. ``touched`` numbers the results that have pairs; only for
    those are the partial results ``base``, of the rows that are always in, and ``exact`` kept.
    """

    window: Instants
    rows: Floats
    touched: Instants
    base: Columns
    exact: Floats

    @property
    def count(self) -> int:
        return int(self.window.size)


@dataclass(frozen=True, slots=True, eq=False)
class Stakes:
    """All that decides how good results are under a given slack."""

    frames: Frames
    measure: Measure
    suspects: Suspects
    pairs: Pairs
    results: Results
    windows: Instants  # numbers of the windows that have results
    per_window: Instants  # how many results each has

    @property
    def merges(self) -> tuple[np.ufunc, ...]:
        return (np.add, *self.measure.merges)

    @property
    def zeros(self) -> tuple[float, ...]:
        return (0.0, *self.measure.zeros)

    def partials(self, missed: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Columns:
        """Partial results of the touched results, without the pairs that are missed."""
        return tuple(
            merge(base, reduce_runs(merge, np.where(missed, zero, column), self.pairs.starts))
            for merge, zero, base, column in zip(
                self.merges, self.zeros, self.results.base, self.pairs.columns, strict=True
            )
        )


def stakes(timeline: Timeline, frames: Frames, measure: Measure) -> Stakes:
    """Sort a recorded stream into what is always in and what is at stake."""
    first, last = frames.first(timeline.times), frames.last(timeline.times)
    clock = timeline.clock()
    missed = np.clip(frames.ended(clock) - first + 1, 0, last - first + 1)
    base = _always_in(timeline, frames, measure, first, missed)
    rows = np.flatnonzero(missed)
    suspects = Suspects(rows, clock[rows], frames.ends(first[rows]), frames.ends(last[rows]))
    del last, clock
    return _put_together(timeline, (frames, measure), suspects, base, (first[rows], missed[rows]))


def _lift(timeline: Timeline, measure: Measure, rows: Instants | slice) -> Columns:
    values = None if timeline.values is None else timeline.values[rows]
    count = int(timeline.times[rows].size)
    return (np.ones(count), *measure.lift(values, count))


def _always_in(
    timeline: Timeline, frames: Frames, measure: Measure, first: Instants, missed: Instants
) -> tuple[Instants, Columns]:
    """Codes and partial results of all results, of rows that are in whatever the slack.

    Rows of one pane and key that miss equally many windows are one cell; the cells of a pane are
    then spread over its windows, from the first one they do not miss.
    """
    overlap = -(-frames.size // frames.slide)
    keys, merges = timeline.key_count, (np.add, *measure.merges)
    pane = timeline.times // frames.pane
    lowest = int(pane.min())
    _check_codes((int(pane.max()) - lowest + 1) * keys * (overlap + 1))
    code = ((pane - lowest) * keys + timeline.keys) * (overlap + 1) + missed
    del pane
    code, columns = reduce_by_code(code, _lift(timeline, measure, slice(None)), merges)
    cell_missed, rest = code % (overlap + 1), code // (overlap + 1)
    key, start = rest % keys, (rest // keys + lowest) * frames.pane
    begin = frames.first(start)
    count = frames.last(start) - begin + 1 - cell_missed
    _check_amount(int(count.sum()))
    cell, offset = expand(count)
    window = begin[cell] + cell_missed[cell] + offset
    numbers = (window - int(first.min())) * keys + key[cell]
    return reduce_by_code(numbers, tuple(column[cell] for column in columns), merges)


def _put_together(
    timeline: Timeline,
    query: tuple[Frames, Measure],
    suspects: Suspects,
    base: tuple[Instants, Columns],
    spans: tuple[Instants, Instants],
) -> Stakes:
    frames, measure = query
    first, missed = spans
    _check_amount(int(missed.sum()))
    suspect, offset = expand(missed)
    window = first[suspect] + offset
    lowest = int(frames.first(timeline.times.min()[None])[0])
    code = (window - lowest) * timeline.key_count + timeline.keys[suspects.row][suspect]
    need = suspects.clock[suspect] - frames.ends(window) + 1
    order = np.lexsort((need, code))
    suspect, code, need = suspect[order], code[order], need[order]
    starts = runs(code)
    columns = tuple(c[suspect] for c in _lift(timeline, measure, suspects.row))
    pairs = Pairs(suspect, frames.ends(window[order]), need, columns, starts)
    codes = np.union1d(base[0], code[starts])
    results = _results(codes, base, pairs, code[starts], measure)
    numbers = codes // timeline.key_count + lowest
    windows, per_window = np.unique(numbers, return_counts=True)
    results = Results(numbers, results.rows, results.touched, results.base, results.exact)
    return Stakes(frames, measure, suspects, pairs, results, windows, per_window)


def _results(
    codes: Instants,
    base: tuple[Instants, Columns],
    pairs: Pairs,
    touched_codes: Instants,
    measure: Measure,
) -> Results:
    merges, zeros = (np.add, *measure.merges), (0.0, *measure.zeros)
    rows = np.zeros(codes.size)
    rows[np.searchsorted(codes, base[0])] = base[1][0]
    touched = np.searchsorted(codes, touched_codes)
    at = np.searchsorted(base[0], touched_codes)
    known = np.append(base[0], -1)[at] == touched_codes
    own = tuple(
        np.where(known, np.append(column, zero)[at], zero)
        for column, zero in zip(base[1], zeros, strict=True)
    )
    whole = tuple(
        merge(mine, reduce_runs(merge, column, pairs.starts))
        for merge, mine, column in zip(merges, own, pairs.columns, strict=True)
    )
    rows[touched] = whole[0]
    return Results(codes, rows, touched, own, measure.get(whole[1:]))


def _check_codes(codes: int) -> None:
    if codes >= 1 << 62:
        raise SlackwaterError(
            "ADVISE_TOO_LARGE",
            "the time between the first and the last row holds too many panes for the keys",
            "check the time column for strays, or give a longer slide",
        )


def _check_amount(amount: int) -> None:
    if amount > MOST:
        raise SlackwaterError(
            "ADVISE_TOO_LARGE",
            f"{amount:,} pairs of a row and a window have to be looked at, {MOST:,} are possible",
            "give a longer slide, or a part of the recording",
        )
