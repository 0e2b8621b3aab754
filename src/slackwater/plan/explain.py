"""Plans for people and for machines."""

from __future__ import annotations

import json
from typing import Any

from slackwater.plan.costly import CostPlan
from slackwater.plan.estimates import EstimatePlan, ProdSource
from slackwater.plan.join import JoinPlan
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
    shared = sum(len(query.fed) for query in plan.queries) - len(plan.base_states)
    if shared:
        lines.append(f"{shared} base state{'s' if shared > 1 else ''} shared between queries")
    return "\n".join(lines)


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
    for stage in reversed(query.stages):
        lines += _stage_lines(stage)
    if query.join is not None:
        return lines + _join_lines(query.join)
    lines.append(f"  {'  ' * len(query.stages)}stream {query.stream}")
    return lines


def _join_lines(join: JoinPlan) -> list[str]:
    """The join at the bottom: shape, predicates, and how far apart members may be."""
    graph = join.graph
    shape = "order from first statistics" if join.tree is None else show_tree(join.tree)
    lines = [f"  join {', '.join(graph.names)} ({shape}; results {join.emit})"]
    equal = [" = ".join(f"{name}" for _, name in members) for members in graph.classes]
    predicates = [p.expression.sql for p in graph.predicates]
    lines += [f"    on {text}" for text in (*equal, *predicates)]
    for part in join.inputs:
        where = "" if part.state.where is None else f", where {part.state.where.sql}"
        columns = ", ".join(name for name, _ in part.state.keys) or "-"
        waits = show_duration(graph.patience(part.name))
        lines.append(
            f"    {part.name}: stream {part.stream}{where}, rows wait {waits} for partners"
        )
        lines.append(f"      state {part.state.identity}: rows; {columns}")
    for node in nodes_of(join.tree)[:-1] if join.tree is not None else ():
        names = frozenset(inputs_of(node))
        columns = ", ".join(join.columns(names)) or "-"
        lines.append(f"    {show_tree(node)} keeps its results")
        lines.append(f"      state {join.identity(names)}: rows; {columns}")
    return lines


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
    return f"{plan.budget} rows in a batch, {served}{starve}"


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
    kept = (
        "rows, newest revision" if state.kind == "rows" else f"panes of {show_duration(state.pane)}"
    )
    parts = ", ".join(part.sql for part in state.partials)
    lines.append(f"{pad}  state {state.identity}: {kept}; {parts}")
    if state.where is not None:
        lines.append(f"{pad}  where {state.where.sql}")
    return lines


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
    return {"budget": plan.budget, "aside": plan.shown, "starve_us": plan.starve}


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
