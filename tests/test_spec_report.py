"""The column *engine* of the specification report: where an item is shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.spec_place import engine_modules, place_of, place_of_names
from tests.spec_report import Shown

TESTS = Path(__file__).parent
NOT_ENGINE = ("slackwater.replay", "slackwater.papers")


def place(folder: str, name: str, *used: str) -> str:
    return place_of_names(TESTS / folder / f"test_{name}.py", set(used))


def test_code_that_the_engine_calls_is_told_from_code_that_only_tests_call() -> None:
    assert place("disorder", "coverage", "CoverageModel") == "core"
    assert place("disorder", "recall", "RecallModel") == "core"
    assert place("disorder", "recall", "Profile") == "replay"
    assert place("papers/stream", "kslack") == "replay"
    assert place("papers/recall_ji2018/operators", "same_k") == "replay"


def test_the_engine_is_what_runs_without_benchmarks_and_replay() -> None:
    assert {"slackwater.execute.loop", "slackwater.control.step"} <= engine_modules()
    assert not [name for name in engine_modules() if name.startswith(NOT_ENGINE)]
    assert "slackwater.bench.slack" not in engine_modules()


def test_who_asks_for_spark_is_shown_on_spark(request: pytest.FixtureRequest) -> None:
    assert place_of(request.node) == "replay"
    request.node.fixturenames.append("spark")
    assert place_of(request.node) == "spark"


def test_an_item_is_shown_where_its_best_passing_test_shows_it() -> None:
    shown = Shown()
    assert shown.engine == ""
    shown.add("a", "passed", "replay")
    shown.add("b", "failed", "spark")
    assert shown.engine == "replay"
    shown.add("c", "passed", "core")
    assert shown.engine == "core"
