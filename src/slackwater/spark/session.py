"""A local Spark session with the settings this work likes, and clear words when Java is missing."""

from __future__ import annotations

import atexit
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

from pyspark.sql import SparkSession

from slackwater.errors import MachineError, SlackwaterError
from slackwater.spark import connector

JAVA = 17
JARS = "spark.jars"
UNIX_SOCKETS = "spark.python.unix.domain.socket.enabled"
SOCKETS_FOLDER = "spark.python.unix.domain.socket.dir"
LONGEST = 107  # bytes of the path of a socket; its name has 42
FILE_MANAGER = "spark.sql.streaming.checkpointFileManagerClass"
DIRECT_FILES = (
    "org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager"
)
_JAVA_HINT = (
    f"install Java {JAVA} or newer (Debian: apt-get install openjdk-17-jre-headless) "
    "or point JAVA_HOME to it"
)


def local_session(
    app: str = "slackwater",
    *,
    cores: int | None = None,
    conf: dict[str, str] | None = None,
    kafka: bool | str | Path = False,
) -> SparkSession:
    """A Spark session on this machine, in UTC, tuned for micro-batches.

    Parameters
    ----------
    app
        Name of the application.
    cores
        Number of cores; all of this machine by default.
    conf
        Further Spark settings; they win over the defaults here.
    kafka
        With Spark's connector for Kafka, which Maven fetches the first time; or a folder that has
        its jars.

    Raises
    ------
    MachineError
        Java is missing, or the connector and all ways to fetch it.
    SourceError
        There is a session already, and it does not have the connector that is wanted.
    """
    require_java()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    width = cores or os.cpu_count() or 2
    settings = {
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": str(width),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        **sockets(),
        **(conf or {}),
    }
    if kafka:
        folder = None if isinstance(kafka, bool) else kafka
        given = [settings.get(JARS, ""), *map(str, connector.jars(folder))]
        settings[JARS] = ",".join(filter(None, given))
    builder = SparkSession.builder.appName(app).master(f"local[{width}]")
    for key, value in settings.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    if kafka:
        connector.require(session)
    return session


@cache
def sockets() -> dict[str, str]:
    """Let Spark talk to Python workers over files: a job of empty tasks takes 22 ms, not 64."""
    folder = tempfile.mkdtemp(prefix="slackwater-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    if len(os.fsencode(folder)) + 43 > LONGEST:
        return {}
    return {UNIX_SOCKETS: "true", SOCKETS_FOLDER: folder}


def is_local(session: SparkSession) -> bool:
    """Whether executors are in the driver's own process, and see what it sees."""
    return str(session.sparkContext.master).startswith("local")


def zone_of(session: SparkSession) -> str:
    """The time zone in which a session reads hours and days."""
    return session.conf.get("spark.sql.session.timeZone") or "UTC"


def one_meaning(session: SparkSession, zone: str) -> None:
    """Let statements mean in a session what they mean in all others of a pipeline.

    A new session has none of the settings that were made in the one it comes from.
    """
    settings = {
        "spark.sql.session.timeZone": zone,
        "spark.sql.ansi.enabled": "false",
        "spark.sql.timestampType": "TIMESTAMP_LTZ",
        "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",  # as Arrow
    }
    for name, value in settings.items():
        session.conf.set(name, value)


def direct_checkpoint_files(session: SparkSession) -> Callable[[], None]:
    """Streams that start now write their offsets to local folders without a fork per file.

    Spark's default manager starts a process for each file that it touches on a local disk, some
    25 ms each. Call the function that is returned to go back to that manager, once the sources of
    the stream are open: its own thread opens them before its first batch. A manager that somebody
    chose is left alone.
    """
    if session.conf.get(FILE_MANAGER, None) is not None:
        return lambda: None
    session.conf.set(FILE_MANAGER, DIRECT_FILES)
    mine = [session]

    def restore() -> None:
        while mine:
            mine.pop().conf.unset(FILE_MANAGER)

    return restore


def require_java() -> None:
    """Raise a clear error unless a recent enough Java can be run."""
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    if java is None or not Path(java).exists():
        raise MachineError("JAVA_MISSING", "Spark needs Java, and none was found", _JAVA_HINT)
    version = java_version(java)
    if version is not None and version < JAVA:
        raise MachineError("JAVA_TOO_OLD", f"{java} is Java {version}", _JAVA_HINT)


def java_version(java: str) -> int | None:
    """Major version of a Java program, ``None`` if it does not say."""
    answer = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)
    found = re.search(r'version "(\d+)(?:\.(\d+))?', answer.stderr + answer.stdout)
    if found is None:
        return None
    major = int(found[1])
    return int(found[2]) if major == 1 and found[2] else major


def slots(session: SparkSession) -> Callable[[], int]:
    """Who tells how many tasks run at the same time, now.

    That is not Spark's default parallelism, which may be set to anything. Where executors come
    when tasks wait for them, it is what they are asked for.
    """
    context = session.sparkContext
    wanted = int(context.defaultParallelism)
    if context.getConf().get("spark.dynamicAllocation.enabled", "false") == "true":
        return lambda: wanted
    scala = context._jsc.sc()
    profile = scala.resourceProfileManager().defaultResourceProfile()
    return lambda: int(scala.maxNumConcurrentTasks(profile)) or wanted  # none, while they start


def few_cores(session: SparkSession) -> bool:
    """Whether planning and spreading small work costs more here than it saves."""
    return session.sparkContext.defaultParallelism <= 4


def bytes_of(size: str) -> int:
    """A size of memory as Spark's settings have it.

    >>> bytes_of("512m")
    536870912
    """
    found = re.fullmatch(r"(\d+)([kmgt]?)b?", size.strip().lower())
    if found is None:
        raise SlackwaterError("SETTING_INVALID", f"{size!r} is no size of memory", 'as in "512m"')
    return int(found[1]) << 10 * " kmgt".index(found[2] or " ")
