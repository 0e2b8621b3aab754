"""Decisions and control state as plain values, and back: one codec for all records.

Memory and orders of a controller have the types it declares. What a controller that is gone left
behind is forgotten.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

from msgspec import convert, to_builtins

from slackwater.control import saved_version4
from slackwater.control.prods import ProdMemory
from slackwater.control.records import (
    STATE_VERSION,
    ControlState,
    Decision,
    Metered,
    QueryMemory,
    without_last,
)
from slackwater.control.step import CONTROLLERS, Controllers
from slackwater.errors import CheckpointError

R = TypeVar("R", ControlState, Decision)


def plain(record: ControlState | Decision) -> dict[str, Any]:
    """A record as JSON can write it."""
    value: dict[str, Any] = to_builtins(record)
    return value


def read_state(
    value: Mapping[str, Any],
    controllers: Controllers = CONTROLLERS,
    *,
    manifest: Mapping[str, Any] | None = None,
) -> ControlState:
    """The state that was written, by this version or the one before.

    Version 4 kept what was measured in the manifest, beside the state.
    """
    is_old = value["version"] == 4
    found = _read(saved_version4.state(value, manifest or {}) if is_old else value, ControlState)
    kinds = {one.name: one.memory for one in controllers}
    queries = {
        name: replace(memory, controllers=_typed(memory.controllers, kinds))
        for name, memory in found.queries.items()
    }
    return replace(found, queries=queries)


def read_after(
    value: Mapping[str, Any], before: ControlState, controllers: Controllers = CONTROLLERS
) -> ControlState:
    """The state that a decision leaves, written with it before it was applied.

    In version 4 it did not hold what was measured ``before``; that is still known.
    """
    after = read_state(value, controllers)
    if value["version"] != 4:
        return after
    queries = {name: _measured(one, before.of(name)) for name, one in after.queries.items()}
    return replace(after, queries=queries)


def _measured(after: QueryMemory, before: QueryMemory) -> QueryMemory:
    """The memory with all that was measured before."""
    found: dict[str, object] = {}
    for name, one in after.controllers.items():
        past = before.controllers.get(name)
        if isinstance(one, Metered) and isinstance(past, Metered):
            found[name] = replace(one, quality=without_last(past.quality))
        elif isinstance(one, ProdMemory) and isinstance(past, ProdMemory):
            found[name] = replace(one, accuracy=past.accuracy)
    return replace(after, controllers=after.controllers | found)


def read_decision(value: Mapping[str, Any], controllers: Controllers = CONTROLLERS) -> Decision:
    """The decision that was written, by this version or the one before."""
    found = _read(value if "version" in value else saved_version4.decision(value), Decision)
    kinds = {one.name: one.order for one in controllers if one.order is not None}
    queries = {
        name: replace(query, orders=_typed(query.orders, kinds))
        for name, query in found.queries.items()
    }
    return replace(found, queries=queries)


def _typed(values: dict[str, object], kinds: Mapping[str, type]) -> dict[str, object]:
    return {name: convert(one, kinds[name]) for name, one in values.items() if name in kinds}


def _read(value: Mapping[str, Any], kind: type[R]) -> R:
    if value["version"] != STATE_VERSION:
        raise CheckpointError(
            "STATE_VERSION_UNKNOWN",
            f"control: saved with version {value['version']}, known is {STATE_VERSION}",
            "restart from the version that wrote it, or without saved state",
        )
    return convert(value, kind)
