"""Result sizes: how many results a join gave, and how many it should have given, of late.

Both are kept by adaptation interval ``L``, for as many intervals as a measurement period ``P``
has. What was produced is counted; what is true is the estimate made when an interval ends.

Reference: Ji 2018, ch. 4 (Result-Size Monitor).
"""

from __future__ import annotations

from collections import deque
from dataclasses import asdict, dataclass
from typing import Any

from slackwater.errors import SlackwaterError, check_version

VERSION = 1


@dataclass(frozen=True, slots=True)
class ResultSizeParams:
    """``period`` is ``P_meas`` and ``interval`` ``L_adt``, both in microseconds."""

    period: int
    interval: int

    def __post_init__(self) -> None:
        if self.interval <= 0 or self.period < self.interval or self.period % self.interval:
            raise SlackwaterError(
                "PERIOD_INVALID",
                f"result sizes: period {self.period} and interval {self.interval}",
                "the period is a whole number of intervals, at least one",
            )

    @property
    def intervals(self) -> int:
        return self.period // self.interval


@dataclass(frozen=True, slots=True)
class ResultSizeState:
    """Produced and true results of the last intervals, oldest first, and of the open one."""

    produced: tuple[float, ...] = ()
    true: tuple[float, ...] = ()
    current: float = 0
    version: int = VERSION

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> ResultSizeState:
        return cls(**{**value, "produced": tuple(value["produced"]), "true": tuple(value["true"])})


class ResultSizes:
    """The monitor of one result stream.

    Examples
    --------
    >>> sizes = ResultSizes.start(ResultSizeParams(period=3, interval=1))
    >>> for produced, true in ((9, 10), (8, 10), (7, 10), (6, 10)):
    ...     sizes.update(produced)
    ...     sizes.close(true)
    >>> sizes.produced(), sizes.produced(but_one=True), sizes.true(but_one=True)
    (21, 13, 20)
    """

    def __init__(self, params: ResultSizeParams, state: ResultSizeState) -> None:
        self._produced = deque(state.produced, maxlen=params.intervals)
        self._true = deque(state.true, maxlen=params.intervals)
        self._current = state.current
        self._intervals = params.intervals

    @classmethod
    def start(cls, params: ResultSizeParams, state: ResultSizeState | None = None) -> ResultSizes:
        check_version("result sizes", state, VERSION)
        return cls(params, state or ResultSizeState())

    def snapshot(self) -> ResultSizeState:
        return ResultSizeState(tuple(self._produced), tuple(self._true), self._current)

    def update(self, results: float) -> None:
        """Some more results of the open interval."""
        self._current += results

    def close(self, true: float) -> None:
        """End of an interval that should have given about ``true`` results."""
        self._produced.append(self._current)
        self._true.append(true)
        self._current = 0

    def produced(self, *, but_one: bool = False) -> float:
        """``N_prod(P)`` over the closed intervals, or ``N_prod(P - L)``."""
        return sum(self._newest(self._produced, but_one=but_one))

    def true(self, *, but_one: bool = False) -> float:
        """``N_true(P)`` over the closed intervals, or ``N_true(P - L)``."""
        return sum(self._newest(self._true, but_one=but_one))

    def _newest(self, sizes: deque[float], *, but_one: bool) -> list[float]:
        wanted = self._intervals - but_one
        return list(sizes)[-wanted:] if wanted else []
