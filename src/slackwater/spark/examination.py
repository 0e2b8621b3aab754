"""What a session has, and its executors: asked in one small job, compared with the driver."""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from uuid import uuid4

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from slackwater.codec import unpack
from slackwater.errors import MachineError
from slackwater.runs.objects.address import is_store
from slackwater.spark.doctor import Checkup
from slackwater.spark.session import UNIX_SOCKETS, is_local, slots

PACKAGES = ("slackwater", "pyarrow", "duckdb", "numpy", "sqlglot", "datasketches", "msgspec")
TASK_MEMORY = "spark.slackwater.taskMemory"
APART = 1.0  # seconds that clocks may differ by


@dataclass(frozen=True, slots=True)
class Told:
    """What one task found where it ran. ``machine`` and ``allowed`` are bytes of memory: what the
    machine has, and what its container may take, if there is a limit.
    """

    host: str
    python: str
    packages: dict[str, str | None]
    clock: float
    machine: int
    allowed: int | None
    sees: bool | None = None
    writes: str | None = None


@contextmanager
def configured() -> Iterator[SparkSession]:
    """The session that is there, or one as Spark's own settings say, stopped in the end."""
    there = SparkSession.getActiveSession()
    session = there or SparkSession.builder.appName("slackwater doctor").getOrCreate()
    try:
        yield session
    finally:
        if there is None:
            session.stop()


def examine_session(session: SparkSession, shared: str | None = None) -> Iterator[Checkup]:
    """Look at a session: its kind, its executors, and what they share with the driver.

    ``shared`` is the folder, or the address in a store, that checkpoints are to lie in.
    """
    try:
        master = str(session.sparkContext.master)
    except (PySparkException, AttributeError):
        hint = "Spark Connect has no driver of ours; use a session of the classic kind"
        yield Checkup("session", ok=False, found="of Spark Connect", hint=hint, needed=True)
        return
    yield Checkup("session", ok=True, found=f"Spark {session.version} on {master}", needed=True)
    token = uuid4().hex
    folder = None if shared is None or is_store(shared) else Path(shared)
    if folder is not None:
        _leave(folder, f"driver-{token}")
    before = time.time()
    told = _told(session, folder, token)
    after = time.time()
    yield same_python(told)
    yield same_packages(told)
    yield clocks(told, before, after)
    yield memory(told, session.conf.get(TASK_MEMORY, None))
    yield _sockets(session)
    if shared is not None and is_store(shared):
        yield in_store(shared, local=is_local(session))
    elif folder is not None:
        yield visible(told, folder)
        for name in (f"driver-{token}", *(one.writes for one in told if one.writes)):
            (folder / name).unlink(missing_ok=True)


def _leave(folder: Path, name: str) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    except OSError as error:
        text = f"the driver cannot write to {folder}: {error.strerror}"
        raise MachineError("FOLDER_NOT_WRITABLE", text, "give another folder") from error


def _told(session: SparkSession, folder: Path | None, token: str) -> tuple[Told, ...]:
    """What tasks say, so many that every executor has some."""
    count = 2 * slots(session)()
    tasks = session.sparkContext.parallelize(range(count), count)
    said = tasks.mapPartitions(_asking(None if folder is None else str(folder), token)).collect()
    return tuple(unpack(json.loads(one), Told) for one in said)


def _asking(folder: str | None, token: str) -> Callable[[Iterable[int]], Iterable[str]]:
    """What a task does. It goes to executors as it stands: they may not have this package."""
    names = PACKAGES

    def ask(numbers: Iterable[int]) -> Iterable[str]:
        import json  # noqa: PLC0415 - nothing of this module is there
        import os  # noqa: PLC0415
        import platform  # noqa: PLC0415
        import time  # noqa: PLC0415
        from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415
        from pathlib import Path  # noqa: PLC0415

        packages: dict[str, str | None] = {}
        for name in names:
            try:
                packages[name] = version(name)
            except PackageNotFoundError:
                packages[name] = None
        limit = Path("/sys/fs/cgroup/memory.max")
        text = limit.read_text().strip() if limit.exists() else "max"
        pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        found: dict[str, object] = {
            "host": platform.node(),
            "python": platform.python_version(),
            "packages": packages,
            "machine": pages,
            "allowed": int(text) if text.isdigit() else None,
        }
        for number in numbers:
            if folder is not None:
                found["sees"] = (Path(folder) / f"driver-{token}").exists()
                try:
                    name = f"task-{token}-{number}"
                    (Path(folder) / name).touch()
                    found["writes"] = name
                except OSError:
                    found["writes"] = None
            time.sleep(0.1)  # the next one goes to another executor
            yield json.dumps({**found, "clock": time.time()})

    return ask


