"""What another set of queries would do to a checkpoint: told before it is done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from slackwater.control.arrival import shared_states, whole_after
from slackwater.errors import Problem
from slackwater.plan.change import Change
from slackwater.plan.stage import PipelinePlan, QueryPlan
from slackwater.runs.checkpoint import Checkpoint
from slackwater.runs.identity import Meaning
from slackwater.runs.manifest import Manifest
from slackwater.runs.run import total_rows


@dataclass(frozen=True, slots=True)
class Coming:
    """A query that would be new: what ends after an instant would be whole (``None``: all of it),
    if it came right after the newest batch. ``shares`` are states that are kept already.
    """

    query: str
    whole_after: int | None
    shares: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Refusal:
    """A part of the change that cannot be made, why, and the way out."""

    part: str
    reason: str
    hint: str


@dataclass(frozen=True, slots=True)
class Forecast:
    """The plan of a change, as of the newest ``batch`` (-1: none yet).

    ``freed`` are rows of state that nobody would read any more.
    """

    batch: int
    kept: tuple[str, ...]
    added: tuple[Coming, ...]
    dropped: tuple[str, ...]
    refused: tuple[Refusal, ...]
    freed: int

    @classmethod
    def of(cls, checkpoint: Checkpoint, given: Meaning, plan: PipelinePlan) -> Forecast:
        """What becoming a pipeline would do, now."""
        change, manifest = checkpoint.would_become(given), checkpoint.newest()
        plans = {query.name: query for query in plan.queries}
        return cls(
            -1 if manifest is None else manifest.batch,
            change.kept,
            tuple(_coming(plans[name], manifest) for name in change.added),
            change.dropped,
            tuple(_refusal(one) for one in change.refused),
            _freed(change, manifest),
        )

    @property
    def is_possible(self) -> bool:
        return not self.refused

    @property
    def is_change(self) -> bool:
        return bool(self.added or self.dropped or self.refused)

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "possible": self.is_possible}


def _refusal(problem: Problem) -> Refusal:
    """Differences name their part themselves."""
    reason = problem.message.removeprefix(f"{problem.where}, ")
    return Refusal(problem.where, reason, problem.hint)


def _coming(query: QueryPlan, manifest: Manifest | None) -> Coming:
    if manifest is None or not manifest.memory.queries:
        return Coming(query.name, None, ())
    since: Mapping[str, int | None] = {n: one.since for n, one in manifest.states.items()}
    whole = whole_after(query, since, manifest.memory.streams)
    return Coming(query.name, whole, shared_states(query, since))


def _freed(change: Change, manifest: Manifest | None) -> int:
    if manifest is None:
        return 0
    gone = frozenset(change.dropped)
    left = [n for n, one in manifest.states.items() if one.readers and one.readers <= gone]
    return total_rows([run for run in manifest.runs if run.state in left])
