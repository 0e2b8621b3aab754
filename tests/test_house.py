"""The house keeps its own promises: documents, layers and version agree with each other."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
# put together from parts, so that this file does not contain what it looks for
MACHINE_PATH = re.compile(r"(?<![\w.$}])/(?:wo" r"rk|ro" r"ot|ho" r"me/\w+)/")


def contract(key: str) -> dict[str, Any]:
    found = PYPROJECT["tool"]["importlinter"]["contracts"]
    return next(entry for entry in found if entry["id"] == key)


def test_every_command_a_document_gives_to_make_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    for document in ("README.md", "CONTRIBUTING.md"):
        text = (ROOT / document).read_text(encoding="utf-8")
        named = set(re.findall(r"(?:`|^ {4}|^\$ )make ([a-z-]+)", text, flags=re.MULTILINE))
        assert named <= targets, document


def test_every_page_of_the_manual_is_in_the_navigation() -> None:
    config = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    nav = str(yaml.safe_load(config)["nav"])
    pages = [page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md")]
    assert [page for page in pages if f"'{page}'" not in nav] == []


def test_changelog_begins_with_the_version_of_the_package() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.search(r"^## \[(\d[^\]]*)\]", changelog, flags=re.MULTILINE)
    assert newest is not None
    assert newest[1] == PYPROJECT["project"]["version"] == version("slackwater")


def test_constraints_cover_every_dependency_named() -> None:
    def plain(requirement: str) -> str:
        return re.split(r"[<>=!~\[; ]", requirement)[0].lower().replace("_", "-")

    project = PYPROJECT["project"]
    named = {*project["dependencies"], *project["optional-dependencies"]["dev"]}
    pinned = {plain(line) for line in (ROOT / "constraints.txt").read_text().splitlines()}
    assert {plain(requirement) for requirement in named} <= pinned


def below(package: str) -> set[str]:
    """What lies on the floors below a package, as far as it exists."""
    layers = [re.findall(r"\w+", layer) for layer in contract("layers")["layers"]]
    floor = next(number for number, layer in enumerate(layers) if package in layer)
    exists = {path.stem for path in (ROOT / "src" / "slackwater").iterdir()}
    found = {name for layer in layers[floor + 1 :] for name in layer}
    return {f"slackwater.{name}" for name in found & exists}


def test_every_package_below_spark_is_kept_from_spark() -> None:
    assert below("spark") == set(contract("spark")["source_modules"])


def test_only_rooms_for_it_know_duckdb() -> None:
    may = {f"slackwater.{name}" for name in ("execute", "replay", "papers")}
    kept = below("spark") - may | {"slackwater.spark"}
    assert kept == set(contract("duckdb")["source_modules"])


def test_the_core_knows_no_tables() -> None:
    beside = {"slackwater.replay", "slackwater.papers", "slackwater.arrow_types"}
    assert below("runs") - beside == set(contract("core")["source_modules"])


def test_what_executes_is_loaded_without_spark() -> None:
    code = "import slackwater.execute.loop, sys; assert 'pyspark' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def tracked_files() -> list[Path]:
    try:
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT,
            check=True,
            capture_output=True,
            text=True,
        )
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not in a git work tree")
    return [path for name in listed.stdout.split("\0") if name and (path := ROOT / name).is_file()]


def test_no_file_names_a_folder_of_some_machine() -> None:
    found = []
    for path in tracked_files():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # a picture or data
        found += [f"{path.relative_to(ROOT)}: {hit[0]}" for hit in MACHINE_PATH.finditer(text)]
    assert found == []
