"""Spark's connector for Kafka: its jars are not part of PySpark. Found here, or fetched by Maven.

Maven reads the settings of the machine (mirrors, proxies, credentials), so that nothing of them is
said here.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

import pyspark
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

from slackwater.errors import MachineError, SourceError, StorageError
from slackwater.runs.paths import local_path

FOLDER = "SLACKWATER_KAFKA_JARS"  # an environment variable
NEEDED = (
    "spark-sql-kafka-0-10_2.13",
    "spark-token-provider-kafka-0-10_2.13",
    "kafka-clients",
    "commons-pool2",
)
CONNECTOR = NEEDED[0]
PATIENCE = 600  # seconds that Maven may take


@dataclass(frozen=True, slots=True)
class Artifact:
    """What Maven knows by group, name and version."""

    group: str
    name: str
    version: str


# What the tests run on, for registries that do not have the connector of Spark's own version.
KNOWN = (
    Artifact("org.apache.spark", CONNECTOR, "4.2.0"),
    Artifact("org.apache.spark", NEEDED[1], "4.0.0"),
    Artifact("org.apache.kafka", NEEDED[2], "3.9.2"),
    Artifact("org.apache.commons", NEEDED[3], "2.12.1"),
)


def package() -> str:
    """What to give to ``spark.jars.packages`` in a session of one's own."""
    return f"org.apache.spark:{CONNECTOR}:{pyspark.__version__}"


def place() -> Path:
    """Where the jars for this Spark are kept, there or not."""
    given = os.environ.get(FOLDER)
    if given:
        return Path(given).expanduser().absolute()
    home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(home) / "slackwater" / "kafka" / f"spark-{pyspark.__version__}"


def found(folder: Path) -> list[Path]:
    """The jars of the connector in a folder; none unless all are there."""
    every = sorted(folder.glob("*.jar"))
    mine = [next((jar for jar in every if jar.name.startswith(name)), None) for name in NEEDED]
    return [] if None in mine else every


def jars(folder: str | Path | None = None) -> list[Path]:
    """The jars of the connector: of a folder that has them, or fetched once and kept.

    Raises
    ------
    MachineError
        They are not there, and cannot be fetched.
    """
    here = place() if folder is None else local_path(folder)
    if not found(here) and folder is None and not os.environ.get(FOLDER):
        fetch(here)
    mine = found(here)
    if not mine:
        text = f"{here} does not have the jars of Spark's connector for Kafka: {', '.join(NEEDED)}"
        raise MachineError("CONNECTOR_MISSING", text, "give another folder, or let it be fetched")
    return mine


def fetch(folder: Path) -> None:
    """Let Maven fetch the jars into a folder, which appears with all of them or not at all."""
    maven = shutil.which("mvn")
    if maven is None:
        raise MachineError(
            "CONNECTOR_MISSING",
            "Spark's connector for Kafka is not part of PySpark, and Maven, which fetches it, is "
            "not installed",
            "install Maven (Debian: apt-get install maven), or give a folder that has the jars: "
            f'sw.local_session(kafka="FOLDER") or {FOLDER}; a session of your own takes '
            f"spark.jars.packages={package()}",
        )
    own = (Artifact("org.apache.spark", CONNECTOR, pyspark.__version__),)
    said: list[str] = []
    for wanted, alone in ((own, False), (KNOWN, True)):
        with tempfile.TemporaryDirectory(prefix="slackwater-maven-") as work:
            said.append(_copy(maven, Path(work), wanted, alone=alone))
            if found(Path(work) / "jars"):
                _keep(Path(work) / "jars", folder)
                return
    raise MachineError(
        "CONNECTOR_FETCH_FAILED",
        f"Maven cannot fetch Spark's connector for Kafka: {said[0]}",
        "look at its settings (mirrors, proxies), or give a folder that has the jars: "
        f'sw.local_session(kafka="FOLDER") or {FOLDER}',
    )


def _keep(made: Path, folder: Path) -> None:
    """Move a folder to its place, unless somebody else was quicker."""
    beside = folder.with_name(f".{folder.name}-{os.getpid()}")
    try:
        shutil.copytree(made, beside)  # its parents are made, too
        beside.rename(folder)
    except OSError as error:
        if not found(folder):
            raise StorageError.of(error, folder, "nothing was kept") from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _copy(maven: str, work: Path, wanted: Sequence[Artifact], *, alone: bool) -> str:
    """Copy jars into ``work``; what Maven says if it cannot. ``alone``: nothing they ask for."""
    (work / "pom.xml").write_text(_project(wanted, alone=alone), encoding="utf-8")
    command = [maven, "-B", "-q", "-f", str(work / "pom.xml"), "dependency:copy-dependencies"]
    command += [f"-DincludeArtifactIds={','.join(NEEDED)}", f"-DoutputDirectory={work / 'jars'}"]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=PATIENCE, cwd=work
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    lines = (done.stdout + done.stderr).splitlines()
    told = (line.partition("[ERROR]")[2].strip() for line in lines)
    return next((line for line in told if line), "") if done.returncode else ""


def _project(wanted: Sequence[Artifact], *, alone: bool) -> str:
    """A project that depends on some jars; those of Hadoop are part of Spark."""
    without = "*" if alone else "org.apache.hadoop"
    left_out = f"<exclusion><groupId>{without}</groupId><artifactId>*</artifactId></exclusion>"
    needs = "".join(
        f"<dependency><groupId>{escape(one.group)}</groupId>"
        f"<artifactId>{escape(one.name)}</artifactId><version>{escape(one.version)}</version>"
        f"<exclusions>{left_out}</exclusions></dependency>"
        for one in wanted
    )
    return (
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
        "<groupId>slackwater</groupId><artifactId>jars</artifactId><version>1</version>"
        f"<packaging>pom</packaging><dependencies>{needs}</dependencies></project>"
    )


def require(session: SparkSession) -> None:
    """Raise a clear error unless a session has the connector."""
    options = {"kafka.bootstrap.servers": "127.0.0.1:1", "subscribe": "none"}  # nobody is asked
    try:
        session.readStream.format("kafka").options(**options).load()
    except AnalysisException as error:
        if "kafka" not in str(error).lower():
            raise
        raise SourceError(
            "CONNECTOR_MISSING",
            "this Spark session does not have Spark's connector for Kafka",
            "start it with sw.local_session(kafka=True), before any other session; a session of "
            f"your own takes spark.jars.packages={package()}",
        ) from None
