"""Who prods a query in this batch: schedules by its clock, and people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from slackwater.control.accuracy import Accuracy
from slackwater.control.clock import oldest_of, origin_of
from slackwater.control.controller import Controller, Moment
from slackwater.control.orders import ProdCall, Prods
from slackwater.control.records import ControlState, Explanation, Feedback
from slackwater.control.request import (
    Reader,
    Request,
    ends_asked,
    problem_of,
    understand,
    why_none,
)
from slackwater.control.watermark import Closing
from slackwater.errors import Problem
from slackwater.estimate.aggressiveness import (
    AggressivenessParams,
    AggressivenessState,
    set_manually,
    step,
)
from slackwater.estimate.monitor import age_bin
from slackwater.estimate.running import Running
from slackwater.estimate.schedule import lead, points_passed
from slackwater.plan.demand import aggressiveness_problem
from slackwater.plan.estimates import EstimatePlan, ProdSource
from slackwater.plan.stage import QueryPlan
from slackwater.plan.window import Window
from slackwater.query.expression import Expression

REACH = 0.9  # the controller asks at a tenth of a window at the earliest
REQUEST = "request"  # the source of prods that people send
MOST = 100_000  # windows that are estimated for one prod


@dataclass(frozen=True, slots=True)
class ProdMemory:
    """What is remembered: prods so far, and of open windows their estimates and age at the last.

    ``chosen`` has the aggressiveness of each source that has one, ``reached`` the end of the last
    window it was due for: when it changes, no window is prodded twice or passed over.
    ``accuracy`` is what estimates were worth so far.
    """

    number: int = 0
    windows: tuple[tuple[int, int, int], ...] = ()
    reached: dict[str, int | None] = field(default_factory=dict)
    chosen: dict[str, AggressivenessState] = field(default_factory=dict)
    accuracy: Accuracy = field(default_factory=Accuracy)


@dataclass(frozen=True, slots=True)
class Mark:
    """One prod meets one window: number of the estimate, how old the window is (share of its
    span that the clock has passed), and whether the estimate is kept to be judged.
    """

    ask: int
    start: int
    revision: int
    age: float
    is_kept: bool


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a query's clock stands: before this batch, now, and what is closed by then.

    ``zone`` is the session's, for times that people write. ``oldest`` is the smallest event time
    so far; no window before it can hold a row. Windows that end until ``whole_after`` lack rows,
    as the query came too late for them.
    """

    before: int | None
    clock: int | None
    upto: int | None
    origin: int | None
    zone: str = "UTC"
    oldest: int | None = None
    whole_after: int | None = None


class Prodder(Controller[EstimatePlan, ProdMemory, Prods]):
    """Who prods a query in this batch, and for which windows."""

    name = "prods"
    memory = ProdMemory
    order = Prods

    def parameters(self, query: QueryPlan) -> EstimatePlan | None:
        return query.find(EstimatePlan)

    def step(
        self, params: EstimatePlan, moment: Moment, memory: ProdMemory
    ) -> tuple[Prods, ProdMemory]:
        query, observation = moment.query, moment.observation
        requests = [
            one for one in observation.requests if one.query == query.name and one.tree is None
        ]
        return prods_of(query, params, memory, _progress(moment), requests)

    def learn(self, query: str, memory: ProdMemory, feedback: Feedback) -> ProdMemory:
        return replace(memory, accuracy=feedback.accuracy.get(query, memory.accuracy))

    def explain(self, terms: Prods) -> Explanation:
        counts = {"prods": len(terms.calls), "late": terms.late, "refused": len(terms.refused)}
        values = {f"aggressiveness of {name}": one for name, one in terms.aggressiveness.items()}
        return {**counts, **values}


def _progress(moment: Moment) -> Progress:
    closing = moment.find(Closing)
    before = moment.clock if moment.observation.ended else moment.memory.clock  # all is final then
    upto = None if closing is None else closing.upto
    return Progress(
        before,
        moment.clock,
        upto,
        origin_of(moment.query.streams, moment.streams),
        moment.policy.zone,
        oldest_of(moment.query.streams, moment.streams),
        moment.memory.whole_after,
    )


