"""How many random examples a property is tried with: a few all day, many where there is time."""

from __future__ import annotations

import os

from hypothesis import settings

IS_DEEP = os.environ.get("EXAMPLES") == "many"


def examples(few: int, many: int) -> settings:
    return settings(max_examples=many if IS_DEEP else few)
