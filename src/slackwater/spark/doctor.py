"""What a session needs on this machine: what is there, what is not, and how to get it."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from slackwater.errors import MachineError
from slackwater.spark import connector
from slackwater.spark.session import require_java

PYTHON = (3, 11)
EXTRAS = {
    "postgres": ("psycopg", "adbc-driver-postgresql"),
    "kafka": ("confluent-kafka",),
    "delta": ("deltalake",),
    "iceberg": ("pyiceberg",),
    "objects": ("obstore",),
    "otel": ("opentelemetry-sdk", "opentelemetry-exporter-otlp-proto-http"),
}


@dataclass(frozen=True, slots=True)
class Checkup:
    """One thing: whether it is there, what was found, and how to get it.

    ``needed``: no session does without.
    """

    name: str
    ok: bool
    found: str
    hint: str = ""
    needed: bool = False


def examine() -> Iterator[Checkup]:
    """Look at this machine; nothing is started or fetched."""
    yield _python()
    yield _java()
    yield Checkup("Spark", ok=True, found=f"PySpark {version('pyspark')}", needed=True)
    yield _connector()
    yield _maven()
    yield from (_extra(name, packages) for name, packages in EXTRAS.items())


def _python() -> Checkup:
    wanted = ".".join(map(str, PYTHON))
    hint = f"install Python {wanted} or newer"
    found = f"Python {platform.python_version()}"
    return Checkup("Python", sys.version_info >= PYTHON, found, hint, needed=True)


def _java() -> Checkup:
    try:
        require_java()
    except MachineError as error:
        return Checkup("Java", ok=False, found=error.message, hint=error.hint, needed=True)
    home = os.environ.get("JAVA_HOME")
    found = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    return Checkup("Java", ok=True, found=str(found), needed=True)


def _connector() -> Checkup:
    place = connector.place()
    jars = connector.found(place)
    if not jars:
        hint = (
            "sw.local_session(kafka=True) fetches it by Maven; a session of your own takes "
            f"spark.jars.packages={connector.package()}"
        )
        return Checkup("Kafka connector", ok=False, found=f"not in {place}", hint=hint)
    name = next(jar.stem for jar in jars if jar.name.startswith(connector.CONNECTOR))
    return Checkup("Kafka connector", ok=True, found=f"{name} in {place}")


def _maven() -> Checkup:
    maven = shutil.which("mvn")
    hint = "only to fetch the Kafka connector; Debian: apt-get install maven"
    return Checkup("Maven", maven is not None, maven or "no mvn on the path", hint)


def _extra(name: str, packages: tuple[str, ...]) -> Checkup:
    found, missing = [], []
    for package in packages:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            missing.append(package)
    hint = f"pip install 'slackwater[{name}]'"
    if missing:
        return Checkup(f"extra {name}", ok=False, found=f"no {', '.join(missing)}", hint=hint)
    return Checkup(f"extra {name}", ok=True, found=", ".join(found))
