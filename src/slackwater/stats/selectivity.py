"""Selectivity of a filter: the share of rows that pass, weighted towards the recent past.

Reference: Ji 2018 (filter selectivity). Rows seen and rows passed decay separately, so the share is
that of rows and not of chunks.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from slackwater.errors import SlackwaterError, check_version

VERSION = 1


@dataclass(frozen=True, slots=True)
class SelectivityParams:
    """``keep`` is the weight of the past against one more chunk; 1 forgets nothing."""

    keep: float = 0.99

    def __post_init__(self) -> None:
        if not 0 <= self.keep <= 1:
            raise SlackwaterError(
                "SELECTIVITY_INVALID", f"selectivity: keep is {self.keep}, it must be in [0, 1]"
            )


@dataclass(frozen=True, slots=True)
class SelectivityState:
    """Decayed numbers of rows."""

    seen: float = 0.0
    passed: float = 0.0
    version: int = VERSION

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> SelectivityState:
        return cls(**value)


class Selectivity:
    """Selectivity ``f`` of one filter.

    Examples
    --------
    >>> monitor = Selectivity.start(SelectivityParams())
    >>> for _ in range(5):
    ...     monitor.update(seen=100, passed=25)
    >>> monitor.get()
    0.25
    """

    def __init__(self, params: SelectivityParams, state: SelectivityState) -> None:
        self._keep = params.keep
        self._seen, self._passed = state.seen, state.passed

    @classmethod
    def start(cls, params: SelectivityParams, state: SelectivityState | None = None) -> Selectivity:
        check_version("selectivity", state, VERSION)
        return cls(params, state or SelectivityState())

    def snapshot(self) -> SelectivityState:
        return SelectivityState(self._seen, self._passed)

    def update(self, seen: int, passed: int) -> None:
        """Some more rows, and how many of them passed."""
        self._seen = self._keep * self._seen + seen
        self._passed = self._keep * self._passed + passed

    def get(self) -> float | None:
        """Share of rows that pass, ``None`` while none was seen."""
        return self._passed / self._seen if self._seen > 0 else None
