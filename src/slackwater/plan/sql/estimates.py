"""An estimate as a reading: what every level of a query would say of its open windows now.

Levels are read from the bottom up. What a level says of open windows goes to the level above as
*provisional* rows, beside what that level holds for good, and is kept nowhere: the finals never
see it (the source work's accumulating operators fold such rows into state and spoil finals,
spec 3.8). Nothing is purged either, since a reading takes nothing out of any state.

A reading is a list of steps over named relations, so that it can be written down, and done later
by another process which has the runs but not the query.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from slackwater.plan.aggregate import plain_parts
from slackwater.plan.estimates import EstimateColumns
from slackwater.plan.node import Stamp
from slackwater.plan.sql.statement import Statement
from slackwater.plan.sql.windows import Writer
from slackwater.plan.stage import Stage
from slackwater.query.expression import Expression
from slackwater.query.schema import Schema

MARKS = "marks"


@dataclass(frozen=True, slots=True)
class ReadingStep:
    """One statement: ``name`` of what it gives (its kind and level), and of each relation it
    reads where the rows come from: other steps, or states by identity; several are put together.
    """

    name: str
    statement: Statement
    level: int
    reads: dict[str, tuple[str, ...]]


def level_of(step: str) -> int:
    """The level that a step is about, by its name."""
    return int(step.rpartition("-")[2])


def reading(writer: Writer, stages: Sequence[Stage]) -> tuple[ReadingStep, ...]:
    """The steps that give the open windows of the top level; the last one is ``open-<level>``."""
    steps: list[ReadingStep] = []
    for stage in stages:
        panes: tuple[str, ...] = (stage.state.identity,)
        if stage.level > 1:
            panes = _provisional(writer, stages[stage.level - 2], stage, steps)
        is_top = stage is stages[-1]
        opened = writer.open(stage, *(("__rows",) if is_top else ()))
        steps.append(ReadingStep(f"open-{stage.level}", opened, stage.level, {"panes": panes}))
    return tuple(steps)


def _provisional(
    writer: Writer, below: Stage, stage: Stage, steps: list[ReadingStep]
) -> tuple[str, ...]:
    """The panes of a level: what it holds, and what the level below would say now."""
    said: tuple[str, ...] = (f"open-{below.level}",)
    held: tuple[str, ...] = (stage.state.identity,)
    if stage.state.kind == "rows":  # what it holds are rows of the level below, in versions
        name = f"newest-{stage.level}"
        steps.append(ReadingStep(name, writer.latest(below), below.level, {"rows": held}))
        said, held = (name, *said), ()
    name = f"panes-{stage.level}"
    steps.append(ReadingStep(name, writer.partial(stage.state), stage.level, {"input": said}))
    return (*held, name)


@dataclass(frozen=True, slots=True)
class Fold:
    """Open windows of a query with one level, as plain totals of its panes.

    ``merges`` is how each partial merges; ``values`` are answers, each read from one partial, or
    from two: the first divided by the second, a count.
    """

    merges: dict[str, str]
    values: dict[str, tuple[str, ...]]


def fold(stages: Sequence[Stage]) -> Fold | None:
    """How open windows are folded from panes; ``None`` if that takes a statement."""
    stage = stages[0]
    merges = {part.name: part.merge for part in stage.state.partials}
    if (
        len(stages) > 1
        or stage.relation is not None
        or not set(merges.values()) <= {"sum", "min", "max"}
    ):
        return None
    found = {name: plain_parts(value) for name, value in stage.values}
    values = {name: parts for name, parts in found.items() if parts is not None}
    return Fold(merges, values) if len(values) == len(found) else None


def spoken(
    writer: Writer,
    names: tuple[Sequence[str], Sequence[str]],
    columns: EstimateColumns,
    asked: Sequence[Expression | None],
    schema: Schema,
    *,
    stamp: Stamp = "timestamp",
) -> Statement:
    """Open windows as people see them, one row for each prod that asks for it.

    ``names`` are keys and values. ``opened`` are the open windows. ``marks`` says of each prod and
    window how old the estimate is, what share of the rows is believed to be in, and how far finals
    used to be from estimates of that age. ``asked`` are the predicates of the prods, by their
    number in ``marks``, over the columns of ``schema``.
    """
    keys, values = (tuple(writer.name(name) for name in some) for some in names)
    origin, emitted = writer.parameter("origin"), writer.parameter("emitted_at")
    columns_said = [
        f"{writer.micros('r.__start', stamp)} AS window_start",
        f"{writer.micros('r.__end', stamp)} AS window_end",
        *(f"r.{name}" for name in (*keys, *values)),
        "'estimate' AS kind",
        "m.revision",
        "m.coverage",
        f"r.__start < {origin} AS boundary",
        f"{writer.micros(emitted)} AS emitted_at",
        "r.__rows AS tuples",
        "m.prod",
        *(_scaled(writer, value) for value in columns.linear),
        *(text for value in columns.numeric for text in _band(writer, value)),
        "r.__start",
        "m.__age",
        "m.__keep",
        "m.__ask",
    ]
    said = (
        f"SELECT {', '.join(columns_said)} FROM opened AS r "
        f"JOIN {MARKS} AS m ON r.__start = m.__start"
    )
    text = f"SELECT * FROM ({said}){_filtered(writer, asked, schema)}"
    return Statement(text, ("opened", MARKS), ("origin", "emitted_at"))


def _scaled(writer: Writer, value: str) -> str:
    column = f"CAST(r.{writer.name(value)} AS DOUBLE)"
    share = f"CASE WHEN m.coverage > 0 THEN {column} / m.coverage END"
    return f"{share} AS {writer.name(f'{value}_scaled')}"


def _band(writer: Writer, value: str) -> tuple[str, str]:
    """The value times the factors, smaller one first whatever its sign."""
    column = f"CAST(r.{writer.name(value)} AS DOUBLE)"
    ends = [f"{column} * m.{writer.name(f'{value}_{end}')}" for end in ("low", "high")]
    known = f"m.{writer.name(f'{value}_low')} IS NOT NULL"  # least() of DuckDB ignores nulls
    return (
        f"CASE WHEN {known} THEN least({', '.join(ends)}) END AS {writer.name(f'{value}_low')}",
        f"CASE WHEN {known} THEN greatest({', '.join(ends)}) END AS {writer.name(f'{value}_high')}",
    )


def _filtered(writer: Writer, asked: Sequence[Expression | None], schema: Schema) -> str:
    if all(where is None for where in asked):
        return ""
    cases = [
        f"WHEN {number} THEN ({'TRUE' if where is None else writer.render(where, schema)})"
        for number, where in enumerate(asked)
    ]
    return f" WHERE CASE __ask {' '.join(cases)} END"


def final_of(value: str) -> str:
    """The column for the final of a value beside its estimate; no person's column begins so."""
    return f"__{value}_final"


