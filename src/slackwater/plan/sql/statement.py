"""A statement: SQL that says what it reads and which parameters it takes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Statement:
    """SQL over named relations; whoever runs it needs to know nothing else."""

    text: str
    reads: tuple[str, ...]
    parameters: tuple[str, ...] = ()
