"""Resources: what a query may take of the machine."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Resources:
    """Limits for the state of a join and for the work on it."""

    memory: str | int | None = None
    cpu: float | None = None


def resources(*, memory: str | int | None = None, cpu: float | None = None) -> Resources:
    """Limits within which the plan of a join is chosen.

    Of the plans that are within them the one with least work runs; where none is, the one that
    comes nearest, and a notice says what it would need.

    Parameters
    ----------
    memory
        What inputs and inner nodes of the join may hold: bytes, or a text such as ``"512 MB"``.
    cpu
        The share of the time between two batches that joining may take, e.g. ``0.8``.

    Examples
    --------
    >>> resources(memory="512 MB", cpu=0.8)
    Resources(memory='512 MB', cpu=0.8)
    """
    return Resources(memory, cpu)