def paired(
    writer: Writer, keys: Sequence[str], columns: EstimateColumns, stamp: Stamp = "timestamp"
) -> Statement:
    """Each estimate of ``said`` beside its final among ``finals``: age, microseconds between the
    two, end of the window, tuples of both, and the values of both.
    """
    names = [writer.name(key) for key in keys]
    same = [f"f.window_start = {writer.micros('e.__start', stamp)}"]
    same += [f"f.{key} IS NOT DISTINCT FROM e.{key}" for key in names]
    group = "''"
    if names:
        texts = [f"coalesce(CAST(e.{key} AS STRING), '')" for key in names]
        group = " || '|' || ".join(texts)
    said = [
        "e.__age",
        "CAST(epoch_us(f.emitted_at) - epoch_us(e.emitted_at) AS DOUBLE) AS __gap",
        "e.prod",
        f"{group} AS __group",
        "epoch_us(f.window_end) AS __end",
        "CAST(e.tuples AS DOUBLE) AS tuples",
        "CAST(f.tuples AS DOUBLE) AS __tuples_final",
    ]
    for value in columns.numeric:
        column = writer.name(value)
        said.append(f"CAST(e.{column} AS DOUBLE) AS {column}")
        said.append(f"CAST(f.{column} AS DOUBLE) AS {writer.name(final_of(value))}")
    text = (
        f"SELECT {', '.join(said)} FROM said AS e JOIN finals AS f ON {' AND '.join(same)} "
        "WHERE f.kind = 'final' ORDER BY e.__start, __group, e.__age, e.prod"
    )
    return Statement(text, ("said", "finals"))
