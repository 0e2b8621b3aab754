"""What controllers explain of their decisions, kept without knowing any controller by name.

Numbers stand in columns, one per controller and label, so that their course can be drawn; words
are kept as they were said last.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from slackwater.history.number import is_number

Value = float | str | None
Explained = dict[str, dict[str, Value]]  # by controller, by label
_BETWEEN = "/"


def field_of(controller: str, label: str) -> str:
    """The column of a label of a controller."""
    return f"{controller}{_BETWEEN}{label}"


def parts_of(field: str) -> tuple[str, str]:
    """Controller and label of a column."""
    controller, _, label = field.partition(_BETWEEN)
    return controller, label


def controller_columns(told: Sequence[object]) -> dict[str, list[Value]]:
    """By column: what each of some batches tells; labels that only ever are words are left out."""
    said = [explained(each) for each in told]
    fields = dict.fromkeys(
        (controller, label)
        for each in said
        for controller, labels in each.items()
        for label, value in labels.items()
        if isinstance(value, float)
    )
    return {
        field_of(controller, label): [each.get(controller, {}).get(label) for each in said]
        for controller, label in fields
    }


def newest_explained(batches: Sequence[dict[str, Any]]) -> dict[str, Explained]:
    """By query: the newest explanation that some batches tell."""
    newest: dict[str, object] = {}
    for batch in batches:
        queries = batch.get("queries")
        for name, query in queries.items() if isinstance(queries, dict) else ():
            if isinstance(query, dict) and "controllers" in query:
                newest[name] = query["controllers"]
    return {name: explained(told) for name, told in newest.items()}


def explained(told: object) -> Explained:
    """What can be shown of an explanation: numbers and words."""
    if not isinstance(told, dict):
        return {}
    return {
        str(controller): {
            str(label): float(value) if isinstance(value, int | float) else value
            for label, value in labels.items()
            if _can_be_shown(value)
        }
        for controller, labels in told.items()
        if isinstance(labels, dict)
    }


def _can_be_shown(value: object) -> bool:
    return value is None or isinstance(value, str) or is_number(value)
