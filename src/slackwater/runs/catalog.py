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

    @property
    def since(self) -> dict[str, int]:
        """By state: from when on it has all rows, where it has not always had them."""
        return {name: one.since for name, one in self.states.items() if one.since is not None}

    def forget(self, state: str, high: int) -> None:
        """Rows up to this instant may be gone from a state."""
        info = self.info(state)
        since = high + 1 if info.since is None else max(info.since, high + 1)
        self.states[state] = replace(info, since=since)

    def forgotten(self, since: Mapping[str, int]) -> None:
        """The same, as others found it."""
        for state, instant in since.items():
            if state in self.states:
                self.forget(state, instant - 1)

    def begin(self, state: str, since: int | None) -> None:
        """A state that nobody has kept so far has what comes from now on."""
        if state not in self.states and since is not None:
            self.states[state] = StateInfo(since=since)

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


def backlog_state(query: str, number: int = 0) -> str:
    """Raw rows of an input (by number) that an expensive query has not worked on."""
    return f"{query}-backlog{f'-{number}' if number else ''}"


def table_state(table: str) -> str:
    """The version of a table that rows look something up in."""
    return f"table-{table}"


def whole_states(queries: Iterable[QueryPlan]) -> list[str]:
    """States that no group of keys has a part of: rows that wait, and tables."""
    queries = tuple(queries)
    tables = {table_state(table): None for query in queries for table in query.tables}
    return [*backlog_states(queries), *tables]


def backlog_states(queries: Iterable[QueryPlan]) -> list[str]:
    """All states of rows that wait."""
    return [backlog_state(q.name, number) for q in queries for number in range(len(q.waiting))]
