"""Raw rows for joins: all inputs of a pipeline read in one pass over the batch.

Columns of different inputs share slots of equal type, so that a pass over several streams is
hardly wider than one of them. Rows that fail their filter are only counted, by the hour: they still
move their stream's clock.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from py4j.protocol import Py4JJavaError
from pyspark.sql import Column, DataFrame, Observation
from pyspark.sql import functions as F

from slackwater.plan.state import State
from slackwater.query.expression import Expression, column
from slackwater.spark.read.streams import BEAT, Intake
from slackwater.stats.panes import PaneCount
from slackwater.units import HOUR


@dataclass(frozen=True, slots=True)
class Input:
    """One input state, the number of its stream, its schema, and its slots by column."""

    state: State
    stream: int
    schema: pa.Schema
    slots: dict[str, str]


class Beside:
    """What is counted of the rows of a batch while they are read."""

    def __init__(self, batch: DataFrame, watched: tuple[Column, ...]) -> None:
        self._batch, self._watched, self._observation = batch, watched, Observation()
        self.rows = batch.observe(self._observation, *watched)

    @cached_property
    def counts(self) -> dict[str, Any]:
        try:
            return self._observation.get
        except Py4JJavaError:  # Spark saw that no row can pass, and looked at none
            counted = self._batch.agg(*self._watched).first()
            return {} if counted is None else counted.asDict()

    def by_hour(self, rows: Column) -> tuple[PaneCount, ...]:
        """Rows that do not pass, by the hour: a job of its own, since what is counted beside
        another one has no groups.
        """
        hour = F.expr(f"__ts div {HOUR}")
        ends = (F.count("*").alias("rows"), F.min("__ts").alias("low"), F.max("__ts").alias("high"))
        found = self._batch.where(rows).groupBy(hour).agg(*ends).collect()
        return tuple(PaneCount(None, False, one.rows, one.low, one.high) for one in found)


@dataclass(frozen=True, slots=True)
class InputReader:
    """Reads inputs of different streams in one pass; made once, so that no batch parses SQL."""

    inputs: tuple[Input, ...]
    columns: tuple[Column, ...]
    passes: Column | None
    watched: tuple[Column, ...]
    fails: dict[int, Column]

    def rows(self, batch: DataFrame) -> tuple[DataFrame, Beside | None]:
        """The rows of all inputs, tagged by ``__input``, and what will be counted beside them."""
        beside = Beside(batch, self.watched) if self.watched else None
        batch = batch if beside is None else beside.rows
        if self.passes is not None:
            batch = batch.where(self.passes)
        return batch.select(*self.columns), beside

    def take_apart(self, table: pa.Table) -> list[pa.Table]:
        """The rows of each input with its own column names."""
        found = []
        for number, one in enumerate(self.inputs):
            mine = table
            if len(self.inputs) > 1:
                mine = table.filter(pc.equal(table["__input"], number))
            wanted = ["pane", *one.slots.values()]
            names = ["pane", *one.slots]
            kinds = pa.schema([one.schema.field(name) for name in names])  # without ``__at``
            found.append(mine.select(wanted).rename_columns(names).cast(kinds))
        return found

    def failed(self, beside: Beside | None, number: int) -> tuple[PaneCount, ...]:
        """Rows of an input's stream that did not pass its filter, by the hour.

        Nearly always there is one hour, or none, and nothing but the one job over the batch runs.
        """
        if beside is None or not beside.counts.get(f"rows{number}"):
            return ()
        names = ("rows", "timed", "low", "high")
        rows, timed, low, high = (beside.counts[f"{name}{number}"] for name in names)
        if low is not None and low // HOUR != high // HOUR:
            return beside.by_hour(self.fails[number])
        spans = ((timed, low, high), (rows - timed, None, None))
        return tuple(PaneCount(None, False, *span) for span in spans if span[0])

    @staticmethod
    def beat(beside: Beside | None) -> int | None:
        return None if beside is None else beside.counts.get("beat")


def readers(
    states: Sequence[tuple[str, State]], schemas: dict[str, pa.Schema], intake: Intake
) -> list[InputReader]:
    """As few passes as possible: one, unless a stream feeds several inputs, or columns of one
    name are of several types.
    """
    numbers = {stream.name: number for number, stream in enumerate(intake.streams)}
    rounds: list[list[tuple[int, State]]] = []
    for stream, state in states:
        number, mine = numbers[stream], schemas[state.identity]
        free = next(
            (
                r
                for r in rounds
                if all(n != number and _are_one(mine, schemas[s.identity]) for n, s in r)
            ),
            None,
        )
        if free is None:
            rounds.append(free := [])
        free.append((number, state))
    return [_reader(members, schemas, intake) for members in rounds]


def _are_one(mine: pa.Schema, other: pa.Schema) -> bool:
    """Whether columns that Spark takes for the same, whatever their case, are the same."""
    known = {field.name.lower(): field for field in other}
    return all(known.get(field.name.lower(), field) == field for field in mine)


def _reader(
    members: Sequence[tuple[int, State]], schemas: dict[str, pa.Schema], intake: Intake
) -> InputReader:
    inputs = [
        Input(state, number, schemas[state.identity], _slots(schemas[state.identity]))
        for number, state in members
    ]
    slots = sorted({slot for one in inputs for slot in one.slots.values()})
    tagged = intake.is_tagged
    which = _case([(i.stream, str(n)) for n, i in enumerate(inputs)], tagged)
    lead = [F.expr(f"{which} AS __input"), F.expr("__ts AS pane")]
    shared = [F.expr(f"{_slot(inputs, slot, tagged)} AS {slot}") for slot in slots]
    kept = [(i.stream, _passes(i, tagged)) for i in inputs]
    is_all = len(inputs) == len(intake.streams) and not intake.has_heartbeat
    all_pass = is_all and all(i.state.where is None for i in inputs)
    return InputReader(
        tuple(inputs),
        (*lead, *shared),
        None if all_pass else F.expr(f"coalesce({_case(kept, tagged)}, false)"),
        tuple(_watched(inputs, intake)),
        {number: F.expr(fails) for number, fails in _fails(inputs, tagged).items()},
    )


def _slots(schema: pa.Schema) -> dict[str, str]:
    """A slot for each column: the n-th column of a type goes into the n-th slot of that type."""
    seen: dict[str, int] = {}
    found = {}
    for field in schema:
        if field.name in ("pane", "__at"):
            continue
        kind = "".join(c if c.isalnum() else "_" for c in str(field.type))
        seen[kind] = seen.get(kind, -1) + 1
        found[field.name] = f"__{kind}_{seen[kind]}"
    return found


def _slot(inputs: Sequence[Input], slot: str, tagged: bool) -> str:
    found = []
    for one in inputs:
        for name, value in one.state.keys:
            if one.slots[name] == slot:
                found.append((one.stream, _own(one, value.sql, tagged)))
    return _case(found, tagged)


def _passes(one: Input, tagged: bool) -> str:
    if one.state.where is None:
        return "true"
    return f"coalesce({_own(one, one.state.where.sql, tagged)}, false)"


def _own(one: Input, sql: str, tagged: bool) -> str:
    """An expression over the columns of the input's stream, as the mixed batch names them."""
    expression = Expression(sql)
    if not tagged:
        return expression.sql
    renamed = {name: column(f"s{one.stream}_{name}") for name in expression.columns}
    return expression.substitute(renamed).sql


