"""By which tree a join runs: as written, as chosen once every input has shown rows, or as asked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from slackwater.control.controller import Controller, Moment
from slackwater.control.orders import JoinChoice, PeriodOrder, Proposal
from slackwater.control.records import Explanation, QueryMemory, Wants
from slackwater.control.request import Request
from slackwater.control.watermark import Closing
from slackwater.migrate.choose import HOWS
from slackwater.migrate.match import can_move
from slackwater.migrate.track import Track, begin, is_over
from slackwater.plan.join import JoinPlan
from slackwater.plan.order import JoinStatistics, ordered_mjoin, probe_order
from slackwater.plan.product import followed, warning
from slackwater.plan.stage import QueryPlan
from slackwater.plan.tree import JoinNode, show_tree, tree_over
from slackwater.stats.panes import PaneCount

HANDED_BACK = "adaptive"  # instead of a tree: the engine chooses again
LONGEST = 300  # characters of a reason: anyone may ask for anything


@dataclass(frozen=True, slots=True)
class Change:
    """A change of tree that began or ended: from which tree to which, how, in which batch it began.

    ``batches`` is how many of them it took, ``None`` while it is under way.
    """

    tree: str
    was: str
    how: str
    since: int
    batches: int | None = None


@dataclass(frozen=True, slots=True)
class Ordered:
    """How a join runs, where its plan leaves that open or a person chose otherwise.

    ``requests`` are the demands for another tree that a batch took, ``refused`` those of them that
    cannot be met, each with the reason. ``by`` says who chose the tree in force: ``first`` (as
    written, or chosen once), ``person`` or ``adaptive``. ``track`` is a change that is under way,
    ``changes`` are those that began or ended in this batch. The choice of a person
    stands until it is handed back.
    """

    choice: JoinChoice | None = None
    requests: tuple[str, ...] = ()
    refused: tuple[tuple[str, str], ...] = ()
    by: str = "first"
    track: Track | None = None
    changes: tuple[Change, ...] = ()


@dataclass(frozen=True, slots=True)
class Taken:
    """The demands of a batch: the tree of the last that can be met, how to get there, who chose it
    (nobody if nothing is asked for).
    """

    tree: JoinNode | None
    how: str
    by: str | None
    requests: tuple[str, ...]
    refused: tuple[tuple[str, str], ...]


class JoinOrder(Controller[JoinPlan, Ordered, Ordered]):
    """The tree of a join: as decided before or by a person, or decided now."""

    name = "join_plan"
    memory = Ordered
    order = Ordered

    def parameters(self, query: QueryPlan) -> JoinPlan | None:
        return query.join

    def wants(self, params: JoinPlan, query: QueryPlan, memory: QueryMemory) -> Wants:
        """Distinct values of columns that are equal, as long as the order is open."""
        if params.tree is not None or choice_of(memory) is not None:
            return Wants()
        equal = {column for members in params.graph.classes for _, column in members}
        return Wants(
            distinct={
                part.state.identity: tuple(name for name, _ in part.state.keys if name in equal)
                for part in params.inputs
            }
        )

    def step(self, params: JoinPlan, moment: Moment, memory: Ordered) -> tuple[Ordered, Ordered]:
        was, batch = _in_force(params, memory), moment.observation.batch
        track, changes = _going_on(memory.track, was, moment)
        choice = memory.choice
        if choice is None and params.tree is None:
            choice = _chosen(params, moment)
        taken, by = _taken(params, moment, was, track), memory.by
        tree, how, proposal = taken.tree, taken.how, moment.find(Proposal)
        if proposal is not None and proposal.tree is not None and tree is None and track is None:
            # it proposes nothing against a person
            tree, how, by = proposal.tree, proposal.how, "adaptive"
        if tree is not None:
            choice = JoinChoice(tree, {}, {})
            if how == "parallel" or not can_move(was, tree):
                track = begin(params, was, tree, batch, _clocks(moment))
            if show_tree(tree) != show_tree(was):
                changes = (*changes, _changed(tree, was, batch, track))
        by = taken.by or by
        after = Ordered(choice, by=by, track=track)
        shown = choice or (None if params.tree is None else JoinChoice(params.tree, {}, {}))
        return Ordered(shown, taken.requests, taken.refused, by, track, changes), after

    def notices(self, params: JoinPlan, moment: Moment, terms: Ordered) -> Iterable[str]:
        """Once for each tree that a person chose: what it multiplies."""
        is_first = moment.observation.batch == 0 and params.tree is not None
        is_asked = terms.by == "person" and bool(terms.changes)
        if terms.choice is not None and (is_first or is_asked):
            said = warning(params.graph, terms.choice.tree)
            if said:
                yield said

    def explain(self, terms: Ordered) -> Explanation:
        if terms.choice is None:
            return {"tree": None}
        rows = {f"rows of {name}": size for name, size in terms.choice.rows.items()}
        track = terms.track
        found: Explanation = {"tree": show_tree(terms.choice.tree), **rows}
        if track is not None:
            found |= {"beside": show_tree(track.was), "since": track.since}
        return found


def _in_force(join: JoinPlan, memory: Ordered) -> JoinNode:
    """The tree of the batch before."""
    return join.tree or join.written if memory.choice is None else memory.choice.tree


def _going_on(
    track: Track | None, tree: JoinNode, moment: Moment
) -> tuple[Track | None, tuple[Change, ...]]:
    """A change that is under way, unless it is over now."""
    if track is None:
        return None, ()
    closing, measured = moment.find(Closing), moment.find(PeriodOrder)
    keep = max(moment.query.keep, 0 if measured is None else measured.kept)
    if not is_over(track, None if closing is None else closing.after, keep):
        return track, ()
    length = moment.observation.batch - track.since
    ended = Change(show_tree(tree), show_tree(track.was), "parallel", track.since, length)
    return None, (ended,)


def _changed(tree: JoinNode, was: JoinNode, batch: int, track: Track | None) -> Change:
    """A change that begins; one that nothing must wait for is over at once."""
    how, batches = ("moving", 0) if track is None else ("parallel", None)
    return Change(show_tree(tree), show_tree(was), how, batch, batches)


def _clocks(moment: Moment) -> dict[str, int | None]:
    return {name: clock.clock for name, clock in moment.before.items()}


def _taken(join: JoinPlan, moment: Moment, was: JoinNode, track: Track | None) -> Taken:
    """What people ask for; nothing can be met while a change is under way. The engine, where it is
    to choose again, chooses among plans over rows.
    """
    tree: JoinNode | None = None
    how, by, refused = "moving", None, list[tuple[str, str]]()
    asked = _asked(moment)
    for request in asked:
        is_back = request.tree == HANDED_BACK and join.tree is None
        if is_back and not (tree or was).is_grouped:
            by = HANDED_BACK
            continue
        try:
            if is_back:
                wanted, way = replace(tree or was, is_grouped=False), "parallel"
            else:
                wanted, way = tree_over(str(request.tree), join.graph.names), _how(request)
                wanted = join.check(followed(join.graph, wanted))
            if track is not None:
                text = f"the change that began with batch {track.since} is still under way"
                raise ValueError(text)
            tree, how, by = wanted, way, HANDED_BACK if is_back else "person"
        except ValueError as error:
            refused.append((request.id, f"{request.tree}: {error}"[:LONGEST]))
    return Taken(tree, how, by, tuple(request.id for request in asked), tuple(refused))


def _how(request: Request) -> str:
    if request.how is not None and request.how not in HOWS:
        raise ValueError(f"how is {request.how!r:.50}, not one of {', '.join(HOWS)}")
    return request.how or "moving"


def _asked(moment: Moment) -> list[Request]:
    """The demands for another tree, oldest first: the last one counts."""
    name = moment.query.name
    return [
        one for one in moment.observation.requests if one.query == name and one.tree is not None
    ]


def _chosen(join: JoinPlan, moment: Moment) -> JoinChoice | None:
    """By the rows that inputs hold and their distinct values, once every input has shown rows."""
    rows: dict[str, float] = {}
    distinct: dict[str, float] = {}
    for part in join.inputs:
        panes = moment.observation.panes.get(part.state.identity, ())
        counts = [c for c in panes if c.low is not None]
        seen = sum(count.rows for count in counts if count.passes)
        if not seen:
            return None
        rows[part.name] = seen * join.graph.patience(part.name) / max(1, _span(counts))
        distinct |= moment.observation.distinct.get(part.state.identity, {})
    found = JoinStatistics(rows, distinct)
    return JoinChoice(
        tree=ordered_mjoin(join.graph, found),
        rows={name: round(size, 1) for name, size in rows.items()},
        sizes={
            name: tuple(round(size, 4) for size in probe_order(join.graph, name, found)[1])
            for name in join.graph.names
        },
    )


def _span(counts: list[PaneCount]) -> int:
    lows = [count.low for count in counts if count.low is not None]
    highs = [count.high for count in counts if count.high is not None]
    return max(highs, default=0) - min(lows, default=0)


def choice_of(memory: QueryMemory) -> JoinChoice | None:
    """The tree of a join that was decided, if it was left open or a person chose another."""
    ordered = memory.find(Ordered)
    return None if ordered is None else ordered.choice


def is_settled(memory: QueryMemory) -> bool:
    """Whether the tree of a join is not to be changed: a person chose it, or a change goes on."""
    ordered = memory.find(Ordered)
    return ordered is not None and (ordered.by == "person" or ordered.track is not None)


def tree_of(join: JoinPlan, memory: QueryMemory) -> JoinNode:
    """The tree a join runs by."""
    chosen = choice_of(memory)
    return join.tree or join.written if chosen is None else chosen.tree


def track_of(memory: QueryMemory) -> Track | None:
    """The change of a join's tree that is under way."""
    ordered = memory.find(Ordered)
    return None if ordered is None else ordered.track
