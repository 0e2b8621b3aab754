"""Functions that a pipeline file names by where they are imported from: ``module:function``."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from slackwater.errors import Problem
from slackwater.frontends.toml.model import ApplyTable, CallsTable, FilterTable
from slackwater.query.stream import Stream
from slackwater.units import fingerprint

Found = Callable[..., Any]


def called(
    stream: Stream, table: CallsTable, where: str, base: Path, problems: list[Problem]
) -> Stream:
    """The stream with the functions of a table, filters first."""
    for number, one in enumerate(table.filter or (), start=1):
        function = imported(one, f"{where}.filter[{number}]", base, problems)
        if function is not None:
            stream = stream.where(function, **one.said("name", "order", "effects"))
    for number, step in enumerate(table.apply or (), start=1):
        function = imported(step, f"{where}.apply[{number}]", base, problems)
        if function is not None:
            stream = stream.apply(function, **step.said("returns", "name", "effects"))
            for predicate in step.where or ():
                stream = stream.where(predicate)
    return stream


def imported(
    table: FilterTable | ApplyTable, where: str, base: Path, problems: list[Problem]
) -> Found | None:
    """The function of a table; ``None``, with the problem told, if there is none."""
    text = table.function
    module, _, name = text.partition(":")
    if not module or not name.isidentifier():
        hint = 'e.g. "models:is_risky", with models.py beside this file, or installed'
        problems.append(Problem("FUNCTION_IMPORT", where, f"{text!r} is no module:function", hint))
        return None
    try:
        found = getattr(_module(module, base), name, None)
    except Exception as error:  # noqa: BLE001 - whatever a person's module does when it is read
        reason = f"{type(error).__name__}: {error}"
        hint = f"it is looked for in {base}, and where Python looks"
        text = f"module {module!r} cannot be imported: {reason}"
        problems.append(Problem("FUNCTION_IMPORT", where, text, hint))
        return None
    if not callable(found):
        text = f"there is no function {name!r} in module {module!r}"
        problems.append(Problem("FUNCTION_IMPORT", where, text))
        return None
    return found  # type: ignore[no-any-return]


def _module(name: str, base: Path) -> ModuleType:
    """A module of a file beside the pipeline file, else one that Python finds.

    One from a file has a name of its own: files of several folders may be called alike.
    """
    file = base / f"{name}.py"
    if not file.is_file():
        return importlib.import_module(name)
    own = f"{name}_{fingerprint(str(file.resolve()))}"
    if own not in sys.modules:
        spec = importlib.util.spec_from_file_location(own, file)
        assert spec is not None
        assert spec.loader is not None
        sys.modules[own] = module = importlib.util.module_from_spec(spec)
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[own]
            raise
    return sys.modules[own]
