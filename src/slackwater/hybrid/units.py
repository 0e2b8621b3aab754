"""Unit costs: seconds for a row of an operator, measured while they run.

A row operator works for each row that comes; an aggregate without increments, and the column
engine, for each row of the window, every time that it moves. What the column engine does costs
shipping rows in, running the statement over the whole of its inputs, and shipping rows back: so
that two operators may cost less than the first alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from slackwater.errors import SlackwaterError
from slackwater.hybrid.algebra import Aggregate, Join, Project, Select, Step, inputs
from slackwater.hybrid.cardinality import Cardinalities, slides
from slackwater.hybrid.cost import Composite

FADING = 0.8  # the weight of what was measured, with every batch

ROW = ("select", "project", "join", "match", "increment", "insert", "scan", "emit")
COLUMN = ("ship in", "start", "column select", "column project", "column join", "column aggregate",
          "ship back")  # fmt: skip
UNITS = (*ROW, *COLUMN)
KINDS: dict[type[Step], str] = {
    Select: "select", Project: "project", Join: "join", Aggregate: "aggregate",
}  # fmt: skip
Work = dict[str, float]
"""How often in a second each unit is needed."""


@dataclass(frozen=True, slots=True)
class Measured:
    """Seconds that some rows took, fading."""

    rows: float = 0.0
    seconds: float = 0.0

    def after(self, rows: float, seconds: float) -> Measured:
        return Measured(FADING * self.rows + rows, FADING * self.seconds + seconds)

    @property
    def unit(self) -> float | None:
        """Seconds for a row; ``None`` while unknown."""
        return self.seconds / self.rows if self.rows else None


@dataclass(frozen=True, slots=True)
class Units:
    """Unit costs by what is done: ``UNITS``; ``start`` is for each run of a statement."""

    measured: Mapping[str, Measured] = field(default_factory=dict)

    @classmethod
    def of(cls, **seconds: float) -> Units:
        """Known ones, in seconds; blanks in a name are underscores here."""
        return cls({name.replace("_", " "): Measured(1.0, unit) for name, unit in seconds.items()})

    def after(self, what: str, rows: float, seconds: float) -> Units:
        if what not in UNITS:
            raise SlackwaterError("UNIT_UNKNOWN", f"no unit cost {what!r}", ", ".join(UNITS))
        known = self.measured.get(what, Measured())
        return Units({**self.measured, what: known.after(rows, seconds)})

    def __getitem__(self, what: str) -> float:
        """Seconds; what was never measured costs nothing."""
        return self.measured.get(what, Measured()).unit or 0.0


class UnitCosts:
    """A cost model by unit costs, for one plan: cardinalities are worked out once.

    The model is linear: ``row_work`` and ``column_work`` say how often in a second each unit is
    needed, so that units may be learned from how busy operators were.
    """

    def __init__(self, units: Units) -> None:
        self.units = units
        self._known = Cardinalities()

    def row(self, step: Step) -> float:
        """Eq. 6.4."""
        return self._priced(self.row_work(step))

    def column(self, composite: Composite) -> float:
        """Shipping in, running, shipping back."""
        return self._priced(self.column_work(composite))

    def row_work(self, step: Step) -> Work:
        if isinstance(step, Join):
            left, right = self._known.of(step.left), self._known.of(step.right)
            met = left.rate * step.share * right.held + right.rate * step.share * left.held
            return {"join": left.rate + right.rate, "match": met}
        over = self._known.of(step.over)
        if isinstance(step, Aggregate):
            given = slides(step) * step.groups
            if step.is_incremental:
                return {"increment": over.rate, "emit": given}
            return {"insert": over.rate, "scan": slides(step) * over.held, "emit": given}
        return {"select" if isinstance(step, Select) else "project": over.rate}

    def column_work(self, composite: Composite) -> Work:
        often = slides(composite.root)
        work = {
            "ship in": sum(self._known.of(port).rate for port in composite.ports),
            "start": often,
            "ship back": often * self._known.of(composite.root).held,
        }
        for step in composite.members:
            kind = f"column {KINDS[type(step)]}"
            rows = sum(self._known.of(one).held for one in inputs(step))
            work[kind] = work.get(kind, 0.0) + often * rows
        return work

    def _priced(self, work: Work) -> float:
        return sum(times * self.units[what] for what, times in work.items())
