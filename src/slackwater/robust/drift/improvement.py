"""What another placement is worth: coverage that is won, for what moving takes (Eq. 15)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from slackwater.robust.placement.placement import Placement


@dataclass(frozen=True, slots=True)
class Moving:
    """What it takes to move: bytes of the state of each operator, and how they travel.

    ``bandwidth`` in bytes a second; each operator that moves is suspended for ``pause`` seconds.
    """

    state: tuple[int, ...]
    bandwidth: float = 100e6
    pause: float = 0.5

    def seconds(self, before: Placement, after: Placement) -> float:
        """cost(migration)."""
        taken = (
            self.state[operator] / self.bandwidth + self.pause
            for operator in moved_operators(before, after)
        )
        return max(self.pause, sum(taken))


def moved_operators(before: Placement, after: Placement) -> list[int]:
    return [o for o, (a, b) in enumerate(zip(before, after, strict=True)) if a != b]


def improvement(cover: float, overlap: float, seconds: float, *, is_same: bool = False) -> float:
    """I, in percent a second: all shares are of the observed space; 0 if nothing moves."""
    return 0.0 if is_same else 100 * (cover - overlap) / seconds


def order_of_moves(
    before: Placement, after: Placement, state: Sequence[int], gain: Sequence[float]
) -> list[int]:
    """Operators in the order in which they move: most gain for its state first."""
    return sorted(moved_operators(before, after), key=lambda o: (-gain[o] / max(1, state[o]), o))
