"""The code in README and manual runs.

The ``python`` blocks of a page run in order, in one namespace, in a folder of their own. A block
that cannot run carries its reason on the line before it: ``<!-- skip: needs a Kafka broker -->``.
In ``console`` blocks every ``$ slackwater ...`` line must name commands and options that exist.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

# pages that take ten seconds and more
LONG = {f"docs/guide/{name}.md" for name in ("contracts", "estimates", "joins", "overload")}

_FENCE = re.compile(r"^(?P<indent> *)(?P<ticks>`{3,})(?P<language>[\w-]*)")
_SKIP = re.compile(r"<!--\s*skip\b:?\s*(?P<reason>.*?)\s*-->")


@dataclass(frozen=True)
class Block:
    page: Path
    line: int  # of the first line of code, from 1
    language: str
    code: str
    skip: str | None = None  # the reason; empty if none was given


def blocks(page: Path) -> list[Block]:
    lines = page.read_text(encoding="utf-8").splitlines()
    found: list[Block] = []
    at = 0
    while at < len(lines):
        fence = _FENCE.match(lines[at])
        at += 1
        if fence is None:
            continue
        end = next(
            (n for n in range(at, len(lines)) if lines[n].strip() == fence["ticks"]), len(lines)
        )
        code = "\n".join(line.removeprefix(fence["indent"]) for line in lines[at:end])
        before = next((line for line in reversed(lines[: at - 1]) if line.strip()), "")
        skip = _SKIP.search(before)
        found.append(Block(page, at + 1, fence["language"], code, skip and skip["reason"]))
        at = end + 1
    return found


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def pages_with(language: str) -> list[Any]:
    return [
        pytest.param(page, id=name(page), marks=[pytest.mark.slow] * (name(page) in LONG))
        for page in PAGES
        if any(block.language == language for block in blocks(page))
    ]


def run(block: Block, namespace: dict[str, Any]) -> None:
    # empty lines in front make tracebacks point into the page
    source = "\n" * (block.line - 1) + block.code + "\n"
    exec(compile(source, name(block.page), "exec"), namespace)


@pytest.mark.parametrize("page", pages_with("python"))
def test_python_blocks_run_in_order(
    page: Path, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = [b for b in blocks(page) if b.language == "python" and b.skip is None]
    session = None
    if any("spark" in block.code for block in code):
        session = request.getfixturevalue("spark")  # getOrCreate() on the page finds this one
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for block in code:
        run(block, namespace)
    if session is not None:
        assert session.range(1).count() == 1, "a page must not stop the Spark session it was lent"


def test_the_page_on_testing_needs_no_spark(tmp_path: Path) -> None:
    page = ROOT / "docs" / "guide" / "testing.md"
    code = [block.code for block in blocks(page) if block.language == "python"]
    assert len(code) > 3
    without = "import sys\nsys.modules['pyspark'] = sys.modules['py4j'] = None\n"
    (tmp_path / "page.py").write_text(without + "\n".join(code), encoding="utf-8")
    command = [sys.executable, "page.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_skipped_blocks_give_a_reason(page: Path) -> None:
    silent = [f"{name(page)}:{block.line}" for block in blocks(page) if block.skip == ""]
    assert silent == []


def slackwater_lines(page: Path) -> list[tuple[int, list[str]]]:
    found = []
    for block in blocks(page):
        if block.language != "console" or block.skip is not None:
            continue
        for number, line in enumerate(block.code.splitlines(), start=block.line):
            if line.startswith("$ slackwater"):
                found.append((number, shlex.split(line.removeprefix("$ "), comments=True)[1:]))
    return found


def unknown_word(command: Any, words: list[str]) -> str | None:
    """First word that the command line would not understand; values are not looked at."""
    words = list(words)
    while words and getattr(command, "commands", None) and not words[0].startswith("-"):
        word = words.pop(0)
        if word not in command.commands:
            return word
        command = command.commands[word]
    options = {"--help"}
    for parameter in command.params:
        options |= {*parameter.opts, *parameter.secondary_opts}
    given = [word.split("=")[0] for word in words if re.match(r"--?[a-zA-Z]", word)]
    return next((word for word in given if word not in options), None)


@pytest.mark.parametrize("page", pages_with("console"))
def test_console_blocks_name_commands_and_options_that_exist(page: Path) -> None:
    lines = slackwater_lines(page)
    if not lines:
        return
    from typer.main import get_command

    from slackwater.cli.main import COMMANDS, app

    command: Any = get_command(app)
    command.commands = {one.name: one.load() for one in COMMANDS}  # they are loaded when called
    wrong = {number: unknown_word(command, words) for number, words in lines}
    assert {f"{name(page)}:{number}": word for number, word in wrong.items() if word} == {}
