"""Imported by every Python of a worker that finds it: files take their time."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable
from typing import Any


def _slowly(call: Callable[..., Any]) -> Callable[..., Any]:
    def late(*given: Any, **named: Any) -> Any:
        time.sleep(random.random() * 0.2)
        return call(*given, **named)

    return late


for _name in ("fsync", "stat", "replace"):
    setattr(os, _name, _slowly(getattr(os, _name)))
