"""``slackwater diff``, ``queries``, ``add``, ``remove``: what they say without Spark."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from slackwater.cli.main import app
from slackwater.runs.overlay import Changes
from slackwater.spark.document import load
from slackwater.testing import Settings, make_loop
from tests.story import batches

cli = CliRunner()
SOURCE = """
[source.r]
kind = "generator"
rows_per_second = 100
total_rows = 2000
"""
COUNTS = """
[[query]]
name = "{name}"
from = "r"
window = "{size}"
group_by = ["key"]
slack = "{slack}"
[query.aggregate]
n = "count(*)"
"""


def counts(name: str, size: str = "2 s", slack: str = "9 s") -> str:
    return COUNTS.format(name=name, size=size, slack=slack)


def pipeline(tmp_path: Path, *queries: str) -> Path:
    file = tmp_path / "pipeline.toml"
    file.write_text(SOURCE + "".join(queries))
    return file


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A checkpoint with three batches of two queries, made without Spark."""
    asked = load(pipeline(tmp_path, counts("first"), counts("other", "3 s"))).pipeline
    given = asked.meaning["sources"]
    loop = make_loop(asked.queries, tmp_path / "ck", Settings())
    for table in batches(3):
        rows = table.rename_columns(["ts", "key", "value"])
        loop.process(_micro(rows, loop), loop.batch + 1)
    loop.close()
    path = tmp_path / "ck" / "slackwater.json"
    value = json.loads(path.read_text())
    value["meaning"]["sources"] = given
    path.write_text(json.dumps(value))
    return tmp_path / "ck"


def _micro(rows: Any, loop: Any) -> Any:
    from slackwater.testing import micro

    return micro(loop, rows)


def said(*words: object) -> tuple[int, str, str]:
    result = cli.invoke(app, [str(word) for word in words])
    return result.exit_code, result.stdout, result.stderr


def test_diff_shows_what_stays_what_is_new_and_what_goes(folder: Path, tmp_path: Path) -> None:
    shared, empty = counts("shared", slack="5 s"), counts("empty", "5 s")
    code, shown, _ = said("diff", folder, pipeline(tmp_path, counts("first"), shared, empty))
    assert code == 0
    assert "as of batch 2" in shown
    assert "kept     first" in shown
    assert "new      shared: starts from state that is kept; gives what ends after" in shown
    assert "new      empty: starts empty; gives what ends after" in shown
    assert "dropped  other: what it answered stays" in shown
    assert "rows of state would go" in shown
    code, shown, _ = said("diff", folder, tmp_path / "pipeline.toml", "--json")
    told = json.loads(shown)
    assert (code, told["possible"], told["kept"], told["dropped"]) == (
        0,
        True,
        ["first"],
        ["other"],
    )
    assert [(one["query"], bool(one["shares"])) for one in told["added"]] == [
        ("shared", True),
        ("empty", False),
    ]


def test_diff_says_which_part_cannot_be_carried_and_the_way_out(
    folder: Path, tmp_path: Path
) -> None:
    code, shown, _ = said("diff", folder, pipeline(tmp_path, counts("first", "4 s")))
    assert code == 1
    assert "refused  query 'first': window was 2s, is 4s" in shown
    assert "hint: give the changed query another name" in shown


def test_diff_of_the_same_says_so(folder: Path, tmp_path: Path) -> None:
    file = pipeline(tmp_path, counts("other", "3 s", "1 s"), counts("first"))
    code, shown, _ = said("diff", folder, file)
    assert (code, "nothing changes" in shown) == (0, True)


def test_queries_lists_what_there_is(folder: Path) -> None:
    code, shown, _ = said("queries", folder, "--json")
    told = json.loads(shown)
    assert code == 0
    assert [(one["query"], one["status"], one["since"]) for one in told] == [
        ("first", "running", None),
        ("other", "running", None),
    ]
    assert all(one["rows"] > 0 for one in told)
    assert "everything" in said("queries", folder)[1]


def test_add_and_remove_leave_a_demand_for_the_next_batch(folder: Path, tmp_path: Path) -> None:
    file = pipeline(tmp_path, counts("first"), counts("late"), counts("later"))
    code, shown, told = said("add", folder, file, "--wait", "0")
    assert code == 0, told
    assert "late: left for the next batch" in shown
    assert said("remove", folder, "other", "--wait", "0")[0] == 0
    found = Changes(folder).waiting()
    assert [(one.query, one.written is None) for one in found] == [
        ("late", False),
        ("later", False),
        ("other", True),
    ]
    assert found[0].written is not None
    assert found[0].written.file == str(file)


@pytest.mark.parametrize(
    ("words", "condition"),
    [
        (["remove", "CK", "none"], "QUERY_UNKNOWN"),
        (["add", "CK", "FILE", "none"], "QUERY_UNKNOWN"),
        (["add", "CK", "FILE"], "QUERY_TAKEN"),
        (["queries", "NOWHERE"], "CHECKPOINT_MISSING"),
        (["diff", "NOWHERE", "FILE"], "CHECKPOINT_MISSING"),
        (["remove", "NOWHERE", "q"], "CHECKPOINT_MISSING"),
    ],
)
def test_what_cannot_be_is_told(
    folder: Path, tmp_path: Path, words: list[str], condition: str
) -> None:
    file = pipeline(tmp_path, counts("first"))
    places = {"CK": folder, "FILE": file, "NOWHERE": tmp_path / "nowhere"}
    code, _, told = said(*(places.get(word, word) for word in words))
    assert (code, f"[{condition}]" in told) == (2, True)
    assert Changes(folder).waiting() == ()
    shutil.rmtree(tmp_path / "nowhere", ignore_errors=True)
