"""One family of errors: a stable condition, what happened, and the way out.

Every error carries an upper-case ``condition`` that programs may test, a message that names the
step, the value and what is allowed, and a ``hint`` that says what to do next.
"""

from __future__ import annotations

import errno
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol


class SlackwaterError(Exception):
    """Base of all errors raised on purpose by Slackwater."""

    def __init__(self, condition: str, message: str, hint: str = "") -> None:
        self.condition = condition
        self.message = message
        self.hint = hint
        super().__init__(condition, message, hint)

    def __str__(self) -> str:
        text = f"[{self.condition}] {self.message}"
        return f"{text}\n  hint: {self.hint}" if self.hint else text


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with a query: where, what, and the way out.

    ``function`` names the function that is refused, if it is one.
    """

    condition: str
    where: str
    message: str
    hint: str = ""
    function: str = ""

    def __str__(self) -> str:
        text = f"[{self.condition}] {self.where}: {self.message}"
        return f"{text}\n    hint: {self.hint}" if self.hint else text


class QueryError(SlackwaterError):
    """A query cannot be built; ``problems`` lists everything wrong with it at once."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        lines = "\n".join(f"  {number}. {p}" for number, p in enumerate(self.problems, start=1))
        count = len(self.problems)
        noun = "problem" if count == 1 else "problems"
        super().__init__("QUERY_INVALID", f"{count} {noun} in the query:\n{lines}")

    def __reduce__(self) -> tuple[type[QueryError], tuple[tuple[Problem, ...]]]:
        return (type(self), (self.problems,))


class CheckpointError(SlackwaterError):
    """The checkpoint cannot be used as it is (other query, other format, in use, damaged)."""


class Versioned(Protocol):
    """A saved state that says by which version of its kind it was written."""

    @property
    def version(self) -> int: ...


def check_version(what: str, state: Versioned | None, known: int) -> None:
    """Refuse a saved state of another version; none at all is fine."""
    if state is not None and state.version != known:
        raise CheckpointError(
            "STATE_VERSION_UNKNOWN",
            f"{what}: saved with version {state.version}, known is {known}",
            "restart from the version that wrote it, or without saved state",
        )


class StorageError(SlackwaterError):
    """A file could not be written or read (disk full, no permission)."""

    @classmethod
    def of(cls, error: OSError, path: object, safe: str) -> StorageError:
        """Name what the system said of a file; ``safe`` says what is not lost."""
        full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        return cls(
            "DISK_FULL" if full else "STORAGE_FAILED",
            f"cannot write {path}: {error.strerror}",
            f"{safe}; {'free some space' if full else 'mend the storage'} "
            "and start the pipeline again",
        )


class SinkError(SlackwaterError):
    """Results cannot be delivered to where they were asked to go."""


class SourceError(SlackwaterError):
    """A source cannot be opened or read."""


class MachineError(SlackwaterError):
    """Something the engine needs on this machine is missing (Java, Python version)."""
