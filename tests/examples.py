"""How many random examples a property is tried with: ``EXAMPLES=10`` tries ten times as many."""

from __future__ import annotations

import os

from hypothesis import settings

TIMES = int(os.environ.get("EXAMPLES", "1"))


def examples(count: int) -> settings:
    return settings(max_examples=count * TIMES)
