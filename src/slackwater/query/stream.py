"""What the user writes: streams, windows, groups, aggregates and queries.

Every verb returns a new value and nothing is checked before the pipeline is built, so that all
problems of a query can be told at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from slackwater.query.contract import Contract, FixedSlack, MaxError, MinRecall
from slackwater.query.estimates import Estimates
from slackwater.query.resources import Resources
from slackwater.query.schema import Schema
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

    ``within`` is one duration, one per stream, or one per pair of streams.
    """

    inputs: tuple[Stream, ...]
    on: tuple[str, ...]
    within: DurationLike | Mapping[Any, DurationLike] | None
    emit: str = "immediate"
    order: str = "adaptive"
    cross: bool = False
    how: str = "inner"


@dataclass(frozen=True, slots=True)
class Where:
    """Keep the rows for which ``predicate`` is true."""

    predicate: str


@dataclass(frozen=True, slots=True)
class Select:
    """Keep and compute columns: ``expr`` or ``expr AS name``."""

    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Aggregate:
    """Group rows by window and keys and compute aggregates."""

    size: DurationLike
    slide: DurationLike | None
    start: DurationLike
    keys: tuple[str, ...]
    values: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Costly:
    """Work on at most ``budget`` rows in a batch; the others wait."""

    budget: int
    aside: str = "wait"
    starve: DurationLike | None = None


Step = Where | Select | Aggregate | Costly


@dataclass(frozen=True, slots=True)
class Stream:
    """A stream of rows: a base stream, a join, or the results of an aggregate."""

    base: StreamDef | JoinDef
    steps: tuple[Step, ...] = ()
    alias: str | None = None

    @property
    def name(self) -> str:
        """What joins call this stream."""
        if self.alias is not None:
            return self.alias
        return self.base.name if isinstance(self.base, StreamDef) else "join"

    def named(self, name: str) -> Stream:
        """The same stream under another name, e.g. to join it with itself."""
        return replace(self, alias=name)

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

    def where(self, predicate: str) -> Stream:
        """Keep the rows for which an SQL predicate is true."""
        return self._then(Where(predicate))

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
        )


@dataclass(frozen=True, slots=True)
class Windowed:
    """A stream cut into windows, waiting for its aggregates."""

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
        step = Aggregate(self.size, self.slide, self.start, self.keys, tuple(values.items()))
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
