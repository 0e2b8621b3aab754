"""A source work as something to run: its experiments, their figures and pictures."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from slackwater.papers.verdict import Verdict, judge

Results = dict[str, Any]  # what the experiments of one work measured: rows for its figures
Figures = dict[str, float]
Tell = Callable[[str], None]
Experiments = tuple[tuple[str, Callable[[bool], Any]], ...]
"""What is measured, by the key of its results; each is told whether to be quick."""

LOG = logging.getLogger("slackwater.papers")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a run."""

    paper: str
    is_quick: bool
    seconds: float
    results: Results
    figures: Figures
    verdicts: tuple[Verdict, ...]

    @property
    def is_expected(self) -> bool:
        """Whether every figure lies where it is expected."""
        return all(verdict.is_expected for verdict in self.verdicts)

    def to_json(self) -> str:
        """The whole of it as a JSON text: figures, verdicts, and the rows behind them."""
        verdicts = [{**asdict(v), "is_expected": v.is_expected} for v in self.verdicts]
        head = {"paper": self.paper, "is_quick": self.is_quick}
        whole = {**head, "figures": self.figures, "verdicts": verdicts, "results": self.results}
        return json.dumps(whole, indent=1) + "\n"


@dataclass(frozen=True, slots=True)
class Paper:
    """A source work.

    ``folder`` has its README and ``expected.json``; ``minutes`` is how long a full run takes on
    one core.
    """

    name: str
    title: str
    source: str
    minutes: int
    folder: Path
    measure: Callable[[bool], Results]
    figures: Callable[[Results], Figures]
    draw: Callable[[Results, Path], list[Path]]

    def run(self, *, is_quick: bool = False, tell: Tell | None = None) -> Outcome:
        """Repeat the experiments; a quick run takes a part of the streams and few cases."""
        began = perf_counter()
        with _told(tell):
            results = self.measure(is_quick)
        figures = self.figures(results)
        verdicts = judge(figures, self.folder / "expected.json", is_quick=is_quick)
        seconds = perf_counter() - began
        return Outcome(self.name, is_quick, seconds, results, figures, verdicts)

    def kept(self) -> Results:
        """The results of the run that its README tells of."""
        text = (self.folder / "results" / "results.json").read_text(encoding="utf-8")
        results: Results = json.loads(text)["results"]
        return results


def one_by_one(experiments: Experiments) -> Callable[[bool], Results]:
    """Run experiments in their order, telling of each as it begins."""

    def measure(is_quick: bool) -> Results:
        results: Results = {}
        for key, run in experiments:
            LOG.info(key)
            results[key] = run(is_quick)
        return results

    return measure


def together(parts: Sequence[Callable[[Results], Figures]]) -> Callable[[Results], Figures]:
    """The figures that several parts make of the same results."""

    def figures(data: Results) -> Figures:
        found: Figures = {}
        for part in parts:
            found |= part(data)
        return found

    return figures


class _Teller(logging.Handler):
    def __init__(self, tell: Tell) -> None:
        super().__init__(logging.INFO)
        self._tell = tell

    def emit(self, record: logging.LogRecord) -> None:
        self._tell(record.getMessage())


@contextmanager
def _told(tell: Tell | None) -> Iterator[None]:
    """Hand on what the experiments log of their progress."""
    if tell is None:
        yield
        return
    handler, level = _Teller(tell), LOG.level
    LOG.addHandler(handler)
    LOG.setLevel(logging.INFO)
    try:
        yield
    finally:
        LOG.removeHandler(handler)
        LOG.setLevel(level)
