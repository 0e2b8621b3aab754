"""From what the user wrote to a checked logical plan; every problem is told at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from slackwater.errors import Problem, QueryError, SlackwaterError
from slackwater.plan.aggregate import Partial, take_apart
from slackwater.plan.bound import Bound, ErrorContract, bounds_of
from slackwater.plan.node import Filter, Named, Node, Project, Scan, WindowAggregate
from slackwater.plan.window import Window
from slackwater.query.contract import LATE_POLICIES, METHODS, FixedSlack, MaxError
from slackwater.query.expression import Expression, is_boolean, parse, type_of
from slackwater.query.schema import Schema
from slackwater.query.stream import Aggregate, Query, Select, StreamDef, Where
from slackwater.units import MINUTE, DurationLike, duration

RESERVED = ("window_start", "window_end", "kind", "revision", "coverage", "boundary", "emitted_at")
DEFAULT_KEEP = 10 * MINUTE


@dataclass(frozen=True, slots=True)
class LogicalQuery:
    """A checked query: its plan, its contract in microseconds, its late policy."""

    name: str
    root: WindowAggregate
    stream: StreamDef
    slack: int
    late: str
    keep: int
    idle: int | None
    promise: ErrorContract | None = None


@dataclass(frozen=True, slots=True)
class Checked:
    """The checked queries of a pipeline and its base streams by name."""

    queries: tuple[LogicalQuery, ...]
    streams: dict[str, StreamDef]
    max_ahead: dict[str, int | None]


def check(queries: Sequence[Query]) -> Checked:
    """Check all queries of a pipeline; raise one :class:`QueryError` with all problems."""
    problems: list[Problem] = []
    streams = _check_streams(queries, problems)
    _check_names(queries, problems)
    checked = [_Checker(query, problems).check() for query in queries]
    ahead = {
        name: _optional_duration(s.max_ahead, f"stream {name}, max_ahead", problems)
        for name, s in streams.items()
    }
    if problems:
        raise QueryError(problems)
    return Checked(tuple(q for q in checked if q is not None), streams, ahead)


def _check_names(queries: Sequence[Query], problems: list[Problem]) -> None:
    if not queries:
        problems.append(Problem("PIPELINE_EMPTY", "pipeline", "a pipeline needs a query"))
    seen: set[str] = set()
    for query in queries:
        where = f"query {query.name!r}"
        if not query.name or not all(c.isalnum() or c in "_-" for c in query.name):
            problems.append(
                Problem("NAME_INVALID", where, "names are letters, digits, '_' and '-'")
            )
        if query.name in seen:
            problems.append(Problem("NAME_TWICE", where, "two queries have this name"))
        seen.add(query.name)


def _check_streams(queries: Sequence[Query], problems: list[Problem]) -> dict[str, StreamDef]:
    streams: dict[str, StreamDef] = {}
    for query in queries:
        base = query.stream.base
        known = streams.setdefault(base.name, base)
        if known is not base and known != base:
            problems.append(
                Problem(
                    "STREAM_TWICE",
                    f"stream {base.name!r}",
                    "two different streams have this name",
                    "call sw.stream once and build both queries from it, or rename one",
                )
            )
    for base in streams.values():
        _check_stream(base, problems)
    return streams


def _check_stream(base: StreamDef, problems: list[Problem]) -> None:
    where = f"stream {base.name!r}"
    kind = base.schema.type_of(base.time)
    if kind is None:
        hint = f"columns here: {', '.join(base.schema.names)}"
        problems.append(
            Problem("TIME_COLUMN_MISSING", where, f"no time column {base.time!r}", hint)
        )
    elif kind not in ("timestamp", "timestamp_ntz", "timestamp_ltz"):
        hint = f"convert it first, e.g. df.withColumn({base.time!r}, expr('timestamp_millis(...)'))"
        problems.append(
            Problem("TIME_COLUMN_TYPE", where, f"time column {base.time!r} is {kind}", hint)
        )
    if base.arrival is not None and base.schema.type_of(base.arrival) is None:
        hint = f"columns here: {', '.join(base.schema.names)}"
        problems.append(
            Problem("ARRIVAL_COLUMN_MISSING", where, f"no column {base.arrival!r}", hint)
        )


def _duration(value: DurationLike, where: str, problems: list[Problem]) -> int | None:
    try:
        return duration(value)
    except (SlackwaterError, TypeError, AttributeError) as error:
        reason = error.message if isinstance(error, SlackwaterError) else f"got {value!r}"
        hint = error.hint if isinstance(error, SlackwaterError) else 'e.g. "10 seconds"'
        problems.append(Problem("DURATION_INVALID", where, reason, hint))
        return None


def _optional_duration(
    value: DurationLike | None, where: str, problems: list[Problem]
) -> int | None:
    result = None if value is None else _duration(value, where, problems)
    if result is not None and result < 0:
        problems.append(Problem("DURATION_NEGATIVE", where, f"{value!r} is negative"))
    return result


class _Checker:
    """Walks the steps of one query and collects its problems."""

    def __init__(self, query: Query, problems: list[Problem]) -> None:
        self.query = query
        self.problems = problems
        self.sums: tuple[Partial, ...] = ()

    def check(self) -> LogicalQuery | None:
        before = len(self.problems)
        slack = self._contract()
        keep = _optional_duration(self.query.keep, self._at("keep"), self.problems)
        idle = _optional_duration(self.query.idle, self._at("idle"), self.problems)
        root = self._plan()
        promise = self._promise(root) if isinstance(root, WindowAggregate) else None
        if promise is not None and isinstance(root, WindowAggregate):
            root = self._with_sums(root)
        if not isinstance(root, WindowAggregate) or len(self.problems) > before:
            return None
        revises = self.query.late == "revise"
        return LogicalQuery(
            self.query.name,
            root,
            self.query.stream.base,
            slack,
            self.query.late,
            (DEFAULT_KEEP if keep is None else keep) if revises else 0,
            idle,
            promise,
        )

    def _at(self, step: str) -> str:
        return f"query {self.query.name!r}, {step}"

    def _problem(self, condition: str, step: str, message: str, hint: str = "") -> None:
        self.problems.append(Problem(condition, self._at(step), message, hint))

    def _contract(self) -> int:
        wait = None
        contract = self.query.contract
        if isinstance(contract, FixedSlack):
            wait = _duration(contract.wait, self._at("slack"), self.problems)
            if wait is not None and wait < 0:
                self._problem("SLACK_NEGATIVE", "slack", f"{contract.wait!r} is negative")
        if self.query.late not in LATE_POLICIES:
            allowed = ", ".join(LATE_POLICIES)
            self._problem("LATE_POLICY", "late", f"{self.query.late!r} is not one of: {allowed}")
        if self.query.keep is not None and self.query.late != "revise":
            self._problem("KEEP_WITHOUT_REVISE", "keep", 'only late="revise" keeps closed windows')
        return wait or 0

    def _promise(self, root: WindowAggregate) -> ErrorContract | None:
        """The error bounds of the contract, checked against the columns of the result."""
        contract = self.query.contract
        if isinstance(contract, FixedSlack):
            return None
        terms = contract if isinstance(contract, tuple) else (contract,)
        if not terms:
            self._problem("CONTRACT_EMPTY", "contract", "a list of contracts needs one at least")
            return None
        if isinstance(root.input, WindowAggregate) or self._levels() > 1:
            hint = "put the contract on a query that ends with the first aggregate"
            self._problem("CONTRACT_LEVELS", "contract", "max_error needs one level", hint)
            return None
        bounds = tuple(bound for term in terms for bound in self._bounds(term))
        lows = [self._limit(term.at_least, "at_least") or 0 for term in terms]
        highs = [self._limit(t.at_most, "at_most") for t in terms if t.at_most is not None]
        grains = [self._limit(t.granularity, "granularity") for t in terms if t.granularity]
        for term in terms:
            if term.method not in METHODS:
                allowed = ", ".join(METHODS)
                text = f"{term.method!r} is not one of: {allowed}"
                self._problem("CONTRACT_METHOD", "contract, method", text)
        known = [high for high in highs if high is not None]
        grain = min((g for g in grains if g), default=max(1000, root.window.slide // 100))
        if known and min(known) < max(lows):
            self._problem("CONTRACT_LIMITS", "contract", "at_most is below at_least")
        return ErrorContract(bounds, grain, max(lows), min(known, default=None), terms[0].method)

    def _levels(self) -> int:
        return sum(isinstance(step, Aggregate) for step in self.query.stream.steps)

    def _limit(self, value: DurationLike | None, name: str) -> int | None:
        return _optional_duration(value, self._at(f"contract, {name}"), self.problems)

    def _bounds(self, term: MaxError) -> tuple[Bound, ...]:
        for name, value in (("epsilon", term.epsilon), ("confidence", term.confidence)):
            if not 0 < value < 1:
                text = f"{value!r} is not between 0 and 1"
                self._problem("CONTRACT_RANGE", f"contract, {name}", text)
                return ()
        last = self.query.stream.steps[-1]
        texts = dict(last.values) if isinstance(last, Aggregate) else {}
        for name in term.of:
            if name not in texts:
                hint = f"aggregates here: {', '.join(texts)}"
                self._problem("CONTRACT_COLUMN", "contract, of", f"no aggregate {name!r}", hint)
        found: list[Bound] = []
        for name in term.of or tuple(texts):
            if name in texts:
                tree = Expression(texts[name]).tree
                bounds, sums = bounds_of(name, tree, term.epsilon, 1 - term.confidence)
                found += bounds
                self.sums += sums
        return tuple(found)

    def _with_sums(self, root: WindowAggregate) -> WindowAggregate:
        """The aggregate, keeping also what the error bounds need to know about its values."""
        parts = {part.name: part for part in (*root.partials, *self.sums)}
        return replace(root, partials=tuple(parts.values()))

    def _plan(self) -> Node | None:
        base = self.query.stream.base
        node: Node = Scan(base.name, base.schema, base.time)
        level = 0
        for number, step in enumerate(self.query.stream.steps, start=1):
            if isinstance(step, Where):
                node = self._where(node, step, f"step {number} where")
            elif isinstance(step, Select):
                node = self._select(node, step, f"step {number} select")
            else:
                level += 1
                aggregate = self._aggregate(node, step, f"step {number} aggregate (level {level})")
                if aggregate is None:
                    return None  # later steps read columns that could not be made
                node = aggregate
        if not isinstance(node, WindowAggregate):
            hint = "end the query with .window(...).aggregate(...); filter results downstream"
            self._problem("QUERY_OPEN_ENDED", "last step", "a query ends with an aggregate", hint)
        return node

    def _parse(self, text: str, schema: Schema, step: str) -> tuple[str | None, Expression] | None:
        result = parse(text, schema, self._at(step))
        if isinstance(result, Problem):
            self.problems.append(result)
            return None
        return result

    def _where(self, node: Node, step: Where, at: str) -> Node:
        parsed = self._parse(step.predicate, node.schema, at)
        if parsed is None:
            return node
        kind = type_of(parsed[1], node.schema)
        if is_boolean(kind) is False:
            self._problem("TYPE_MISMATCH", at, f"{step.predicate!r} is {kind}, not a condition")
        return Filter(node, parsed[1])

    def _select(self, node: Node, step: Select, at: str) -> Node:
        columns = self._named(step.columns, node.schema, at)
        return Project(node, columns) if columns else node

    def _named(self, texts: Sequence[str], schema: Schema, at: str) -> tuple[Named, ...]:
        named: dict[str, Expression] = {}
        for text in texts:
            parsed = self._parse(text, schema, at)
            if parsed is None:
                continue
            name, value = parsed
            if name is None:
                self._problem("NAME_MISSING", at, f"{text!r} has no name", f"{text} AS name")
            elif name in named:
                self._problem("NAME_TWICE", at, f"two columns are called {name!r}")
            else:
                named[name] = value
        return tuple(named.items())

    def _aggregate(self, node: Node, step: Aggregate, at: str) -> WindowAggregate | None:
        before = len(self.problems)
        window = self._window(step, at)
        keys = self._named(step.keys, node.schema, at)
        names = [name for name, _ in keys] + [name for name, _ in step.values]
        for name in sorted({n for n in names if names.count(n) > 1}):
            self._problem("NAME_TWICE", at, f"two result columns are called {name!r}")
        for name in names:
            if name.lower() in RESERVED or name.startswith("__"):
                self._problem("NAME_RESERVED", at, f"{name!r} is used by every result", "rename it")
        if not step.values:
            self._problem("AGGREGATE_EMPTY", at, "no aggregate given", 'aggregate(n="count(*)")')
        partials, values, types = self._values(step, node.schema, at)
        if window is None or len(self.problems) > before:
            return None
        return WindowAggregate(node, window, keys, partials, values, types)

    def _values(
        self, step: Aggregate, schema: Schema, at: str
    ) -> tuple[tuple[Partial, ...], tuple[Named, ...], tuple[str, ...]]:
        partials: dict[str, Partial] = {}
        values: list[Named] = []
        types: list[str] = []
        for name, text in step.values:
            parsed = self._parse(text, schema, f"{at}, {name}")
            if parsed is None:
                continue
            split = take_apart(parsed[1], schema, self._at(f"{at}, {name}"))
            if isinstance(split, Problem):
                self.problems.append(split)
                continue
            partials.update((part.name, part) for part in split[0])
            values.append((name, split[1]))
            types.append(type_of(parsed[1], schema) or "unknown")
        return tuple(partials.values()), tuple(values), tuple(types)

    def _window(self, step: Aggregate, at: str) -> Window | None:
        size = _duration(step.size, self._at(f"{at}, window size"), self.problems)
        given = step.size if step.slide is None else step.slide
        slide = _duration(given, self._at(f"{at}, window slide"), self.problems)
        start = _duration(step.start, self._at(f"{at}, window start"), self.problems)
        if size is None or slide is None or start is None:
            return None
        if size <= 0 or slide <= 0:
            self._problem(
                "WINDOW_NOT_POSITIVE",
                at,
                f"window size {step.size!r} and slide {given!r} must be > 0",
            )
            return None
        if slide > size:
            hint = "rows between windows would be lost; use a slide up to the size"
            self._problem("SLIDE_ABOVE_SIZE", at, f"slide {given!r} above size {step.size!r}", hint)
            return None
        return Window(size, slide, start % slide)
