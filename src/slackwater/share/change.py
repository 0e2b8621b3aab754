"""From one configuration to the next: what each reader may miss or get twice (Ji 2018, ch. 5).

A reader that is to wait less may miss rows that have already passed its new place; one that is to
wait longer meets rows again that it has had. Over runs the same is said of watermarks: a reader
goes on from where it was.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from slackwater.share.configuration import Chain, Configuration

Danger = Literal["none", "missing", "duplicate"]


@dataclass(frozen=True, slots=True)
class Move:
    """The wait between an operator and a child, ``K_a``, before and after."""

    operator: str
    child: str
    before: int
    after: int

    @property
    def danger(self) -> Danger:
        if self.after == self.before:
            return "none"
        return "missing" if self.after < self.before else "duplicate"


def moves(old: Configuration, new: Configuration) -> tuple[Move, ...]:
    """What changes for every child of every operator."""
    before = {
        (chain.operator, child): wait
        for chain in old.chains
        for child, wait in chain.waits().items()
    }
    return tuple(
        Move(chain.operator, child, before[chain.operator, child], wait)
        for chain in new.chains
        for child, wait in chain.waits().items()
    )


def can_stay(old: Chain, new: Chain) -> bool:
    """Whether the buffers of a chain may stay as they are, with other sizes and targets: *smart
    re-use*. Not if a child reads further up and yet waits longer.
    """
    before, after = old.waits(), new.waits()
    return not any(
        new.place(child) < old.place(child) and after[child] > before[child] for child in after
    )


def sizes_only(old: Configuration, new: Configuration) -> bool:
    """Whether buffers and readers stay where they are."""
    return [_shape(chain) for chain in old.chains] == [_shape(chain) for chain in new.chains]


def _shape(chain: Chain) -> tuple[str, int, tuple[tuple[str, int], ...]]:
    return chain.operator, len(chain.levels), tuple(_places(chain))


def _places(chain: Chain) -> Iterator[tuple[str, int]]:
    for child, _ in chain.targets:
        yield child, chain.place(child)
