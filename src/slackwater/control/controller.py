"""The shape of a controller: the one place where a capability decides.

A controller has *parameters* (what a query asks of it), a *memory* (frozen, one per query, saved
with every batch), a *step* that gives its terms for a batch, and says in words and numbers why. A
new one is a class of this shape and an entry in ``control/step.py``; its memory and its order are
saved, and its explanation reaches events, page and metrics, without anybody else knowing it
(design note 8).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar

from slackwater.control.records import (
    Explanation,
    Feedback,
    Observation,
    Policy,
    QueryMemory,
    StreamClock,
    StreamDecision,
    Wants,
    first_of,
)
from slackwater.plan.stage import QueryPlan

P = TypeVar("P")
M = TypeVar("M")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Moment:
    """What a controller may look at: one query in one batch.

    ``before`` are the clocks of streams before the batch, ``clock`` is the query's after it,
    ``memory`` all that was remembered. ``terms`` are those of the controllers before it.
    """

    policy: Policy
    query: QueryPlan
    observation: Observation
    before: Mapping[str, StreamClock]
    streams: dict[str, StreamDecision]
    clock: int | None
    memory: QueryMemory
    terms: tuple[object, ...] = ()

    def find(self, kind: type[T]) -> T | None:
        """What was decided in this batch, by its type; the newest counts."""
        return first_of(kind, reversed(self.terms))


@dataclass(frozen=True, slots=True)
class Stateless:
    """The memory of a controller that remembers nothing."""


class Controller(Generic[P, M, T]):
    """One decision about a query.

    ``order`` is the type of its terms if they are work to be executed, which is then part of the
    decision; ``None`` if only other controllers read them.
    """

    name: ClassVar[str]
    memory: type[M]
    order: type[T] | None = None

    def parameters(self, query: QueryPlan) -> P | None:
        """What a query asks of this controller; ``None`` if nothing."""
        raise NotImplementedError

    def wants(self, params: P, query: QueryPlan, memory: QueryMemory) -> Wants:
        """What to look for in the next batch."""
        return Wants()

    def step(self, params: P, moment: Moment, memory: M) -> tuple[T, M]:
        """The terms of a batch, and what to remember."""
        raise NotImplementedError

    def learn(self, query: str, memory: M, feedback: Feedback) -> M:
        """The memory after the batch was executed."""
        return memory

    def finish(self, params: P, memory: QueryMemory, feedback: Feedback, query: str) -> T | None:
        """The streams have ended: what is left to be told of what the last batch measured."""
        return None

    def notices(self, params: P, moment: Moment, terms: T) -> Iterable[str]:
        """What a person should hear of."""
        return ()

    def explain(self, terms: T) -> Explanation:
        """Why the terms are what they are, for events, page and metrics."""
        return {}
