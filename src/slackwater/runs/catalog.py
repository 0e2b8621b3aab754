"""The catalog of a pipeline's state: which states there are, who reads them, their live runs."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from slackwater.plan.stage import QueryPlan, Stage
from slackwater.runs.run import Run


@dataclass(frozen=True, slots=True)
class StateInfo:
    """What is to be known of a state besides its runs.

    ``readers`` claim it; a state that nobody claims goes. It holds every row ``since`` that
    instant (``None``: since the beginning). Runs of batches up to one of the ``fences`` are not
    merged with later ones, so that somebody can tell them apart (design notes 8 and 10).
    """

    readers: frozenset[str] = frozenset()
    since: int | None = None
    fences: tuple[int, ...] = ()

    def parts(self, runs: Iterable[Run]) -> list[list[Run]]:
        """Runs between two fences; all of them together where there is none."""
        marks, found = sorted(self.fences), dict[int, list[Run]]()
        for run in runs:
            found.setdefault(bisect_left(marks, run.batch), []).append(run)
        return list(found.values())


@dataclass(slots=True)
class Catalog:
    """The live runs of a pipeline, by state, and what is known of the states."""

    runs: dict[str, list[Run]] = field(default_factory=dict)
    states: dict[str, StateInfo] = field(default_factory=dict)

    @classmethod
    def of(cls, runs: Iterable[Run], states: Mapping[str, StateInfo] | None = None) -> Catalog:
        found = cls({}, dict(states or {}))
        for run in runs:
            found.add(run)
        return found

    def copy(self) -> Catalog:
        return Catalog({state: list(runs) for state, runs in self.runs.items()}, dict(self.states))

    def at(self, state: str) -> list[Run]:
        return self.runs.get(state, [])

    def info(self, state: str) -> StateInfo:
        return self.states.get(state, StateInfo())

    def add(self, run: Run | None) -> None:
        if run is not None:
            self.runs.setdefault(run.state, []).append(run)

    def drop(self, state: str) -> None:
        """Let go of all runs of a state."""
        self.runs.pop(state, None)

    def all(self) -> list[Run]:
        return [run for runs in self.runs.values() for run in runs]

    def claim(
        self,
        readers: Mapping[str, Iterable[str]],
        fences: Mapping[str, tuple[int, ...]] | None = None,
    ) -> None:
        """Let states be read by these and by nobody else; those without a reader are forgotten.

        Where runs must be told apart there are ``fences``, and nowhere else.
        """
        self.states = {
            state: replace(
                self.info(state), readers=frozenset(names), fences=(fences or {}).get(state, ())
            )
            for state, names in readers.items()
        }


def told_state(query: QueryPlan, stage: Stage) -> str:
    return f"{query.name}-{stage.level}-told"


def answers_state(query: QueryPlan) -> str:
    """What a query under an error bound has answered, until its errors are measured."""
    return f"{query.name}-answers"


def estimates_state(query: str) -> str:
    """What a query has estimated of windows that are open, until they are judged."""
    return f"{query}-estimates"


def backlog_state(query: str) -> str:
    """Raw rows that an expensive query has not worked on."""
    return f"{query}-backlog"
