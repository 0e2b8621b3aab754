"""Plans for people and for machines."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from slackwater.plan.calls import Link
from slackwater.plan.costly import CostPlan
from slackwater.plan.estimates import EstimatePlan, ProdSource
from slackwater.plan.join import JoinPlan
from slackwater.plan.partial import Partial
from slackwater.plan.stage import PipelinePlan, QueryPlan, Stage, describe
from slackwater.plan.state import State
from slackwater.plan.tree import inputs_of, nodes_of, show_tree
from slackwater.units import show_duration


def explain_text(plan: PipelinePlan) -> str:
    """A plan as indented text, answers first."""
    lines = []
    for query in plan.queries:
        lines += _query_lines(query)
    for stream in plan.streams:
        ahead = "any" if stream.max_ahead is None else show_duration(stream.max_ahead)
        columns = ", ".join(stream.columns) or "-"
        lines.append(
            f"stream {stream.name}: time {stream.time}, reads {columns}, may jump ahead {ahead}"
        )
        lines += [f"  {_link(link)}" for link in stream.links]
    for table in plan.tables:
        again = "once" if table.refresh is None else f"every {show_duration(table.refresh)}"
        unique = "; ".join(", ".join(keys) for keys in table.keys)
        lines.append(f"table {table.name}: read {again}, unique by {unique}")
    shared = sum(len(query.fed) for query in plan.queries) - len(plan.base_states)
    if shared:
        lines.append(f"{shared} base state{'s' if shared > 1 else ''} shared between queries")
    return _named("\n".join(lines), [link for stream in plan.streams for link in stream.links])


def _link(link: Link) -> str:
    """A function, or filters that commute, in words."""
    names = ", ".join(link.calls[number].name for number in link.written)
    effects = ", has effects" if link.effects else ""
    after = "" if link.guard is None else f", after {link.guard.sql}"
    if not link.is_filter:
        pairs = zip(link.returns, link.outputs, strict=True)
        given = ", ".join(f"{name} {one.type}" for name, one in pairs)
        return f"computes {given} by {names}{effects}{after}"
    order = f" in an order for each batch ({link.order})" if link.is_open else ""
    return f"filters by {names}{order}{effects}{after}"


def _named(text: str, links: Sequence[Link]) -> str:
    """The text with functions in the place of the columns that they add to rows."""
    for link in links:
        names = " and ".join(call.name for call in link.calls)
        for shown, one in zip(link.returns or (names,), link.outputs, strict=True):
            text = text.replace(f"`{one.name}`", shown)
    return text


def _query_lines(query: QueryPlan) -> list[str]:
    terms = [_waiting(query), f"late rows: {query.late}"]
    if query.keep:
        terms.append(f"revisable for {show_duration(query.keep)}")
    if query.idle is not None:
        terms.append(f"idle after {show_duration(query.idle)}")
    lines = [f"query {query.name} ({', '.join(terms)})"]
    if query.estimates is not None:
        lines.append(f"  estimates: {_estimates(query.estimates)}")
    if query.costly is not None:
        lines.append(f"  costly: {_costly(query.costly)}")
        ranks = range(1, query.costly.ranks + 1)
        lines += [f"    {_level(query.costly, query, rank)}" for rank in ranks]
        if query.costly.levels:
            lines.append(f"    precedence: {query.costly.precedence}")
    for stage in reversed(query.stages):
        lines += _stage_lines(stage)
    if query.join is not None:
        return lines + _join_lines(query.join)
    found = "".join(f", looked up in {table}" for table in query.tables)
    lines.append(f"  {'  ' * len(query.stages)}stream {query.stream}{found}")
    return lines


def _join_lines(join: JoinPlan) -> list[str]:
    """The join at the bottom: shape, predicates, and how far apart members may be."""
    graph = join.graph
    shape = "order from first statistics" if join.tree is None else show_tree(join.tree)
    lines = [f"  join {', '.join(graph.names)} ({shape}; results {join.emit})"]
    equal = [" = ".join(f"{name}" for _, name in members) for members in graph.classes]
    predicates = [p.expression.sql for p in graph.predicates]
    lines += [f"    on {text}" for text in (*equal, *predicates)]
    if graph.optional:
        settled = max(graph.patience(name) for name in graph.required)
        lines.append(f"    rows without partner are answered after {show_duration(settled)}")
    lines += [f"    where {part.sql}" for part in graph.above]
    form = join if join.tree is None else join.form(join.tree)
    for part, rows in zip(form.inputs, join.inputs, strict=True):
        where = "" if rows.state.where is None else f", where {rows.state.where.sql}"
        columns = _columns([name for name, _ in part.state.keys], part.state.partials)
        waits = show_duration(graph.patience(part.name))
        kind = "optional stream" if part.name in graph.optional else "stream"
        found = "".join(f", looked up in {one.table}" for one in rows.state.lookups)
        lines.append(
            f"    {part.name}: {kind} {part.stream}{found}{where}, rows wait {waits} for partners"
        )
        kept = "groups" if form.is_grouped else "rows"
        lines.append(f"      state {part.state.identity}: {kept}; {columns}")
    for node in nodes_of(join.tree)[:-1] if join.tree is not None else ():
        names = frozenset(inputs_of(node))
        columns = _columns(form.columns(names), form.partials(names))
        lines.append(f"    {show_tree(node)} keeps its results")
        lines.append(f"      state {form.identity(names)}: rows; {columns}")
    return lines


def _columns(names: Sequence[str], partials: Sequence[Partial]) -> str:
    return ", ".join([*names, *(part.sql for part in partials)]) or "-"


def _waiting(query: QueryPlan) -> str:
    promise = query.promise
    if query.recall is not None:
        recall = query.recall
        most = "" if recall.at_most is None else f", at most {show_duration(recall.at_most)}"
        periods = f"{recall.confidence:.4g} of periods of {show_duration(recall.over)}"
        return f"recall at least {recall.gamma:g} in {periods}{most}"
    if promise is None:
        return f"slack {show_duration(query.slack)}"
    errors = ", ".join(f"{name} {epsilon:g}" for name, epsilon in promise.columns.items())
    most = "" if promise.at_most is None else f", at most {show_duration(promise.at_most)}"
    labels = {b.column for b in promise.bounds if b.is_heuristic}
    note = f", heuristic for {', '.join(sorted(labels))}" if labels else ""
    return f"error at most {errors} for {promise.confidence:.4g} of results{most}{note}"


def _costly(plan: CostPlan) -> str:
    """What waits when there is more than can be worked on, in words."""
    served = {
        "wait": "others wait",
        "drop": "what waits is shed once it was estimated",
        "idle": "others wait, and once they were estimated until nothing else does",
        "ratio": f"others wait, and once they were estimated come after {plan.k} new ones each",
    }[plan.aside]
    starve = "" if plan.starve is None else f", {show_duration(plan.starve)} at most"
    life = "" if plan.lifespan is None else f", for {show_duration(plan.lifespan)}"
    return f"{_budget(plan)} in a batch, {served}{starve}{life}"


def _budget(plan: CostPlan) -> str:
    if plan.measured:
        rest = "the trigger interval" if plan.interval is None else f"{plan.interval:g} s"
        return f"what can be done in {rest}"
    return f"{plan.budget} rows" if plan.seconds is None else f"{plan.seconds:g} s"


def _level(plan: CostPlan, query: QueryPlan, rank: int) -> str:
    """The rows of a rank, in words."""
    texts = [
        f"{query.fed[level.input][0]}: {level.condition.sql}"
        for level in plan.levels
        if level.rank == rank
    ]
    return f"rank {rank}: {'; '.join(texts)}"


def _estimates(plan: EstimatePlan) -> str:
    """Who prods, and when, in words."""
    return "; ".join(map(_prods, plan.sources)) or "on request only"


def _prods(source: ProdSource) -> str:
    if source.every is not None:
        when = f"every {show_duration(source.every)}" if source.every else "every batch"
    elif source.accuracy is not None:
        when = f"as early as {100 * source.accuracy:.4g} % accurate"
    else:
        when = f"at aggressiveness {source.aggressiveness:g}"
    of = f" of {', '.join(source.of)}" if source.of else ""
    where = "" if source.where is None else f" where {source.where.sql}"
    return f"{source.label} {when}{of}{where}"


def _stage_lines(stage: Stage) -> list[str]:
    state = stage.state
    pad = "  "
    keys = f" by {', '.join(stage.keys)}" if stage.keys else ""
    values = ", ".join(name for name, _ in stage.values)
    lines = [f"{pad}level {stage.level}: {stage.window}{keys} -> {values}"]
    if stage.relation is not None:
        lines.append(f"{pad}  relate {stage.relation.sql}")
    kept = (
        "rows, newest revision" if state.kind == "rows" else f"panes of {show_duration(state.pane)}"
    )
    lines.append(f"{pad}  state {state.identity}: {kept}; {_parts(state)}")
    if state.where is not None:
        lines.append(f"{pad}  where {state.where.sql}")
    return lines


def _parts(state: State) -> str:
    """The columns of a state, and what they cost: a row for each pane and key, or for more."""
    values = [part.sql for part in state.partials if part.is_value]
    merged = ", ".join(part.sql for part in state.partials if not part.is_value) or "-"
    if not values:
        return merged
    whole = f"a row for each distinct ({', '.join(values)}) and how often it was there"
    return whole if merged == "-" else f"{whole}; {merged}"


def explain_json(plan: PipelinePlan) -> str:
    """A plan as JSON."""
    return json.dumps(explain_value(plan), indent=2)


def explain_value(plan: PipelinePlan) -> dict[str, Any]:
    value: dict[str, Any] = dict(describe(plan))
    value["identity"] = plan.identity
    for query in plan.queries:
        if query.join is not None:
            value["queries"][query.name]["streams"] = [i.stream for i in query.join.inputs]
    value["contracts"] = {
        q.name: {
            "slack_us": None if q.promise or q.recall else q.slack,
            "min_recall": q.recall.gamma if q.recall else None,
            "max_error": q.promise.columns if q.promise else None,
            "confidence": _confidence(q),
            "late": q.late,
            "keep_us": q.keep,
            "idle_us": q.idle,
            "estimates": _sources(q.estimates),
            **({"costly": _cost_value(q.costly)} if q.costly else {}),
        }
        for q in plan.queries
    }
    states = [state for q in plan.queries for state in _states(q)]
    value["states"] = {state.identity: _state_value(state) for state in states}
    return value


def _confidence(query: QueryPlan) -> float | None:
    """The share of results, of a join: of periods, that keep what is promised."""
    promise = query.promise or query.recall
    return None if promise is None else promise.confidence


def _cost_value(plan: CostPlan) -> dict[str, Any]:
    return {
        "budget": plan.budget,
        "aside": plan.shown,
        "starve_us": plan.starve,
        **({} if plan.seconds is None else {"seconds": plan.seconds}),
        **({"measured": True, "interval_s": plan.interval} if plan.measured else {}),
        **({} if plan.lifespan is None else {"lifespan_us": plan.lifespan}),
        **({"ranks": _ranks_value(plan)} if plan.levels else {}),
    }


def _ranks_value(plan: CostPlan) -> dict[str, Any]:
    levels = [{"rank": one.rank, "input": one.input, "where": one.condition.sql}
              for one in plan.levels]  # fmt: skip
    return {"precedence": plan.precedence, "levels": levels}


def _sources(plan: EstimatePlan | None) -> list[dict[str, Any]] | None:
    """The sources of prods; ``None`` of a query that gives no estimates."""
    if plan is None:
        return None
    return [
        {
            "label": source.label,
            "every_us": source.every,
            "aggressiveness": source.aggressiveness,
            "accuracy": source.accuracy,
            "where": None if source.where is None else source.where.sql,
        }
        for source in plan.sources
    ]


def _states(query: QueryPlan) -> list[State]:
    inputs = [part.state for part in query.join.inputs] if query.join is not None else []
    return [*inputs, *(stage.state for stage in query.stages)]


def _state_value(state: State) -> dict[str, Any]:
    return {
        "kind": state.kind,
        "owner": state.owner,
        "pane_us": state.pane,
        "where": state.where.sql if state.where else None,
        "keys": {name: key.sql for name, key in state.keys},
        "partials": {p.name: {"sql": p.sql, "merge": p.merge} for p in state.partials},
    }
