"""Files and modules that documents name are there."""

from __future__ import annotations

import re
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.docs.test_code_blocks import ROOT, name

PACKAGE = ROOT / "src" / "slackwater"
DOCUMENTS = [  # the changelog also names what is gone
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((PACKAGE / "papers").rglob("*.md")),
]
_FILE = re.compile(r"`((?:[\w.-]+/)+[\w.-]+\.(?:py|js|toml))(?::\w+)?`")
_MODULE = re.compile(r"(?<![\w/.-])slackwater(?:\.[A-Za-z_]\w*)+(?!\w*/)")


def missing_files(text: str, beside: Path) -> list[str]:
    roots = (ROOT, ROOT / "src", PACKAGE, beside)
    return [path for path in _FILE.findall(text) if not any((r / path).exists() for r in roots)]


def missing_modules(text: str) -> list[str]:
    found = [match[0] for match in _MODULE.finditer(text)]
    return [dotted for dotted in found if not dotted.endswith(".json") and not is_there(dotted)]


def is_there(dotted: str) -> bool:
    """Whether it is a module, or something in one."""
    home, _, last = dotted.rpartition(".")
    try:
        if find_spec(dotted) is not None:
            return True
    except ModuleNotFoundError:  # its home is none, and so no package
        pass
    return bool(home) and _is_module(home) and hasattr(import_module(home), last)


def _is_module(dotted: str) -> bool:
    try:
        return find_spec(dotted) is not None
    except ModuleNotFoundError:
        return False


@pytest.mark.parametrize("page", DOCUMENTS, ids=name)
def test_files_that_a_document_names_exist(page: Path) -> None:
    assert missing_files(page.read_text(encoding="utf-8"), page.parent) == []


@pytest.mark.parametrize("page", DOCUMENTS, ids=name)
def test_modules_that_a_document_names_exist(page: Path) -> None:
    assert missing_modules(page.read_text(encoding="utf-8")) == []


def test_what_is_not_there_is_found_out() -> None:
    text = (
        "`spark/gone.py`, `plan/tree.py`, slackwater.gone, slackwater.testing.run, slackwater.json"
    )
    assert missing_files(text, ROOT) == ["spark/gone.py"]
    assert missing_modules(text) == ["slackwater.gone"]
    assert missing_modules("slackwater.plan.gone, slackwater.plan.tree.gone") == [
        "slackwater.plan.gone",
        "slackwater.plan.tree.gone",
    ]
