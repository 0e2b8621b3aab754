"""Decisions and control state as plain values, and back: one codec for all records.

Memory and orders of a controller have the types it declares. What a controller that is gone left
behind is forgotten.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

from msgspec import convert, to_builtins

from slackwater.control import version4
from slackwater.control.records import STATE_VERSION, ControlState, Decision
from slackwater.control.step import CONTROLLERS, Controllers
from slackwater.errors import CheckpointError

R = TypeVar("R", ControlState, Decision)


def plain(record: ControlState | Decision) -> dict[str, Any]:
    """A record as JSON can write it."""
    value: dict[str, Any] = to_builtins(record)
    return value


def read_state(value: Mapping[str, Any], controllers: Controllers = CONTROLLERS) -> ControlState:
    """The state that was written, by this version or the one before."""
    found = _read(version4.state(value) if value["version"] == 4 else value, ControlState)
    kinds = {one.name: one.memory for one in controllers}
    queries = {
        name: replace(memory, controllers=_typed(memory.controllers, kinds))
        for name, memory in found.queries.items()
    }
    return replace(found, queries=queries)


def read_decision(value: Mapping[str, Any], controllers: Controllers = CONTROLLERS) -> Decision:
    """The decision that was written, by this version or the one before."""
    found = _read(value if "version" in value else version4.decision(value), Decision)
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
