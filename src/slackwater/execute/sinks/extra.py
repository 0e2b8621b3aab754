"""Sinks that need packages of an extra: loaded when one is made, and never before."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from slackwater.errors import SinkError


def load(module: str, name: str, extra: str) -> Any:
    """What a module has under a name; a clear word if a package that it needs is not there."""
    try:
        return getattr(import_module(module), name)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("slackwater"):
            raise
        raise SinkError(
            "EXTRA_MISSING",
            f"{extra}: the package {error.name} is not installed",
            f"pip install 'slackwater[{extra}]'",
        ) from None
