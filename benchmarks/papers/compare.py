"""Figures of a source work and ours side by side."""

from __future__ import annotations

import json
from pathlib import Path


def compare(found: dict[str, float], expected: Path, *, is_quick: bool) -> bool:
    """Print paper, ours and verdict; give whether all is as expected of this code.

    ``expected`` is a JSON file with ranges per figure: ``claim``, where the statement of the source
    work holds (``null`` if it makes none), ``ours``, where this code is expected to be, and
    ``quick``, where it is in a quick run (none if such a run does not tell).
    """
    known = json.loads(expected.read_text(encoding="utf-8"))
    is_fine = True
    print(f"| {'figure':46} | {'paper':>16} | {'ours':>10} | {'claim':8} | expected |")
    print(f"|{'-' * 48}|{'-' * 17}:|{'-' * 11}:|{'-' * 10}|{'-' * 10}|")
    for name, entry in known["figures"].items():
        ours = entry.get("quick" if is_quick else "ours")
        if name not in found or ours is None:
            continue
        value = found[name]
        claim = "-"
        if entry["claim"] is not None:
            claim = "holds" if _within(value, entry["claim"]) else "differs"
        is_known = _within(value, ours)
        is_fine = is_fine and is_known
        verdict = "yes" if is_known else f"NO {ours}"
        print(f"| {name:46} | {entry['paper']:>16} | {value:10.4g} | {claim:8} | {verdict:8} |")
    return is_fine


def _within(value: float, bounds: list[float | None]) -> bool:
    low, high = bounds
    return (low is None or value >= low) and (high is None or value <= high)
