"""From what the user wrote to a checked logical plan; every problem is told at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from slackwater.errors import Problem, QueryError
from slackwater.plan.aggregate import take_apart
from slackwater.plan.bound import ErrorContract, RecallContract
from slackwater.plan.build_join import check_connected, check_join
from slackwater.plan.calls import CallBuilder, FunctionPlan, arranged, is_call, plain_rows
from slackwater.plan.costly import CostPlan, cost_plan, with_levels
from slackwater.plan.estimates import EstimatePlan, estimate_columns, estimate_plan
from slackwater.plan.exact import kept_columns
from slackwater.plan.lookup import check_tables, looked_up, tables_of
from slackwater.plan.names import (
    RESERVED,
    RESERVED_JOIN,
    check_beside,
    check_different,
    check_keys,
    check_query_names,
    check_results,
)
from slackwater.plan.node import (
    Filter,
    Joined,
    Named,
    Node,
    Project,
    Scan,
    WindowAggregate,
    aggregates,
    chain,
)
from slackwater.plan.partial import Partial
from slackwater.plan.promise import error_contract, recall_contract
from slackwater.plan.report import Reporter
from slackwater.plan.resources import (
    ResourcePlan,
    is_plan_open,
    limits_of,
    resource_plan,
    share,
)
from slackwater.plan.window import Window
from slackwater.query.contract import LATE_POLICIES, FixedSlack, MinRecall
from slackwater.query.expression import column, is_boolean, type_of
from slackwater.query.relation import Relation, read_relation
from slackwater.query.resources import Resources
from slackwater.query.schema import Schema
from slackwater.query.stream import (
    Aggregate,
    Costly,
    LookUp,
    Query,
    Select,
    Step,
    Stream,
    StreamDef,
    Where,
)
from slackwater.query.table import TableDef
from slackwater.units import MINUTE

DEFAULT_KEEP = 10 * MINUTE


@dataclass(frozen=True, slots=True)
class LogicalQuery:
    """A checked query: its plan, its contract in microseconds, its late policy."""

    name: str
    root: Node
    streams: tuple[StreamDef, ...]
    slack: int
    late: str
    keep: int
    idle: int | None
    promise: ErrorContract | None = None
    recall: RecallContract | None = None
    estimates: EstimatePlan | None = None
    costly: CostPlan | None = None
    resources: ResourcePlan | None = None
    functions: FunctionPlan | None = None


@dataclass(frozen=True, slots=True)
class Checked:
    """The checked queries of a pipeline and its base streams by name.

    ``functions`` are those of Python, by the keys that links have for them.
    """

    queries: tuple[LogicalQuery, ...]
    streams: dict[str, StreamDef]
    max_ahead: dict[str, int | None]
    tables: dict[str, TableDef] = field(default_factory=dict)
    functions: dict[str, Any] = field(default_factory=dict)


def check(queries: Sequence[Query], limits: Resources | None = None) -> Checked:
    """Check all queries of a pipeline; raise one :class:`QueryError` with all problems.

    ``limits`` are those of all open joins together.
    """
    problems: list[Problem] = []
    streams = _check_streams(queries, problems)
    if not queries:
        problems.append(Problem("PIPELINE_EMPTY", "pipeline", "a pipeline needs a query"))
    check_query_names(queries, problems)
    tables = check_tables((query.stream for query in queries), problems)
    functions: dict[str, Any] = {}
    checked = [_Checker(query, problems, functions).check() for query in queries]
    ahead = {
        name: Reporter(f"stream {name!r}", problems).positive(s.max_ahead, "max_ahead")
        for name, s in streams.items()
    }
    if limits is not None:
        checked = _sharing(queries, checked, limits, problems)
    if problems:
        raise QueryError(problems)
    return Checked(tuple(q for q in checked if q is not None), streams, ahead, tables, functions)


def _sharing(
    queries: Sequence[Query],
    checked: Sequence[LogicalQuery | None],
    limits: Resources,
    problems: list[Problem],
) -> list[LogicalQuery | None]:
    """The queries with their parts of what the pipeline may take."""
    shared = limits_of(limits, Reporter("pipeline", problems))
    is_open = [is_plan_open(query) for query in queries]
    if not any(is_open):
        text, hint = "no join has a plan that is open", 'use sw.join(..., order="adaptive")'
        problems.append(Problem("RESOURCES_PLACE", "pipeline, resources", text, hint))
    own = [one.resources for one, asks in zip(checked, is_open, strict=True) if one and asks]
    parts = iter(share(shared, own))
    return [
        replace(one, resources=next(parts)) if one and asks else one
        for one, asks in zip(checked, is_open, strict=True)
    ]


def _check_streams(queries: Sequence[Query], problems: list[Problem]) -> dict[str, StreamDef]:
    streams: dict[str, StreamDef] = {}
    for base in (base for query in queries for base in bases(query.stream)):
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


def _rows(stream: Stream, base: StreamDef) -> Node:
    """The rows of a stream, before its steps."""
    scan = Scan(base.name, base.schema, base.time)
    return plain_rows(scan) if any(map(is_call, stream.steps)) else scan


def bases(stream: Stream) -> tuple[StreamDef, ...]:
    """The base streams below a stream, each once."""
    if isinstance(stream.base, StreamDef):
        return (stream.base,)
    found = [base for below in stream.base.inputs for base in bases(below)]
    return tuple({base.name: base for base in reversed(found)}.values())[::-1]


def _check_stream(base: StreamDef, problems: list[Problem]) -> None:
    where = f"stream {base.name!r}"
    if not base.name:
        problems.append(Problem("NAME_INVALID", where, "a stream needs a name"))
    kind = base.schema.type_of(base.time)
    if kind is None:
        hint = f"columns here: {', '.join(base.schema.names)}"
        problems.append(
            Problem("TIME_COLUMN_MISSING", where, f"no time column {base.time!r}", hint)
        )
    elif kind not in ("timestamp", "timestamp_ntz", "timestamp_ltz"):
        convert = f"df.withColumn({base.time!r}, expr('timestamp_millis(...)'))"
        hint = f"convert it first, {base.beforehand(convert)}"
        if not base.is_frame:
            hint = (
                f"if files hold times, say schema={{{base.time!r}: 'timestamp', ...}}; else {hint}"
            )
        problems.append(
            Problem("TIME_COLUMN_TYPE", where, f"time column {base.time!r} is {kind}", hint)
        )
    if base.arrival is not None and base.schema.type_of(base.arrival) is None:
        hint = f"columns here: {', '.join(base.schema.names)}"
        problems.append(
            Problem("ARRIVAL_COLUMN_MISSING", where, f"no column {base.arrival!r}", hint)
        )


class _Checker:
    """Walks the steps of one query and collects its problems."""

    def __init__(self, query: Query, problems: list[Problem], functions: dict[str, Any]) -> None:
        self.query = query
        self.problems = problems
        self.report = Reporter(f"query {query.name!r}", problems)
        self.calls = CallBuilder(self.report, functions=functions)
        self._problem = self.report.problem

    def check(self) -> LogicalQuery | None:
        before = len(self.problems)
        slack = self._slack()
        keep = self.report.positive(self.query.keep, "keep")
        idle = self.report.positive(self.query.idle, "idle")
        costly = cost_plan(self.query, self.report)
        resources = resource_plan(self.query, self.report)
        root = self._plan()
        if root is None:
            return None
        costly = None if costly is None else with_levels(costly, self.query, root, self.report)
        root, promise, recall = self._promised(root)
        estimates = self._estimates(root, slack)
        if len(self.problems) > before:
            return None
        revises = self.query.late == "revise"
        return LogicalQuery(
            self.query.name,
            root,
            bases(self.query.stream),
            slack,
            self.query.late,
            (DEFAULT_KEEP if keep is None else keep) if revises else 0,
            idle,
            promise,
            recall,
            estimates,
            costly,
            resources,
            FunctionPlan(tuple(self.calls.links.values())) if self.calls.links else None,
        )

    def _estimates(self, root: Node, slack: int) -> EstimatePlan | None:
        """Who prods the query, if anyone does."""
        terms = self.query.estimates
        if not terms:
            return None
        if not isinstance(root, WindowAggregate):
            hint = "a join tells each result as soon as it is known; aggregate above it"
            self._problem("ESTIMATES_KIND", "estimates", "estimates are about aggregates", hint)
            return None
        extra = estimate_columns(aggregates(root)).names
        check_beside(root.schema.names, extra, self.report, "estimates")
        fixed = slack if isinstance(self.query.contract, FixedSlack) else None
        return estimate_plan(terms, root, fixed, self.report)

    def _slack(self) -> int:
        wait = None
        contract = self.query.contract
        if isinstance(contract, FixedSlack):
            wait = self.report.duration(contract.wait, "slack")
            if wait is not None and wait < 0:
                self._problem("SLACK_NEGATIVE", "slack", f"{contract.wait!r} is negative")
        if self.query.late not in LATE_POLICIES:
            allowed = ", ".join(LATE_POLICIES)
            self._problem("LATE_POLICY", "late", f"{self.query.late!r} is not one of: {allowed}")
        if self.query.keep is not None and self.query.late != "revise":
            self._problem("KEEP_WITHOUT_REVISE", "keep", 'only late="revise" keeps closed windows')
        return wait or 0

    def _promised(self, root: Node) -> tuple[Node, ErrorContract | None, RecallContract | None]:
        """The plan with what its contract needs to know, and the contract."""
        contract, base = self.query.contract, chain(root)[0]
        if isinstance(contract, FixedSlack):
            return root, None, None
        if isinstance(contract, MinRecall):
            if isinstance(base, Joined):
                return root, None, recall_contract(base, contract, self.report)
            hint = "use sw.max_error for aggregates"
            self._problem("CONTRACT_KIND", "contract", "min_recall is about joins", hint)
            return root, None, None
        if isinstance(base, Joined) or not isinstance(root, WindowAggregate):
            hint = "use sw.min_recall for joins, also below aggregates"
            self._problem("CONTRACT_KIND", "contract", "max_error is about aggregates", hint)
            return root, None, None
        terms = contract if isinstance(contract, tuple) else (contract,)
        found = error_contract(self.query, root, terms, self.report)
        if found is None:
            return root, None, None
        promise, sums = found
        told = [*(name for name, _ in root.keys), *promise.columns]
        check_beside(told, promise.added, self.report, "the quality table")
        parts = {part.name: part for part in (*root.partials, *sums)}
        return replace(root, partials=tuple(parts.values())), promise, None

    def _plan(self) -> Node | None:
        node = self._source(self.query.stream)
        if node is None:
            return None
        level = 0
        for number, steps in arranged(self.query.stream.steps):
            step = steps[0]
            if isinstance(step, Where):
                node = self._where(node, step, f"step {number} where")
            elif is_call(step):
                node = self._call(node, steps, f"step {number} function")
            elif isinstance(step, Select):
                node = self._select(node, step, f"step {number} select")
            elif isinstance(step, LookUp):
                node = looked_up(node, step, self.report, f"step {number} lookup")
            elif isinstance(step, Aggregate):
                level += 1
                aggregate = self._aggregate(node, step, f"step {number} aggregate (level {level})")
                if aggregate is None:
                    return None  # later steps read columns that could not be made
                node = aggregate
        self._check_lookups()
        base = chain(node)[0]
        if isinstance(base, Joined):
            check_connected(node, self.report)
            if base.optional and level > 0 and self.query.late == "revise":
                text = "an aggregate cannot take back a row that had no partner"
                hint = 'late="drop" or "side", or revise the bare join'
                self._problem("JOIN_OUTER", "late", text, hint)
        if isinstance(node, WindowAggregate):
            return node
        if isinstance(chain(node)[0], Joined) and level == 0:
            check_results(node.schema.names, RESERVED_JOIN, self.report, "join")
            return node
        hint = "end the query with .window(...).aggregate(...); filter results downstream"
        self._problem("QUERY_OPEN_ENDED", "last step", "a query ends with an aggregate", hint)
        return None

    def _check_lookups(self) -> None:
        """What rows cannot be asked for that look something up."""
        tables = tables_of(self.query.stream)
        if not tables:
            return
        if self.query.rank is not None or any(
            isinstance(s, Costly) for s in self.query.stream.steps
        ):
            text = "rows that wait would meet another version of the table"
            self._problem("LOOKUP_COSTLY", "lookup", text, "work on all rows of a batch")
        if self.calls.links:
            text = "functions run before anything is looked up, in another pass over the rows"
            hint = "look up in the function, or compute what it gives in SQL"
            self._problem("LOOKUP_FUNCTION", "lookup", text, hint)

    def _source(self, stream: Stream) -> Node | None:
        if stream.is_optional:
            hint = "mark it inside of sw.join(...)"
            text = "only a stream that is joined can be optional"
            self._problem("JOIN_OUTER", "stream", text, hint)
        if isinstance(stream.base, StreamDef):
            return _rows(stream, stream.base)
        return check_join(stream.base, self._steps_below, self.report)

    def _steps_below(self, stream: Stream, at: str) -> Node | None:
        """The rows of one input of a join."""
        if not isinstance(stream.base, StreamDef):
            self._problem("JOIN_INPUT", at, "a join of a join", "list all streams in one sw.join")
            return None
        node = _rows(stream, stream.base)
        for number, steps in arranged(stream.steps):
            step = steps[0]
            if isinstance(step, Where):
                node = self._where(node, step, f"{at}, step {number} where")
            elif is_call(step):
                node = self._call(node, steps, f"{at}, step {number} function")
            elif isinstance(step, Select):
                node = self._select(node, step, f"{at}, step {number} select")
            elif isinstance(step, LookUp):
                node = looked_up(node, step, self.report, f"{at}, step {number} lookup")
            elif isinstance(step, Costly):
                hint = "a costly stream cannot be joined"
                self._problem("COSTLY_PLACE", at, "costly below a join", hint)
            else:
                hint = "join the raw streams and aggregate above the join"
                self._problem("JOIN_INPUT", at, "results of an aggregate cannot be joined", hint)
                return None
        return node

    def _call(self, node: Node, steps: Sequence[Step], at: str) -> Node:
        """Python functions run where the rows of a stream are read, and nowhere else."""
        text = hint = ""
        if not isinstance(chain(node)[0], Scan):
            text = "a Python function above a join"
            hint = "call it on the streams that are joined"
        elif aggregates(node):
            text = "a Python function over results of an aggregate"
            hint = "call it before the window, or on the results downstream"
        elif self.query.rank is not None or any(
            isinstance(step, Costly) for step in self.query.stream.steps
        ):
            text = "a Python function over rows that wait for their turn"
            hint = "leave out costly and rank: functions run when rows are read"
        if text:
            self._problem("FUNCTION_PLACE", at, text, hint)
            return node
        return self.calls.add(node, steps, at)

    def _where(self, node: Node, step: Where, at: str) -> Node:
        parsed = self.report.parse(step.predicate, node.schema, at)
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
        named: list[Named] = []
        for text in texts:
            parsed = self.report.parse(text, schema, at)
            if parsed is None:
                continue
            name, value = parsed
            if name is None:
                self._problem("NAME_MISSING", at, f"{text!r} has no name", f"{text} AS name")
            else:
                named.append((name, value))
        check_different([name for name, _ in named], self.report, at, "columns")
        return tuple(named)

    def _aggregate(self, node: Node, step: Aggregate, at: str) -> WindowAggregate | None:
        before = len(self.problems)
        window = self._window(step, at)
        keys = self._named(step.keys, node.schema, at)
        names = [name for name, _ in keys] + [name for name, _ in step.values]
        relation = self._relation(step, node.schema, at)
        names += [] if relation is None else [column.name for column in relation.columns]
        check_results(names, RESERVED, self.report, at)
        check_keys([name for name, _ in keys], self.report, at)
        if relation is not None and window is not None and len(self.problems) == before:
            return self._related(node, window, keys, relation, at)
        if not step.values and step.relation is None:
            self._problem("AGGREGATE_EMPTY", at, "no aggregate given", 'aggregate(n="count(*)")')
        partials, values, types = self._values(step, node.schema, at)
        if window is None or len(self.problems) > before:
            return None
        return WindowAggregate(node, window, keys, partials, values, types)

    def _relation(self, step: Aggregate, schema: Schema, at: str) -> Relation | None:
        if step.relation is None:
            return None
        found = read_relation(step.relation, schema, self.report.at(f"{at}, relate"))
        if isinstance(found, Problem):
            self.problems.append(found)
            return None
        return found

    def _related(
        self, node: Node, window: Window, keys: tuple[Named, ...], relation: Relation, at: str
    ) -> WindowAggregate | None:
        kept = kept_columns(relation, node.schema, self.report.at(f"{at}, relate"))
        if isinstance(kept, Problem):
            self.problems.append(kept)
            return None
        values = tuple((one.name, column(one.name)) for one in relation.columns)
        types = tuple(one.type for one in relation.columns)
        return WindowAggregate(node, window, keys, kept, values, types, relation)

    def _values(
        self, step: Aggregate, schema: Schema, at: str
    ) -> tuple[tuple[Partial, ...], tuple[Named, ...], tuple[str, ...]]:
        partials: dict[str, Partial] = {}
        values: list[Named] = []
        types: list[str] = []
        for name, text in step.values:
            parsed = self.report.parse(text, schema, f"{at}, {name}")
            if parsed is None:
                continue
            split = take_apart(parsed[1], schema, self.report.at(f"{at}, {name}"))
            if isinstance(split, Problem):
                self.problems.append(split)
                continue
            partials.update((part.name, part) for part in split[0])
            values.append((name, split[1]))
            types.append(type_of(parsed[1], schema) or "unknown")
        return tuple(partials.values()), tuple(values), tuple(types)

    def _window(self, step: Aggregate, at: str) -> Window | None:
        size = self.report.duration(step.size, f"{at}, window size")
        given = step.size if step.slide is None else step.slide
        slide = self.report.duration(given, f"{at}, window slide")
        start = self.report.duration(step.start, f"{at}, window start")
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
