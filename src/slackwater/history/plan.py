"""The plan of a run as its ``start`` event tells it: queries, what they promise, what feeds what.

Lenient on purpose: a log may come from another version, and what is not understood is left out.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field

from slackwater.history.graph import Graph, Json, Node, Shape, inside, stages_of, window_of
from slackwater.history.number import number_of
from slackwater.units import show_duration


@dataclass(frozen=True, slots=True)
class Promise:
    """What a query promises: ``target`` is the share that must be reached.

    ``kind`` is ``error`` (share of results within their bounds) or ``recall`` (share of results
    found in a period); ``bounds`` maps columns to their largest relative error; ``periods`` is the
    share of periods that must reach the recall (unknown in older logs).
    """

    kind: str
    target: float
    bounds: dict[str, float] = field(default_factory=dict)
    periods: float | None = None

    @property
    def due(self) -> float | None:
        """What the share of measured results, or periods, that kept the promise must reach."""
        return self.periods if self.kind == "recall" else self.target

    @property
    def text(self) -> str:
        if self.kind == "recall":
            often = "" if self.periods is None else f" in {_percent(self.periods)} of periods"
            return f"recall at least {_percent(self.target)}{often}"
        errors = sorted({_percent(epsilon) for epsilon in self.bounds.values()})
        return f"{_percent(self.target)} of results within {', '.join(errors) or 'their bound'}"


@dataclass(frozen=True, slots=True)
class ProdShape:
    """A source of prods: by the clock, at a point of each window, or as early as is accurate."""

    label: str
    every: int | None = None
    aggressiveness: float | None = None
    accuracy: float | None = None
    where: str | None = None

    @property
    def text(self) -> str:
        return f"{self._when} where {self.where}" if self.where else self._when

    @property
    def _when(self) -> str:
        if self.every is not None:
            return f"every {show_duration(self.every)}" if self.every else "every batch"
        if self.accuracy is not None:
            return f"as early as {_percent(self.accuracy)} accurate"
        if self.aggressiveness is not None:
            return f"at aggressiveness {self.aggressiveness:g}"
        return self.label


@dataclass(frozen=True, slots=True)
class QueryShape:
    """One query: the streams it reads, its windows from the base up, how long it waits, and who
    prods it for estimates (``None`` if it gives none).
    """

    name: str
    streams: tuple[str, ...] = ()
    windows: tuple[Shape, ...] = ()
    promise: Promise | None = None
    slack: int | None = None
    late: str | None = None
    estimates: tuple[ProdShape, ...] | None = None

    @property
    def window(self) -> Shape | None:
        """Size, slide and offset of the windows that are answered."""
        return self.windows[-1] if self.windows else None

    @property
    def contract(self) -> str:
        """In words, how long the query waits."""
        if self.promise is not None:
            return self.promise.text
        return (
            "slack chosen by the engine"
            if self.slack is None
            else f"slack {show_duration(self.slack)}"
        )

    @property
    def prods(self) -> str | None:
        """In words, when it gives estimates."""
        if self.estimates is None:
            return None
        return "; ".join(source.text for source in self.estimates) or "on request only"


@dataclass(frozen=True, slots=True)
class Plan:
    """All of a pipeline: its queries, and the graph from streams over states to answers."""

    queries: dict[str, QueryShape] = field(default_factory=dict)
    states: dict[str, str] = field(default_factory=dict)
    nodes: tuple[Node, ...] = ()
    edges: tuple[tuple[str, str], ...] = ()

    def to_json(self) -> Json:
        value = asdict(self)
        for name, query in self.queries.items():
            value["queries"][name]["contract"] = query.contract
            value["queries"][name]["prods"] = query.prods
            value["queries"][name]["window"] = query.window
        return value


def read_plan(value: object) -> Plan:
    """The plan in a ``start`` event, or in the file that says what a checkpoint means."""
    if not isinstance(value, dict):
        return Plan()
    queries = {
        str(name): _query(str(name), told, inside(value, "contracts").get(name))
        for name, told in inside(value, "queries").items()
        if isinstance(told, dict)
    }
    graph = Graph(inside(value, "states"))
    for name, query in queries.items():
        graph.add(name, query.streams, value["queries"][name], query.contract)
    return Plan(queries, graph.labels, tuple(graph.nodes.values()), tuple(graph.edges))


def _query(name: str, told: Json, contract: object) -> QueryShape:
    terms = contract if isinstance(contract, dict) else {}
    slack, late = terms.get("slack_us"), terms.get("late")
    return QueryShape(
        name,
        streams=_streams(told),
        windows=tuple(w for w in map(window_of, stages_of(told)) if w is not None),
        promise=_promise(terms),
        slack=slack if isinstance(slack, int) else None,
        late=late if isinstance(late, str) else None,
        estimates=_estimates(terms.get("estimates")),
    )


def _estimates(told: object) -> tuple[ProdShape, ...] | None:
    if not isinstance(told, list):
        return None
    return tuple(
        ProdShape(
            str(one.get("label", "")),
            every if isinstance(every := one.get("every_us"), int) else None,
            number_of(one.get("aggressiveness")),
            number_of(one.get("accuracy")),
            where if isinstance(where := one.get("where"), str) else None,
        )
        for one in told
        if isinstance(one, dict)
    )


def _streams(told: Json) -> tuple[str, ...]:
    if isinstance(told.get("stream"), str):
        return (told["stream"],)
    if isinstance(told.get("streams"), list):
        return tuple(map(str, told["streams"]))
    return tuple(map(str, inside(inside(told, "join"), "inputs")))


def _promise(terms: Json) -> Promise | None:
    bounds, share = terms.get("max_error"), terms.get("confidence")
    for name in ("min_recall", "recall", "gamma"):
        if isinstance(terms.get(name), int | float):
            return Promise("recall", float(terms[name]), periods=number_of(share))
    if not isinstance(share, int | float):
        return None
    known = bounds.items() if isinstance(bounds, dict) else ()
    return Promise(
        "error", float(share), {str(n): float(e) for n, e in known if isinstance(e, int | float)}
    )


def _percent(share: float) -> str:
    return f"{100 * share:.4g} %"
