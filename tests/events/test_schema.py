"""The schema is written down once, in code, and told in full in the manual."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from slackwater.events.schema import KINDS, VERSION, Kind
from tests.events.story import batch, ranked

ROOT = Path(__file__).resolve().parents[2]
MANUAL = (ROOT / "docs" / "events-and-metrics.md").read_text(encoding="utf-8")


def undocumented(event: dict[str, Any]) -> list[str]:
    """Fields of an event that the schema does not list."""
    kind = next(kind for kind in KINDS if kind.name == event["event"])
    patterns = [re.sub(r"<\w+>", "*", field.name) for field in kind.fields]
    rest = {key: value for key, value in event.items() if key not in ("event", "at")}
    return [path for path in _paths(rest) if not any(_fits(path, p) for p in patterns)]


def _paths(value: Any, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    if not isinstance(value, dict):
        return [path]
    return [found for key, inner in value.items() for found in _paths(inner, (*path, key))]


def _fits(path: tuple[str, ...], pattern: str) -> bool:
    parts = pattern.split(".")
    return len(path) >= len(parts) and all(
        part in ("*", name) for part, name in zip(parts, path, strict=False)
    )


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_the_manual_lists_every_field(kind: Kind) -> None:
    section = re.search(rf"^### `{kind.name}`\n(.*?)(?=^##)", MANUAL, re.DOTALL | re.MULTILINE)
    assert section is not None
    rows = re.findall(r"^\| `([^`]+)` \| ([^|]+) \| (.+) \|$", section[1], re.MULTILINE)
    assert rows == [(field.name, field.unit, field.meaning) for field in kind.fields]


def test_the_manual_names_the_version() -> None:
    assert f"The schema has version {VERSION}" in MANUAL


def test_the_stories_of_these_tests_keep_to_the_schema() -> None:
    assert undocumented({"event": "batch", **batch(3)}) == []
    assert undocumented({"event": "batch", **ranked(3)}) == []
    assert undocumented({"event": "batch", "batch": 1, "new": 2}) == [("new",)]