def same_python(told: Sequence[Told]) -> Checkup:
    mine = platform.python_version()
    others = {f"{one.python} on {one.host}" for one in told if one.python != mine}
    found = f"{mine} on {len({one.host for one in told})} machines with executors, and here"
    hint = "let PYSPARK_PYTHON name the same Python everywhere"
    if others:
        found = f"{mine} here, {', '.join(sorted(others))}"
    return Checkup("Python of executors", not others, found, hint, needed=True)


def same_packages(told: Sequence[Told]) -> Checkup:
    other = {
        f"{name} {there or 'missing'} on {one.host}, {version(name)} here"
        for one in told
        for name, there in one.packages.items()
        if there != version(name)
    }
    found = "; ".join(sorted(other)) or f"{', '.join(PACKAGES)}: the same everywhere"
    hint = "install the same wheel on all machines: one image, or an environment sent by --archives"
    return Checkup("packages of executors", not other, found, hint, needed=True)


def clocks(told: Sequence[Told], before: float, after: float) -> Checkup:
    """Clocks count for heartbeats and what is told, not for results."""
    apart = max((max(before - one.clock, one.clock - after, 0.0) for one in told), default=0.0)
    found = f"at most {apart:.1f} s apart from the driver's"
    return Checkup("clocks of executors", apart <= APART, found, "let them be set over the network")


def memory(told: Sequence[Told], given: str | None) -> Checkup:
    """A task takes half of its share of the machine, whatever its container may take."""
    tight = [one for one in told if one.allowed is not None and one.allowed < one.machine]
    name, hint = "memory of tasks", f'set {TASK_MEMORY}, such as "1g": half of what a core may take'
    if given is not None:
        return Checkup(name, ok=True, found=f"{given} ({TASK_MEMORY})")
    if tight:
        one = min(tight, key=lambda one: one.allowed or 0)
        found = f"{one.host} may take {_size(one.allowed or 0)} of {_size(one.machine)}, and tasks "
        return Checkup(name, ok=False, found=found + "reckon with all of it", hint=hint)
    most = min((one.machine for one in told), default=0)
    return Checkup(name, ok=True, found=f"half of a core's share of {_size(most)}")


def _sockets(session: SparkSession) -> Checkup:
    on = session.sparkContext.getConf().get(UNIX_SOCKETS, "false") == "true"
    found = "of the Unix kind" if on else "TCP, on which a task of a few milliseconds waits"
    return Checkup("sockets of workers", on, found, f"set {UNIX_SOCKETS}=true")


def visible(told: Sequence[Told], folder: Path) -> Checkup:
    blind = {one.host for one in told if not one.sees}
    blind |= {one.host for one in told if not one.writes or not _comes(folder / one.writes)}
    found = f"{folder} is written and seen by driver and executors"
    if blind:
        found = f"{folder} is not shared with {', '.join(sorted(blind))}"
    hint = 'mount one folder everywhere under the same path, or use tier="columnar"'
    return Checkup("shared folder", not blind, found, hint)


def _comes(path: Path) -> bool:
    """Whether a file is there; over a network it may take a moment."""
    for _ in range(20):
        with suppress(OSError):
            os.listdir(path.parent)  # noqa: PTH208 - lets a network file system look again
        if path.exists():
            return True
        time.sleep(0.1)
    return False


def in_store(address: str, *, local: bool) -> Checkup:
    """What a checkpoint in a store asks of a session."""
    found = f"{address} is in an object store: only the driver has the files"
    hint = 'start with tier="columnar"; queries whose rows may wait need a shared folder'
    return Checkup("checkpoint", local, found, hint)


def _size(count: int) -> str:
    return f"{count / (1 << 30):.1f} GB"
