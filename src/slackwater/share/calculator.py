"""Slacks of queries in, configurations out: the Global K-slack Configuration Calculator.

A pure step: what a query reports, what is known of the stream, and a state that can be saved.
Reference: Ji 2018, ch. 5 (framework, when to re-configure, latency penalty).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from slackwater.errors import SlackwaterError, check_version
from slackwater.share.change import moves
from slackwater.share.configuration import Configuration, Strategy, memory
from slackwater.share.opt import opt
from slackwater.share.penalty import Penalty, is_worth, to_migrate
from slackwater.share.tree import Facts, Operator, check
from slackwater.share.trigger import EAGER, Trigger

VERSION = 1


@dataclass(frozen=True, slots=True)
class CalculatorParams:
    """How to place buffers, when to do it anew, and whether only changes that pay are made."""

    strategy: Strategy = opt
    trigger: Trigger = EAGER
    checks_profit: bool = True


@dataclass(frozen=True, slots=True)
class CalculatorState:
    """Behind one source: slacks in force and reported, and the configuration that serves them."""

    slacks: Mapping[str, int] = field(default_factory=dict)
    reported: Mapping[str, int] = field(default_factory=dict)
    configuration: Configuration | None = None
    penalty: Penalty = field(default_factory=Penalty)
    skipped: int = 0
    version: int = VERSION


@dataclass(frozen=True, slots=True)
class Seen:
    """What queries report now, and what is known of the stream: selectivities, and its rate."""

    reports: Mapping[str, int]
    kept: Mapping[str, float]
    rate: float


@dataclass(frozen=True, slots=True)
class Change:
    """A configuration to apply, the slacks that it serves, and rows that it is expected to hold."""

    configuration: Configuration
    slacks: Mapping[str, int]
    rows: float


def start(params: CalculatorParams, root: Operator, seen: Seen) -> CalculatorState:
    """The first configuration; every query has reported."""
    facts = Facts(seen.reports, seen.kept, seen.rate)
    check(root, facts)
    return CalculatorState(dict(seen.reports), {}, params.strategy(root, facts))


def step(
    params: CalculatorParams, root: Operator, seen: Seen, state: CalculatorState
) -> tuple[Change | None, CalculatorState]:
    """A change, if it is time for one, it alters anything, and it pays."""
    check_version("configuration calculator", state, VERSION)
    assert state.configuration is not None
    for query, slack in seen.reports.items():
        if query not in state.slacks or slack < 0:
            message = f"sharing behind {root.name!r}: {query!r} reports a slack of {slack}"
            hint = f"queries are {', '.join(root.queries)}; a slack is 0 or more"
            raise SlackwaterError("SHARING_INVALID", message, hint)
    state = replace(state, reported={**state.reported, **seen.reports})
    slacks = {**state.slacks, **state.reported}
    queries = set(root.queries)
    if slacks == state.slacks or not params.trigger.is_due(set(state.reported), queries):
        return None, state
    facts = Facts(slacks, seen.kept, seen.rate)
    found = params.strategy(root, facts)
    if params.checks_profit and not _pays(root, facts, found, state):
        return None, replace(state, reported={}, skipped=state.skipped + 1)
    state = replace(state, slacks=slacks, reported={}, configuration=found)
    return Change(found, slacks, memory(root, facts, found)), state


def learned(state: CalculatorState, rows: int, time: float) -> CalculatorState:
    """With what applying a change has taken."""
    return replace(state, penalty=state.penalty.after(rows, time))


def _pays(root: Operator, facts: Facts, found: Configuration, state: CalculatorState) -> bool:
    assert state.configuration is not None
    changes = [(state.slacks[query], facts.slacks[query]) for query in root.queries]
    rates = {
        path[n].name: facts.rate_of(path[: n + 1])
        for path in root.paths()
        for n in range(len(path))
    }
    return is_worth(state.penalty, to_migrate(moves(state.configuration, found), rates), changes)
