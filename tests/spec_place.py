"""Where does a test show what it shows: on Spark, in the engine without it, or in replay only?

Nobody keeps a list; the place of a test is read from what it uses:

``spark``
    It runs the engine on Spark: it has the ``spark`` fixture, or kills or spreads its processes.
``engine``
    It runs the loop of the engine, its state and sinks, over Arrow tables: it, or a helper beside
    it, uses :mod:`tests.driver` or :mod:`slackwater.testing`.
``core``
    It runs code without Spark that the engine calls: every name of the package that the test
    module takes and the test uses is used by the engine, too (or is given to people).
``replay``
    The rest: tests of the replay and of the papers, and of code that the engine does not call.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import CodeType
from typing import Literal

import pytest

Place = Literal["spark", "engine", "core", "replay"]
PLACES: tuple[Place, ...] = ("spark", "engine", "core", "replay")  # the first is worth most

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src"
ENGINE, NOT_ENGINE = "slackwater.spark", ("slackwater.bench",)
SPARK = "tests/spark"
RUNNING = {
    (module, name)
    for module in ("tests.driver", "slackwater.testing")
    for name in ("Driver", "feed", "make_loop", "run")
}
REPLAYED = ("tests/replay", "tests/papers")
# what every test may use without saying anything
PLAIN = ("slackwater.errors", "slackwater.units")


def place_of(item: pytest.Item) -> Place:
    if any(item.get_closest_marker(name) for name in ("spark", "cluster")):
        return "spark"
    if "spark" in getattr(item, "fixturenames", ()):
        return "spark"
    path = item.path.resolve()
    if path.is_relative_to(ROOT / SPARK) and item.get_closest_marker("kill"):
        return "spark"  # processes of their own, each with its Spark
    if any(path.is_relative_to(ROOT / folder) for folder in REPLAYED):
        return "replay"
    function = getattr(item, "function", None)
    inner = getattr(getattr(function, "hypothesis", None), "inner_test", function)
    used = _names(inner.__code__) if inner is not None else set()
    if "driver" in getattr(item, "fixturenames", ()) or drives(path, used):
        return "engine"
    return place_of_names(path, used)


def drives(path: Path, used: set[str]) -> bool:
    """Whether a test that uses these names of its module runs a loop, itself or by a helper."""
    known, waiting, seen = _functions(path), set(used), set[str]()
    drivers = set(_drivers(path))
    while waiting:
        name = waiting.pop()
        if name in drivers:
            return True
        seen.add(name)
        waiting |= known.get(name, set()) - seen
    return False


def place_of_names(path: Path, used: set[str]) -> Place:
    """The place of a test that uses these names of its module."""
    taken = {here: source for here, source in _taken(path) if not source[0].startswith(PLAIN)}
    judged = {here: taken[here] for here in used & taken.keys()} or taken
    if not judged:
        return "replay"
    return "core" if all(_is_called(*source) for source in judged.values()) else "replay"


@cache
def _functions(path: Path) -> dict[str, set[str]]:
    """Functions, classes and constants of a module, with the names that each of them uses."""
    return {
        name: {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
        for node in _tree(path).body
        for name in _defined(node)
    }


def _defined(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else ()
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _drivers(path: Path) -> Iterator[str]:
    """Names of a module that run loops."""
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if (node.module, alias.name) in RUNNING:
                    yield alias.asname or alias.name


def _names(code: CodeType) -> set[str]:
    inner = [_names(part) for part in code.co_consts if isinstance(part, CodeType)]
    return set(code.co_names).union(*inner)


def _is_called(module: str, name: str) -> bool:
    if module == "slackwater" or name in _public():
        return True
    return module in engine_modules() and name in _called()


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _imports(path: Path) -> Iterator[tuple[str, str]]:
    """Module and name of every import, ``""`` for a whole module."""
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                yield node.module, alias.name
        elif isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, ""


def _taken(path: Path) -> Iterator[tuple[str, tuple[str, str]]]:
    """Names that a test module has from the package; the module and name that they are there."""
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("slackwater"):
            for alias in node.names:
                yield alias.asname or alias.name, (node.module or "", alias.name)


@cache
def _modules() -> dict[str, Path]:
    found = {}
    for path in (SOURCE / "slackwater").rglob("*.py"):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def engine_modules() -> frozenset[str]:
    """Every module that the engine loads, by following imports."""
    known = _modules()
    waiting = [name for name in known if name.startswith(ENGINE)]
    waiting = [name for name in waiting if not name.startswith(NOT_ENGINE)]
    found: set[str] = set()
    while waiting:
        module = waiting.pop()
        if module in found or module not in known or module.startswith(NOT_ENGINE):
            continue
        found.add(module)
        for source, name in _imports(known[module]):
            waiting += [source, f"{source}.{name}"]
    return frozenset(found)


@cache
def _called() -> frozenset[str]:
    """Names that modules of the engine use; what a package only hands on is not used by that."""
    found: set[str] = set()
    for module in engine_modules():
        path = _modules()[module]
        if path.name == "__init__.py":
            continue
        for node in ast.walk(_tree(path)):
            if isinstance(node, ast.Name):
                found.add(node.id)
            elif isinstance(node, ast.Attribute):
                found.add(node.attr)
    return frozenset(found)


@cache
def _public() -> frozenset[str]:
    """What people get by ``import slackwater``."""
    return frozenset(name for _, name in _imports(_modules()["slackwater"]))
