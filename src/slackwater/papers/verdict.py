"""Figures of a source work and ours side by side: where the claim holds, where ours should be."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

Range = tuple[float | None, float | None]  # least and most; None is open


@dataclass(frozen=True, slots=True)
class Verdict:
    """One figure.

    ``paper`` is what the source work says, ``ours`` what came out (``None`` if nothing did),
    ``holds`` whether its claim is true of ours (``None`` if it makes none), ``expected`` the range
    in which this code was found before.
    """

    figure: str
    paper: str
    ours: float | None
    holds: bool | None
    expected: Range

    @property
    def is_expected(self) -> bool:
        return self.ours is not None and _is_within(self.ours, self.expected)


def judge(found: Mapping[str, float], expected: Path, *, is_quick: bool) -> tuple[Verdict, ...]:
    """Compare figures with what is expected of them.

    ``expected`` is a JSON file with ranges per figure: ``claim``, where the statement of the source
    work holds (``null`` if it makes none), ``ours``, where this code is expected to be, and
    ``quick``, where it is in a quick run (none if such a run does not tell).
    """
    known = json.loads(expected.read_text(encoding="utf-8"))["figures"]
    scale = "quick" if is_quick else "ours"
    return tuple(
        Verdict(
            figure=name,
            paper=entry["paper"],
            ours=found.get(name),
            holds=_holds(found.get(name), entry["claim"]),
            expected=(entry[scale][0], entry[scale][1]),
        )
        for name, entry in known.items()
        if entry.get(scale) is not None
    )


def _holds(value: float | None, claim: list[float | None] | None) -> bool | None:
    return None if value is None or claim is None else _is_within(value, (claim[0], claim[1]))


def _is_within(value: float, bounds: Range) -> bool:
    low, high = bounds
    return (low is None or value >= low) and (high is None or value <= high)
