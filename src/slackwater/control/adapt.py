"""The plan of a join while it runs: what it costs, whether another would cost less, and the change.

Everything is learned from batches: how much comes and meets (`optimize.facts`), what kinds of work
take (`optimize.seconds`). Plans are compared when there is a reason to (`optimize.trigger`), and a
change must pay for itself. Reference: Zhu 2006, Parts I and II.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from math import inf

from slackwater.control.controller import Controller, Moment
from slackwater.control.join_look import came, surprise_of
from slackwater.control.join_plan import is_settled, track_of, tree_of
from slackwater.control.move import Move
from slackwater.control.orders import Proposal
from slackwater.control.records import Explanation, Feedback
from slackwater.optimize.choose import Choice, choose, excess
from slackwater.optimize.cost import Cost, Work
from slackwater.optimize.facts import Facts, Sample, named
from slackwater.optimize.known import Known
from slackwater.optimize.library import Library, added, nearest
from slackwater.optimize.plan import Plan, Space
from slackwater.optimize.seconds import Seconds
from slackwater.optimize.survey import pairs_to_look_at
from slackwater.optimize.trigger import (
    LEAST_REST,
    NEAR,
    NOTABLE,
    PERIOD,
    Signals,
    next_rest,
    pays,
    reason,
)
from slackwater.plan.join import JoinPlan
from slackwater.plan.resources import ResourcePlan
from slackwater.plan.stage import QueryPlan
from slackwater.plan.tree import JoinNode, inputs_of, nodes_of, show_tree

SURVEY, RAREST = 4, 16  # batches between two looks at pairs; rarer while nothing surprises
AGAIN = 2  # batches between two looks while something surprises
HORIZON = 32  # batches in which a change has to pay
MARGIN = 0.1  # of what the plan in force takes: less than that is not worth a change
EXACT = 5  # inputs up to which all plans are compared: milliseconds
PROVEN = 3  # batches after which a change is judged
DEAREST = 10.0  # times what was thought: no change is believed to be dearer
AHEAD = 2  # batches for which memory has to suffice: this one, and one to leave a plan in
GROWS = 0.05  # of what is held, within these batches: less is not called growth
BULKIEST = 4.0  # times what their rows take: combinations are not believed to take more


@dataclass(frozen=True, slots=True)
class Adapting:
    """A join whose plan is open, and its limits."""

    join: JoinPlan
    limits: ResourcePlan


@dataclass(frozen=True, slots=True)
class AdaptMemory:
    """What is known of a join and of its plans.

    ``work`` and ``expected`` are what the plan ``tree`` was to do in the newest batch and the
    combinations it was to make, by pairs alone; ``moved`` if that batch made states anew. ``since``
    counts batches since plans were compared, ``changed`` those since the plan changed, which before
    took ``before`` seconds; ``surprise`` is the largest factor by which something was not expected.
    Batches of the plan ``timed`` took ``took`` seconds. ``move`` is what the change of this batch
    was to take, ``dear`` by what factor such changes took longer. ``waits`` if a change pays that
    will cost less, or have room, a little later; ``library`` has plans that were good before.
    ``compared`` are the rates when plans were compared; combinations take ``bulk`` times what their
    rows do.
    """

    facts: Facts = field(default_factory=Facts)
    seconds: dict[str, Seconds] = field(default_factory=dict)
    place: str = "columnar"
    tree: str = ""
    work: Work | None = None
    expected: dict[str, float] = field(default_factory=dict)
    moved: bool = False
    since: int = PERIOD
    surveyed: int = SURVEY
    pace: int = SURVEY
    changed: int | None = None
    rest: int = LEAST_REST
    took: float | None = None
    timed: str = ""
    move: float | None = None
    dear: float = 1.0
    before: float | None = None
    surprise: float = 1.0
    bytes: float = 0.0
    inner: float = 0.0
    growing: int = 0
    filling: int = 0
    waits: bool = False
    library: Library = ()
    wall: int | None = None
    interval: float | None = None
    is_short: bool = False
    compared: dict[str, float] = field(default_factory=dict)
    bulk: float = 1.0


class Adapt(Controller[Adapting, AdaptMemory, Proposal]):
    """Proposes another tree for a join where that pays, or where a limit asks for it."""

    name = "adapt"
    memory = AdaptMemory
    order = Proposal

    def parameters(self, query: QueryPlan) -> Adapting | None:
        join = query.join
        if join is None or join.tree is not None or join.robust is not None or join.is_outer:
            return None
        return Adapting(join, query.find(ResourcePlan) or ResourcePlan())

    def step(
        self, params: Adapting, moment: Moment, memory: AdaptMemory
    ) -> tuple[Proposal, AdaptMemory]:
        memory = _seen(params.join, moment, memory)
        tree = tree_of(params.join, moment.memory)
        memory = _proven(params.join, memory, tree)
        if tree.is_grouped:  # a person's choice: what groups make says nothing of rows
            known = replace(memory, tree=show_tree(tree), work=None, expected={}, moved=False)
            return Proposal(), known
        facts = memory.facts
        is_due = memory.surveyed >= (AGAIN if memory.surprise >= NOTABLE else memory.pace)
        survey = pairs_to_look_at(params.join.graph, facts, moment.observation.batch, is_due=is_due)
        memory = _looked(memory) if survey else replace(memory, surveyed=memory.surveyed + 1)
        if not facts.is_enough(params.join.graph):
            return Proposal(survey), _expecting(params.join, memory, tree, moved=False)
        seconds = memory.seconds.get(memory.place, Seconds())
        space = _space(params.join, facts.known(params.join.graph), memory, seconds)
        limits = _limits(params.limits, memory)
        now = space.plan(tree)
        why = None if is_settled(moment.memory) else reason(_signals(memory, limits, now))
        choice = None if why is None else _choice(params.join, space, limits, memory, now)
        move = None
        if choice is not None:
            move = Move.of(params.join, facts, space, now, choice.plan, dear=memory.dear)
        best, waits = None, False
        if choice is not None and move is not None:
            best = _better(now, choice, limits, move)
            waits = best is not None and now.cost.within(limits) and move.is_cheaper_later
            best = None if waits else best
        proposal = _proposal(survey, best, now, choice, seconds.base)
        proposal = replace(
            proposal, reason=why or "", measured=memory.took, limit=params.limits.memory
        )
        if choice is not None and move is not None:
            short = _short(choice, limits, memory)
            notice = "" if memory.is_short else short
            proposal = replace(proposal, notice=notice, how=move.how)
            memory = replace(
                memory,
                since=0,
                surprise=1.0,
                is_short=bool(short),
                waits=waits or _is_too_early(choice, space),
                compared=facts.rates,
            )
        memory = replace(memory, move=None)
        moved = best is not None and show_tree(best.tree) != show_tree(tree)
        if moved and move is not None:
            memory = replace(memory, changed=0, before=memory.took, move=move.seconds)
        after = proposal.tree or tree
        return proposal, _expecting(params.join, memory, after, moved=moved)

    def learn(self, query: str, memory: AdaptMemory, feedback: Feedback) -> AdaptMemory:
        sample = feedback.joined.get(query)
        if sample is None:
            return memory
        if sample.tree != memory.tree:  # a person chose another one
            sample = replace(sample, made={})
        facts = memory.facts.learned(sample, memory.expected)
        surprise = max(memory.surprise, surprise_of(memory.facts, facts))
        memory = replace(memory, facts=facts, surprise=surprise)
        return _timed(memory, sample)

    def notices(self, params: Adapting, moment: Moment, terms: Proposal) -> Iterable[str]:
        if terms.notice:
            yield terms.notice
        was = show_tree(tree_of(params.join, moment.memory))
        if terms.tree is not None and show_tree(terms.tree) != was:
            yield (
                f"joined by {show_tree(terms.tree)} from now on, not by {was}: "
                f"{terms.best:.3g} s a batch expected, not {terms.predicted:.3g} ({terms.reason})"
            )

    def explain(self, terms: Proposal) -> Explanation:
        if terms.predicted is None:
            return {"predicted_s": None}
        return {
            "predicted_s": _rounded(terms.predicted),
            "measured_s": _rounded(terms.measured),
            "memory": _rounded(terms.memory),
            "memory_limit": terms.limit,
            "runner_up": terms.runner_up or None,
            "runner_up_s": _rounded(terms.second),
            "reason": terms.reason or None,
        }


def _seen(join: JoinPlan, moment: Moment, memory: AdaptMemory) -> AdaptMemory:
    """With what came and what is held."""
    seen = moment.observation
    states = {part.state.identity for part in join.inputs}
    nodes = nodes_of(tree_of(join, moment.memory))[:-1]
    kept = {join.identity(frozenset(inputs_of(node))) for node in nodes}
    inner = float(sum(seen.sizes.get(state, 0) for state in kept))
    outer = float(sum(seen.sizes.get(state, 0) for state in states))
    total, grows = outer + inner, inner > memory.inner and outer <= memory.bytes - memory.inner
    is_tracked = track_of(moment.memory) is not None  # two plans say nothing of one
    passed = 0.0 if memory.wall is None else (seen.wall - memory.wall) / 1e6
    interval = memory.interval
    if passed > 0:  # a clock that stands or goes back tells nothing
        interval = passed if interval is None else (interval + passed) / 2
    facts = came(join, seen, memory.facts)
    return replace(
        memory,
        facts=facts,
        bulk=_bulk(join, tree_of(join, moment.memory), facts, inner, memory.bulk),
        place="columnar" if seen.loads is None else "spark",
        since=memory.since + 1,
        changed=None if memory.changed is None else memory.changed + (not is_tracked),
        growing=memory.growing + 1 if total > memory.bytes else 0,
        filling=memory.filling + 1 if grows else 0,
        bytes=total,
        inner=inner,
        wall=seen.wall,
        interval=interval,
    )


def _bulk(join: JoinPlan, tree: JoinNode, facts: Facts, inner: float, before: float) -> float:
    """What combinations take, in parts of what their rows do; they carry other columns."""
    if not inner or not facts.is_enough(join.graph):
        return before
    space = Space(facts.stock(join.graph), widths=_widths(join, facts))
    thought = sum(space.held(space.known.set_of(node)) for node in nodes_of(tree)[:-1])
    if not thought:
        return before
    return before + 0.5 * (min(BULKIEST, max(1 / BULKIEST, inner / thought)) - before)


def _widths(join: JoinPlan, facts: Facts) -> tuple[float, ...]:
    return tuple(facts.widths.get(name, 0.0) for name in join.graph.names)


def _looked(memory: AdaptMemory) -> AdaptMemory:
    """With a look at pairs; the next one waits twice as long, unless something surprises."""
    pace = SURVEY if memory.surprise >= NOTABLE else min(RAREST, 2 * memory.pace)
    return replace(memory, surveyed=0, pace=pace)


def _expecting(join: JoinPlan, memory: AdaptMemory, tree: JoinNode, *, moved: bool) -> AdaptMemory:
    """With what this batch is to come to, if enough is known to say so."""
    graph, facts = join.graph, memory.facts
    known = replace(memory, tree=show_tree(tree), work=None, expected={}, moved=moved)
    if not facts.is_enough(graph):
        return known
    plain, newest = facts.expectation(graph), facts.newest(graph)
    sets = {named(set(inputs_of(node))): plain.set_of(node) for node in nodes_of(tree)}
    expected = {name: plain.rate(some) for name, some in sets.items()}
    return replace(known, work=Space(newest).work(tree), expected=expected)


def _space(join: JoinPlan, known: Known, memory: AdaptMemory, seconds: Seconds) -> Space:
    growth = tuple(memory.facts.growth(name, AHEAD) for name in join.graph.names)
    return Space(known, seconds.units(), _widths(join, memory.facts), memory.bulk, growth)


def _limits(asked: ResourcePlan, memory: AdaptMemory) -> Cost:
    """Seconds of a batch, and bytes."""
    share, interval = asked.cpu, memory.interval
    seconds = inf if share is None or interval is None else share * interval
    return Cost(seconds, inf if asked.memory is None else float(asked.memory))


def _signals(memory: AdaptMemory, limits: Cost, now: Plan) -> Signals:
    return Signals(
        memory.since,
        memory.changed,
        memory.surprise,
        max(memory.bytes, now.cost.memory) / limits.memory,
        memory.growing,
        memory.rest,
        memory.filling,
        memory.waits,
        memory.facts.swing(memory.compared),
    )


def _choice(join: JoinPlan, space: Space, limits: Cost, memory: AdaptMemory, now: Plan) -> Choice:
    """The best plan of all, or of those that are searched and the one of the most similar time.

    None that would come near the limit, unless the plan in force is beyond it.
    """
    if now.cost.within(limits):
        limits = replace(limits, memory=NEAR * limits.memory)
    known = nearest(memory.library, memory.facts.signature(join.graph))
    tried = () if known is None else (known.tree,)
    return choose(space, limits, clock=_never, exact=EXACT, tried=tried)


def _is_too_early(choice: Choice, space: Space) -> bool:
    """Whether a better plan is left aside while inputs grow, which may end with any batch."""
    least = min(plan.cost.cpu for plan in choice.front)
    is_growing = space.growth is not None and max(space.growth) > 1 + GROWS
    return is_growing and least < (1 - MARGIN) * choice.plan.cost.cpu


def _better(now: Plan, choice: Choice, limits: Cost, move: Move) -> Plan | None:
    """The plan to change to, if one is worth it: because it pays, or because of a limit."""
    best = choice.plan
    if best.tree == now.tree:
        return None
    if not now.cost.within(limits):
        return best if excess(best.cost, limits) < (1 - MARGIN) * excess(now.cost, limits) else None
    return best if pays(now.cost.cpu, best.cost.cpu, move.cost, HORIZON, MARGIN) else None


def _proposal(
    survey: tuple[tuple[str, str], ...],
    best: Plan | None,
    now: Plan,
    choice: Choice | None,
    base: float,
) -> Proposal:
    tree = None if best is None else best.tree
    assert not isinstance(tree, str)
    shown = now if best is None else best
    other = None if choice is None else _runner_up(choice, shown)
    return Proposal(
        survey,
        tree,
        predicted=base + now.cost.cpu,
        best=base + shown.cost.cpu,
        memory=shown.cost.memory,
        runner_up="" if other is None else show_tree(other.tree),
        second=None if other is None else base + other.cost.cpu,
    )


def _runner_up(choice: Choice, chosen: Plan) -> Plan | None:
    others = [
        one for one in (choice.plan, *choice.front) if show_tree(one.tree) != show_tree(chosen.tree)
    ]
    return min(others, key=lambda plan: plan.cost.cpu, default=None)


def _short(choice: Choice, limits: Cost, memory: AdaptMemory) -> str:
    """What to say if no plan is within the limits."""
    if choice.plan.cost.within(limits):
        return ""
    cost, tree = choice.plan.cost, show_tree(choice.plan.tree)
    parts = []
    if cost.memory > limits.memory:
        parts.append(
            f"memory of {cost.memory / 1e6:.3g} MB where {limits.memory / 1e6:.3g} are allowed"
        )
    if cost.cpu > limits.cpu and memory.interval:
        allowed = limits.cpu / memory.interval
        parts.append(f"cpu of {cost.cpu / memory.interval:.2g} where {allowed:.2g} is allowed")
    return f"no plan is within the limits; {tree} comes nearest and needs {' and '.join(parts)}"


def _timed(memory: AdaptMemory, sample: Sample) -> AdaptMemory:
    """With how long the batch took, if it did nothing but what its plan does."""
    if memory.work is None or sample.tree != memory.tree:
        return memory
    known = memory.seconds.get(memory.place, Seconds())
    if memory.moved:
        return _moved(memory, sample.seconds - known.predicted(memory.work))
    seconds = memory.seconds | {memory.place: known.after(memory.work, sample.seconds)}
    is_first = memory.took is None or memory.timed != sample.tree
    took = sample.seconds if memory.took is None or is_first else memory.took
    took += 0.5 * (sample.seconds - took)
    return replace(memory, seconds=seconds, took=took, timed=sample.tree)


def _moved(memory: AdaptMemory, seconds: float) -> AdaptMemory:
    """With how long it took to make states anew."""
    if not memory.move or seconds <= 0:
        return memory
    factor = memory.dear * seconds / memory.move
    return replace(memory, dear=min(DEAREST, max(1 / DEAREST, (memory.dear * factor) ** 0.5)))


def _proven(join: JoinPlan, memory: AdaptMemory, tree: JoinNode) -> AdaptMemory:
    """With the verdict on a change, once the plan has run for a while: good ones are remembered."""
    if memory.changed != PROVEN + 1 or memory.before is None or memory.took is None:
        return memory
    has_paid = memory.took < memory.before
    library = memory.library
    if has_paid:
        library = added(library, tree, memory.facts.signature(join.graph))
    return replace(memory, rest=next_rest(memory.rest, has_paid=has_paid), library=library)


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.4g}")


def _never() -> float:
    """A clock that stands still: a decision depends on nothing but what was seen."""
    return 0.0
