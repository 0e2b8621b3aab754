"""The SQL of a join, one text for both engines: the delta rule for any tree.

Of every input there are ``n`` (new) and ``o`` (old) rows. A node with children 1..m gives, once
each, the combinations with at least one new member::

    for each child i:  n_i ⋈ (o ∪ n of the children before i) ⋈ (o of those after), in i's order

(Zhu 2006). What is new depends on when results are wanted. *Immediate*: rows of this batch.
*Ordered*: rows the watermark has passed since the last batch, and late rows of this batch, which
give nothing now but may take part in later results.

Event times are BIGINT microseconds, ``__t_<input>`` in a combination. Over groups of rows, each has
the number of its rows, ``__rows``, and partials; so do combinations.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from slackwater.plan.grouping import ADDED
from slackwater.plan.join import JoinPlan
from slackwater.plan.partial import Partial
from slackwater.plan.sql.statement import Statement
from slackwater.plan.sql.windows import Writer
from slackwater.plan.tree import JoinNode, inputs_of
from slackwater.query.expression import Expression


def time_of(name: str) -> str:
    return f"__t_{name}"


@dataclass(frozen=True, slots=True)
class JoinWriter:
    """Writes the statements of one join.

    Relations are named by child: ``f<c>`` and ``h<c>`` are the fresh and the held rows of an
    input; ``n<c>`` and ``h<c>`` the new and the held combinations of an inner node. ``late`` asks
    for results that are not in time, too.

    ``mixed`` are statements of a tree that goes on beside the one after it (parallel track, design
    note 10): they give only combinations with an old member. Old rows and combinations have
    relations of their own then, ``o<c>`` those held and ``p<c>`` the new ones of an inner node.
    """

    writer: Writer
    plan: JoinPlan
    late: bool = False
    mixed: bool = False

    def kept(self, node: JoinNode, active: Collection[int]) -> Statement:
        """New combinations of an inner node as state; ``pane`` tells until when they matter."""
        draft = self._draft()
        return draft.whole(draft.kept(node, active))

    def rebuilt(self, node: JoinNode) -> Statement:
        """All combinations of an inner node that batches before this one would have kept."""
        draft = self._draft()
        return draft.whole(draft.rebuilt(node))

    def paired(self, one: str, other: str) -> Statement:
        """How many pairs a few fresh rows of an input (``f0``) make with the held ones of another
        (``h1``).
        """
        draft = Draft(self.writer, self.plan, late=False, mixed=False)
        return draft.whole(draft.paired(one, other))

    def grouped(self, name: str) -> Statement:
        """Rows of an input (``rows``) as groups."""
        keys = [self.writer.name(key) for key, _ in self.plan.input(name).state.keys]
        return self._draft().grouped(["pane", *keys], frozenset({name}))

    def gathered(self, plain: JoinPlan) -> Statement:
        """``results`` of the same join over rows (``plain``) as those over groups."""
        names = frozenset(self.plan.graph.names)
        times = [self.writer.name(time_of(name)) for name in self.plan.graph.names]
        keys = [self.writer.name(column) for column in self.plan.columns(names)]
        assert set(self.plan.columns(names)) <= set(plain.columns(names))
        return self._draft().grouped([*times, *keys, "__ts", "__given"], names, "results")

    def results(self, node: JoinNode, active: Collection[int]) -> Statement:
        """New results: ``__ts`` their event time, ``__given`` whether they are in time."""
        draft = self._draft()
        return draft.whole(draft.results(node, active))

    def shown(self, node: JoinNode, active: Collection[int]) -> Statement:
        """New results as people see them."""
        draft = self._draft()
        return draft.whole(draft.present(f"({draft.results(node, active)})"))

    def found(self, bucket: int, grain: int) -> Statement:
        """How many of ``results`` needed which slack, by event time in steps of ``bucket``.

        *Ordered*: a result is in time if the watermark has not passed it when its last member
        comes. *Immediate*: if no member is let go of before that. ``clock`` is that of the join
        when this batch began.
        """
        draft = self._draft()
        return draft.whole(draft.found(bucket, grain))

    def given(self) -> Statement:
        """Only those of ``results`` that are in time."""
        return Statement("SELECT * FROM results WHERE __given", ("results",))

    def present(self) -> Statement:
        """``results`` as people see them."""
        draft = self._draft()
        return draft.whole(draft.present(draft.source("results")))

    def _draft(self) -> Draft:
        return Draft(self.writer, self.plan, self.late, self.mixed)


@dataclass(slots=True)
class Draft:
    """A statement while it is written: it notes what it reads and which parameters it takes."""

    writer: Writer
    plan: JoinPlan
    late: bool
    mixed: bool
    reads: dict[str, None] = field(default_factory=dict)
    parameters: dict[str, None] = field(default_factory=dict)

    def whole(self, text: str) -> Statement:
        return Statement(text, tuple(self.reads), tuple(self.parameters))

    def source(self, name: str) -> str:
        self.reads[name] = None
        return name

    def parameter(self, name: str) -> str:
        self.parameters[name] = None
        return self.writer.parameter(name)

    def grouped(self, by: Collection[str], names: frozenset[str], rows: str = "rows") -> Statement:
        """Groups of rows that are equal in some columns: their number, and what they come to."""
        writer, plan = self.writer, self.plan
        parts = [
            f"{writer.render(Expression(part.sql), plan.joined)} AS {writer.name(part.name)}"
            for part in plan.partials(names)
        ]
        columns = ", ".join([*by, *parts, "count(*) AS __rows"])
        positions = ", ".join(str(n) for n in range(1, len(by) + 1))
        return self.whole(f"SELECT {columns} FROM {self.source(rows)} GROUP BY {positions}")

    def node(self, node: JoinNode, active: Collection[int]) -> str:
        """New combinations of a node; only children in ``active`` have anything new."""
        terms = [self._term(node, child) for child in range(len(node.children)) if child in active]
        return " UNION ALL ".join(f"({term})" for term in terms)

    def kept(self, node: JoinNode, active: Collection[int]) -> str:
        return self._until(node, self.node(node, active))

    def rebuilt(self, node: JoinNode) -> str:
        return self._until(node, self._term(node, 0, "old", "old"))

    def paired(self, one: str, other: str) -> str:
        left, right = self._input(one, 0, "f"), self._input(other, 1, "h")
        on = " AND ".join(self._conditions(frozenset({one}), frozenset({other})))
        return f"SELECT count(*) AS pairs FROM ({left}) AS l JOIN ({right}) AS r ON {on}"

    def _until(self, node: JoinNode, combinations: str) -> str:
        names = frozenset(inputs_of(node))
        outside = [name for name in self.plan.graph.names if name not in names]
        ends = [
            f"{self._time(name)} + {self.plan.graph.patience(name, outside)}"
            for name in self._ordered(names)
        ]
        return (
            f"SELECT least({', '.join(ends)}) AS pane, * FROM ({combinations}){self._suppressed()}"
        )

    def results(self, node: JoinNode, active: Collection[int]) -> str:
        names = frozenset(inputs_of(node))
        times = [self._time(name) for name in self._ordered(names)]
        combined = f"SELECT *, greatest({', '.join(times)}) AS __ts FROM "
        combined += f"({self.node(node, active)}){self._suppressed()}"
        columns = ", ".join([*times, *self._carried(names), "__ts"])
        flags = f"{self._in_time()} AS __given{self.flag(withdrawn=False)}"
        conditions = [] if self.late else ["__given"]
        conditions += self.above()
        result = f"SELECT {columns}, {flags} FROM ({combined})"
        return (
            f"SELECT * FROM ({result}) WHERE {' AND '.join(conditions)}" if conditions else result
        )

    def flag(self, *, withdrawn: bool) -> str:
        """The column that says whether a result is taken back, where that can happen."""
        return f", {str(withdrawn).lower()} AS __withdrawn" if self.plan.is_outer else ""

    def above(self) -> list[str]:
        """Conditions on results that may lack inputs."""
        found = self.plan.graph.above
        return [f"({self.writer.render(one, self.plan.joined)})" for one in found]

    def _suppressed(self) -> str:
        """What is all new is left to the tree that runs beside this one."""
        return " WHERE __old" if self.mixed else ""

    def _in_time(self) -> str:
        if self.plan.is_ordered:
            return f"__ts >= {self.parameter('after')}"
        parts = [
            f"{self._time(i.name)} >= {self.parameter(f'live{n}')}"
            for n, i in enumerate(self.plan.inputs)
        ]
        return f"({' AND '.join(parts)})"

    def found(self, bucket: int, grain: int) -> str:
        writer, graph = self.writer, self.plan.graph
        if self.plan.is_ordered:
            needed = "coalesce(__at, __ts) - __ts"  # before there was a clock nothing is late
        else:
            clock = self.parameter("clock")
            ends = [f"{self._time(name)} + {graph.patience(name)}" for name in graph.names]
            needed = f"{clock} - least({', '.join(ends)})"
        step = writer.quotient(f"greatest(0, {needed}) + {grain - 1}", grain)
        start = f"__ts - {writer.modulo('__ts', bucket)}"
        given = "sum(CASE WHEN __given THEN 1 ELSE 0 END)"
        rows = f"SELECT {start} AS bucket, {step} AS step, __given"
        return (
            "SELECT bucket, step, count(*) AS results, "
            f"CAST({given} AS BIGINT) AS given "
            f"FROM ({rows} FROM {self.source('results')}) GROUP BY bucket, step"
        )

    def present(self, rows: str) -> str:
        """Every row says what it is."""
        writer = self.writer
        taken_back = "WHEN __withdrawn THEN 'withdrawn' " if self.plan.is_outer else ""
        columns = [
            *(self._shown(name, value) for name, value in self.plan.values),
            f"{writer.micros('__ts', self.plan.stamp)} AS event_time",
            f"CASE WHEN __given THEN 'final' {taken_back}ELSE 'revision' END AS kind",
            "CAST(CASE WHEN __given THEN 0 ELSE 1 END AS INT) AS revision",
            "CAST(NULL AS DOUBLE) AS coverage",
            f"{writer.micros(self.parameter('emitted_at'))} AS emitted_at",
        ]
        order = " ORDER BY event_time" if self.plan.is_ordered else ""
        return f"SELECT {', '.join(columns)} FROM {rows}{order}"

    def _shown(self, name: str, value: Expression) -> str:
        return f"{self.writer.render(value, self.plan.joined)} AS {self.writer.name(name)}"

    # one node --------------------------------------------------------------------------------

    def _term(self, node: JoinNode, child: int, mine: str = "new", before: str = "both") -> str:
        """Combinations with a new row of ``child``, in its order: of children ``before`` it with
        new and old rows, of those after it with old ones.
        """
        text = self._rows(node, child, mine)
        bound = frozenset(inputs_of(node.children[child]))
        for other in node.order(child):
            added = frozenset(inputs_of(node.children[other]))
            right = self._rows(node, other, before if other < child else "old")
            columns = ", ".join(self._combined(bound, added))
            on = " AND ".join(self._conditions(bound, added)) or "true"
            text = f"SELECT {columns} FROM ({text}) AS l JOIN ({right}) AS r ON {on}"
            bound |= added
        return text

    def _combined(self, left: frozenset[str], right: frozenset[str]) -> list[str]:
        names = left | right
        columns = [self._time(name) for name in self._ordered(names)]
        columns += [self.writer.name(column) for column in self.plan.columns(names)]
        if self.plan.is_measured:
            columns.append("greatest(l.__at, r.__at) AS __at")
        if self.plan.is_grouped:
            mine = self.plan.partials(left)
            columns += [
                *(self._times(p, "l" if p in mine else "r") for p in self.plan.partials(names)),
                "l.__rows * r.__rows AS __rows",
            ]
        return [*columns, *(["l.__old OR r.__old AS __old"] if self.mixed else [])]

    def _times(self, part: Partial, side: str) -> str:
        """What a partial of one side comes to, once for each row of the other."""
        name = self.writer.name(part.name)
        value = f"{side}.{name}"
        if part.merge in ADDED:
            often = "r.__rows" if side == "l" else "l.__rows"
            if part.wraps:  # as the sum over all rows would; it takes time, and is rarely needed
                wide = f"sw_long({value}::HUGEINT * {often})"
                value = f"CASE WHEN {often} = 1 THEN {value} ELSE {wide} END"
            else:
                value = f"{value} * {often}"
        return f"{value} AS {name}"

    def _carried(self, names: frozenset[str]) -> list[str]:
        columns = [self.writer.name(column) for column in self.plan.columns(names)]
        if self.plan.is_grouped:
            columns += [self.writer.name(part.name) for part in self.plan.partials(names)]
            columns.append("__rows")
        return [*columns, *(["__at"] if self.plan.is_measured else [])]

    def _conditions(self, left: frozenset[str], right: frozenset[str]) -> list[str]:
        graph, writer = self.plan.graph, self.writer
        equal = [
            f"l.{writer.name(one)} = r.{writer.name(other)}"
            for one, other in graph.equalities(left, right)
        ]
        near = []
        for one in self._ordered(left):
            for other in self._ordered(right):
                mine, theirs = f"l.{self._time(one)}", f"r.{self._time(other)}"
                near.append(f"{mine} <= {theirs} + {graph.reach_between(one, other)}")
                near.append(f"{theirs} <= {mine} + {graph.reach_between(other, one)}")
        joined = self.plan.joined
        more = [f"({writer.render(p, joined)})" for p in graph.conditions(left, right)]
        return [*equal, *near, *more]

    def _ordered(self, names: Collection[str]) -> list[str]:
        return [name for name in self.plan.graph.names if name in names]

    def _time(self, name: str) -> str:
        return self.writer.name(time_of(name))

    # children --------------------------------------------------------------------------------

    def _rows(self, node: JoinNode, child: int, which: str) -> str:
        """The new or old rows of a child, or both."""
        if which == "both":
            return f"{self._rows(node, child, 'old')} UNION ALL {self._rows(node, child, 'new')}"
        tree = node.children[child]
        if isinstance(tree, str):
            return self._input_rows(tree, child, which)
        columns = [self._time(name) for name in self._ordered(inputs_of(tree))]
        columns += self._carried(frozenset(inputs_of(tree)))
        found = []
        for kind, flag in self._kinds("np" if which == "new" else "ho"):
            source = self.source(f"{kind}{child}")
            rows = source if which == "new" else self._held(tree, source)
            found.append(f"SELECT {', '.join([*columns, *flag])} FROM {rows}")
        return " UNION ALL ".join(found)

    def _kinds(self, both: str) -> list[tuple[str, tuple[str, ...]]]:
        """Relations of new rows and of old ones, and the column that tells them apart."""
        if not self.mixed:
            return [(both[0], ())]
        return [(kind, (f"{kind in 'op'} AS __old",)) for kind in both]

    def _held(self, tree: JoinNode, source: str) -> str:
        """Combinations that are held; as of inputs, what is too old is left out, see `_input`."""
        if not self.late:
            return source
        lows = {name: f"low{self.plan.graph.names.index(name)}" for name in inputs_of(tree)}
        old = [f"{self._time(name)} >= {self.parameter(low)}" for name, low in lows.items()]
        return f"{source} WHERE {' AND '.join(old)}"

    def _input_rows(self, name: str, child: int, which: str) -> str:
        if not self.plan.is_ordered:
            return self._input(name, child, "f" if which == "new" else "ho")
        after = self.parameter("after")
        if which == "old":
            return self._input(name, child, "ho", f"pane < {after}")
        upto = self.parameter("upto")
        due = self._input(name, child, "ho", f"pane >= {after} AND pane < {upto}")
        return f"{due} UNION ALL {self._input(name, child, 'f', f'pane < {upto}')}"

    def _input(self, name: str, child: int, kinds: str, *where: str) -> str:
        """Rows of an input, fresh or held.

        What is too old for any result in time is left out at the end; only where results that
        came too late are wanted must it be left out here, so that all tiers find the same.
        """
        number = self.plan.graph.names.index(name)
        columns = [f"pane AS {self._time(name)}", *self._carried(frozenset({name}))]
        if self.late:
            where = (*where, f"pane >= {self.parameter(f'low{number}')}")
        only = f" WHERE {' AND '.join(where)}" if where else ""
        return " UNION ALL ".join(
            f"SELECT {', '.join([*columns, *flag])} FROM {self.source(f'{kind}{child}')}{only}"
            for kind, flag in self._kinds(kinds)
        )
