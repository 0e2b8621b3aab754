"""How a join ran: its plans over time, how it changed from one to another, why they were compared.

All of it is read from ``batch`` events, one after the other; ``migration`` and ``replan`` events
add what those do not tell. So a change whose own event was lost with a crash is not lost.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from statistics import median
from typing import Any

import numpy as np

from slackwater.history.migration import PERSON, Comparison, Migration, PlanSpan
from slackwater.history.number import number_of
from slackwater.history.table import Array, Key
from slackwater.units import SECOND

Json = dict[str, Any]
MOST = 400  # of each kind of record; older ones are forgotten
_USUAL = 8  # batches that tell what a batch takes
_FIELDS = ("predicted_ms", "measured_ms", "error", "expected", "limit", "held")


@dataclass(slots=True)
class JoinCourse:
    """The plans of one join, oldest first."""

    spans: list[PlanSpan] = field(default_factory=list)
    migrations: list[Migration] = field(default_factory=list)
    comparisons: list[Comparison] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)  # migrations ever, by how
    _usual: deque[Json] = field(default_factory=lambda: deque(maxlen=_USUAL))  # steady batches
    _was_steady: bool = False

    @property
    def tree(self) -> str | None:
        """The tree in force."""
        return self.spans[-1].tree if self.spans else None

    @property
    def running(self) -> Migration | None:
        """The change that is under way."""
        newest = self.migrations[-1] if self.migrations else None
        return newest if newest is not None and newest.is_running else None

    def add(self, batch: Json, plan: Json, adapt: Json) -> bool:
        """Take in a batch; whether what it says was measured is of the plan in force, alone."""
        number, at, tree = batch["batch"], float(batch["at"]), _text(plan.get("tree"))
        beside, since = _text(plan.get("beside")), plan.get("since")
        is_told_of_one = self._was_steady
        has_changed = self._follow(tree, number, at)
        running = self.running
        if running is not None and (beside is None or since != running.batch):
            self._end(running, number, at)
        if beside is not None and self.running is None:
            self._begin(Migration(tree or "", beside, "parallel", _whole(since, number), at))
        elif has_changed and beside is None and self.spans[-2].tree is not None:
            self._begin(self._moved(tree or "", self.spans[-2].tree, batch))
        self._compare(number, at, adapt)
        self._was_steady = not has_changed and beside is None
        if self._was_steady:
            self._usual.append(batch)
        return is_told_of_one

    def _follow(self, tree: str | None, number: int, at: float) -> bool:
        """Whether the tree is another one than before."""
        if self.spans and self.spans[-1].tree == tree:
            known = self.spans[-1]
            self.spans[-1] = PlanSpan(tree, known.first, number, known.since, at)
            return False
        self.spans.append(PlanSpan(tree, number, number, at, at))
        del self.spans[:-MOST]
        return len(self.spans) > 1

    def _moved(self, tree: str, was: str | None, batch: Json) -> Migration:
        known = [took for took in map(_seconds, self._usual) if took is not None]
        usual, at = median(known) if known else None, float(batch["at"])
        return Migration(tree, was, "moving", batch["batch"], at, 0, _seconds(batch), usual)

    def _begin(self, migration: Migration) -> None:
        self.migrations.append(migration)
        self.counts[migration.how] += 1
        del self.migrations[:-MOST]

    def _end(self, running: Migration, number: int, at: float) -> None:
        seconds = (at - running.at) / SECOND
        self.migrations[-1] = replace(running, batches=number - running.batch, seconds=seconds)

    def _compare(self, number: int, at: float, adapt: Json) -> None:
        reason = _text(adapt.get("reason"))
        if reason is None:
            return
        other, seconds = _text(adapt.get("runner_up")), number_of(adapt.get("runner_up_s"))
        self.comparisons.append(Comparison(number, at, reason, other, seconds))
        del self.comparisons[:-MOST]
        if self.migrations and self.migrations[-1].batch == number:
            self.migrations[-1] = replace(self.migrations[-1], reason=reason)

    def tell(self, event: Json) -> None:
        """Take in a ``migration`` or ``replan`` event, which come after their batch."""
        number, newest = event.get("batch"), self.migrations[-1] if self.migrations else None
        if event["event"] == "replan":
            if newest is not None and newest.batch == number and event.get("reason") is None:
                self.migrations[-1] = replace(newest, reason=PERSON)
            return
        is_known = newest is not None and newest.batch >= _whole(event.get("since"), 0)
        if not is_known and self.spans and event.get("batches") == 0:  # the first one of all
            span, tree, was = self.spans[-1], _text(event.get("tree")), _text(event.get("was"))
            if span.first == number and tree is not None:
                self._begin(Migration(tree, was, "moving", span.first, span.since, 0))

    def cut(self, batch: int, at: float) -> None:
        """Forget batches after this one, which was at that wall time."""
        self.spans = [
            span if span.last <= batch else replace(span, last=batch, until=at)
            for span in self.spans
            if span.first <= batch
        ]
        gone = [one for one in self.migrations if one.batch > batch]
        self.counts.subtract(one.how for one in gone)
        self.migrations = [
            replace(one, batches=None, seconds=None)
            if one.batches is not None and one.batch + one.batches > batch
            else one
            for one in self.migrations
            if one.batch <= batch
        ]
        self.comparisons = [one for one in self.comparisons if one.batch <= batch]
        self._was_steady = False

    def after(self, batch: int) -> Json:
        """What is new since a batch: records that began, went on or ended."""
        return {
            "spans": [asdict(one) for one in self.spans if one.last > batch],
            "migrations": [one.to_json() for one in self.migrations if _reaches(one, batch)],
            "comparisons": [one.to_json() for one in self.comparisons if one.batch > batch],
        }


def _reaches(one: Migration, batch: int) -> bool:
    """Also one that ended right then: who asked for it is told after the batch."""
    return one.batches is None or one.batch + one.batches >= batch


def told_joins(batch: Json) -> Iterable[tuple[str, Json, Json, Json]]:
    """Of each join of a batch: its name, what is told of it, its plan, how that was chosen."""
    queries = batch.get("queries")
    for name, query in queries.items() if isinstance(queries, dict) else ():
        controllers = query.get("controllers") if isinstance(query, dict) else None
        if isinstance(controllers, dict) and isinstance(controllers.get("join_plan"), dict):
            yield name, query, controllers["join_plan"], _chosen_by(controllers)


def _chosen_by(controllers: Json) -> Json:
    """What the controller says that predicts what a plan takes, whoever that is."""
    told = (one for name, one in controllers.items() if name != "join_plan")
    return next((one for one in told if isinstance(one, dict) and "predicted_s" in one), {})


def join_frame(batches: Sequence[Json], courses: dict[str, JoinCourse]) -> dict[Key, Array]:
    """Take some batches in; the numbers of their joins as columns.

    Measured time is left out where it is not that of the plan in force alone: after a change, and
    while two trees run.
    """
    rows: dict[str, list[int]] = {}
    told: dict[str, list[tuple[float | None, ...]]] = {}
    for row, batch in enumerate(batches):
        for name, query, plan, adapt in told_joins(batch):
            if name not in courses:
                courses[name] = JoinCourse()
            is_of_one = courses[name].add(batch, plan, adapt)
            rows.setdefault(name, []).append(row)
            told.setdefault(name, []).append(_numbers(query, adapt, is_of_one))
    found: dict[Key, Array] = {}
    for name, numbers in told.items():
        columns = np.full((len(batches), len(_FIELDS)), np.nan)
        columns[rows[name]] = np.array(numbers, dtype=np.float64)
        for label, values in zip(_FIELDS, columns.T, strict=True):
            if not np.isnan(values).all():
                found[Key("join", name, label)] = values
    return found


def _numbers(query: Json, adapt: Json, is_of_one: bool) -> tuple[float | None, ...]:
    """In milliseconds and bytes, in the order of the fields."""
    predicted, measured = number_of(adapt.get("predicted_s")), number_of(adapt.get("measured_s"))
    measured = measured if is_of_one else None
    return (
        None if predicted is None else 1000 * predicted,
        None if measured is None else 1000 * measured,
        error_of(predicted, measured),
        number_of(adapt.get("memory")),
        number_of(adapt.get("memory_limit")),
        number_of(query.get("held")),
    )


def error_of(predicted: float | None, measured: float | None) -> float | None:
    """How much more was predicted than measured, as a share of that."""
    if predicted is None or measured is None or measured <= 0:
        return None
    return predicted / measured - 1


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _whole(value: object, otherwise: int) -> int:
    return value if isinstance(value, int) else otherwise


def _seconds(batch: Json) -> float | None:
    """The whole time of a batch."""
    spent = batch.get("ms")
    if not isinstance(spent, dict):
        return None
    return sum(filter(None, map(number_of, spent.values()))) / 1000
