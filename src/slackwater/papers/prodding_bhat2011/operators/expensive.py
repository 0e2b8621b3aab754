"""An operator that takes its time for every tuple, with a to-do list that prods overtake.

It stands for a look-up, a text search, an expensive subplan. One server, ``cost`` per tuple,
in virtual time. A prod passes at once: the estimate covers what has been processed.

With *sidelining*, a prod for a window also sets the tuples of that window aside which are still
waiting; newer ones are served first, those set aside by policy: never (``drop``), when there is
nothing else (``idle``), one after every k (``ratio``). Output stays grammatical: in ``plain`` mode
a punctuation waits for all older tuples; in ``range`` mode each slide has a punctuation of its own,
so that windows without tuples set aside close at once.

Reference: Bhat 2011, ch. 4, 6.
"""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, replace
from typing import Literal

from slackwater.errors import SlackwaterError
from slackwater.estimate.backlog import BacklogPolicy, serve
from slackwater.papers.prodding_bhat2011.operators.element import TS, DataTuple, Output, Punctuation
from slackwater.papers.prodding_bhat2011.operators.intervals import HIGHEST, LOWEST
from slackwater.papers.prodding_bhat2011.operators.operator import Operator
from slackwater.papers.prodding_bhat2011.operators.predicate import Eq, In, Le, Predicate, Range
from slackwater.papers.prodding_bhat2011.operators.prod import Prod


@dataclass(frozen=True, slots=True)
class ExpensiveParams:
    """What is served how.

    Parameters
    ----------
    cost
        Virtual time per tuple.
    slide
        Of the windows above; needed for sidelining.
    policy
        What becomes of tuples set aside; ``None`` for no sidelining.
    punctuations
        ``plain`` or ``range``, see above.
    """

    cost: int
    slide: int = 1
    policy: BacklogPolicy | None = None
    punctuations: Literal["plain", "range"] = "plain"

    def __post_init__(self) -> None:
        if self.cost < 0 or self.slide <= 0:
            raise SlackwaterError(
                "EXPENSIVE_INVALID",
                f"expensive operator: cost {self.cost}, slide {self.slide}",
                "cost from 0, slide above 0",
            )


class Expensive(Operator):
    """A single server; results leave when they are done."""

    def __init__(self, params: ExpensiveParams) -> None:
        self.params = params
        self.todo: deque[DataTuple | Punctuation] = deque()
        self.aside: deque[DataTuple] = deque()
        self.dropped = 0
        self.sidelined: Counter[int] = Counter()  # tuples ever set aside, by slide
        self._waiting: Counter[int] = Counter()  # tuples set aside and not done, by slide
        self._held: list[tuple[int, int, Punctuation]] = []
        self._closed: dict[tuple[tuple[str, Predicate], ...], int] = {}
        self._position = 0
        self._working: tuple[int, DataTuple, bool] | None = None

    def take(self, element: Output, now: int, port: int = 0) -> list[Output]:
        match element:
            case DataTuple() | Punctuation():
                self.todo.append(element)
                return self._start(now)
            case Prod():
                if self.params.policy is not None:
                    self._set_aside(element)
                return [element, *self._start(now)]
        return [element]

    def due(self) -> int | None:
        return self._working[0] if self._working else None

    def fire(self, now: int) -> list[Output]:
        assert self._working is not None
        _, done, was_aside = self._working
        self._working = None
        if was_aside:
            self._waiting -= Counter([done.row[TS] // self.params.slide])  # none is left at 0
        return [done, *self._release(), *self._start(now)]

    # --- serving

    def _start(self, now: int) -> list[Output]:
        """Pass on what costs nothing, then begin with the next tuple."""
        out: list[Output] = []
        while self.todo or self.aside:
            is_behind = self._working is not None and not self._working[2]
            if self.todo and isinstance(self.todo[0], Punctuation) and not is_behind:
                out += self._punctuate(self.todo.popleft())
            elif self._working is None:
                self._working = (now + self.params.cost, *self._choose())
            else:
                break
        return out

    def _choose(self) -> tuple[DataTuple, bool]:
        policy = self.params.policy or BacklogPolicy("idle")
        chosen = serve(policy, min(1, len(self.todo)), len(self.aside), 1, self._position)
        if chosen.aside:
            self._position = 0
            return self.aside.popleft(), True
        self._position += 1 if self.aside else 0
        found = self.todo.popleft()
        assert isinstance(found, DataTuple)
        return found, False

    def _set_aside(self, prod: Prod) -> None:
        """Tuples of the window that still wait; its punctuations wait for them in turn."""
        end = _bound(prod.time)
        kept: deque[DataTuple | Punctuation] = deque()
        for one in self.todo:
            if isinstance(one, DataTuple) and one.row[TS] < end and prod.matches(one.row):
                self._put_aside(one)
            else:
                kept.append(one)
        self.todo = kept

    def _put_aside(self, one: DataTuple) -> None:
        assert self.params.policy is not None
        slide = one.row[TS] // self.params.slide
        self.sidelined[slide] += 1
        if self.params.policy.kind == "drop":
            self.dropped += 1
        else:
            self.aside.append(one)
            self._waiting[slide] += 1

    # --- punctuations

    def _punctuate(self, one: DataTuple | Punctuation) -> list[Output]:
        assert isinstance(one, Punctuation)
        if self.params.policy is None:
            return [one]
        self._held.append(self._promised(one))
        return self._release()

    def _promised(self, one: Punctuation) -> tuple[int, int, Punctuation]:
        """The times a punctuation speaks of, and how it goes on."""
        if isinstance(one.time, Range):
            return int(one.time.low), int(one.time.high) + 1, one
        if not isinstance(one.time, Le):
            return LOWEST, HIGHEST, one
        bound = int(one.time.bound)
        if self.params.punctuations == "plain":
            return LOWEST, bound, one
        # the first range is open below: windows may begin before any tuple
        low = self._closed.get(one.attributes, LOWEST)
        self._closed[one.attributes] = max(low, bound)
        time: Predicate = Range(low, bound - 1) if low < bound else In(frozenset())
        return low, bound, replace(one, time=time)

    def _release(self) -> list[Output]:
        """Punctuations that speak of no time at which a tuple set aside is still to come."""
        free = [held for held in self._held if not self._is_waiting(held[0], held[1])]
        self._held = [held for held in self._held if held not in free]
        return [one for _, _, one in free]

    def _is_waiting(self, low: int, high: int) -> bool:
        slide = self.params.slide
        return any(low < (number + 1) * slide and number * slide < high for number in self._waiting)


def _bound(time: Predicate) -> int:
    """Tuples before this are of the windows asked for; a prod without an end sets nothing aside."""
    match time:
        case Eq(value) | Le(value) if value is not None:
            return int(value)
        case Range(_, high):
            return int(high)
    return LOWEST
