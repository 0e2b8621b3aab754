"""Contracts checked against the query they are stated for."""

from __future__ import annotations

from slackwater.plan.bound import (
    Bound,
    ErrorContract,
    RecallContract,
    bounds_of,
    measured_bound,
)
from slackwater.plan.node import Joined, WindowAggregate
from slackwater.plan.partial import Partial
from slackwater.plan.report import Reporter
from slackwater.query.contract import METHODS, MaxError, Method, MinRecall
from slackwater.query.expression import is_numeric
from slackwater.query.stream import Aggregate, Query
from slackwater.units import DurationLike


def error_contract(
    query: Query, root: WindowAggregate, terms: tuple[MaxError, ...], report: Reporter
) -> tuple[ErrorContract, tuple[Partial, ...]] | None:
    """The error bounds of a query, and the partials they need; ``None`` with problems told."""
    if not terms:
        report.problem("CONTRACT_EMPTY", "contract", "a list of contracts needs one at least")
        return None
    if sum(isinstance(step, Aggregate) for step in query.stream.steps) > 1:
        hint = "put the contract on a query that ends with the first aggregate"
        report.problem("CONTRACT_LEVELS", "contract", "max_error needs one level", hint)
        return None
    methods = sorted({term.method for term in terms})
    if len(methods) > 1:
        text = f"contracts of one query choose one slack by one method, here: {', '.join(methods)}"
        report.problem("CONTRACT_METHOD", "contract, method", text, "give all of them the same")
    per_key = _per_key(root, terms, report)
    found = [_bounds(query, root, term, report) for term in terms]
    bounds = tuple(bound for some, _ in found for bound in some)
    sums = tuple(part for _, parts in found for part in parts)
    grain, low, high = _limits(terms, root.window.slide, report)
    method = _method(terms[0].method, report)
    return ErrorContract(bounds, grain, low, high, method, per_key), sums


def _per_key(root: WindowAggregate, terms: tuple[MaxError, ...], report: Reporter) -> bool:
    """Whether every key is promised its share; refused where there is none to speak of."""
    wanted = {bool(term.per_key) for term in terms}
    if wanted == {False}:
        return False
    at = "contract, per_key"
    if len(wanted) > 1:
        text = "contracts of one query choose one slack, for each key or for all together"
        report.problem("CONTRACT_PER_KEY", at, text, "give all of them the same")
    if not root.keys:
        text = "a share for each key is promised, but the query has no keys"
        report.problem("CONTRACT_PER_KEY", at, text, "use group_by, or leave per_key out")
    kinds = {name: root.schema.type_of(name) for name, _ in root.keys}
    for name, kind in kinds.items():
        if kind is not None and kind.startswith(("struct", "array", "map")):
            text = f"key {name!r} is {kind}: such keys cannot be followed one by one"
            report.problem("CONTRACT_PER_KEY", at, text, "group by its fields")
    if any(term.method != "conformal" for term in terms):
        text = f"method {terms[0].method!r} does not follow keys one by one"
        report.problem("CONTRACT_PER_KEY", at, text, 'use method="conformal"')
    return True


def _bounds(
    query: Query, root: WindowAggregate, term: MaxError, report: Reporter
) -> tuple[list[Bound], list[Partial]]:
    _shares(report, epsilon=term.epsilon, confidence=term.confidence)
    last = query.stream.steps[-1]
    texts = dict(last.values) if isinstance(last, Aggregate) else {}
    if root.relation is not None:
        texts = dict.fromkeys((column.name for column in root.relation.columns), "")
    for name in term.of:
        if name not in texts:
            hint = f"aggregates here: {', '.join(texts)}"
            report.problem("CONTRACT_COLUMN", "contract, of", f"no aggregate {name!r}", hint)
    bounds: list[Bound] = []
    sums: list[Partial] = []
    _numbers(root, term, report)
    for name in term.of or tuple(texts):
        if root.relation is not None:
            bounds.append(measured_bound(name, term.epsilon, 1 - term.confidence))
            continue
        parsed = report.parse(texts[name], root.input.schema, "contract") if name in texts else None
        if parsed is not None:
            some, parts = bounds_of(name, parsed[1].tree, term.epsilon, 1 - term.confidence)
            bounds += some
            sums += parts
    return bounds, sums


def _numbers(root: WindowAggregate, term: MaxError, report: Reporter) -> None:
    """Refuse a relative error of what is no number."""
    kinds = {name: root.schema.type_of(name) for name, _ in root.values}
    numbers = [name for name, kind in kinds.items() if is_numeric(kind) is not False]
    hint = f"of={numbers!r} names those that are numbers" if numbers else "use sw.slack"
    for name in term.of or tuple(kinds):
        if name in kinds and name not in numbers:
            text = f"{name!r} is {kinds[name]}: only numbers have a relative error"
            report.problem("CONTRACT_COLUMN_TYPE", "contract, of", text, hint)


def recall_contract(joined: Joined, term: MinRecall, report: Reporter) -> RecallContract:
    """The recall a join must reach."""
    _shares(report, gamma=term.gamma, confidence=term.confidence)
    if joined.optional:
        text = "a row without partner is no result that could have been missed"
        hint = "use sw.slack(...), or an inner join in a query of its own"
        report.problem("JOIN_OUTER", "contract", f"min_recall counts results: {text}", hint)
    over = report.positive(term.over, "contract, over") or 0
    if over == 0:
        report.problem("CONTRACT_RANGE", "contract, over", f"{term.over!r} is not a period")
    windows = [reach for row in joined.reach for reach in row if reach]
    grain, low, high = _limits((term,), min(windows, default=over), report)
    return RecallContract(
        term.gamma, term.confidence, over, grain, low, high, _method(term.method, report)
    )


def _shares(report: Reporter, **shares: float) -> None:
    for name, value in shares.items():
        if not 0 < value < 1:
            text = f"{value!r} is not between 0 and 1"
            report.problem("CONTRACT_RANGE", f"contract, {name}", text)


def _limits(
    terms: tuple[MaxError, ...] | tuple[MinRecall, ...], scale: int, report: Reporter
) -> tuple[int, int, int | None]:
    """Granularity and bounds of the slack; a hundredth of ``scale`` where none is given."""

    def limits(values: list[DurationLike], name: str) -> list[int]:
        found = [report.positive(value, f"contract, {name}") for value in values]
        return [value for value in found if value is not None]

    lows = limits([term.at_least for term in terms], "at_least")
    highs = limits([t.at_most for t in terms if t.at_most is not None], "at_most")
    grains = limits([t.granularity for t in terms if t.granularity], "granularity")
    low, high = max(lows, default=0), min(highs, default=None)
    if high is not None and high < low:
        report.problem("CONTRACT_LIMITS", "contract", "at_most is below at_least")
    return min((g for g in grains if g), default=max(1000, scale // 100)), low, high


def _method(name: str, report: Reporter) -> Method:
    """The method of that name; any other is told, and stands for the usual one."""
    found = next((method for method in METHODS if method == name), None)
    if found is None:
        text = f"{name!r} is not one of: {', '.join(METHODS)}"
        report.problem("CONTRACT_METHOD", "contract, method", text)
    return found or "calibrated"
