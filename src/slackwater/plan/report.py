"""Collecting the problems of a query while it is checked, so that all are told at once."""

from __future__ import annotations

from dataclasses import dataclass

from slackwater.errors import Problem, SlackwaterError
from slackwater.query.expression import Expression, parse
from slackwater.query.schema import Schema
from slackwater.units import DurationLike, duration


@dataclass(frozen=True, slots=True)
class Reporter:
    """Where problems of one query go, and the checks that every step needs."""

    subject: str
    problems: list[Problem]

    def at(self, step: str) -> str:
        return f"{self.subject}, {step}"

    def problem(self, condition: str, step: str, message: str, hint: str = "") -> None:
        self.problems.append(Problem(condition, self.at(step), message, hint))

    def duration(self, value: DurationLike, step: str) -> int | None:
        """Microseconds of a duration, or a problem."""
        try:
            return duration(value)
        except (SlackwaterError, TypeError, AttributeError) as error:
            reason = error.message if isinstance(error, SlackwaterError) else f"got {value!r}"
            hint = error.hint if isinstance(error, SlackwaterError) else 'e.g. "10 seconds"'
            self.problem("DURATION_INVALID", step, reason, hint)
            return None

    def positive(self, value: DurationLike | None, step: str) -> int | None:
        """Microseconds of a duration that may be left out, but not be negative."""
        result = None if value is None else self.duration(value, step)
        if result is not None and result < 0:
            self.problem("DURATION_NEGATIVE", step, f"{value!r} is negative")
        return result

    def parse(self, text: str, schema: Schema, step: str) -> tuple[str | None, Expression] | None:
        """Name and expression of an SQL text, or a problem."""
        result = parse(text, schema, self.at(step))
        if isinstance(result, Problem):
            self.problems.append(result)
            return None
        return result