def prods_of(
    query: QueryPlan,
    plan: EstimatePlan,
    state: ProdMemory,
    progress: Progress,
    requests: Sequence[Request],
) -> tuple[Prods, ProdMemory]:
    """The prods of a batch, and what to remember."""
    window = query.top.window
    problems = _problems(query, requests)
    sound = [request for request in requests if request.id not in problems]
    chosen = _chosen(plan, window, state, sound)
    calls: list[ProdCall] = []
    late = 0
    number, reached = state.number, dict(state.reached)
    for source in plan.sources:
        if source.every is not None:
            found = _on_schedule(source.every, window, progress)
        else:
            p, before = chosen[source.label].value, state.reached.get(source.label)
            ends, reached[source.label] = _due(window, progress, p, before)
            found, missed = _at_points(ends, window, progress)
            late += missed
        if found is not None:
            found = _newest(window, found)
            number += 1
            where = None if source.where is None else source.where.sql
            calls.append(ProdCall(f"{source.label}/{number}", source.label, *found, where))
    asked = [request for request in sound if request.is_prod]
    answered, refused = _requested(query, asked, progress)
    calls += answered
    reasons = problems | dict(refused)
    refused = tuple((one.id, reasons[one.id]) for one in requests if one.id in reasons)
    after = replace(
        state,
        number=number,
        windows=_windows(state, calls, window, progress),
        reached=reached,
        chosen=chosen,
    )
    values = {label: one.value for label, one in chosen.items()}
    ids = tuple(request.id for request in requests)
    return Prods(tuple(calls), late, refused, values, ids), after


def _problems(query: QueryPlan, requests: Sequence[Request]) -> dict[str, str]:
    """The requests that cannot be asked of a query, each with what is wrong."""
    found: dict[str, str] = {}
    for request in requests:
        problem = problem_of(request, query.top.output, query.top.window)
        if problem is not None or request.fault is not None:
            found[request.id] = str(problem or request.fault)
    return found


def _chosen(
    plan: EstimatePlan,
    window: Window,
    state: ProdMemory,
    requests: Sequence[Request],
) -> dict[str, AggressivenessState]:
    """The aggressiveness of each source that has one, by now."""
    found: dict[str, AggressivenessState] = {}
    for source in plan.sources:
        if source.every is not None:
            continue
        params = _params(source, window)
        now = state.chosen.get(source.label, AggressivenessState.first(params))
        seen = state.accuracy.sources.get(source.label, Running())
        if now.manual is not None and aggressiveness_problem(now.manual, window, ""):
            now = set_manually(now, None, seen)  # saved before such values were refused
        if source.accuracy is not None:
            now = step(params, now, seen)
        for request in requests:
            if not request.is_prod:
                now = set_manually(now, request.aggressiveness, seen)
        found[source.label] = now
    return found


def _params(source: ProdSource, window: Window) -> AggressivenessParams:
    highest = REACH * window.size / window.slide
    if source.accuracy is not None:
        return AggressivenessParams(target=100 * source.accuracy, highest=highest)
    fixed = source.aggressiveness or 0.0
    low, high = min(fixed, 0.0), max(fixed, highest)
    return AggressivenessParams(100.0, lowest=low, highest=high, start=fixed)


def open_windows(window: Window, progress: Progress) -> tuple[int, int] | None:
    """Starts of the first and last window that is open: begun, and not answered for good."""
    if progress.clock is None:
        return None
    last = window.last_start(progress.clock)
    known = [t for t in (progress.clock, progress.origin, progress.oldest) if t is not None]
    first = window.first_start(min(known))
    if progress.upto is not None:
        first = max(first, window.first_start(progress.upto))
    if progress.whole_after is not None:
        first = max(first, window.first_start(progress.whole_after))
    return (first, last) if first <= last else None


