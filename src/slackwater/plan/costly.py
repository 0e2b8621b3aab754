"""Expensive queries: how much they work on in a batch, who comes first, and who waits.

``costly`` is a budget by which rows wait for their turn as they came, ``rank`` one by which they
wait as they are worth: one plan for both.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

from slackwater.plan.names import COMPLETE, check_beside
from slackwater.plan.node import Joined, Node, chain
from slackwater.plan.ranks import Level, check_precedence, levels_of
from slackwater.plan.report import Reporter
from slackwater.plan.terms import Terms
from slackwater.query.contract import FixedSlack
from slackwater.query.rank import MEASURED, Rank
from slackwater.query.stream import Costly, Query, StreamDef
from slackwater.units import SECOND

Aside = Literal["wait", "drop", "idle", "ratio"]
_NAMED: dict[str, Aside] = {"wait": "wait", "drop": "drop", "idle": "idle"}
ALLOWED = '"wait", "drop", "idle", or k:1 as in "3:1"'


@dataclass(frozen=True, slots=True)
class CostPlan(Terms):
    """Rows worked on in a batch, and how rows are served that estimates set aside.

    ``k`` others come before one of these under ``ratio``; one that waited for ``starve``
    (microseconds on the clock) comes first. With ``seconds`` the budget is that much time; if it is
    ``measured``, what is left of the ``interval`` (seconds) between two triggers. Rows are given up
    after ``lifespan`` (microseconds). ``precedence`` says what ``levels`` are for.
    """

    budget: int
    aside: Aside = "wait"
    k: int = 1
    starve: int | None = None
    seconds: float | None = None
    measured: bool = False
    interval: float | None = None
    lifespan: int | None = None
    levels: tuple[Level, ...] = ()
    precedence: str = "none"

    @property
    def shown(self) -> str:
        """The policy as people write it."""
        return f"{self.k}:1" if self.aside == "ratio" else self.aside

    @property
    def ranks(self) -> int:
        """How many ranks there are (*NumRnks*)."""
        return max((level.rank for level in self.levels), default=0)

    @property
    def judged(self) -> frozenset[int]:
        """The inputs of which some level says something, by number."""
        return frozenset(level.input for level in self.levels)


def cost_plan(query: Query, report: Reporter) -> CostPlan | None:
    """The cost of a query, if it states one; problems are told by the names of parameters.

    Levels are added once it is known what they speak of.
    """
    found = [(n, s) for n, s in enumerate(query.stream.steps, 1) if isinstance(s, Costly)]
    lifespan = _lifespan(query, report, is_costly=bool(found))
    if not found:
        return None if query.rank is None else _ranked(query, query.rank, lifespan, report)
    number, step = found[0]
    at = f"step {number} costly"
    if number > 1 or len(found) > 1 or not isinstance(query.stream.base, StreamDef):
        hint = 'e.g. sw.stream(...).costly(1000).where("v > 0")'
        text = "costly is the first step over one stream, once, and not over a join"
        report.problem("COSTLY_PLACE", at, text, hint)
    _check_terms(query, report, at, "COSTLY")
    if not is_count(step.budget):
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
    if policy[0] != "wait" and query.rank is not None:
        text = "rows with ranks wait for their turn by rank alone"
        report.problem("COSTLY_ASIDE", f"{at}, aside", text, 'leave aside="wait"')
    if query.rank is not None and query.rank.budget is not None:
        hint = "give it once, to costly or to sw.rank"
        report.problem("RANK_BUDGET", "rank, budget", "costly has a budget, too", hint)
    starve = _starve(step, policy[0], report, f"{at}, starve")
    return CostPlan(step.budget, *policy, starve, lifespan=lifespan)


def with_levels(plan: CostPlan, query: Query, root: Node, report: Reporter) -> CostPlan:
    """The plan with the levels of its ranks, now that the columns are known."""
    if query.rank is None:
        return plan
    base = chain(root)[0]
    if isinstance(base, Joined) and base.optional:
        text = "a row that waits its turn, or was shed, would seem to be missing"
        report.problem("JOIN_OUTER", "rank", text, "rank the rows of an inner join")
    if isinstance(base, Joined) and base.emit != "immediate":
        text = "results in the order of their times cannot overtake each other"
        report.problem("RANK_ORDERED", "rank", text, 'join with emit="immediate"')
    check_precedence(query.rank, report)
    check_beside(root.schema.names, (COMPLETE,), report, "results with ranks")
    levels = levels_of(query.rank, root, report)
    return replace(plan, levels=levels, precedence=query.rank.precedence)


def is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def _ranked(query: Query, asked: Rank, lifespan: int | None, report: Reporter) -> CostPlan:
    """The cost of a query that says it with its ranks."""
    at, hint = "rank, budget", f'e.g. budget=1000 (rows), budget="500 ms", or "{MEASURED}"'
    _check_terms(query, report, "rank", "RANK")
    budget = asked.budget
    if budget is None or budget == MEASURED:
        return CostPlan(1, measured=True, lifespan=lifespan)
    if isinstance(budget, int):
        if not is_count(budget):
            report.problem("RANK_BUDGET", at, f"{budget!r} is not a number of rows from 1", hint)
        return CostPlan(budget, lifespan=lifespan)
    time = report.duration(budget, at)
    if time is not None and time <= 0:
        report.problem("RANK_BUDGET", at, f"{budget!r} is no time to work in", hint)
    return CostPlan(1, seconds=(time or 0) / SECOND, lifespan=lifespan)


def _lifespan(query: Query, report: Reporter, *, is_costly: bool) -> int | None:
    if query.lifespan is None:
        return None
    if query.rank is None and not is_costly:
        hint = "query(..., rank=sw.rank(...)), or a stream that is costly"
        report.problem("LIFESPAN_ALONE", "lifespan", "no row of this query waits", hint)
    found = report.duration(query.lifespan, "lifespan")
    if found is not None and found <= 0:
        text = f"{query.lifespan!r} leaves no time to work on a row"
        report.problem("LIFESPAN_INVALID", "lifespan", text, "give it longer than a batch takes")
    return found


def _check_terms(query: Query, report: Reporter, at: str, kind: str) -> None:
    """What cannot be promised while rows wait."""
    if query.late != "drop":
        hint = 'leave late="drop"; rows that wait are not late'
        report.problem(f"{kind}_LATE", at, f"with late={query.late!r}", hint)
    if not isinstance(query.contract, FixedSlack):
        text = "its slack cannot be chosen by max_error or min_recall"
        hint = "use sw.slack"
        if kind == "RANK":
            text += ", which promise for all rows, also for those that are never worked on"
        report.problem(f"{kind}_CONTRACT", at, text, hint)


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
