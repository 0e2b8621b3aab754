"""Sliding-window aggregate behind a buffer: the complete single-query engine, tuple at a time.

Window, aggregate and Istream are one fused operator over panes of gcd(W, β). A result carries its
window's endpoint, so each one is new and Istream emits every window exactly once.

**When a window fires** (upper endpoint ``EP``, K-slack ``K``, local current time ``T``):

* ``fire_on="pass"``: when the buffer releases the first tuple with ``ts > EP``. The default.
* ``fire_on="reach"``: with the first released tuple of ``ts >= EP``, that tuple included. The
  literal reading of the source work's example; where tuples share a timestamp it misses some even
  in an ordered stream.
* ``fire_on="watermark"``: when ``T - K`` passes ``EP``, released tuple or not. This is the rule of
  the Spark engine: watermark = clock - slack, windows ``[start, end)`` close when
  ``end <= watermark``.

**How K-slack and the engine relate.** For constant K, ``"watermark"`` gives every window the same
content as the engine with one row per batch. ``"pass"`` needs more: a tuple beyond the window with
``EP < ts <= T - K`` that is released. So it fires at the same arrival or a later one, and a window
holds what the engine's window holds, plus exactly those of its tuples that arrive after ``T - K``
passed ``EP`` and before such a tuple is released (the engine calls them late). The contents are
equal whenever such a tuple has already arrived when ``T - K`` passes ``EP``; always so for K = 0.

Reference: Ji 2018, ch. 3 (late tuples), ch. 4 (firing); deviations: windows without tuples are
skipped unless asked for, insertion precedes firing (same results, and right for ``"reach"``),
heartbeats fire like a watermark.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, Generic, Literal, TypeVar

from slackwater.errors import check_version
from slackwater.papers.slack_ji2018.operators.coverage import Coverage, WindowCounters
from slackwater.papers.slack_ji2018.operators.panes import Pane, Panes
from slackwater.papers.stream.kslack import Buffer
from slackwater.papers.stream.monoids import Monoid
from slackwater.papers.stream.windows import TimeWindow
from slackwater.stats.arrival import Arrival, Delayed

P = TypeVar("P")

VERSION = 1

FireOn = Literal["pass", "reach", "watermark"]
LatePolicy = Literal["insert_useful", "drop_all_late"]


def _payload(payload: Any) -> Any:
    return payload


@dataclass(frozen=True, slots=True)
class SWAParams:
    """A sliding-window aggregate query.

    Parameters
    ----------
    window
        Size, slide and convention of the window.
    aggregate
        ``COUNT``, ``SUM``, ``AVG``, ``MIN``, ``MAX``, ``quantile(p)`` or a ``Monoid`` of your own.
    value
        The value to aggregate, from the payload.
    fire_on
        When a window fires, see above.
    late
        What happens to a tuple still late behind the buffer: ``"insert_useful"`` counts it for
        windows that have not fired and drops it if there is none; ``"drop_all_late"`` drops it.
    emit_empty
        Whether a window without tuples gives a result.
    """

    window: TimeWindow
    aggregate: Monoid[Any, Any, Any]
    value: Callable[[Any], Any] = _payload
    fire_on: FireOn = "pass"
    late: LatePolicy = "insert_useful"
    emit_empty: bool = False


@dataclass(frozen=True, slots=True)
class WindowResult:
    """The answer for one window, given when the stream had progressed to ``emitted_at``."""

    end: int
    value: Any
    rows: int
    emitted_at: int

    @property
    def latency(self) -> int:
        """Logical latency: event-time progress of the stream beyond the window."""
        return self.emitted_at - self.end


@dataclass(frozen=True, slots=True)
class SWAState:
    """Saved operator, without its buffer."""

    next_end: int | None = None
    time: int | None = None
    late: int = 0
    dropped: int = 0
    panes: tuple[tuple[int, Pane], ...] = ()
    counters: tuple[tuple[int, Coverage], ...] = ()
    version: int = VERSION


class SWA(Generic[P]):
    """The operator; ``on_window`` hears of every result at once and may resize the buffer.

    Examples
    --------
    >>> from slackwater.papers.stream.baselines import fixed_slack
    >>> from slackwater.papers.stream.monoids import COUNT
    >>> from slackwater.stats.arrival import arrivals
    >>> swa = SWA.start(SWAParams(TimeWindow(10, 10), COUNT), fixed_slack(2))
    >>> for arrival in arrivals([3, 9, 11, 10, 14]):
    ...     for result in swa.update(arrival):
    ...         print(result)
    WindowResult(end=10, value=3, rows=3, emitted_at=14)
    """

    def __init__(
        self,
        params: SWAParams,
        buffer: Buffer[P],
        state: SWAState,
        on_window: Callable[[WindowResult], None] | None,
    ) -> None:
        self.params = params
        self.buffer = buffer
        self.counters = WindowCounters(state.counters)
        self._on_window = on_window
        self._next_end = state.next_end
        self._time = state.time
        self._late, self._dropped = state.late, state.dropped
        self._panes = Panes(params.window, params.aggregate, state.panes)

    @classmethod
    def start(
        cls,
        params: SWAParams,
        buffer: Buffer[P],
        state: SWAState | None = None,
        *,
        on_window: Callable[[WindowResult], None] | None = None,
    ) -> SWA[P]:
        check_version("window aggregate", state, VERSION)
        return cls(params, buffer, state or SWAState(), on_window)

    def snapshot(self) -> SWAState:
        panes, counters = self._panes.snapshot(), self.counters.snapshot()
        return SWAState(self._next_end, self._time, self._late, self._dropped, panes, counters)

    @property
    def time(self) -> int | None:
        """Local current time behind the buffer, ``T'``."""
        return self._time

    @property
    def late(self) -> int:
        """Tuples that were still late behind the buffer."""
        return self._late

    @property
    def dropped(self) -> int:
        """Late tuples that entered no window at all."""
        return self._dropped

    def update(self, arrival: Arrival[P]) -> list[WindowResult]:
        """Take in the next tuple of the raw stream; give the results of windows that fire."""
        self.buffer.push(arrival)
        results = list(self._take_released())
        if self.params.fire_on == "watermark":
            results += self._fire_passed()
        return results

    def advance_to(self, instant: int) -> list[WindowResult]:
        """A heartbeat of an idle stream: fires every window that ``T - K`` has passed."""
        self.buffer.push_time(instant)
        return [*self._take_released(), *self._fire_passed()]

    def finish(self) -> list[WindowResult]:
        """End of stream: flush the buffer and fire every window that holds a tuple."""
        results = [result for delayed in self.buffer.flush() for result in self._take(delayed)]
        newest = self._panes.newest
        if newest is not None:
            results += self._fire(newest + self.params.window.size)
        return results

    def _take_released(self) -> Iterator[WindowResult]:
        # One by one: a result may change K, which the next release test must already use.
        while (delayed := self.buffer.pop()) is not None:
            yield from self._take(delayed)

    def _take(self, delayed: Delayed[P]) -> Iterator[WindowResult]:
        position = self.params.window.position(delayed.ts)
        if self._next_end is None:
            self._next_end = self.params.window.end_from(position)
        self._insert(delayed, is_late=self._time is not None and delayed.ts < self._time)
        self._time = delayed.ts if self._time is None else max(self._time, delayed.ts)
        if self.params.fire_on == "pass":
            yield from self._fire(position)
        elif self.params.fire_on == "reach":
            yield from self._fire(position + 1)

    def _insert(self, delayed: Delayed[P], *, is_late: bool) -> None:
        assert self._next_end is not None
        ends = self.params.window.ends_of(delayed.ts)
        first_open = self._next_end
        if is_late and self.params.late == "drop_all_late":
            first_open = ends.stop
        fired = list(takewhile(lambda end: end < first_open, ends))
        still_open = ends[len(fired) :]
        self.counters.miss(fired)
        self.counters.receive(still_open)
        self._late += is_late
        if still_open:
            self._panes.add(delayed.ts, self.params.value(delayed.arrival.payload))
        elif is_late:
            self._dropped += 1

    def _fire_passed(self) -> Iterator[WindowResult]:
        if self.buffer.time is None:
            return
        passed = self.params.window.position(self.buffer.time - self.buffer.size)
        if self._next_end is None:
            self._next_end = self.params.window.end_from(passed)
        yield from self._fire(passed)

    def _fire(self, before: int) -> Iterator[WindowResult]:
        """Fire the windows that end before a position, oldest first."""
        self._skip_empty(before)
        while self._next_end is not None and self._next_end < before:
            result = self._result(self._next_end)
            self._next_end += self.params.window.slide
            self._panes.forget_before(self._next_end)
            if self._on_window is not None:
                self._on_window(result)
            yield result
            self._skip_empty(before)

    def _skip_empty(self, before: int) -> None:
        """Jump over windows without tuples, so that a long silence costs nothing."""
        if self.params.emit_empty or self._next_end is None:
            return
        oldest = self._panes.oldest
        filled = before if oldest is None else min(before, oldest)
        self._next_end = max(self._next_end, self.params.window.end_from(filled))

    def _result(self, end: int) -> WindowResult:
        time, pane = self.buffer.time, self._panes.combine(end)
        assert time is not None
        return WindowResult(end, self.params.aggregate.get(pane.partial), pane.rows, time)