def windows_asked(
    window: Window, live: tuple[int, int], where: Expression | None, reader: Reader
) -> tuple[int, int] | str:
    """Starts of the windows to estimate, or why that cannot be: all that are open, if they are
    not too many, else those that a predicate leaves possible.

    A clock that is far from where its stream began, with nothing closed, leaves very many open.
    """
    if _newest(window, live) == live:
        return live
    span = ends_asked(where, window.size, reader)
    first = max(live[0], window.first_start(span.low - 1))
    last = min(live[1], window.last_start(span.high - window.size))
    if first > last:
        return "no open window is asked for"
    if (count := (last - first) // window.slide + 1) > MOST:
        return f"{count:,} windows are open, at most {MOST:,} are estimated at once: ask by time"
    return first, last


def _newest(window: Window, found: tuple[int, int]) -> tuple[int, int]:
    """Of very many windows the newest."""
    return max(found[0], found[1] - (MOST - 1) * window.slide), found[1]


def _on_schedule(every: int, window: Window, progress: Progress) -> tuple[int, int] | None:
    """The windows that a source prods by the clock: all that are open, or none."""
    clock, before = progress.clock, progress.before
    if clock is None or before is None or clock <= before:
        return None
    if every and not len(points_passed(before, clock, every)):
        return None
    return open_windows(window, progress)


def _due(
    window: Window, progress: Progress, p: float, reached: int | None
) -> tuple[range, int | None]:
    """Ends of the windows whose prod is due by now and was not before, and the last of all due.

    A window is due ``p`` slides before its end. What was due before anything was known is not
    prodded any more.
    """
    if progress.clock is None:
        return range(0), reached
    last = window.last_start(progress.clock + lead(p, window.slide) - window.size) + window.size
    if reached is None:
        return range(0), last
    return range(reached + window.slide, last + 1, window.slide), max(reached, last)


def _at_points(
    ends: range, window: Window, progress: Progress
) -> tuple[tuple[int, int] | None, int]:
    """Those of the windows that are open, and how many were answered for good before."""
    live = open_windows(window, progress)
    if not len(ends) or live is None:
        return None, len(ends)
    first, last = max(live[0], ends[0] - window.size), min(live[1], ends[-1] - window.size)
    late = len(range(ends[0], min(ends[-1] + 1, live[0] + window.size), window.slide))
    return ((first, last) if first <= last else None), late


def _requested(
    query: QueryPlan, requests: Sequence[Request], progress: Progress
) -> tuple[list[ProdCall], tuple[tuple[str, str], ...]]:
    calls: list[ProdCall] = []
    refused: list[tuple[str, str]] = []
    window = query.top.window
    for request in requests:
        where = understand(query.name, query.top.output, request.where)
        if isinstance(where, Problem):
            refused.append((request.id, str(where)))
            continue
        reader = Reader(query.top.state.stamp, progress.zone)
        reason = why_none(window, where, progress.clock, progress.upto, reader)
        live = open_windows(window, progress)
        if reason is not None or live is None:
            refused.append((request.id, reason or "no window is open"))
            continue
        found = windows_asked(window, live, where, reader)
        if isinstance(found, str):
            refused.append((request.id, found))
            continue
        text = None if where is None else where.sql
        calls.append(ProdCall(request.id, REQUEST, *found, text))
    return calls, tuple(refused)


def marks(
    calls: Sequence[ProdCall], state: ProdMemory, window: Window, progress: Progress
) -> Iterator[Mark]:
    """Every prod with each of its windows, in the order of their estimates."""
    if progress.clock is None:
        return
    seen = {start: (revision, age) for start, revision, age in state.windows}
    for ask, call in enumerate(calls):
        for start in range(call.first, call.last + 1, window.slide):
            age = age_of(start, window.size, progress.clock, progress.origin)
            revision, last = seen.get(start, (0, -1))
            place = int(age_bin(age))
            seen[start] = (revision + 1, place)
            yield Mark(ask, start, revision + 1, age, place != last)


def age_of(start: int, size: int, clock: int, origin: int | None) -> float:
    """The share of a window that the clock has passed; a first window begins with its stream."""
    begin = start if origin is None else min(max(start, origin), start + size - 1)
    return max(0.0, (clock - begin) / (start + size - begin))


def _windows(
    state: ProdMemory, calls: Sequence[ProdCall], window: Window, progress: Progress
) -> tuple[tuple[int, int, int], ...]:
    """Estimates given so far of the windows that are still open."""
    seen = {start: (revision, age) for start, revision, age in state.windows}
    if calls:
        for mark in marks(calls, state, window, progress):
            seen[mark.start] = (mark.revision, int(age_bin(mark.age)))
    closed = progress.upto
    return tuple(
        (start, *told)
        for start, told in sorted(seen.items())
        if closed is None or start + window.size > closed
    )


def accuracies(state: ControlState) -> dict[str, Accuracy]:
    """By query with estimates: what they were worth so far."""
    found = {name: memory.find(ProdMemory) for name, memory in state.queries.items()}
    return {name: one.accuracy for name, one in found.items() if one is not None}


def spoken(state: ControlState, query: str) -> ProdMemory:
    """What the estimates of a query have said so far."""
    return state.of(query).find(ProdMemory) or ProdMemory()
