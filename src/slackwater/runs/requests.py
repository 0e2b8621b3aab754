"""Prods from outside: small files in the checkpoint folder, taken in by the next batch.

A program, another process or a stream of prods puts them there. The decision of a batch names the
prods it took, before it is applied; its manifest says what became of them; then their files go. So
a prod is answered in exactly one batch, also if the process dies in between. Anyone may put
anything there: what is no prod is told so, and set aside.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from slackwater.control.join_plan import HANDED_BACK
from slackwater.control.request import Request, request_of
from slackwater.errors import Problem, SlackwaterError, StorageError
from slackwater.migrate.choose import HOWS
from slackwater.plan.demand import is_text
from slackwater.plan.tree import tree_over
from slackwater.runs.files import sync, write_atomically

LARGEST = 100_000  # bytes of a prod


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a prod: rows given, or why there are none; of a demand for another tree:
    the tree from now on, or why it stays.
    """

    prod: str
    query: str
    rows: int
    reason: str | None
    tree: str | None = None

    @property
    def event(self) -> tuple[str, dict[str, object]]:
        """The kind of event that tells it, and what this has to say."""
        if self.tree is None:
            value = {"prod": self.prod, "query": self.query, "rows": self.rows}
            return "prod", value | {"reason": self.reason}
        value = {"request": self.prod, "query": self.query, "tree": self.tree}
        return "replan", value | {"reason": self.reason}


@dataclass(frozen=True, slots=True)
class Inbox:
    """The folder of prods that wait."""

    folder: Path

    def put(self, request: Request) -> str:
        """Leave a prod for the next batch; give its id."""
        self.folder.mkdir(parents=True, exist_ok=True)
        value = {name: v for name, v in asdict(request).items() if name not in ("id", "fault")}
        write_atomically(self.folder / f"{request.id}.json", json.dumps(value).encode())
        return request.id

    def waiting(self) -> tuple[Request, ...]:
        """The prods that wait, oldest first."""
        return self.look()[0]

    def look(self) -> tuple[tuple[Request, ...], dict[Path, Answer]]:
        """The prods that wait, and what is there and no prod, each with the reason."""
        found = self._found()
        strange = {
            file: Answer(_name_of(file), "", 0, str(one))
            for file, one in found.items()
            if isinstance(one, Problem)
        }
        return tuple(one for one in found.values() if isinstance(one, Request)), strange

    def _found(self) -> dict[Path, Request | Problem]:
        """What is there, oldest first."""
        files = []
        for file in self.folder.glob("[!.]*.json") if self.folder.exists() else ():
            with suppress(FileNotFoundError):  # taken away by whoever put it there
                files.append((file.lstat().st_mtime_ns, file))
        return {file: _read(file) for _, file in sorted(files)}

    def set_aside(self, file: Path) -> None:
        """Keep a file that is no prod, where it is not looked for."""
        with suppress(OSError):  # it stays, and is told again
            file.rename(file.with_suffix(".bad"))

    def remove(self, ids: Iterable[str]) -> None:
        """Take prods out, for good: once a later batch is done they must not come back."""
        found = [file for name in ids if (file := self.folder / f"{name}.json").exists()]
        try:
            for file in found:
                file.unlink()
            if found:
                sync(self.folder)
        except OSError as error:
            raise StorageError.of(error, self.folder, "committed batches are safe") from error

    def has(self, name: str) -> bool:
        return (self.folder / f"{name}.json").exists()


def put_tree(
    inbox: Inbox,
    joins: Mapping[str, Sequence[str]],
    tree: str,
    query: str | None = None,
    how: str = "moving",
) -> str:
    """Leave a demand for another tree of a join, unless something is wrong with it; give its id.

    ``joins`` are the inputs of the queries that join.
    """
    if how not in HOWS:
        hint = f"give one of {', '.join(HOWS)}"
        raise SlackwaterError("REPLAN_HOW", f"{how!r} is no way to another tree", hint)
    name = check_query(query, joins)
    try:
        if tree != HANDED_BACK:
            tree_over(tree, joins[name])
    except ValueError as error:
        inputs = list(joins[name])
        hint = f'e.g. "({" ".join(inputs)})" for all at once'
        raise SlackwaterError("JOIN_ORDER", f"{tree!r}: {error}", hint) from error
    return inbox.put(Request(new_id("replan"), name, tree=tree, how=how))


def _read(file: Path) -> Request | Problem:
    """The prod in a file, or why there is none."""
    name = _name_of(file)
    at = f"prod {name!r}"
    try:
        if not file.is_file():  # whatever else it is, reading it may never end
            return Problem("PROD_INVALID", at, "it is not a file")
        if file.stat().st_size > LARGEST:
            return Problem("PROD_INVALID", at, "it is too large", f"at most {LARGEST:,} bytes")
        value = json.loads(file.read_bytes())
    except (ValueError, RecursionError) as error:
        return Problem("PROD_INVALID", at, f"it is not JSON: {error}")
    except OSError as error:
        return Problem("PROD_INVALID", at, f"it cannot be read: {error.strerror}")
    if not is_text(file.stem):
        return Problem("PROD_INVALID", at, "its name is not text")
    return request_of(name, value)


def _name_of(file: Path) -> str:
    return file.stem.encode(errors="surrogateescape").decode(errors="replace")


def new_id(kind: str = "prod") -> str:
    return f"{kind}-{uuid.uuid4().hex[:12]}"


def check_query(name: str | None, known: Iterable[str]) -> str:
    """The query that is meant; the only one if none was named."""
    names = list(known)
    if name is None and len(names) == 1:
        return names[0]
    if name in names and name is not None:
        return name
    text = "which query is meant?" if name is None else f"there is no query {name!r}"
    raise SlackwaterError("QUERY_UNKNOWN", text, f"there are: {', '.join(names) or 'none'}")
