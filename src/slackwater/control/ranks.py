"""Ranks: what arriving rows are told apart by, learned from those that came before.

Values of join columns are counted by the rank that rows have alone, or are promised by another of
their columns. Where critical rows of one input and rows of another have a value in common, the
others promise to meet them: they get the rank, too, from the next batch on
(:mod:`slackwater.precede`), and what meets those by another column a batch later. In circles of
columns such news would come back to where they began: there they go one step only.
And what a row will cost is foreseen: the rows of other inputs with its value that were worked on,
which it will meet.

Reference: Works & Rundensteiner 2015; design note 11 tells where this differs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from math import log2, prod

from slackwater.control.controller import Controller, Moment
from slackwater.control.criteria import Criterion, criteria_of, told_of
from slackwater.control.orders import Work
from slackwater.control.pace import crowded, expected, is_crowded, time_of, units
from slackwater.control.records import (
    Explanation,
    Feedback,
    QueryMemory,
    Wants,
)
from slackwater.control.tally import Memory, Tallied, tally
from slackwater.plan.costly import CostPlan
from slackwater.plan.join import JoinPlan
from slackwater.plan.ranks import Heavy, Promised, Ranking
from slackwater.plan.stage import QueryPlan
from slackwater.precede.candidates import by_gain, candidates, combined
from slackwater.precede.frequency import Frequencies
from slackwater.precede.level import NO_RANK, DynamicLevel
from slackwater.precede.pipeline import Operator, Pipeline
from slackwater.precede.shared import Shared
from slackwater.stats.panes import UNRANKED, ValueCount, total
from slackwater.units import SECOND

LEVELS = 512  # promises that are active, the best
HEAVY = 8  # units of work from which on a row is told apart by them
PART = 4  # of what waits so much is to be worked off in a batch, where rows are shed by chance
DEFINITE = 1_000  # rows after which a condition that none, or all, of them meet is told


@dataclass(frozen=True, slots=True)
class Flow:
    """Rows of an input and rank that came lately, and that were worked on."""

    input: int
    rank: int
    came: float
    worked: float

    @property
    def share(self) -> float:
        return min(1.0, self.worked / self.came) if self.came > 0 else 1.0


@dataclass(frozen=True, slots=True)
class Met:
    """How many rows had a rank by its conditions, of so many that it is about.

    Of those that were ``promised`` one nobody knows.
    """

    rank: int
    rows: int = 0
    judged: int = 0
    promised: int = 0

    @property
    def silent(self) -> str:
        """Why the conditions of the rank say nothing, if so."""
        if self.judged < DEFINITE:
            return ""
        if self.rows == self.judged:
            return f"each of {self.judged} rows has it"
        return "" if self.rows or self.promised else f"none of {self.judged} rows has it yet"


@dataclass(frozen=True, slots=True)
class RankMemory:
    """What is known of rows that come.

    ``told`` are the ranks that were said to be silent. A unit of work takes ``pace`` seconds; the
    newest batch had ``planned``, none if it was nearly idle and says nothing of the pace. All but
    working takes ``rest`` seconds of a batch.
    """

    tallied: tuple[Tallied, ...] = ()
    flows: tuple[Flow, ...] = ()
    promised: tuple[Promised, ...] = ()
    heavy: tuple[Heavy, ...] = ()
    kept: float = 1.0
    clock: int | None = None
    met: tuple[Met, ...] = ()
    told: tuple[int, ...] = ()
    pace: float | None = None
    planned: int = 0
    rest: float | None = None
    is_crowded: bool = False

    def time(self, plan: CostPlan) -> float | None:
        """Seconds that the next batch may work; nothing where the budget is a number of rows."""
        return time_of(plan, self.rest)

    def budget(self, plan: CostPlan) -> int:
        """Units of work that the next batch may do."""
        return units(plan, self.pace, self.rest)


@dataclass(frozen=True, slots=True)
class Ranked:
    """The terms of a batch: what was learned, what it is about, what a person should hear.

    The next batch may work for ``time`` seconds, if that is what its budget is.
    """

    memory: RankMemory
    heard: tuple[str, ...] = ()
    time: float | None = None
    criteria: tuple[Criterion, ...] = ()


class Ranks(Controller[CostPlan, RankMemory, Ranked]):
    """Tells arriving rows apart by rank, promise and work."""

    name = "ranks"
    memory = RankMemory

    def parameters(self, query: QueryPlan) -> CostPlan | None:
        plan = query.costly
        return plan if plan is not None and plan.levels else None

    def wants(self, params: CostPlan, query: QueryPlan, memory: QueryMemory) -> Wants:
        """How to tell rows apart; which of their values to count."""
        known = memory.find(RankMemory) or RankMemory()
        found = {
            state.identity: ranking(params, query, known, number)
            for number, (_, state) in enumerate(query.fed)
        }
        return Wants(ranked=found)

    def step(
        self, params: CostPlan, moment: Moment, memory: RankMemory
    ) -> tuple[Ranked, RankMemory]:
        work, query = moment.find(Work) or Work(), moment.query
        kept = _remembered(params, query, memory.clock, moment.clock)
        after = replace(
            memory,
            flows=_flows(moment, memory, work, kept.fade),
            clock=moment.clock,
            kept=_kept(params, memory, work),
            planned=work.weight if 2 * work.weight >= memory.budget(params) else 0,
        )
        after, heard = _judged(params, moment, after)
        after, heard = _told(params, after, heard)
        if query.join is not None:
            is_short = bool(after.planned or work.todo)
            after = learned(params, query.join, after, _seen(moment), kept, is_short=is_short)
        criteria = criteria_of(query, after.promised)
        return Ranked(after, heard, after.time(params), criteria), after

    def learn(self, query: str, memory: RankMemory, feedback: Feedback) -> RankMemory:
        if feedback.rest is not None:
            memory = replace(memory, rest=expected(memory.rest, feedback.rest))
        if not memory.planned or not feedback.seconds:
            return memory
        return replace(memory, pace=expected(memory.pace, feedback.seconds / memory.planned))

    def notices(self, params: CostPlan, moment: Moment, terms: Ranked) -> Iterable[str]:
        return terms.heard

    def explain(self, terms: Ranked) -> Explanation:
        memory = terms.memory
        return {
            "criteria": sum(len(one.values) for one in memory.promised),
            "heavy": sum(len(one.values) for one in memory.heavy),
            "kept": round(memory.kept, 4),
            **({} if memory.pace is None else {"unit_us": round(memory.pace * SECOND, 3)}),
            **({} if terms.time is None else {"time_ms": round(terms.time * 1000, 3)}),
            **told_of(terms.criteria),
        }


def ranking(plan: CostPlan, query: QueryPlan, memory: RankMemory, number: int) -> Ranking:
    """How the rows of one input are told apart when they arrive."""
    join = query.join
    values = () if join is None else join.common_values(join.inputs[number].name)
    return Ranking(
        tuple((one.rank, one.condition) for one in plan.levels if one.input == number),
        tuple(text for _, text in values),
        tuple(one for one in memory.promised if one.input == number),
        tuple(one for one in memory.heavy if one.input == number),
        memory.kept if plan.precedence == "random" else 1.0,
        is_relaying=join is not None and len(values) > 1 and join.graph.is_tree,
    )


# who came, and what became of them ---------------------------------------------------------------


def _remembered(plan: CostPlan, query: QueryPlan, before: int | None, now: int | None) -> Memory:
    """Half of what came is forgotten after as long as rows may wait and meet each other."""
    if query.join is None:
        return Memory(1, None, None)
    return Memory(_meeting(query.join) + (plan.lifespan or 0), before, now)


def _meeting(join: JoinPlan) -> int:
    """How far apart rows may be that meet."""
    return max(1, *(join.graph.patience(name) for name in join.graph.names))


def _flows(moment: Moment, memory: RankMemory, work: Work, fade: float) -> tuple[Flow, ...]:
    came: dict[tuple[int, int], float] = defaultdict(float)
    worked: dict[tuple[int, int], float] = defaultdict(float)
    for flow in memory.flows:
        came[flow.input, flow.rank] = fade * flow.came
        worked[flow.input, flow.rank] = fade * flow.worked
    for number, (_, state) in enumerate(moment.query.fed):
        for count in moment.observation.panes.get(state.identity, ()):
            came[number, count.queue.rank] += count.rows
    for piece in work.taken:
        worked[piece.input, piece.queue.rank] += piece.rows
    return tuple(Flow(*key, came[key], worked[key]) for key in sorted({*came, *worked}))


def _kept(plan: CostPlan, memory: RankMemory, work: Work) -> float:
    """The share of rows that can be served; of what waits a part is worked off in each batch.

    A row is believed to take what those took that were worked on.
    """
    admitted, waiting = sum(book.admitted for book in work.books), work.todo
    each = max(1.0, work.weight / work.worked) if work.worked else 1.0
    budget = memory.budget(plan) / each
    if admitted + waiting <= budget:
        return 1.0
    return min(1.0, max(0.0, budget - waiting / PART) / max(1, admitted))


def _told(
    plan: CostPlan, memory: RankMemory, heard: tuple[str, ...]
) -> tuple[RankMemory, tuple[str, ...]]:
    """With a word when the rest of a batch begins to leave no time to work."""
    now = is_crowded(plan, memory.rest)
    more = (crowded(plan, memory.rest),) if now and not memory.is_crowded else ()
    return replace(memory, is_crowded=now), (*heard, *more)


def _judged(
    plan: CostPlan, moment: Moment, memory: RankMemory
) -> tuple[RankMemory, tuple[str, ...]]:
    """Conditions that say nothing are told, once enough rows came."""
    known = {one.rank: one for one in memory.met}
    met = tuple(_met(plan, moment, known.get(n, Met(n))) for n in range(1, plan.ranks + 1))
    silent = {one.rank: one.silent for one in met if one.silent and one.rank not in memory.told}
    heard = tuple(f"rank {rank} makes no difference: {why}" for rank, why in silent.items())
    return replace(memory, met=met, told=tuple(sorted({*memory.told, *silent}))), heard


def _met(plan: CostPlan, moment: Moment, before: Met) -> Met:
    """With the rows of this batch, of the inputs that the rank is about."""
    inputs = {level.input for level in plan.levels if level.rank == before.rank}
    counts = [
        count
        for number in inputs
        for count in moment.observation.panes.get(moment.query.fed[number][1].identity, ())
    ]
    own = [one for one in counts if one.queue.rank == before.rank and not one.queue.promising]
    return Met(
        before.rank,
        before.rows + total(own),
        before.judged + total(counts),
        before.promised + total(one for one in counts if one.queue.promising),
    )


# what they have in common ------------------------------------------------------------------------


def learned(
    plan: CostPlan,
    join: JoinPlan,
    memory: RankMemory,
    seen: Iterable[tuple[int, ValueCount]],
    kept: Memory,
    *,
    is_short: bool,
) -> RankMemory:
    """With what a batch brought: values, what they promise, and what they cost.

    Promises are looked for only if work ``is_short``, or half of the budget is used.
    """
    memory = replace(memory, tallied=tally(memory.tallied, seen, kept))
    promised = tuple(promises(plan, join, memory.tallied)) if is_short else ()
    memory = replace(memory, promised=promised)
    return replace(memory, heavy=tuple(weights(plan, join, memory)))


def _seen(moment: Moment) -> Iterator[tuple[int, ValueCount]]:
    for number, (_, state) in enumerate(moment.query.fed):
        for count in moment.observation.values.get(state.identity, ()):
            yield number, count


def pipeline_of(join: JoinPlan) -> Pipeline | None:
    """The join as a chain of joins on columns; nothing where an input has none in common with
    those before it.
    """
    names = join.graph.names
    columns = {
        name: dict.fromkeys(number for number, _ in join.common_values(name)) for name in names
    }
    operators: list[Operator] = []
    for place, name in enumerate(names[1:], start=1):
        found = [(n, b) for n in columns[name] for b in names[:place] if n in columns[b]]
        if not found:
            return None
        number, before = found[0]
        source = operators[-1].name if operators else names[0]
        keys = (f"{before}.{number}", f"{name}.{number}")
        operators.append(Operator(f"join {place}", (source, name), keys=keys))
    return Pipeline(tuple(operators))


def promises(plan: CostPlan, join: JoinPlan, tallied: Iterable[Tallied]) -> Iterator[Promised]:
    """What rows that arrive promise, by the strategy that was asked for."""
    pipeline = pipeline_of(join) if plan.precedence in ("prune", "full") else None
    if pipeline is None:
        return
    shared = Shared(pipeline)
    counted = _frequencies(join, shared, tallied)
    look = candidates if plan.precedence == "full" else combined
    levels = look(shared, counted)  # how little one promises is no reason to leave it out here
    groups: dict[tuple[int, int, int], dict[str, float]] = defaultdict(dict)
    for level in by_gain(levels)[:LEVELS]:
        number, column = _place(join, level)
        groups[number, column, level.rank].setdefault(str(level.value), level.gain)
    for key, gains in sorted(groups.items()):
        yield Promised(*key, tuple(gains), round(sum(gains.values()), 3))


def _place(join: JoinPlan, level: DynamicLevel) -> tuple[int, int]:
    """The input and the column (by number) that a level is about."""
    shared = int(level.attribute.rpartition(".")[2])
    columns = [number for number, _ in join.common_values(level.stream)]
    return join.graph.names.index(level.stream), columns.index(shared)


def _frequencies(join: JoinPlan, shared: Shared, tallied: Iterable[Tallied]) -> Frequencies:
    significant: dict[tuple[str, str, int, object], float] = defaultdict(float)
    arrived: dict[tuple[str, str, object], float] = defaultdict(float)
    for one in tallied:
        name = join.graph.names[one.input]
        number = join.common_values(name)[one.column][0]
        for operator in shared.pipeline.joins:
            if shared.column(name, operator.name) != f"{name}.{number}":
                continue
            for value, rows in zip(one.values, one.rows, strict=True):
                arrived[operator.name, name, value] += rows
                if one.rank not in (UNRANKED, NO_RANK):
                    significant[operator.name, name, one.rank, value] += rows
    return Frequencies(dict(significant), dict(arrived))


def weights(plan: CostPlan, join: JoinPlan, memory: RankMemory) -> Iterator[Heavy]:
    """Values whose rows will meet many: each is as much work as the combinations it makes."""
    held = _held(plan, join, memory)
    for number, name in enumerate(join.graph.names):
        for column, (shared, _) in enumerate(join.common_values(name)):
            others = [rows for (w, which), rows in held.items() if which == shared and w != number]
            if not others:
                continue
            found: dict[int, list[str]] = defaultdict(list)
            for value in sorted(set(others[0]).intersection(*others[1:])):
                work = 1 + prod(rows[value] for rows in others)
                if work >= HEAVY:
                    found[2 ** int(log2(work))].append(value)
            for weight, values in sorted(found.items()):
                yield Heavy(number, column, weight, tuple(values))


def _held(
    plan: CostPlan, join: JoinPlan, memory: RankMemory
) -> dict[tuple[int, int], dict[str, float]]:
    """Rows that were worked on lately, by input, shared column and value.

    Of those that are remembered, only as many as may still be met.
    """
    meeting = _meeting(join)
    part = meeting / (meeting + (plan.lifespan or 0))
    shares = {(flow.input, flow.rank): flow.share for flow in memory.flows}
    raised = {(p.input, p.column, value): p.rank for p in reversed(memory.promised)
              for value in p.values}  # fmt: skip
    found: dict[tuple[int, int], dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for one in memory.tallied:
        shared = join.common_values(join.graph.names[one.input])[one.column][0]
        for value, rows in zip(one.values, one.rows, strict=True):
            rank = min(one.rank, raised.get((one.input, one.column, value), UNRANKED))
            found[one.input, shared][value] += part * rows * shares.get((one.input, rank), 1.0)
    return found
