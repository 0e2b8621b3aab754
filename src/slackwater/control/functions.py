"""Python functions of a query: what they did, and in which order filters that commute run next.

The order of a batch is decided with the batch before, from what was seen until then, and is part of
what is remembered: a batch that is run again asks for the same. Orders that are ready go along, so
that whoever reads the rows may take another of them by the first rows it sees. Reference: Lei
and Rundensteiner 2014, with filters in the place of probes (design note 15).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from slackwater.control.controller import Controller, Moment
from slackwater.control.filter_costs import Effort
from slackwater.control.filter_plans import (
    LEARNED,
    TOLERANCE,
    WINDOW,
    FilterLook,
    FilterPlans,
    prepare_filters,
)
from slackwater.control.orders import FilterOrder
from slackwater.control.records import Explanation, QueryMemory, Wants
from slackwater.plan.calls import FunctionPlan, Link
from slackwater.plan.robust import ROBUST
from slackwater.plan.stage import QueryPlan
from slackwater.robust.classifier import Chosen, Tally
from slackwater.robust.filters import shares
from slackwater.robust.plan_set import VERSION
from slackwater.stats.calls import CallSeen, LinkSeen

REST = 2  # batches outside the space after which orders are prepared again; then twice as many
LONGEST = 64
MARKED_EVERY = 8  # batches in which all filters see some rows, even if few came


@dataclass(frozen=True, slots=True)
class LinkMemory:
    """What is known of filters that commute: the newest batches, and the orders prepared for them.

    ``efforts`` tell what each filter costs, ``order`` is for the next batch. ``outside`` batches
    were beyond what was prepared for; after ``rest`` of them it is done again.
    """

    efforts: tuple[Effort, ...] = ()
    looks: tuple[FilterLook, ...] = ()
    prepared: FilterPlans | None = None
    order: FilterOrder | None = None
    tally: Tally = field(default_factory=Tally)
    batches: int = 0
    outside: int = 0
    rest: int = REST


@dataclass(frozen=True, slots=True)
class FunctionMemory:
    """By link: what is known of it."""

    links: dict[str, LinkMemory] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Report:
    """What a link did in a batch, by which order, and what follows for the next."""

    link: Link
    seen: LinkSeen
    ran: FilterOrder
    after: LinkMemory
    notice: str = ""


class Functions(Controller[FunctionPlan, FunctionMemory, tuple[Report, ...]]):
    """Chooses in which order filters run in the next batch."""

    name = "functions"
    memory = FunctionMemory

    def parameters(self, query: QueryPlan) -> FunctionPlan | None:
        return query.functions

    def wants(self, params: FunctionPlan, query: QueryPlan, memory: QueryMemory) -> Wants:
        known = memory.find(FunctionMemory) or FunctionMemory()
        orders = {
            link.identity: _order(link, known.links.get(link.identity, LinkMemory()))
            for link in params.links
            if link.is_open
        }
        return Wants(filters=orders)

    def step(
        self, params: FunctionPlan, moment: Moment, memory: FunctionMemory
    ) -> tuple[tuple[Report, ...], FunctionMemory]:
        reports = []
        for link in params.links:
            seen = moment.observation.called.get(link.identity)
            if seen is not None and seen.rows:
                known = memory.links.get(link.identity, LinkMemory())
                reports.append(_reported(link, seen, known, moment.observation.batch))
        links = {one.link.identity: one.after for one in reports if one.link.is_open}
        return tuple(reports), FunctionMemory(memory.links | links)

    def notices(
        self, params: FunctionPlan, moment: Moment, terms: tuple[Report, ...]
    ) -> Iterable[str]:
        return (one.notice for one in terms if one.notice)

    def explain(self, terms: tuple[Report, ...]) -> Explanation:
        found: Explanation = {}
        for number, one in enumerate(terms):
            found |= _explained(one, "" if number == 0 else f" {number + 1}")
        return found


def _order(link: Link, memory: LinkMemory) -> FilterOrder:
    """How filters run next; as written while nothing is known."""
    found = memory.order or FilterOrder((link.written,), is_marked=True)
    return replace(found, chooses=found.chooses and link.order == ROBUST)


def _reported(link: Link, seen: LinkSeen, memory: LinkMemory, batch: int) -> Report:
    ran = _order(link, memory)
    if not link.is_open:
        return Report(link, seen, ran, memory)
    efforts = _efforts(memory.efforts or (Effort(),) * len(link.calls), seen)
    memory = replace(memory, efforts=efforts, batches=memory.batches + 1)
    notice = ""
    if seen.patterns:
        look = FilterLook(tuple(effort.fit()[1] for effort in efforts), seen.patterns)
        memory = replace(memory, looks=(*memory.looks, look)[-WINDOW:])
        if link.order == ROBUST:
            memory, notice = _prepared(link, memory, batch)
        else:
            memory = replace(memory, prepared=None)  # from when it was
    return Report(link, seen, ran, _decided(link, memory), notice)


def _efforts(before: Sequence[Effort], seen: LinkSeen) -> tuple[Effort, ...]:
    """What filters cost, after a batch; marked rows may be all that some were given."""
    told = zip_longest(seen.calls, seen.marked, fillvalue=CallSeen())
    return tuple(effort.after(calls) for effort, calls in zip(before, told, strict=True))


def _prepared(link: Link, memory: LinkMemory, batch: int) -> tuple[LinkMemory, str]:
    """With orders for what may come, if it is time to make some; what to say of them."""
    known, look = memory.prepared, memory.looks[-1]
    if known is not None and known.plans.version == VERSION:
        is_known = known.is_near(look)
        memory = replace(memory, outside=memory.outside + (not is_known))
        if memory.outside < memory.rest:
            return memory, ""
    elif len(memory.looks) < LEARNED:
        return replace(memory, prepared=None), ""
    found = prepare_filters(link, memory.looks, batch)
    rest = memory.rest if known is None else min(LONGEST, 2 * memory.rest)
    tally = replace(memory.tally, plan=None)  # numbers of another set mean other orders
    memory = replace(memory, prepared=found, outside=0, rest=rest, tally=tally)
    if known is not None and known.plans.plans == found.plans.plans:
        return memory, ""
    return memory, _said(link, found)


def _decided(link: Link, memory: LinkMemory) -> LinkMemory:
    """With the order of the next batch."""
    marked = memory.batches % MARKED_EVERY == 0 or len(memory.looks) < LEARNED
    if not memory.looks:
        return replace(memory, order=FilterOrder((link.written,), is_marked=True))
    look = memory.looks[-1]
    if memory.prepared is None:
        order = FilterOrder((look.best(),), is_marked=marked)
        return replace(memory, order=order)
    plans = memory.prepared.plans.plans
    number = memory.prepared.cheapest(look, memory.tally.plan)
    is_outside = bool(memory.prepared.outside(look))
    tally = memory.tally.after(Chosen(number, is_outside=is_outside))
    calls = tuple(effort.fit()[0] for effort in memory.efforts)
    order = FilterOrder(plans, number, look.costs, calls, is_marked=marked, chooses=True)
    return replace(memory, order=order, tally=tally)


def _said(link: Link, found: FilterPlans) -> str:
    """What a person hears of orders that were prepared."""
    count, names = len(found.plans.plans), ", ".join(call.name for call in link.calls)
    space = found.plans.space
    free = ", ".join(space.dimensions[number].name for number in space.free)
    orders = "1 order" if count == 1 else f"{count} orders"
    are = "is" if count == 1 else "are"
    text = f"{orders} of the filters {names} {are} prepared, at most {TOLERANCE:.0%} worse than "
    return f"{text}the best in {found.covered:.0%} of the space; uncertain: {free or 'nothing'}"


def _explained(one: Report, mark: str) -> Explanation:
    """A link in words and numbers; ``mark`` tells it from others of the query."""
    link, seen = one.link, one.seen
    names = [call.name for call in link.calls]
    found: Explanation = {
        f"functions{mark}": " ".join(names),
        f"rows{mark}": seen.rows,
        f"passed{mark}": seen.passed,
        f"seconds{mark}": _rounded(seen.seconds),
    }
    if seen.kept:
        found[f"known rows{mark}"] = seen.kept
    if not link.is_open:
        return found
    after = one.after
    met = dict(seen.orders)
    plan = max(met, key=lambda number: (met[number], -number)) if met else one.ran.plan
    found |= {
        f"plan{mark}": plan,
        f"plans{mark}": len(one.ran.plans),
        f"order{mark}": _shown(names, one.ran.plans[plan]),
        f"decided{mark}": _shown(names, one.ran.plans[one.ran.plan]),
        f"marked{mark}": sum(rows for _, rows in seen.patterns),
        f"switches{mark}": after.tally.switches,
    }
    if after.prepared is not None and after.looks:
        outside = after.prepared.outside(after.looks[-1])
        found[f"covered{mark}"] = after.prepared.covered
        found[f"outside{mark}"] = ", ".join(outside) or "nothing"
    alone = shares(seen.patterns, len(names)) if seen.patterns else ()
    for number, name in enumerate(names):
        call = seen.calls[number]
        found[f"passes {name}"] = _rounded(alone[number]) if alone else None
        found[f"passes {name} here"] = _rounded(call.passed / call.rows) if call.rows else None
        found[f"us a row of {name}"] = _rounded(1e6 * after.efforts[number].fit()[1])
    return found


def _shown(names: list[str], order: tuple[int, ...]) -> str:
    return " ".join(names[number] for number in order)


def _rounded(value: float) -> float:
    return float(f"{value:.4g}")
