"""A PostgreSQL of its own for tests: a temporary cluster on loopback, started, killed, stopped."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg

USER, PASSWORD, DATABASE = "slackwater", "correct horse battery staple", "answers"
_ACCOUNT = "postgres"  # PostgreSQL refuses to run as root


def programs() -> Path | None:
    """Where the server's programs are; ``None`` if it is not installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
    on_path = shutil.which("postgres")
    return found[-1].parent if found else Path(on_path).parent if on_path else None


@dataclass(frozen=True)
class Cluster:
    """A server with one database; ``folder`` has its data and goes with it."""

    bin: Path
    folder: Path
    port: int

    @property
    def url(self) -> str:
        """Where it is, without the password."""
        return f"postgresql://{USER}@127.0.0.1:{self.port}/{DATABASE}"

    def connect(self) -> psycopg.Connection:
        return psycopg.connect(self.url, password=PASSWORD, autocommit=True)

    def rows(self, text: str) -> list[tuple[object, ...]]:
        """What a statement answers, read as anybody would."""
        with self.connect() as connection:
            connection.execute("SET TimeZone = 'UTC'")
            return connection.execute(text).fetchall()  # type: ignore[arg-type]

    def run(self, text: str) -> None:
        with self.connect() as connection:
            connection.execute(text)  # type: ignore[arg-type]

    def start(self) -> None:
        options = f"-c listen_addresses=127.0.0.1 -c port={self.port}"
        options += f" -c unix_socket_directories={self.folder} -c max_connections=40"
        data, log = str(self.folder / "data"), str(self.folder / "log")
        self._do("pg_ctl", "-D", data, "-l", log, "-o", options, "-w", "-s", "start")

    def stop(self, how: str = "fast") -> None:
        """Stop it; ``immediate`` is as if it had been killed."""
        self._do("pg_ctl", "-D", str(self.folder / "data"), "-m", how, "-w", "-s", "stop")

    def restart(self) -> None:
        self.stop("immediate")
        self.start()

    def _do(self, program: str, *arguments: str) -> None:
        lead = ["runuser", "-u", _ACCOUNT, "--"] if os.geteuid() == 0 else []
        command = [*lead, str(self.bin / program), *arguments]
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self.folder,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"{program} {' '.join(arguments)}: {done.stderr}")

    def _make(self) -> None:
        secret = self.folder / "password"
        secret.write_text(PASSWORD)
        if os.geteuid() == 0:
            shutil.chown(self.folder, _ACCOUNT, _ACCOUNT)
            shutil.chown(secret, _ACCOUNT, _ACCOUNT)
        data, access = str(self.folder / "data"), "--auth=scram-sha-256"
        self._do("initdb", "-D", data, "-U", USER, access, f"--pwfile={secret}", "-E", "UTF8", "-N")
        secret.unlink()
        self.start()
        url = self.url.replace(f"/{DATABASE}", "/postgres")
        with psycopg.connect(url, password=PASSWORD, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {DATABASE}")


@contextmanager
def cluster() -> Iterator[Cluster]:
    """A new cluster, removed with all its data at the end."""
    found = programs()
    assert found is not None, "PostgreSQL is not installed"
    folder = Path(tempfile.mkdtemp(prefix="slackwater-postgres-"))
    made = Cluster(found, folder, _free_port())
    try:
        made._make()
        yield made
    finally:
        if (folder / "data" / "postmaster.pid").exists():
            made.stop("immediate")
        shutil.rmtree(folder, ignore_errors=True)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def main(*command: str) -> int:
    """Run a command beside a server: ``python -m tests.services.cluster COMMAND...``.

    It finds the server in ``ANSWERS_URL``, and the password where ``psql`` looks for it.
    """
    with cluster() as made:
        beside = {**os.environ, "ANSWERS_URL": made.url, "PGPASSWORD": PASSWORD}
        return subprocess.run(command, env=beside, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
