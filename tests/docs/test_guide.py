"""The guide names what there is."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from scripts.pipeline_keys import PAGE, with_keys
from tests.docs.test_code_blocks import PAGES, ROOT, Block, blocks

from slackwater.frontends.toml.read import read
from slackwater.query.translate import NAMES
from slackwater.spark.catalog import catalog

GUIDE = ROOT / "docs" / "guide"


def test_the_keys_of_pipeline_files_in_the_guide_are_those_there_are() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == with_keys(page), "run: python scripts/pipeline_keys.py"
    assert page.count("| `max_state_rows` |") == 1


TOML = [b for page in PAGES for b in blocks(page) if b.language == "toml"]


@pytest.mark.parametrize("block", TOML, ids=lambda b: f"{b.page.stem}:{b.line}")
def test_pipeline_files_in_the_manual_have_keys_that_exist(block: Block, tmp_path: Path) -> None:
    """A part of a file may lack the rest of it; a folder of an example need not be there."""
    text = block.code
    if isinstance(tomllib.loads(text).get("query"), dict):
        text = f"[[query]]\n{text}"
    path = tmp_path / "pipeline.toml"
    path.write_text(text, encoding="utf-8")
    whole = "[source" in text and "[[query]]" in text
    wrong = {"KEY_UNKNOWN", "KEY_TYPE"} | ({"KEY_MISSING", "SOURCE_UNKNOWN"} if whole else set())
    assert [p for p in read(path, catalog()).problems if p.condition in wrong] == []


def test_whole_pipeline_files_are_in_the_manual() -> None:
    assert sum("[source" in b.code and "[[query]]" in b.code for b in TOML) >= 4


@pytest.mark.parametrize("what", ["files_per_batch", "rows exactly that far apart", "working dir"])
def test_what_people_stumble_over_is_told(what: str) -> None:
    assert any(what in page.read_text(encoding="utf-8") for page in GUIDE.glob("*.md"))


def test_no_docstring_sends_a_reader_to_a_document_that_is_not_there() -> None:
    cited = [
        path.relative_to(ROOT).as_posix()
        for folder in ("src", "benchmarks", "docs")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (".py", ".md", ".json")
        if re.search(r"spec/\w+\.md", path.read_text(encoding="utf-8"))
    ]
    assert cited == []


def test_every_function_that_a_query_may_use_is_in_the_guide() -> None:
    named = re.findall(r"`(\w+)`", (GUIDE / "expressions.md").read_text(encoding="utf-8"))
    assert set(NAMES) <= set(named)
