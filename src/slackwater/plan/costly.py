"""Expensive queries: how many rows they work on in a batch, and who waits."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from slackwater.plan.report import Reporter
from slackwater.plan.terms import Terms
from slackwater.query.contract import FixedSlack
from slackwater.query.stream import Costly, Query, StreamDef

Aside = Literal["wait", "drop", "idle", "ratio"]
_NAMED: dict[str, Aside] = {"wait": "wait", "drop": "drop", "idle": "idle"}
ALLOWED = '"wait", "drop", "idle", or k:1 as in "3:1"'


@dataclass(frozen=True, slots=True)
class CostPlan(Terms):
    """Rows worked on in a batch, and how rows are served that estimates set aside.

    ``k`` others come before one of these under ``ratio``; one that waited for ``starve``
    (microseconds on the clock) comes first.
    """

    budget: int
    aside: Aside = "wait"
    k: int = 1
    starve: int | None = None

    @property
    def shown(self) -> str:
        """The policy as people write it."""
        return f"{self.k}:1" if self.aside == "ratio" else self.aside


def cost_plan(query: Query, report: Reporter) -> CostPlan | None:
    """The cost of a query, if it states one; problems are told by the names of parameters."""
    found = [(n, s) for n, s in enumerate(query.stream.steps, 1) if isinstance(s, Costly)]
    if not found:
        return None
    number, step = found[0]
    at = f"step {number} costly"
    if number > 1 or len(found) > 1 or not isinstance(query.stream.base, StreamDef):
        hint = 'e.g. sw.stream(...).costly(1000).where("v > 0")'
        text = "costly is the first step over one stream, once, and not over a join"
        report.problem("COSTLY_PLACE", at, text, hint)
    _check_terms(query, report, at)
    budget_is_number = isinstance(step.budget, int) and not isinstance(step.budget, bool)
    if not budget_is_number or step.budget < 1:
        text = f"{step.budget!r} is not a number of rows from 1"
        report.problem("COSTLY_BUDGET", f"{at}, budget", text)
    policy = _policy(step.aside)
    if policy is None:
        text = f"{step.aside!r} is not one of: {ALLOWED}"
        report.problem("COSTLY_ASIDE", f"{at}, aside", text)
        return None
    if policy[0] != "wait" and not query.estimates:
        text, hint = "estimates set rows aside, this query has none", "query(..., estimates=...)"
        report.problem("COSTLY_ASIDE", f"{at}, aside", text, hint)
    return CostPlan(step.budget, *policy, _starve(step, policy[0], report, f"{at}, starve"))


def _check_terms(query: Query, report: Reporter, at: str) -> None:
    """What cannot be promised while rows wait."""
    if query.late != "drop":
        hint = 'leave late="drop"; rows that wait are not late'
        report.problem("COSTLY_LATE", at, f"with late={query.late!r}", hint)
    if not isinstance(query.contract, FixedSlack):
        text = "its slack cannot be chosen by max_error or min_recall"
        report.problem("COSTLY_CONTRACT", at, text, "use sw.slack")


def _policy(aside: object) -> tuple[Aside, int] | None:
    text = aside if isinstance(aside, str) else ""
    if text in _NAMED:
        return _NAMED[text], 1
    k = re.fullmatch(r"([1-9][0-9]*):1", text)
    return None if k is None else ("ratio", int(k[1]))


def _starve(step: Costly, policy: Aside, report: Reporter, at: str) -> int | None:
    if step.starve is None:
        return None
    if policy in ("wait", "drop"):
        text = f"under aside={step.aside!r} no row waits aside"
        report.problem("COSTLY_STARVE", at, text, 'use it with "idle" or "3:1"')
    return report.positive(step.starve, at)
