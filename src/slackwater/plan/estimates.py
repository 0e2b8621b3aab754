"""Estimates of a query, checked: who prods it and when, and which values can be scaled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from slackwater.errors import Problem
from slackwater.plan.demand import (
    aggressiveness_problem,
    is_number,
    read_condition,
    share_problem,
)
from slackwater.plan.node import WindowAggregate
from slackwater.plan.report import Reporter
from slackwater.plan.terms import Terms
from slackwater.query.estimates import Estimates
from slackwater.query.expression import Expression, is_numeric
from slackwater.query.schema import Schema

EXTRA = ("tuples", "prod")
BAND = 0.9  # share of estimates that an error band covers


@dataclass(frozen=True, slots=True)
class ProdSource:
    """A source of prods: by the clock, at a point of each window, or as early as is accurate."""

    label: str
    every: int | None
    aggressiveness: float | None
    accuracy: float | None
    where: Expression | None
    of: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EstimatePlan(Terms):
    """The estimates of a query."""

    sources: tuple[ProdSource, ...]
    band: float
    quality: Any = None


@dataclass(frozen=True, slots=True)
class EstimateColumns:
    """What is said beside the values of an estimate: ``numeric`` ones get an error band, and
    ``linear`` ones (a sum or count through all levels) a value scaled by coverage.
    """

    numeric: tuple[str, ...]
    linear: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that are added to every row."""
        scaled = [f"{name}_scaled" for name in self.linear]
        bands = [f"{name}_{end}" for name in self.numeric for end in ("low", "high")]
        return (*EXTRA, *scaled, *bands)


def estimate_plan(
    terms: Sequence[Estimates], root: WindowAggregate, slack: int | None, report: Reporter
) -> EstimatePlan | None:
    """The estimates of a query, or ``None`` with problems told."""
    before = len(report.problems)
    sources = [_source(number, term, root, slack, report) for number, term in enumerate(terms)]
    for number, term in enumerate(terms):
        if term.band is not None:
            _add(share_problem(term.band, report.at(f"estimates {number + 1}, band")), report)
    _check_alike(terms, report)
    if len(report.problems) > before:
        return None
    found = tuple(source for source in sources if source is not None)
    band = next((term.band for term in terms if term.band is not None), BAND)
    quality = next((term.quality for term in terms if term.quality is not None), None)
    return EstimatePlan(found, band, quality)


def _check_alike(terms: Sequence[Estimates], report: Reporter) -> None:
    """All estimates of a query are judged together: by one band, by one measure of quality."""
    bands = sorted({term.band for term in terms if term.band is not None and is_number(term.band)})
    if len(bands) > 1:
        text = f"estimates of one query have one error band, here: {', '.join(map(str, bands))}"
        report.problem("ESTIMATES_BAND", "estimates, band", text, "give all of them the same")
    measures = [term.quality for term in terms if term.quality is not None]
    if any(measure != measures[0] for measure in measures):
        text = "estimates of one query are judged by one function, here are several"
        report.problem("ESTIMATES_QUALITY", "estimates, quality", text, "give all of them the same")


def _source(
    number: int, term: Estimates, root: WindowAggregate, slack: int | None, report: Reporter
) -> ProdSource | None:
    at = f"estimates {number + 1}"
    given = {
        name: value
        for name in ("every", "aggressiveness", "accuracy")
        if (value := getattr(term, name)) is not None
    }
    if len(given) > 1:
        text = f"{' and '.join(given)} are two ways to say when"
        report.problem("ESTIMATES_WHEN", at, text, "give several sw.estimates(...) in a list")
    every = report.positive(term.every, f"{at}, every")
    _check_numbers(term, root, slack, at, report)
    where = _where(term.where, root.schema, f"{at}, where", report)
    names = [name for name, _ in root.values]
    for name in term.of:
        if name not in names:
            hint = f"aggregates here: {', '.join(names)}"
            report.problem("ESTIMATES_COLUMN", f"{at}, of", f"no aggregate {name!r}", hint)
    if not given:
        return None
    label = f"{next(iter(given))}-{number + 1}"
    return ProdSource(label, every, term.aggressiveness, term.accuracy, where, term.of)


def _check_numbers(
    term: Estimates, root: WindowAggregate, slack: int | None, at: str, report: Reporter
) -> None:
    if term.accuracy is not None:
        _add(share_problem(term.accuracy, report.at(f"{at}, accuracy"), "e.g. 0.95"), report)
    if term.aggressiveness is None:
        return
    window, place = root.window, f"{at}, aggressiveness"
    _add(aggressiveness_problem(term.aggressiveness, window, report.at(place)), report)
    early = term.aggressiveness if is_number(term.aggressiveness) else 0
    if slack is not None and early * window.slide <= -slack < 0:
        text = f"{early!r} is after the window's final answer"
        hint = f"above {-slack / window.slide:g}: the slack ends there"
        report.problem("ESTIMATES_RANGE", place, text, hint)


def _add(problem: Problem | None, report: Reporter) -> None:
    if problem is not None:
        report.problems.append(problem)


def _where(text: str | None, schema: Schema, at: str, report: Reporter) -> Expression | None:
    if text is None:
        return None
    found = read_condition(text, schema, report.at(at))
    if isinstance(found, Problem):
        report.problems.append(found)
        return None
    return found


def estimate_columns(nodes: Sequence[WindowAggregate]) -> EstimateColumns:
    """Which values of the topmost of these aggregates get a band, and which are scaled."""
    top = nodes[-1]
    kinds = {name: kind for (name, _), kind in zip(top.values, top.value_types, strict=True)}
    numeric = tuple(name for name, kind in kinds.items() if is_numeric(kind))
    linear: frozenset[str] | None = None
    for node in nodes:
        linear = _linear(node, linear)
    return EstimateColumns(numeric, tuple(name for name in numeric if name in (linear or ())))


def _linear(node: WindowAggregate, below: frozenset[str] | None) -> frozenset[str]:
    """Values that grow with the share of rows seen: counts and sums of rows or of such values."""
    sums = {p.name for p in node.partials if p.merge in ("sum", "exact") and _adds(p.sql, below)}
    if below is not None and not isinstance(node.input, WindowAggregate):
        return frozenset()  # a filter or a computed column between the levels
    values = {name: value.tree.unnest() for name, value in node.values}
    return frozenset(
        name for name, tree in values.items() if isinstance(tree, exp.Column) and tree.name in sums
    )


def _adds(sql: str, below: frozenset[str] | None) -> bool:
    call = Expression(sql).tree
    if below is None:
        return isinstance(call, exp.Sum | exp.Count)
    inner = call.this.unnest()
    return isinstance(call, exp.Sum) and isinstance(inner, exp.Column) and inner.name in below
