"""The same pipeline on a standalone master with two workers, also when one of them dies.

Run with ``make test-cluster``. Master, workers and driver are processes of their own, all on
loopback and from the pip package; each is stopped by its process group.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pyspark
import pytest
from pyspark.sql import SparkSession

from tests.spark.child import Child
from tests.spark.driver import readings, run
from tests.story import batches, ending, leftovers, queries, write_input

pytestmark = [pytest.mark.cluster, pytest.mark.slow, pytest.mark.timeout(900)]

HOME = Path(pyspark.__file__).parent
SLOW = str(Path(__file__).parent / "slow")
EXECUTOR = "org.apache.spark.executor.CoarseGrainedExecutorBackend"
TABLES = batches(7)


class Daemon:
    """A master or a worker."""

    def __init__(self, role: str, log: Path, *arguments: str, path: str = "") -> None:
        self.log = log
        command = [str(HOME / "bin" / "spark-class"), f"org.apache.spark.deploy.{role}"]
        settings = {
            "SPARK_HOME": str(HOME),
            "SPARK_DAEMON_MEMORY": "300m",
            "PYTHONPATH": os.pathsep.join(filter(None, (path, os.environ.get("PYTHONPATH")))),
            "SPARK_DAEMON_JAVA_OPTS": "-XX:+UseSerialGC -Dspark.master.rest.enabled=false",
        }
        with log.open("wb") as file:
            self.process = subprocess.Popen(
                [*command, "--host", "127.0.0.1", "--webui-port", "0", *arguments],
                stdout=file,
                stderr=file,
                env={**os.environ, **settings},
                start_new_session=True,
            )

    def wait_until_it_says(self, text: str, times: int = 1) -> None:
        deadline = time.monotonic() + 120
        while self.log.read_text().count(text) < times:
            assert self.process.poll() is None, self.log.read_text()
            assert time.monotonic() < deadline, self.log.read_text()
            time.sleep(0.1)

    @property
    def executors(self) -> list[psutil.Process]:
        """The executors that it runs."""
        below = psutil.Process(self.process.pid).children(recursive=True)
        return [one for one in below if EXECUTOR in _command(one)]

    def kill(self) -> None:
        """End it at once, and the executors it started."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def _command(process: psutil.Process) -> list[str]:
    """How it was started; nothing of one that has just died."""
    try:
        found: list[str] = process.cmdline()
    except psutil.NoSuchProcess:
        return []
    return found


class Cluster:
    """A master with two workers of one core each."""

    def __init__(self, folder: Path, path: str = "") -> None:
        self.path = path
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.address = f"spark://127.0.0.1:{port}"
        self.daemons: list[Daemon] = []
        self.master = self._start("master.Master", folder / "master.log", "--port", str(port))
        self.workers = [self._worker(folder / f"worker-{n}") for n in (1, 2)]

    def wait_until_ready(self) -> None:
        self.master.wait_until_it_says("Registering worker", times=2)

    def _start(self, role: str, log: Path, *arguments: str) -> Daemon:
        self.daemons.append(Daemon(role, log, *arguments, path=self.path))
        return self.daemons[-1]

    def _worker(self, folder: Path) -> Daemon:
        size = ("--cores", "1", "--memory", "1g", "--work-dir", str(folder))
        return self._start("worker.Worker", folder.with_suffix(".log"), *size, self.address)

    def stop(self) -> None:
        for daemon in reversed(self.daemons):
            daemon.kill()


@pytest.fixture
def cluster(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Cluster]:
    """Its Python runs as it is, or with what a parameter names first on its path."""
    started = Cluster(tmp_path, getattr(request, "param", ""))
    try:
        started.wait_until_ready()
        yield started
    finally:
        started.stop()


@pytest.fixture(scope="module")
def local(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Counter[str]]:
    """How the story ends on this machine alone."""
    folder = tmp_path_factory.mktemp("local")
    run(spark, queries(readings("1 day")), TABLES, folder, tier="columnar")
    return ending(folder)


@pytest.fixture
def child(cluster: Cluster, tmp_path: Path, tier: str) -> Iterator[Child]:
    """A driver on the cluster, ready to go."""
    write_input(tmp_path / "in", TABLES)
    started = Child(tmp_path / "in", tier, cluster.address)
    yield started
    started.bury()


@pytest.mark.parametrize("tier", ["columnar", "spark"])
def test_a_cluster_gives_what_one_machine_gives(
    local: dict[str, Counter[str]], child: Child, tmp_path: Path, tier: str
) -> None:
    child.go(tmp_path / "checkpoint")
    child.wait_for_end(600)
    assert ending(tmp_path / "checkpoint") == local
    assert leftovers(tmp_path / "checkpoint") == []


@pytest.mark.kill
@pytest.mark.parametrize("tier", ["columnar", "spark"])
def test_a_worker_that_dies_in_the_middle_changes_nothing(
    local: dict[str, Counter[str]], cluster: Cluster, child: Child, tmp_path: Path, tier: str
) -> None:
    child.go(tmp_path / "checkpoint")
    child.wait_for(2, 300)
    time.sleep(0.3)  # into the next batch
    cluster.workers[0].kill()
    seen = len(child.batches)
    child.wait_for_end(600)
    assert len(child.batches) > seen
    cluster.master.wait_until_it_says("Removing worker")
    assert ending(tmp_path / "checkpoint") == local
    assert leftovers(tmp_path / "checkpoint") == []


@pytest.mark.kill
@pytest.mark.parametrize("tier", ["spark"])
def test_executors_that_are_lost_come_back_and_read_the_shared_files_again(
    local: dict[str, Counter[str]], cluster: Cluster, child: Child, tmp_path: Path, tier: str
) -> None:
    child.go(tmp_path / "checkpoint")
    killed = 0
    for committed, worker in zip((1, 3, 4), (0, 1, 0), strict=True):
        child.wait_for(committed, 300)
        for executor in cluster.workers[worker].executors:
            with suppress(psutil.NoSuchProcess):
                executor.kill()
                killed += 1
    assert killed > 1
    child.wait_for_end(600)
    assert ending(tmp_path / "checkpoint") == local
    assert leftovers(tmp_path / "checkpoint") == []


@pytest.mark.parametrize("tier", ["spark"])
@pytest.mark.parametrize("cluster", [SLOW], indirect=True, ids=["slow"])
def test_a_shared_folder_that_is_slow_changes_nothing(
    local: dict[str, Counter[str]], child: Child, tmp_path: Path, tier: str
) -> None:
    child.go(tmp_path / "checkpoint")
    child.wait_for_end(600)
    assert ending(tmp_path / "checkpoint") == local
    assert leftovers(tmp_path / "checkpoint") == []
