"""The guide names what there is."""

from __future__ import annotations

import re
import tomllib

import pytest
from tests.docs.test_code_blocks import PAGES, ROOT, blocks

from slackwater.query.translate import NAMES
from slackwater.spark.document.sources import KINDS

GUIDE = ROOT / "docs" / "guide"


@pytest.mark.parametrize("kind", KINDS)
def test_every_key_of_a_source_in_a_pipeline_file_is_in_the_guide(kind: str) -> None:
    text = (GUIDE / "running.md").read_text(encoding="utf-8")
    row = next(line for line in text.splitlines() if line.startswith(f"| `{kind}` |"))
    common = next(line for line in text.splitlines() if line.startswith("Relative paths in it"))
    common += text.split(common, 1)[1].split("| `kind` |", 1)[0]
    named = set(re.findall(r"`(\w+)`", common + row))
    assert set(KINDS[kind]) <= named


def test_sources_of_pipeline_files_in_the_manual_have_keys_that_exist() -> None:
    found = 0
    for page in PAGES:
        for block in blocks(page):
            if block.language == "toml":
                for source in tomllib.loads(block.code).get("source", {}).values():
                    assert set(source) <= set(KINDS[source["kind"]]), page.name
                    found += 1
    assert found >= 3


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
