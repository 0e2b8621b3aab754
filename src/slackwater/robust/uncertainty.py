"""How far an estimate is trusted, by how it was obtained (spec robust 1.4; Kabra and DeWitt 1998).

Of the source work is only that a training sample is level 1; the rest of the scale is ours.
"""

from __future__ import annotations

from typing import Literal

LEVELS = range(6)  # 0 is certain, 5 is known by nobody
STEP = 0.1  # of the estimate, for each level

Source = Literal["measured", "sample", "histogram", "independence", "several", "guess"]

LEVEL_OF: dict[Source, int] = {
    "measured": 0,  # exact, on this stream
    "sample": 1,  # from a representative training sample
    "histogram": 2,  # from a histogram or a catalogue
    "independence": 3,  # derived, with one assumption of independence
    "several": 4,  # derived, with several
    "guess": 5,  # a magic constant, or nothing at all
}


def uncertainty_level(source: Source) -> int:
    """U: the level of an estimate.

    >>> uncertainty_level("sample")
    1
    """
    return LEVEL_OF[source]
