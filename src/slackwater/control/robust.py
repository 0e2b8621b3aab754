"""A robust join: a few plans are prepared for all that may come, and each batch takes one of them.

They differ in orders of probes and in nothing else, so that a switch costs nothing and moves no
state. Where a batch lies is known before it is joined: what came and is held was counted, shares of
pairs are those that the batches before showed. Reference: Lei and Rundensteiner 2014 (design note
13).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from slackwater.control.controller import Controller, Moment
from slackwater.control.join_look import came, surprise_of
from slackwater.control.join_plan import is_settled, tree_of
from slackwater.control.orders import Route
from slackwater.control.records import Explanation, Feedback
from slackwater.control.robust_set import WINDOW, Look, Prepared, cheapest, look_of, prepare
from slackwater.optimize.cost import Units, Work
from slackwater.optimize.facts import Facts
from slackwater.optimize.plan import Space
from slackwater.optimize.seconds import Seconds
from slackwater.optimize.survey import pairs_to_look_at
from slackwater.optimize.trigger import NOTABLE
from slackwater.plan.join import JoinPlan
from slackwater.plan.stage import QueryPlan
from slackwater.plan.tree import JoinNode, show_tree
from slackwater.robust.classifier import Chosen, Tally

LEARNED = 8  # looks before bounds are learned from them
SAID = 3  # looks that tell the middle, where people say how far it is to the bounds
REST = 4  # batches outside the space after which another set is made; twice as many each time
LONGEST = 64
RAREST = 8  # batches between two surveys while nothing surprises


@dataclass(frozen=True, slots=True)
class RobustMemory:
    """What is known of a join, and the plans prepared for it.

    ``looks`` are the newest batches, ``tally`` tells what was chosen. ``outside`` batches lay
    beyond the space since the set was made, after ``rest`` of them another one is made. ``work`` is
    what the plan ``tree`` was to do in the newest batch, ``took`` what batches take.
    """

    facts: Facts = field(default_factory=Facts)
    seconds: dict[str, Seconds] = field(default_factory=dict)
    place: str = "columnar"
    looks: tuple[Look, ...] = ()
    prepared: Prepared | None = None
    tally: Tally = field(default_factory=Tally)
    outside: int = 0
    rest: int = REST
    surveyed: int = RAREST
    pace: int = 1
    tree: str = ""
    work: Work | None = None
    took: float | None = None


class Robust(Controller[JoinPlan, RobustMemory, Route]):
    """Proposes one of the prepared plans for each batch, and prepares them."""

    name = "robust"
    memory = RobustMemory
    order = Route

    def parameters(self, query: QueryPlan) -> JoinPlan | None:
        return None if query.join is None or query.join.robust is None else query.join

    def step(
        self, params: JoinPlan, moment: Moment, memory: RobustMemory
    ) -> tuple[Route, RobustMemory]:
        graph, tree = params.graph, tree_of(params, moment.memory)
        place = "columnar" if moment.observation.loads is None else "spark"
        facts = came(params, moment.observation, memory.facts)
        memory = replace(memory, facts=facts, place=place, tree=show_tree(tree), work=None)
        if tree.is_grouped:  # a person's choice: what groups make says nothing of rows
            return Route(), memory
        is_due = memory.surveyed >= memory.pace
        survey = pairs_to_look_at(graph, facts, moment.observation.batch, is_due=is_due)
        memory = replace(memory, surveyed=1 if survey else memory.surveyed + 1)
        if not facts.is_enough(graph):
            return Route(survey), memory
        units = memory.seconds.get(memory.place, Seconds()).units()
        memory, told = _prepared(params, memory, units, moment.observation.batch)
        space = Space(facts.newest(graph), units)
        if memory.prepared is None or is_settled(moment.memory):
            return Route(survey, notice=told), replace(memory, work=space.work(tree))
        route, memory = _routed(memory.prepared, memory, space)
        assert route.tree is not None
        memory = replace(memory, tree=show_tree(route.tree), work=space.work(route.tree))
        return replace(route, survey=survey, notice=told), memory

    def learn(self, query: str, memory: RobustMemory, feedback: Feedback) -> RobustMemory:
        sample = feedback.joined.get(query)
        if sample is None:
            return memory
        facts = memory.facts.learned(sample, {})
        if sample.pairs:
            is_news = surprise_of(memory.facts, facts) >= NOTABLE
            memory = replace(memory, pace=1 if is_news else min(RAREST, 2 * memory.pace))
        memory = replace(memory, facts=facts)
        if memory.work is None or sample.tree != memory.tree:
            return memory
        known = memory.seconds.get(memory.place, Seconds())
        seconds = memory.seconds | {memory.place: known.after(memory.work, sample.seconds)}
        before = sample.seconds if memory.took is None else memory.took
        return replace(memory, seconds=seconds, took=(before + sample.seconds) / 2)

    def notices(self, params: JoinPlan, moment: Moment, terms: Route) -> Iterable[str]:
        if terms.notice:
            yield terms.notice

    def explain(self, terms: Route) -> Explanation:
        if terms.plan is None or terms.tree is None:
            return {"plan": None}
        places = {f"place of {name}": place for name, place in terms.places.items()}
        return {
            "plan": terms.plan,
            "plans": terms.plans,
            "covered": terms.covered,
            "orders": show_orders(terms.tree),
            "outside": ", ".join(terms.outside) or "nothing",
            "switches": terms.switches,
            "predicted_s": _rounded(terms.predicted),
            "measured_s": _rounded(terms.measured),
            **places,
        }


def show_orders(plan: JoinNode) -> str:
    """In which order each input probes the others: ``a: b c, b: a c, c: b a``."""
    names = [show_tree(child) for child in plan.children]
    shown = (
        f"{name}: {' '.join(names[other] for other in plan.order(number))}"
        for number, name in enumerate(names)
    )
    return ", ".join(shown)


def _prepared(
    join: JoinPlan, memory: RobustMemory, units: Units, batch: int
) -> tuple[RobustMemory, str]:
    """With this batch among those seen, and plans for the space, if it is time to make some; what
    to say of them.
    """
    terms, look = join.robust, look_of(join.graph, memory.facts)
    assert terms is not None
    memory = replace(memory, looks=(*memory.looks, look)[-WINDOW:])
    known = memory.prepared
    if known is not None and known.is_for(terms):
        is_outside = bool(known.outside(known.point(look)))
        memory = replace(memory, outside=memory.outside + is_outside)
        if memory.outside < memory.rest:
            return memory, ""
    elif len(memory.looks) < (LEARNED if terms.uncertainty is None else SAID):
        return replace(memory, prepared=None), ""
    found = prepare(join.graph, terms, memory.looks, units, batch)
    rest = memory.rest if known is None else min(LONGEST, 2 * memory.rest)
    tally = replace(memory.tally, plan=None)  # numbers of another set mean other plans
    memory = replace(memory, prepared=found, outside=0, rest=rest, tally=tally)
    return memory, _said(found)


def _routed(known: Prepared, memory: RobustMemory, space: Space) -> tuple[Route, RobustMemory]:
    """The plan of this batch."""
    point, tally = known.point(memory.looks[-1]), memory.tally
    number, outside = cheapest(known.plans, space, tally.plan), known.outside(point)
    tally = tally.after(Chosen(number, is_outside=bool(outside)))
    plan, base = known.plans.plans[number], memory.seconds.get(memory.place, Seconds()).base
    predicted = base + space.cost(plan).cpu
    route = Route(
        tree=plan,
        predicted=predicted,
        best=predicted,
        measured=memory.took,
        plan=number,
        plans=len(known.plans.plans),
        covered=known.covered,
        places=known.places(point),
        outside=outside,
        switches=tally.switches,
    )
    return route, replace(memory, tally=tally)


def _said(found: Prepared) -> str:
    """What a person hears of a set."""
    space, plans = found.plans.space, found.plans.plans
    names = ", ".join(space.dimensions[number].name for number in space.free)
    worse = f"{found.terms.tolerance:.0%} worse than the best"
    text = f"{len(plans)} plans are prepared, at most {worse} in {found.covered:.0%} of the space"
    return f"{text}; uncertain: {names or 'nothing'}"


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.4g}")
