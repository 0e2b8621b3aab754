"""What is measured of streams and of an engine, beyond what the engine counts itself.

Reference: Zhu 2006, ch. 10 (statistics that the optimiser is given).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from slackwater.papers.adaptive_zhu2006.operators.engine import Engine
from slackwater.papers.adaptive_zhu2006.operators.row import Single

WORD = 8  # bytes of a value, and of a timestamp


def rates(recent: Iterable[Single], length: float) -> dict[str, float]:
    """Tuples a second of every stream, from those of the last ``length`` milliseconds."""
    counts = Counter(single.stream for single in recent)
    return {stream: count * 1000 / length for stream, count in sorted(counts.items())}


def bytes_kept(engine: Engine) -> int:
    """Values and timestamps of all rows in states, a word each, as if no row shared another's."""
    return WORD * sum(
        len(one.values) + 1
        for running in engine.running
        for state in running.states
        for row in state
        for one in row.parts.values()
    )
