"""Which rows of an expensive query are worked on in this batch, and which wait.

The rows of a batch are kept in one run, ordered by event time. Rows of one pane lie together in it,
so that a *piece* (so many rows from this one on) names them, and setting a window aside moves
pieces from one list to another: no row is touched before it is worked on.

Rows with ranks lie by rank first, so that a piece is of one (:mod:`slackwater.control.queues`).

Reference: Bhat 2011, ch. 4 and 6. The numbers are chosen by :mod:`slackwater.estimate.backlog`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, compress
from operator import not_

from slackwater.control.controller import Controller, Moment, Stateless
from slackwater.control.orders import Piece, Pieces, Prods, Work, rows_of, weight_of
from slackwater.control.queues import books, expire, in_order, newest_of, take, turn_away
from slackwater.control.ranks import RankMemory
from slackwater.control.records import Explanation
from slackwater.control.watermark import Hold
from slackwater.estimate.backlog import BacklogPolicy, serve
from slackwater.plan.costly import CostPlan
from slackwater.plan.stage import QueryPlan
from slackwater.stats.panes import PaneCount


@dataclass(frozen=True, slots=True)
class Backlog:
    """What waits: new rows in the order of their turns, and rows set aside, longest first.

    ``position`` counts new rows served since one set aside was; ``lost`` has by rank the newest
    event time of rows that were given up.
    """

    todo: Pieces = ()
    aside: Pieces = ()
    position: int = 0
    lost: tuple[int, ...] = ()

    @property
    def all(self) -> Pieces:
        return (*self.todo, *self.aside)

    @property
    def oldest(self) -> int | None:
        """The smallest event time that may still wait."""
        return min((piece.low for piece in self.all), default=None)


@dataclass(frozen=True, slots=True)
class AtWork(Hold):
    """The rows worked on in a batch, those left, and how many were given up.

    ``came`` are those that arrived, ``away`` those of them that were shed at once; the time of
    those ``expired`` was over. ``budget`` is how much work was allowed, if not all of it.
    """

    taken: Pieces
    left: Backlog
    shed: int = 0
    came: Pieces = ()
    away: Pieces = ()
    expired: Pieces = ()
    budget: int | None = None


class Worker(Controller[CostPlan, Stateless, AtWork]):
    """Which rows an expensive query works on; at the end of its stream, all of them."""

    name = "worker"
    memory = Stateless

    def parameters(self, query: QueryPlan) -> CostPlan | None:
        return query.find(CostPlan)

    def step(self, params: CostPlan, moment: Moment, memory: Stateless) -> tuple[AtWork, Stateless]:
        before = moment.memory.find(Backlog) or Backlog()
        learned = moment.memory.find(RankMemory) or RankMemory()
        came = tuple(p for number in range(len(moment.query.fed)) for p in _came(moment, number))
        budget = learned.budget(params)
        is_short = weight_of((*before.all, *came)) > budget
        new, away = turn_away(params, came, is_short=is_short)
        todo, late = expire(params, in_order(params, (*before.todo, *new)), moment.clock)
        aside, later = expire(params, before.aside, moment.clock)
        if moment.observation.ended:
            taken, left, shed = (*aside, *todo), Backlog(), 0
        else:
            waiting = replace(before, todo=todo, aside=aside)
            taken, left, shed = work(params, waiting, moment.clock, budget)
        allowed = None if moment.observation.ended else budget
        found = AtWork(left.oldest, taken, left, shed, came, away, (*late, *later), allowed)
        return found, memory


def _came(moment: Moment, number: int) -> Pieces:
    """The usable rows that came for one input."""
    stream, state = moment.query.fed[number]
    counts = moment.observation.panes.get(state.identity, ())
    bound, after = moment.streams[stream].bound, moment.memory.watermark
    found = arrived(moment.query, moment.observation.batch, counts, bound=bound, after=after)
    join = moment.query.join
    if join is None:
        return found
    gone = None if after is None else after - join.graph.patience(join.inputs[number].name)
    return tuple(
        replace(piece, input=number) for piece in found if gone is None or piece.high >= gone
    )


class Leftover(Controller[CostPlan, Backlog, Work]):
    """What waits after a batch: rows of windows that were estimated are set aside."""

    name = "backlog"
    memory = Backlog
    order = Work

    def parameters(self, query: QueryPlan) -> CostPlan | None:
        return query.find(CostPlan)

    def step(self, params: CostPlan, moment: Moment, memory: Backlog) -> tuple[Work, Backlog]:
        at_work, prods = moment.find(AtWork), moment.find(Prods)
        if at_work is None:
            return Work(), memory
        left, shed = at_work.left, at_work.shed
        if prods is not None and moment.query.stages:
            left, more = set_aside(moment.query, params, left, prods, moment.clock)
            shed += more
        given_up = (*at_work.expired, *at_work.away)
        left = replace(left, lost=newest_of(params, given_up, memory.lost))
        return work_of(params, at_work, left, shed), left

    def notices(self, params: CostPlan, moment: Moment, terms: Work) -> Iterable[str]:
        return [f"{terms.shed} rows of estimated windows shed"] if terms.is_prodded else []

    def explain(self, terms: Work) -> Explanation:
        return {
            "todo": terms.todo,
            "aside": terms.aside,
            "shed": terms.shed,
            "worked": terms.worked,
            **({"expired": terms.expired} if terms.expired else {}),
            **({"complete": terms.complete} if terms.has_ranks else {}),
        }


def work_of(plan: CostPlan, at_work: AtWork, left: Backlog, shed: int) -> Work:
    """The order that leaves this backlog; ``shed`` rows of windows that were estimated."""
    runs = sorted({piece.batch for piece in left.all})
    told = books(
        plan,
        admitted=at_work.came,
        worked=at_work.taken,
        waiting=left.all,
        expired=at_work.expired,
        shed=at_work.away,
    )
    if shed:  # only rows without ranks are set aside
        told = (*told[:-1], replace(told[-1], shed=told[-1].shed + shed))
    return Work(
        at_work.taken,
        rows_of(left.todo),
        rows_of(left.aside),
        shed + rows_of(at_work.away),
        tuple(runs),
        left.oldest,
        rows_of(at_work.expired),
        weight_of(at_work.taken),
        told,
        at_work.budget,
        tuple(accumulate(left.lost, max)),
        tuple(accumulate(newest_of(plan, left.all, left.lost), max)),
    )


def arrived(
    query: QueryPlan,
    batch: int,
    counts: Sequence[PaneCount],
    *,
    bound: int | None,
    after: int | None,
) -> Pieces:
    """The usable rows of a batch, in the order of its run: by queue and event time.

    Rows beyond ``bound`` are not believed; those whose windows were all answered by ``after`` are
    dropped.
    """
    window = None if query.join is not None else query.base.window
    known = [(c.queue, c.pane, c) for c in counts if c.pane is not None and c.rows]
    placed = sorted(known, key=lambda one: one[:2])
    starts = accumulate((c.rows for *_, c in placed), initial=0)
    return tuple(
        Piece(batch, start, c.rows, pane, c.low, c.high, queue=queue)
        for start, (queue, pane, c) in zip(starts, placed, strict=False)
        if not c.is_beyond(bound)
        and (after is None or window is None or window.last_start(pane) + window.size > after)
        and c.low is not None
        and c.high is not None
    )


def work(
    plan: CostPlan, waiting: Backlog, clock: int | None, budget: int | None = None
) -> tuple[Pieces, Backlog, int]:
    """What is worked on, what waits on, and how many rows are given up."""
    due, calm = _apart(waiting.aside, plan.starve, clock)
    left = plan.budget if budget is None else budget
    first, due = take(due, left)
    aside = (*due, *calm)
    left -= weight_of(first)
    new = weight_of(waiting.todo)
    served = serve(_policy(plan), new, weight_of(aside), left, waiting.position)
    new_rows, todo = take(waiting.todo, served.new)
    old, aside = take(aside, served.aside)
    if served.dropped:
        aside = ()
    return (*first, *new_rows, *old), Backlog(todo, aside, served.position), served.dropped


def set_aside(
    query: QueryPlan, plan: CostPlan, waiting: Backlog, prods: Prods, clock: int | None
) -> tuple[Backlog, int]:
    """The backlog after the prods of a batch, and how many rows are given up.

    Rows of the windows that were estimated are set aside. A prod of some groups only moves
    nothing: which rows are theirs is known only after the work.
    """
    spans = _spans(query, prods)
    if plan.aside == "wait" or not spans:
        return waiting, 0
    moved = [piece for piece in waiting.todo if _is_in(piece, spans)]
    todo = tuple(piece for piece in waiting.todo if not _is_in(piece, spans))
    if plan.aside == "drop":
        return replace(waiting, todo=todo), rows_of(moved)
    aside = (*waiting.aside, *(replace(piece, since=clock) for piece in moved))
    return replace(waiting, todo=todo, aside=aside), 0


def _apart(aside: Pieces, starve: int | None, clock: int | None) -> tuple[Pieces, Pieces]:
    """Rows that were set aside too long ago, and the others."""
    if starve is None or clock is None:
        return (), aside
    limit = clock - starve
    is_due = [piece.since is not None and piece.since <= limit for piece in aside]
    due = tuple(compress(aside, is_due))
    return due, tuple(compress(aside, map(not_, is_due)))


def _policy(plan: CostPlan) -> BacklogPolicy:
    if plan.aside == "ratio":
        return BacklogPolicy("ratio", k=plan.k)
    return BacklogPolicy("drop" if plan.aside == "drop" else "idle")


def _spans(query: QueryPlan, prods: Prods) -> list[tuple[int, int]]:
    """Event times of the rows that prodded windows are made of, all levels down."""
    below = sum(stage.window.size for stage in query.stages[:-1])
    size = query.top.window.size
    return [(c.first - below, c.last + size) for c in prods.calls if c.where is None]


def _is_in(piece: Piece, spans: Sequence[tuple[int, int]]) -> bool:
    return any(first <= piece.pane < end for first, end in spans)
