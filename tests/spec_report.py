"""Pytest plugin: which specification items do the tests show?

A test names the items it shows::

    @pytest.mark.spec("qddh:F061", "prodding:F6")
    def test_...

``pytest --spec-report`` lists, for every specification, each item with its tests after the run, and
in the column *engine* where it is shown: on ``spark``, in the ``engine`` without Spark, in the
``core`` that the engine calls, or in ``replay`` only (:mod:`tests.spec_place`).
``pytest --spec-report=FILE.json`` also writes the list.
Naming an unknown item fails collection.
Works under pytest-xdist: the items travel with the test reports.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Generator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.spec_place import PLACES, Place, place_of

ITEMS = Path(__file__).with_name("spec_items.json")
SCREEN = "-"
PROPERTY = "spec"
PLACE = "place"


@dataclass
class Shown:
    """Outcomes of the tests that name one item: test id to ``passed``, ``failed``, ``skipped``."""

    outcomes: dict[str, str] = field(default_factory=dict)
    places: dict[str, Place] = field(default_factory=dict)

    def add(self, test: str, outcome: str, place: Place) -> None:
        self.places[test] = place
        # set-up, call and tear-down report one by one; the worst of them counts
        worst = ("passed", "skipped", "failed")
        before = self.outcomes.get(test, "passed")
        self.outcomes[test] = max(before, outcome, key=worst.index)

    @property
    def status(self) -> str:
        """``covered`` | ``failing`` | ``skipped`` (no test ran) | ``open`` (no test)."""
        found = Counter(self.outcomes.values())
        if found["failed"]:
            return "failing"
        if found["passed"]:
            return "covered"
        return "skipped" if found else "open"

    @property
    def engine(self) -> str:
        """Where the item is shown, by the tests that passed: the best place of them."""
        shown = {self.places[test] for test, how in self.outcomes.items() if how == "passed"}
        return next((place for place in PLACES if place in shown), "")


def known_items() -> dict[str, dict[str, Any]]:
    specs: dict[str, dict[str, Any]] = json.loads(ITEMS.read_text(encoding="utf-8"))
    return specs


def named_items(item: pytest.Item) -> list[str]:
    return [name for mark in item.iter_markers("spec") for name in mark.args]


def unknown_items(item: pytest.Item, specs: dict[str, dict[str, Any]]) -> list[str]:
    def is_known(name: object) -> bool:
        spec, _, key = str(name).partition(":")
        return key in specs.get(spec, {}).get("items", {})

    return [repr(name) for name in named_items(item) if not is_known(name)]


class SpecReport:
    def __init__(self, target: str | None) -> None:
        self.target = target
        self.specs = known_items()
        self.shown: defaultdict[str, Shown] = defaultdict(Shown)

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        report = yield
        problems: list[str] = []
        for item in report.result or ():
            if isinstance(item, pytest.Item):
                wrong = ", ".join(unknown_items(item, self.specs))
                problems += [f"{item.nodeid}: no such specification item: {wrong}"] if wrong else []
                names = named_items(item)
                item.user_properties.append((PROPERTY, names))
                item.user_properties.append((PLACE, place_of(item) if names else "replay"))
        if problems:
            report.outcome = "failed"
            hint = f"items are listed in tests/{ITEMS.name}; write e.g. spec('qddh:F061')"
            report.longrepr = "\n".join([*problems, hint])
            report.result = []
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        told = dict(report.user_properties)
        for item in told.get(PROPERTY, ()):
            self.shown[item].add(report.nodeid, report.outcome, told[PLACE])

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.target is None:
            return
        for name, spec in self.specs.items():
            rows = [
                (key, title, self.shown[f"{name}:{key}"]) for key, title in spec["items"].items()
            ]
            terminalreporter.section(f"{name}: {_summary([shown for *_, shown in rows])}", sep="-")
            terminalreporter.line(spec["title"])
            terminalreporter.line("  status   tests engine item")
            for key, title, shown in rows:
                self._line(terminalreporter, key, title, shown)
        if self.target != SCREEN:
            self.write(Path(self.target))
            terminalreporter.line(f"specification report written to {self.target}")

    @staticmethod
    def _line(terminal: pytest.TerminalReporter, key: str, title: str, shown: Shown) -> None:
        colours = {"covered": "green", "failing": "red", "skipped": "yellow", "open": "light"}
        tests = str(len(shown.outcomes) or "")
        line = f"  {shown.status:8} {tests:>4}  {shown.engine:6} {key:8} {title}"
        terminal.line(line, **{colours[shown.status]: True})

    def write(self, path: Path) -> None:
        report = {
            name: {
                key: {
                    "title": title,
                    "status": self.shown[f"{name}:{key}"].status,
                    "engine": self.shown[f"{name}:{key}"].engine,
                    "tests": self.shown[f"{name}:{key}"].outcomes,
                }
                for key, title in spec["items"].items()
            }
            for name, spec in self.specs.items()
        }
        path.write_text(json.dumps(report, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def _summary(items: list[Shown]) -> str:
    covered = [item.engine for item in items if item.status == "covered"]
    where = ", ".join(f"{covered.count(place)} {place}" for place in PLACES)
    return f"{len(covered)} of {len(items)} items covered ({where})"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("slackwater").addoption(
        "--spec-report",
        nargs="?",
        const=SCREEN,
        metavar="FILE.json",
        help="after the run, list the specification items and the tests that show them",
    )


def pytest_configure(config: pytest.Config) -> None:
    target = config.getoption("--spec-report")
    if target not in (None, SCREEN) and not target.endswith(".json"):
        raise pytest.UsageError(
            f"--spec-report takes the name of a .json file, not {target!r}; "
            "put --spec-report last, or write --spec-report=FILE.json"
        )
    config.pluginmanager.register(SpecReport(target), "slackwater-spec-report")
