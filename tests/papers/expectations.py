"""What is expected of the figures of the papers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def expected(paper: Path) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = json.loads((paper / "expected.json").read_text("utf-8"))
    return found["figures"]


def expected_in_a_quick_run(paper: Path) -> set[str]:
    return {name for name, entry in expected(paper).items() if entry.get("quick")}
