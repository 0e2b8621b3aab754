"""Which rows of an expensive query are worked on in this batch, and which wait.

The rows of a batch are kept in one run, ordered by event time. Rows of one pane lie together in it,
so that a *piece* (so many rows from this one on) names them, and setting a window aside moves
pieces from one list to another: no row is touched before it is worked on.

Reference: Bhat 2011, ch. 4 and 6. The numbers are chosen by :mod:`slackwater.estimate.backlog`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, compress
from operator import not_

from slackwater.control.controller import Controller, Moment, Stateless
from slackwater.control.orders import Piece, Pieces, Prods, Work, rows_of
from slackwater.control.records import Explanation
from slackwater.control.watermark import Hold
from slackwater.estimate.backlog import BacklogPolicy, serve
from slackwater.plan.costly import CostPlan
from slackwater.plan.stage import QueryPlan
from slackwater.stats.panes import PaneCount


@dataclass(frozen=True, slots=True)
class Backlog:
    """What waits: new rows in the order they came, and rows set aside, longest first.

    ``position`` counts new rows served since one set aside was.
    """

    todo: Pieces = ()
    aside: Pieces = ()
    position: int = 0

    @property
    def oldest(self) -> int | None:
        """The smallest event time that may still wait."""
        return min((piece.low for piece in (*self.todo, *self.aside)), default=None)


@dataclass(frozen=True, slots=True)
class AtWork(Hold):
    """The rows worked on in a batch, those left, and how many were given up."""

    taken: Pieces
    left: Backlog
    shed: int = 0


class Worker(Controller[CostPlan, Stateless, AtWork]):
    """Which rows an expensive query works on; at the end of its stream, all of them."""

    name = "worker"
    memory = Stateless

    def parameters(self, query: QueryPlan) -> CostPlan | None:
        return query.find(CostPlan)

    def step(self, params: CostPlan, moment: Moment, memory: Stateless) -> tuple[AtWork, Stateless]:
        before = moment.memory.find(Backlog) or Backlog()
        query, observation = moment.query, moment.observation
        new = arrived(
            query,
            observation.batch,
            observation.panes.get(query.base.state.identity, ()),
            bound=moment.streams[query.stream].bound,
            after=moment.memory.watermark,
        )
        if observation.ended:
            taken, left, shed = (*before.aside, *before.todo, *new), Backlog(), 0
        else:
            waiting = replace(before, todo=(*before.todo, *new))
            taken, left, shed = work(params, waiting, moment.clock)
        return AtWork(left.oldest, taken, left, shed), memory


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
        if prods is not None:
            left, more = set_aside(moment.query, params, left, prods, moment.clock)
            shed += more
        return work_of(at_work.taken, left, shed), left

    def notices(self, params: CostPlan, moment: Moment, terms: Work) -> Iterable[str]:
        return [f"{terms.shed} rows of estimated windows shed"] if terms.shed else []

    def explain(self, terms: Work) -> Explanation:
        return {
            "todo": terms.todo,
            "aside": terms.aside,
            "shed": terms.shed,
            "worked": terms.worked,
        }


def work_of(taken: Pieces, left: Backlog, shed: int) -> Work:
    """The order that leaves this backlog."""
    runs = sorted({piece.batch for piece in (*left.todo, *left.aside)})
    return Work(taken, rows_of(left.todo), rows_of(left.aside), shed, tuple(runs), left.oldest)


def arrived(
    query: QueryPlan,
    batch: int,
    counts: Sequence[PaneCount],
    *,
    bound: int | None,
    after: int | None,
) -> Pieces:
    """The usable rows of a batch, in the order of its run: by event time.

    Rows beyond ``bound`` are not believed; those whose windows were all answered by ``after`` are
    dropped.
    """
    window = query.base.window
    placed = sorted((c.pane, c) for c in counts if c.pane is not None and c.rows)
    starts = accumulate((c.rows for _, c in placed), initial=0)
    return tuple(
        Piece(batch, start, c.rows, pane, c.low, c.high)
        for start, (pane, c) in zip(starts, placed, strict=False)
        if not c.is_beyond(bound)
        and (after is None or window.last_start(pane) + window.size > after)
        and c.low is not None
        and c.high is not None
    )


def work(plan: CostPlan, waiting: Backlog, clock: int | None) -> tuple[Pieces, Backlog, int]:
    """What is worked on, what waits on, and how many rows are given up."""
    due, calm = _apart(waiting.aside, plan.starve, clock)
    first, due = take(due, plan.budget)
    aside = (*due, *calm)
    left = plan.budget - rows_of(first)
    served = serve(_policy(plan), rows_of(waiting.todo), rows_of(aside), left, waiting.position)
    new, todo = take(waiting.todo, served.new)
    old, aside = take(aside, served.aside)
    if served.dropped:
        aside = ()
    return (*first, *new, *old), Backlog(todo, aside, served.position), served.dropped


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


def take(pieces: Pieces, rows: int) -> tuple[Pieces, Pieces]:
    """The first rows of some pieces, and the rest."""
    taken: list[Piece] = []
    for number, piece in enumerate(pieces):
        if rows < piece.rows:
            if rows:
                taken.append(replace(piece, rows=rows))
                piece = replace(piece, start=piece.start + rows, rows=piece.rows - rows)
            return tuple(taken), (piece, *pieces[number + 1 :])
        taken.append(piece)
        rows -= piece.rows
    return tuple(taken), ()


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
