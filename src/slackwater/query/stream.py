"""What the user writes: streams, windows, groups, aggregates and queries.

Every verb returns a new value and nothing is checked before the pipeline is built, so that all
problems of a query can be told at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from slackwater.query.contract import Contract, FixedSlack, MaxError, MinRecall
from slackwater.query.estimates import Estimates
from slackwater.query.function import Function
from slackwater.query.rank import Rank
from slackwater.query.resources import Resources
from slackwater.query.schema import Schema
from slackwater.query.table import TableDef
from slackwater.units import DurationLike


@dataclass(frozen=True, slots=True)
class StreamDef:
    """A base stream: its name, columns, time column and where the rows come from.

    ``source`` is opaque here; the Spark layer knows how to open it.
    """

    name: str
    schema: Schema
    time: str
    arrival: str | None = None
    max_ahead: DurationLike | None = "1 day"
    source: Any = None

    @property
    def is_frame(self) -> bool:
        """Whether a DataFrame gives the rows, so that columns can be computed in it."""
        return self.source is None or hasattr(self.source, "withColumn")

    def beforehand(self, example: str) -> str:
        """How to compute a column before the stream begins: ``example`` is what to do to ``df``."""
        if self.is_frame:
            return f"in the DataFrame, e.g. {example}"
        return f"in a DataFrame as source: df = spark.readStream..., then {example}"


@dataclass(frozen=True, slots=True)
class JoinDef:
    """Several streams joined: predicates, how far apart members may be, and how it is run.

    ``within`` is one duration, one per stream, or one per pair of streams. ``uncertainty`` and
    ``tolerance`` are those of robust plans.
    """

    inputs: tuple[Stream, ...]
    on: tuple[str, ...]
    within: DurationLike | Mapping[Any, DurationLike] | None
    emit: str = "immediate"
    order: str = "adaptive"
    cross: bool = False
    how: str = "inner"
    uncertainty: int | Mapping[str, int] | None = None
    tolerance: float | None = None

    @property
    def optional(self) -> frozenset[str]:
        """The inputs that a result may lack."""
        names = [stream.name for stream in self.inputs]
        if self.how == "left":
            return frozenset(names[1:])
        if self.how == "right":
            return frozenset(names[:-1])
        return frozenset(stream.name for stream in self.inputs if stream.is_optional)

    def marked(self) -> JoinDef:
        """The same join, its optional inputs marked, in whichever order they stand."""
        if self.how not in ("left", "right"):
            return self
        inputs = tuple(replace(s, is_optional=s.name in self.optional) for s in self.inputs)
        return replace(self, inputs=inputs, how="inner")


@dataclass(frozen=True, slots=True)
class Where:
    """Keep the rows for which ``predicate`` is true."""

    predicate: str


@dataclass(frozen=True, slots=True)
class WhereFunction:
    """Keep the rows for which a Python function says true."""

    function: Function


@dataclass(frozen=True, slots=True)
class Apply:
    """Add the columns that a Python function computes."""

    function: Function


@dataclass(frozen=True, slots=True)
class Select:
    """Keep and compute columns: ``expr`` or ``expr AS name``."""

    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Aggregate:
    """Group rows by window and keys and compute aggregates, or what ``relation`` says."""

    size: DurationLike
    slide: DurationLike | None
    start: DurationLike
    keys: tuple[str, ...]
    values: tuple[tuple[str, str], ...]
    relation: str | None = None


@dataclass(frozen=True, slots=True)
class Costly:
    """Work on at most ``budget`` rows in a batch; the others wait."""

    budget: int
    aside: str = "wait"
    starve: DurationLike | None = None


@dataclass(frozen=True, slots=True)
class LookUp:
    """Add the columns of the row of a table that a row belongs to."""

    table: TableDef
    on: tuple[str, ...]
    how: str = "left"


Step = Where | WhereFunction | Apply | Select | Aggregate | Costly | LookUp


@dataclass(frozen=True, slots=True)
class Stream:
    """A stream of rows: a base stream, a join, or the results of an aggregate."""

    base: StreamDef | JoinDef
    steps: tuple[Step, ...] = ()
    alias: str | None = None
    is_optional: bool = False

    @property
    def name(self) -> str:
        """What joins call this stream."""
        if self.alias is not None:
            return self.alias
        return self.base.name if isinstance(self.base, StreamDef) else "join"

    def named(self, name: str) -> Stream:
        """The same stream under another name, e.g. to join it with itself."""
        return replace(self, alias=name)

    def optional(self) -> Stream:
        """The same stream as an input that the results of a join may lack.

        Rows of the others that find no partner here are answered with nulls in its columns, once
        no partner can come any more.

        Examples
        --------
        >>> sw.join(orders, payments.optional(), on="key", within="1 hour")  # doctest: +SKIP
        """
        return replace(self, is_optional=True)

    def _then(self, step: Step) -> Stream:
        return replace(self, steps=(*self.steps, step))

    def costly(
        self, budget: int, *, aside: str = "wait", starve: DurationLike | None = None
    ) -> Stream:
        """Say that what follows is expensive: work on ``budget`` rows in each batch, no more.

        Rows that arrive are written down as they are, which is cheap, and wait. Estimates overtake
        them: they tell of rows that were worked on. Finals stay exact: no window is answered while
        a row of it waits. The first step of a query over one stream.

        Parameters
        ----------
        budget
            Rows to work on in each batch, at most.
        aside
            What becomes of the waiting rows of a window that was estimated. ``"wait"``: they keep
            their place; ``"drop"``: they are shed, and counted; ``"idle"``: they are worked on
            when nothing else waits; ``"3:1"`` (any k): one of them after three others.
        starve
            With ``"idle"`` and ``"3:1"``: a row set aside for this long, by the clock of the
            query, comes first.

        Notes
        -----
        The *expensive operator* with its to-do list, and the sidelining of bursts:
        Bhat 2011, ch. 4 and 6. Rows wait by batch and pane, not one by one, and the budget stands
        for the time that the operator has.
        """
        return self._then(Costly(budget, aside, starve))

    def where(
        self,
        predicate: str | Callable[..., Any],
        *,
        name: str | None = None,
        order: str | None = None,
        effects: bool = False,
    ) -> Stream:
        """Keep the rows for which an SQL predicate, or a Python function, is true.

        A function has parameters named as columns, is given a ``pyarrow.Array`` for each, and gives
        an array of booleans with a value for each row (``None`` drops the row, as in SQL). With one
        parameter annotated ``pa.RecordBatch`` it is given all columns. It runs where rows are read,
        after the SQL predicates written before it. Functions written one after the other commute:
        each must stand any row that the steps before them let through.

        Parameters
        ----------
        predicate
            SQL text, or a function.
        name
            What the function is called in the checkpoint and in events; its own name if it has one.
            Name and columns are what it means: its code may change between two starts.
        order
            In which order functions that commute are run: ``"robust"`` (the default: a few orders
            are prepared, each batch takes one), ``"adaptive"`` (the best one by the batches
            before), or ``"written"``: this function keeps its place.
        effects
            The function does something that is not to be done twice: it keeps its place, and what
            it gave is kept until its batch is committed.

        Notes
        -----
        Filters in an order for each batch: Lei and Rundensteiner 2014, with probes of a join as
        operators. That conditional shares are counted is ours.
        """
        if callable(predicate) or (name, order, effects) != (None, None, False):
            return self._then(WhereFunction(Function(predicate, name, order, effects)))
        return self._then(Where(predicate))

    def lookup(self, table: TableDef, *, on: str | Sequence[str], how: str = "left") -> Stream:
        """Add the columns of a table: those of the one row that each row of the stream belongs to.

        They are called ``table_column``; in expressions ``table.column``, and the bare name where
        the stream has none of it, mean the same. A row meets the version of the table that is in
        force in the batch in which it comes.

        Parameters
        ----------
        table
            ``sw.table(...)``.
        on
            A column that both have, or equalities such as ``"upper(code) = countries.code"``;
            these columns of the table must be unique in it.
        how
            ``"left"``: a row that finds nothing has nulls; ``"inner"``: it is left out.

        Examples
        --------
        >>> orders.lookup(customers, on="customer").where("segment = 'A'")  # doctest: +SKIP
        """
        texts = (on,) if isinstance(on, str) else tuple(on)
        return self._then(LookUp(table, texts, how))

    def apply(
        self,
        function: Callable[..., Any],
        returns: str | Mapping[str, str],
        *,
        name: str | None = None,
        effects: bool = False,
    ) -> Stream:
        """Add columns that a Python function computes: a model, a search, a look-up.

        Parameters
        ----------
        function
            As in :meth:`where`, but gives an array of ``returns``, or for several columns a dict of
            arrays (or a ``pyarrow.RecordBatch``) by name.
        returns
            The SQL type of the column, which is called like the function; or types by name:
            ``{"score": "double", "label": "string"}``. Arrays have exactly these types.
        name, effects
            As in :meth:`where`.
        """
        return self._then(Apply(Function(function, name, None, effects, returns)))

    def select(self, *columns: str) -> Stream:
        """Keep and compute columns, each ``"expr"`` or ``"expr AS name"``."""
        return self._then(Select(columns))

    def window(
        self, size: DurationLike, slide: DurationLike | None = None, *, start: DurationLike = 0
    ) -> Windowed:
        """Cut the stream into windows ``[start, end)`` of ``size``, one every ``slide``.

        Windows start at multiples of ``slide`` since the epoch, shifted by ``start``
        (Spark's ``startTime``).
        """
        return Windowed(self, size, slide, start)

    def query(
        self,
        name: str,
        contract: FixedSlack | MaxError | MinRecall | Sequence[MaxError] | None = None,
        *,
        late: str = "drop",
        keep: DurationLike | None = None,
        idle: DurationLike | None = None,
        estimates: Estimates | Sequence[Estimates] = (),
        sink: Any = None,
        side: Any = None,
        quality: Any = None,
        resources: Resources | None = None,
        rank: Rank | None = None,
        lifespan: DurationLike | None = None,
    ) -> Query:
        """Name this result, state its contract and where it goes.

        Parameters
        ----------
        name
            Names the query in results, events and files; unique in its pipeline.
        contract
            ``sw.slack("10 seconds")``; or ``sw.max_error(0.01)``, or several of them (the
            strictest decides); for joins ``sw.min_recall(0.99)``. Without one, windows close as
            soon as the clock passes.
        late
            ``"drop"`` (count only), ``"side"`` (write late rows to ``side``) or ``"revise"``
            (re-open the answer and emit a ``revision``).
        keep
            With ``late="revise"``: how long after closing an answer may still be revised.
        idle
            A stream silent for this long (wall time) no longer holds the clock back.
        estimates
            ``sw.estimates(every="5 seconds")``: early answers of open windows, among the results
            with ``kind`` = ``estimate``; several of them for several cadences.
        sink, side, quality
            Where results, late rows, and under a contract the measured quality go; by default
            into the checkpoint folder as Parquet.
        resources
            ``sw.resources(memory="512 MB", cpu=0.8)``: limits within which the plan of a join is
            chosen.
        rank
            ``sw.rank("severity = 'high'", budget=1000)``: whose results come first when there is
            more work than can be done.
        lifespan
            With ``rank``, or where the stream is ``costly``: rows that wait for longer than this,
            by the clock of the query, are not worked on any more, and counted.
        """
        if contract is None:
            contract = FixedSlack(0)
        elif not isinstance(contract, FixedSlack | MaxError | MinRecall):
            contract = tuple(contract)
        return Query(
            name=name,
            stream=self,
            contract=contract,
            late=late,
            keep=keep,
            idle=idle,
            estimates=(estimates,) if isinstance(estimates, Estimates) else tuple(estimates),
            sink=sink,
            side=side,
            quality=quality,
            resources=resources,
            rank=rank,
            lifespan=lifespan,
        )


@dataclass(frozen=True, slots=True)
class Windowed:
    """A stream cut into windows, waiting for its aggregates or its SQL."""

    stream: Stream
    size: DurationLike
    slide: DurationLike | None
    start: DurationLike = 0
    keys: tuple[str, ...] = ()

    def group_by(self, *keys: str) -> Windowed:
        """Group by columns or expressions (``"expr AS name"``) inside each window."""
        return replace(self, keys=(*self.keys, *keys))

    def aggregate(self, /, **values: str) -> Stream:
        """Compute aggregates, e.g. ``total="sum(v)"``; the result is a stream again.

        Its event time is the last instant of each window, so that a window over results takes in
        exactly the inner windows that end inside it.
        """
        return self._then(tuple(values.items()))

    def relate(self, sql: str) -> Stream:
        """Ask any SQL of all rows of each window (and key); the result is a stream again.

        ``window`` is the table of these rows. It may be joined with itself and stand in
        subqueries, also correlated ones. The outermost SELECT gives one row: it aggregates, and
        groups are formed in queries inside.

        Parameters
        ----------
        sql
            A SELECT over ``window``, e.g. ``"SELECT count(*) AS n FROM window WHERE v > (SELECT
            max(v) / 2 FROM window)"``. Functions are those of expressions everywhere.

        Notes
        -----
        State has the rows of each pane, each distinct one once with its number, and of these only
        the columns that the SQL reads. Windows that close together are one statement.
        """
        return self._then((), sql)

    def _then(self, values: tuple[tuple[str, str], ...], relation: str | None = None) -> Stream:
        step = Aggregate(self.size, self.slide, self.start, self.keys, values, relation)
        return replace(self.stream, steps=(*self.stream.steps, step))


@dataclass(frozen=True, slots=True)
class Query:
    """A named result under a contract."""

    name: str
    stream: Stream
    contract: Contract
    late: str = "drop"
    keep: DurationLike | None = None
    idle: DurationLike | None = None
    estimates: tuple[Estimates, ...] = ()
    sink: Any = None
    side: Any = None
    quality: Any = None
    resources: Resources | None = None
    rank: Rank | None = None
    lifespan: DurationLike | None = None
