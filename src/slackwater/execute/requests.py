"""Requests of people in the loop: taken in before a batch is decided, told of after it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from slackwater.control.join_plan import Change, Ordered
from slackwater.control.prods import REQUEST
from slackwater.control.records import Decision
from slackwater.control.request import Request
from slackwater.errors import Problem
from slackwater.events.log import EventLog
from slackwater.execute.batch import Outcome
from slackwater.execute.duck import DuckEngine
from slackwater.execute.estimates.reading import Reading
from slackwater.execute.estimates.trial import problem_with
from slackwater.plan.tree import show_tree
from slackwater.runs.requests import Answer, Inbox

STREAM = "control"  # ids of prods that came as rows of a stream begin so


@dataclass(slots=True)
class Desk:
    """Where prods come in and answers go out.

    ``answered`` are prods of a stream that may be given once more; ``blamed`` are sources of prods
    whose failure was told.
    """

    inbox: Inbox
    events: EventLog
    readings: dict[str, Reading]
    engine: DuckEngine
    answered: tuple[str, ...] = ()
    blamed: set[tuple[str, str]] = field(default_factory=set)

    def take(self, batch: int) -> tuple[Request, ...]:
        """The prods that wait, each with what an engine has against it."""
        waiting = self._waiting(batch)
        return tuple(replace(request, fault=self._fault(request)) for request in waiting)

    def _fault(self, request: Request) -> str | None:
        reading = self.readings.get(request.query)
        if reading is None or request.where is None:
            return None
        problem = problem_with(request, reading, self.engine)
        return None if problem is None else str(problem)

    def _waiting(self, batch: int) -> tuple[Request, ...]:
        """The prods that wait; a row of their stream that comes again is none."""
        found, strange = self.inbox.look()
        for file, answer in strange.items():
            self._write(batch, answer)
            self.inbox.set_aside(file)
        again = [request.id for request in found if request.id in self.answered]
        if again:
            self.inbox.remove(again)
        return tuple(request for request in found if request.id not in again)

    def known(self, answers: Iterable[Answer]) -> tuple[str, ...]:
        """Which prods are answered and may come again, with these."""
        return repeatable([*self.answered, *(answer.prod for answer in answers)])

    def tell_left(self, batch: int, answers: Iterable[Answer]) -> None:
        """Tell of prods that were answered when the process died, and forget them."""
        left = [answer for answer in answers if self.inbox.has(answer.prod)]
        self._tell(batch, left)

    def tell(self, decision: Decision, answers: list[Answer], failed: dict[str, Problem]) -> None:
        """Tell people what became of their prods, and forget these."""
        queries = decision.queries.items()
        prodded = {name for name, query in queries if query.prods is not None}
        joined = {name for name, query in queries if query.find(Ordered) is not None}
        for request in self._waiting(decision.batch + 1):
            if request.tree is not None and request.query not in joined:
                reason = f"no query {request.query!r} that joins"
                answers = [*answers, Answer(request.id, request.query, 0, reason, request.tree)]
            if request.tree is None and request.query not in prodded:
                reason = f"no query {request.query!r} with estimates"
                answers = [*answers, Answer(request.id, request.query, 0, reason)]
        self._tell(decision.batch, answers)
        self._tell_failing(decision, failed)

    def _tell(self, batch: int, answers: Iterable[Answer]) -> None:
        answers = list(answers)
        for answer in answers:
            self._write(batch, answer)
        self.inbox.remove([answer.prod for answer in answers])

    def _write(self, batch: int, answer: Answer) -> None:
        kind, value = answer.event
        self.events.write(kind, batch=batch, **value)

    def _tell_failing(self, decision: Decision, failed: dict[str, Problem]) -> None:
        """Tell of sources of prods that fail: once each, they will do so again and again."""
        for name, query in decision.queries.items():
            for call in query.prods.calls if query.prods else ():
                known = (name, call.source) in self.blamed or call.source == REQUEST
                if call.id in failed and not known:
                    self.blamed.add((name, call.source))
                    text = f"estimates {call.source} are left out: {failed[call.id]}"
                    self.events.write("notice", batch=decision.batch, text=text)


def answers_of(decision: Decision, outcome: Outcome) -> list[Answer]:
    """What becomes of the requests that a batch took."""
    found = list(_answers_of_trees(decision))
    for name, query in decision.queries.items():
        if query.prods is None:
            continue
        reasons = dict(query.prods.refused)
        reasons |= {prod: str(problem) for prod, problem in outcome.failed.items()}
        for prod in query.prods.requests:
            rows, reason = outcome.answered.get(prod, 0), reasons.get(prod)
            if reason is None and rows == 0 and prod in outcome.answered:
                reason = "no group of an open window matches"
            found.append(Answer(prod, name, rows, reason))
    return found


def _answers_of_trees(decision: Decision) -> Iterator[Answer]:
    for name, query in decision.queries.items():
        ordered = query.find(Ordered)
        if ordered is not None:
            tree = "" if ordered.choice is None else show_tree(ordered.choice.tree)
            for request in ordered.requests:
                yield Answer(request, name, 0, dict(ordered.refused).get(request), tree)


def changes_of(decision: Decision) -> Iterator[tuple[str, Change]]:
    """Changes of trees that began or ended with a batch, by query."""
    for name, query in decision.queries.items():
        ordered = query.find(Ordered)
        for change in () if ordered is None else ordered.changes:
            yield name, change


def repeatable(ids: Iterable[str]) -> tuple[str, ...]:
    """Of some prods those that their stream may give once more: of its newest batch."""
    places = {one: one.split("-") for one in ids}
    batches = {
        one: int(place[1])
        for one, place in places.items()
        if place[0] == STREAM and len(place) == 3 and place[1].isdecimal()
    }
    newest = max(batches.values(), default=None)
    return tuple(one for one, batch in batches.items() if batch == newest)
