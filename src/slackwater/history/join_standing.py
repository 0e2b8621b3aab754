"""How a join stands: its plan, what that was to cost and did, the runner-up, changes; in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from slackwater.history.history import History
from slackwater.history.migration import Comparison, Migration, brief, why
from slackwater.history.table import Key

Json = dict[str, Any]
LAST = 5  # migrations that are told
WRITTEN = "as written"


@dataclass(frozen=True, slots=True)
class JoinStanding:
    """A join after its newest batch.

    Seconds are those of joining in a batch, predicted and measured for the plan in force;
    ``error`` is how much more was predicted, as a share. ``held`` bytes are in its states,
    ``expected`` are in those of its plan as predicted, ``limit`` are allowed. ``compared`` is when
    plans were compared last, ``migrations`` are the last changes, oldest first.
    """

    tree: str | None
    predicted_s: float | None
    measured_s: float | None
    error: float | None
    held: int | None
    expected: int | None
    limit: int | None
    compared: Comparison | None
    migrations: tuple[Migration, ...]

    @property
    def running(self) -> Migration | None:
        """The change that is under way."""
        newest = self.migrations[-1] if self.migrations else None
        return newest if newest is not None and newest.is_running else None

    def to_json(self) -> Json:
        told = [one.to_json() for one in self.migrations]
        return {**asdict(self), "migrations": told}


def standing_of(history: History, name: str) -> JoinStanding | None:
    """How a query's join stands; ``None`` for a query that does not join."""
    course = history.joins.get(name)
    if course is None:
        return None

    def last(field: str) -> float | None:
        return history.table.last(Key("join", name, field))

    return JoinStanding(
        course.tree,
        _seconds(last("predicted_ms")),
        _seconds(last("measured_ms")),
        last("error"),
        _whole(last("held")),
        _whole(last("expected")),
        _whole(last("limit")),
        course.comparisons[-1] if course.comparisons else None,
        tuple(course.migrations[-LAST:]),
    )


def _seconds(milliseconds: float | None) -> float | None:
    return None if milliseconds is None else round(milliseconds / 1000, 9)


def _whole(value: float | None) -> int | None:
    return None if value is None else round(value)


def join_lines(standing: JoinStanding, newest: int | None) -> Iterator[str]:
    """A join in words, a line for each thing; ``newest`` is the newest batch."""
    running = standing.running
    beside = "" if running is None else f" beside {running.was or WRITTEN}"
    yield f"plan in force: {standing.tree or WRITTEN}{beside}"
    if standing.predicted_s is not None:
        yield f"a batch: {cost_words(standing)}"
    if standing.held is not None:
        yield f"memory: {memory_words(standing)}"
    if (compared := standing.compared) is not None:
        yield f"plans compared in batch {compared.batch}: {comparison_words(compared)}"
    for one in standing.migrations:
        yield f"batch {one.batch}: {migration_words(one, newest)}"


def cost_words(standing: JoinStanding) -> str:
    """Predicted and measured time."""
    predicted = f"{brief(standing.predicted_s or 0)} predicted"
    if standing.measured_s is None:
        return f"{predicted}, not measured yet"
    return f"{predicted}, {brief(standing.measured_s)} measured{_off(standing.error)}"


def _off(error: float | None) -> str:
    return "" if error is None else f" (off by {100 * error:+.0f} %)"


def memory_words(standing: JoinStanding) -> str:
    """Bytes held, expected, allowed."""
    held = f"{megabytes(standing.held)} held"
    expected = "" if standing.expected is None else f", {megabytes(standing.expected)} expected"
    limit = ", no limit" if standing.limit is None else f", limit {megabytes(standing.limit)}"
    return held + expected + limit


def comparison_words(compared: Comparison) -> str:
    """Why plans were compared, and the best of those that were not chosen."""
    if compared.runner_up is None or compared.runner_up_s is None:
        return f"{why(compared.reason)}; no runner-up"
    seconds = brief(compared.runner_up_s)
    return f"{why(compared.reason)}; runner-up {compared.runner_up}, {seconds} a batch"


def migration_words(one: Migration, newest: int | None) -> str:
    """A change of tree: from which to which, how, how long, why."""
    since = "" if newest is None else f", {newest - one.batch} batches after it began"
    length = f"{one.length}{since}" if one.is_running else one.length
    reason = f"; {one.why}" if one.why else ""
    return f"{one.was or WRITTEN} to {one.tree}, {one.how}, {length}{reason}"


def megabytes(size: float | None) -> str:
    """Bytes as limits are given."""
    if size is None:
        return "?"
    return f"{size / 1e6:,.3g} MB" if size < 1e9 else f"{size / 1e9:,.3g} GB"
