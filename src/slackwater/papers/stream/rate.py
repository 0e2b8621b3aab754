"""Arrival rate: rows per time of the stream, weighted towards the recent past.

Reference: Ji 2018, ch. 4. Rows and spans decay separately, so a chunk in which the stream did not
progress adds rows and divides by nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from slackwater.errors import check_version

VERSION = 1


@dataclass(frozen=True, slots=True)
class RateParams:
    """``keep`` is the weight of the past against one more chunk."""

    keep: float = 0.99


@dataclass(frozen=True, slots=True)
class RateState:
    """Decayed sums of rows and of microseconds of event time."""

    rows: float = 0.0
    span: float = 0.0
    version: int = VERSION


class ArrivalRate:
    """Rate ``r`` of one stream.

    Examples
    --------
    >>> rate = ArrivalRate.start(RateParams())
    >>> for _ in range(5):
    ...     rate.update(rows=32, span=64_000)
    >>> rate.get() * 1_000_000
    500.0
    """

    def __init__(self, params: RateParams, state: RateState) -> None:
        self._keep = params.keep
        self._rows, self._span = state.rows, state.span

    @classmethod
    def start(cls, params: RateParams, state: RateState | None = None) -> ArrivalRate:
        check_version("arrival rate", state, VERSION)
        return cls(params, state or RateState())

    def snapshot(self) -> RateState:
        return RateState(self._rows, self._span)

    def update(self, rows: int, span: int) -> None:
        """Some more rows, during which the stream progressed by ``span`` microseconds."""
        self._rows = self._keep * self._rows + rows
        self._span = self._keep * self._span + span

    def get(self) -> float | None:
        """Rows per microsecond of event time, ``None`` while the stream has not progressed."""
        return self._rows / self._span if self._span > 0 else None
