"""Death at every write: each step that changes a file is a point at which a process can die.

A point is *before* a change, or in the *middle* of one that is not atomic. After its death a
process changes nothing any more, whatever its exception handlers would like to do.
"""

from __future__ import annotations

import os
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from slackwater.events.log import EventLog
from slackwater.execute import duck as columnar
from slackwater.execute import tables
from slackwater.execute.spread import look as tasks
from slackwater.runs import files
from slackwater.testing import runtime


class Killed(BaseException):
    """The process died here."""


class Reaper:
    """Lets a process die at each point ``times`` times over the whole story."""

    def __init__(self, folder: Path, times: int = 1) -> None:
        self.folder = folder
        self.times = times
        self.deaths: Counter[str] = Counter()
        self.is_dead = False
        self.failure: OSError | AssertionError | None = None

    def meet(self, step: str, path: Any) -> None:
        """Die here, unless enough have died here already."""
        name = str(path).removeprefix("file://")
        if not name.startswith(str(self.folder)):
            return
        self._die_unless_known(f"{step} {self._place(name)}")

    def _place(self, name: str) -> str:
        place = name.removeprefix(str(self.folder)).lstrip("/")
        place = re.sub(r"runs/[0-9a-f]{16}", "runs/state", place)
        return re.sub(r"[0-9a-f]{8}(-[0-9a-f-]{27})?|part-\d+|\d{2,}|(?<==)\d+", "N", place)

    def _die_unless_known(self, point: str) -> None:
        if self.is_dead:
            raise Killed("dead already")
        if self.deaths[point] < self.times:
            self.deaths[point] += 1
            self.is_dead = True
            raise Killed(point)


@contextmanager
def mortal(reaper: Reaper, *jobs: type) -> Iterator[None]:
    """A life under the reaper; ends quietly if it ends in death. ``jobs`` write Parquet folders."""
    reaper.is_dead = False
    with pytest.MonkeyPatch.context() as patch:
        _watch_writes(patch, reaper, jobs)
        _watch_moves(patch, reaper)
        try:
            yield
        except Killed:
            assert reaper.is_dead
        finally:
            if reaper.failure is not None:
                raise reaper.failure


def _watch_writes(patch: pytest.MonkeyPatch, reaper: Reaper, jobs: Sequence[type]) -> None:
    """Contents: a write can stop in the middle."""

    def half_file(write: Callable[..., Any], path: Path, data: bytes, **options: Any) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data[: len(data) // 2])

    def half_table(write: Callable[..., Any], table: Any, path: Any, **options: Any) -> None:
        Path(path).write_bytes(b"PAR1 and then")

    def half_job(write: Callable[..., Any], writer: Any, path: str, **options: Any) -> None:
        """One task is still at it: its file is half written, in the folder of its attempt."""
        write(writer, path, **options)
        folder = Path(path.removeprefix("file://"))
        attempt = folder / "_temporary" / "0" / "_temporary" / "attempt_0"
        attempt.mkdir(parents=True)
        file = min(folder.rglob("*.parquet"), default=None)
        assert file is not None, f"the job wrote nothing to {folder}: it has no middle"
        data = file.read_bytes()
        (attempt / file.name).write_bytes(data[: len(data) // 2])
        os.unlink(file)  # noqa: PTH108 - not a point

    def half_line(write: Callable[..., Any], log: EventLog, event: str, **fields: Any) -> None:
        log._file.write(f'{{"event":"{event}'.encode())

    def path_of(*arguments: Any) -> Any:
        values = (getattr(a, "path", a) for a in arguments)  # an event log knows its path
        return next((v for v in values if isinstance(v, str | Path)), "")

    def watched(name: str, write: Callable[..., Any], half: Callable[..., Any]) -> Any:
        def with_points(*arguments: Any, **options: Any) -> Any:
            path = path_of(*arguments)
            reaper.meet(f"before {name}", path)
            try:
                reaper.meet(f"middle of {name}", path)
            except Killed:
                try:
                    half(write, *arguments, **options)
                except (OSError, AssertionError) as error:
                    reaper.failure = error  # not to be taken for a death
                raise
            return write(*arguments, **options)

        return with_points

    write = watched("write", files.write_file, half_file)
    for module in (files, columnar, tables, tasks, runtime):  # each has a name for it
        patch.setattr(module, "write_file", write)
    patch.setattr(pq, "write_table", watched("table", pq.write_table, half_table))
    for kind in jobs:  # of Spark
        patch.setattr(kind, "parquet", watched("job", kind.parquet, half_job))
    patch.setattr(EventLog, "write", watched("event", EventLog.write, half_line))


def _watch_moves(patch: pytest.MonkeyPatch, reaper: Reaper) -> None:
    """Names: a rename or removal of one file happens or does not; of a folder, file by file."""

    def watched(name: str, change: Callable[..., Any]) -> Any:
        def with_point(path: Any, *arguments: Any, **options: Any) -> Any:
            if Path(path).exists():
                reaper.meet(f"before {name}", path)
            return change(path, *arguments, **options)

        return with_point

    remove_folder = shutil.rmtree

    def rmtree(path: Any, *arguments: Any, **options: Any) -> None:
        if Path(path).exists():
            reaper.meet("before rmtree", path)
            inside = sorted(Path(path).iterdir())
            if inside and inside[0].is_file():
                os.unlink(inside[0])  # noqa: PTH108 - not a point of its own
                reaper.meet("middle of rmtree", path)
        remove_folder(path, *arguments, **options)

    for name in ("replace", "rename", "unlink", "rmdir"):
        patch.setattr(Path, name, watched(name, getattr(Path, name)))
    patch.setattr(shutil, "rmtree", rmtree)