def _case(branches: Sequence[tuple[int, str]], tagged: bool) -> str:
    if not tagged:
        return branches[0][1]
    whens = " ".join(f"WHEN {stream} THEN {sql}" for stream, sql in branches)
    return f"CASE __stream {whens} END"


def _fails(inputs: Sequence[Input], tagged: bool) -> dict[int, str]:
    """By input whose rows do not all pass: which are of its stream, and do not."""
    return {
        number: (f"__stream = {one.stream} AND " if tagged else "") + f"NOT {_passes(one, tagged)}"
        for number, one in enumerate(inputs)
        if one.state.where is not None
    }


def _watched(inputs: Sequence[Input], intake: Intake) -> list[Column]:
    """What to count of rows that do not pass; nothing where all do."""
    found = []
    for number, fails in _fails(inputs, intake.is_tagged).items():
        found += [
            F.expr(f"count_if({fails}) AS rows{number}"),
            F.expr(f"count(CASE WHEN {fails} THEN __ts END) AS timed{number}"),
            F.expr(f"min(CASE WHEN {fails} THEN __ts END) AS low{number}"),
            F.expr(f"max(CASE WHEN {fails} THEN __ts END) AS high{number}"),
        ]
    if intake.has_heartbeat:
        found.append(F.expr(f"max(CASE WHEN __stream = {BEAT} THEN __beat END) AS beat"))
    return found
