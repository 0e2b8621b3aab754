"""Mean lead of a stream: how far it was ahead of the slowest stream, over recent history.

A synchronisation buffer holds a fast stream back for about its lead, which acts like additional
slack, ``K_i^sync``. With one common K the skew behind the K-slack buffers is that of the raw
streams, so the lead is sampled there: ``T_i - min_j T_j`` at every arrival of stream i.

Reference: Ji 2018, ch. 3, 4 (proposition). Samples live as long as the delays in the window of
recent history ``R_i^stat``: what the window drops is forgotten here, too.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from slackwater.errors import check_version

VERSION = 1


@dataclass(frozen=True, slots=True)
class LeadState:
    """Chunks of samples, oldest first: how many, and their sum."""

    chunks: tuple[tuple[int, int], ...] = ()
    version: int = VERSION

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> LeadState:
        return cls(tuple((items, total) for items, total in value["chunks"]), value["version"])


class MeanLead:
    """The mean lead of one stream; it has no parameters, so two types instead of three.

    Examples
    --------
    >>> lead = MeanLead.start()
    >>> lead.update(items=2, total=10)
    >>> lead.update(items=2, total=30)
    >>> lead.get()
    10.0
    >>> lead.forget(2)
    >>> lead.get()
    15.0
    """

    def __init__(self, state: LeadState) -> None:
        self._chunks = deque(state.chunks)
        self._items = sum(items for items, _ in self._chunks)
        self._total = sum(total for _, total in self._chunks)

    @classmethod
    def start(cls, state: LeadState | None = None) -> MeanLead:
        check_version("mean lead", state, VERSION)
        return cls(state or LeadState())

    def snapshot(self) -> LeadState:
        return LeadState(tuple(self._chunks))

    def update(self, items: int, total: int) -> None:
        """Add some consecutive samples by their number and sum, microseconds."""
        self._chunks.append((items, total))
        self._items += items
        self._total += total

    def forget(self, items: int) -> None:
        """Drop the oldest samples, whole chunks of them, as the window of delays did."""
        while items > 0 and self._chunks:
            gone, total = self._chunks.popleft()
            items -= gone
            self._items -= gone
            self._total -= total

    def get(self) -> float | None:
        """Mean of the samples in microseconds, ``None`` without any."""
        return self._total / self._items if self._items else None


def sync_sizes(leads: Mapping[str, float | None]) -> dict[str, float]:
    """``K_i^sync ≈ avg_i - min_j avg_j`` of every stream; 0 while a lead is unknown.

    >>> sync_sizes({"a": 25.0, "b": 5.0})
    {'a': 20.0, 'b': 0.0}
    """
    known = [lead for lead in leads.values() if lead is not None]
    if len(known) < len(leads):
        return dict.fromkeys(leads, 0.0)
    least = min(known, default=0.0)
    return {name: (lead or 0.0) - least for name, lead in leads.items()}
