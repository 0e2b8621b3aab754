"""A broker of Kafka of its own for tests: temporary, on loopback, started, killed, stopped."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

HERE = Path(__file__).parent
VERSION = "4.2.0"  # as in broker.xml
ID = "4L6g3nShT-eMCtK--X86sw"
USER, PASSWORD = "reader", "correct horse battery staple"
JAVA = ["java", "-Xmx384m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
Message = bytes | str | None


def jars() -> Path:
    """Where the broker is kept, there or not."""
    home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(home) / "slackwater" / f"broker-{VERSION}"


def install() -> None:
    """Let Maven fetch the broker, once."""
    if jars().exists():
        return
    made = Path(tempfile.mkdtemp(prefix="slackwater-maven-"))
    command = ["mvn", "-B", "-q", "-f", str(HERE / "broker.xml"), "dependency:copy-dependencies"]
    command += ["-DincludeScope=runtime", f"-DoutputDirectory={made / 'jars'}"]
    try:
        subprocess.run(command, check=True, timeout=900)
        jars().parent.mkdir(parents=True, exist_ok=True)
        shutil.move(made / "jars", jars())
    finally:
        shutil.rmtree(made, ignore_errors=True)


@dataclass
class Broker:
    """One node that is broker and controller; ``folder`` has its log and goes with it."""

    folder: Path
    port: int
    guarded: int
    controller: int
    process: subprocess.Popen[bytes] | None = field(default=None)

    @property
    def servers(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def guarded_servers(self) -> str:
        """Where a name and a password are asked for (SASL)."""
        return f"127.0.0.1:{self.guarded}"

    def start(self) -> None:
        """Start it, and wait until it answers."""
        settings = str(self.folder / "broker.properties")
        with (self.folder / "broker.log").open("ab") as log:
            command = [*JAVA, "-cp", f"{jars()}/*", "kafka.Kafka", settings]
            self.process = subprocess.Popen(
                command,
                stdout=log,
                stderr=log,
                cwd=self.folder,
                start_new_session=True,  # Ctrl-C is for whoever started it, and stops it last
            )
        end = time.monotonic() + 60
        while time.monotonic() < end:
            try:
                self._admin().list_topics(timeout=1)
            except Exception:  # noqa: BLE001 - whatever it says while it starts
                if self.process.poll() is not None:
                    break
                time.sleep(0.1)
            else:
                return
        raise RuntimeError((self.folder / "broker.log").read_text())

    def kill(self) -> None:
        """As if it had lost its power."""
        assert self.process is not None
        self.process.kill()
        self.process.wait()
        self.process = None

    def stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.kill()

    def topic(self, name: str, partitions: int = 1, **config: str) -> str:
        """Make a topic that notes when messages arrive."""
        from confluent_kafka.admin import NewTopic

        told = {"message.timestamp.type": "LogAppendTime", **config}
        admin = self._admin()  # what it promises is kept as long as it is there
        admin.create_topics([NewTopic(name, partitions, 1, config=told)])[name].result(30)
        return name

    def fresh(self, partitions: int = 1, **config: str) -> str:
        """Make a topic with a name of its own."""
        return self.topic(f"t-{uuid4().hex[:8]}", partitions, **config)

    def topics(self) -> list[str]:
        """The topics that are there."""
        return [*self._admin().list_topics(timeout=10).topics]

    def configure(self, topic: str, name: str, value: str) -> None:
        """Change a setting of a topic."""
        from confluent_kafka.admin import (
            AlterConfigOpType,
            ConfigEntry,
            ConfigResource,
            ResourceType,
        )

        entry = ConfigEntry(name, value, incremental_operation=AlterConfigOpType.SET)
        asked = ConfigResource(ResourceType.TOPIC, topic, incremental_configs=[entry])
        admin = self._admin()
        for one in admin.incremental_alter_configs([asked]).values():
            one.result(30)

    def send(self, topic: str, messages: Sequence[Message], partitions: int = 1) -> None:
        """Send messages in their order, to one partition after the other."""
        from confluent_kafka import Producer

        sender = Producer({"bootstrap.servers": self.servers, "linger.ms": 5})
        for number, message in enumerate(messages):
            sender.produce(topic, message, partition=number % partitions)
            if number % 10_000 == 0:
                sender.flush()
        assert sender.flush(30) == 0

    def remove_before(self, topic: str, offset: int, partition: int = 0) -> None:
        """Remove the oldest messages of a partition, as retention does."""
        from confluent_kafka import TopicPartition

        asked = [TopicPartition(topic, partition, offset)]
        admin = self._admin()
        for one in admin.delete_records(asked).values():
            one.result(30)

    def _admin(self) -> Any:
        from confluent_kafka.admin import AdminClient

        return AdminClient({"bootstrap.servers": self.servers, "log_level": 0})

    def _make(self) -> None:
        guard = "org.apache.kafka.common.security.plain.PlainLoginModule required"
        lines = {
            "process.roles": "broker,controller",
            "node.id": "1",
            "controller.quorum.voters": f"1@127.0.0.1:{self.controller}",
            "listeners": f"PLAINTEXT://{self.servers},GUARDED://{self.guarded_servers},"
            f"CONTROLLER://127.0.0.1:{self.controller}",
            "advertised.listeners": f"PLAINTEXT://{self.servers},GUARDED://{self.guarded_servers}",
            "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,"
            "GUARDED:SASL_PLAINTEXT",
            "controller.listener.names": "CONTROLLER",
            "inter.broker.listener.name": "PLAINTEXT",
            "sasl.enabled.mechanisms": "PLAIN",
            "listener.name.guarded.plain.sasl.jaas.config": f'{guard} user_{USER}="{PASSWORD}";',
            "log.dirs": str(self.folder / "log"),
            "auto.create.topics.enable": "false",
            "offsets.topic.num.partitions": "1",
            "offsets.topic.replication.factor": "1",
            "transaction.state.log.num.partitions": "1",
            "transaction.state.log.replication.factor": "1",
            "transaction.state.log.min.isr": "1",
        }
        settings = self.folder / "broker.properties"
        settings.write_text("\n".join(f"{name}={value}" for name, value in lines.items()))
        command = [*JAVA, "-cp", f"{jars()}/*", "kafka.tools.StorageTool"]
        command += ["format", "-t", ID, "-c", str(settings)]
        subprocess.run(command, check=True, capture_output=True, timeout=60)
        self.start()


@dataclass(frozen=True)
class Committed:
    """A message as those see it who read what is committed."""

    partition: int
    offset: int
    key: str
    value: str | None


def committed(kafka: Broker, topic: str) -> list[Committed]:
    """All messages of a topic, as a consumer would read them (``read_committed``)."""
    from confluent_kafka import Consumer, TopicPartition

    told = {"bootstrap.servers": kafka.servers, "group.id": "tests", "log_level": 0}
    told |= {"isolation.level": "read_committed", "enable.partition.eof": "true"}
    told |= {"fetch.wait.max.ms": "20"}
    reader = Consumer({**told, "enable.auto.commit": "false"})
    try:
        waiting = {*reader.list_topics(topic, 10).topics[topic].partitions}
        reader.assign([TopicPartition(topic, one, 0) for one in waiting])
        found, end = [], time.monotonic() + 60
        while waiting:
            assert time.monotonic() < end, "the log is not read to its end"
            one = reader.poll(1)
            if one is None:
                continue
            if one.error():
                waiting.discard(one.partition())
                continue
            key, value = ((b or b"").decode() for b in (one.key(), one.value()))
            place = (one.partition(), one.offset())
            found.append(Committed(*place, key, None if one.value() is None else value))
        return found
    finally:
        reader.close()


@contextmanager
def broker() -> Iterator[Broker]:
    """A new broker, removed with all its messages at the end."""
    assert jars().exists(), "there is no broker: python -m tests.services.broker"
    folder = Path(tempfile.mkdtemp(prefix="slackwater-kafka-"))
    made = Broker(folder, *_free_ports(3))
    try:
        made._make()
        yield made
    finally:
        made.stop()
        shutil.rmtree(folder, ignore_errors=True)


def _free_ports(count: int) -> list[int]:
    probes = [socket.socket() for _ in range(count)]
    try:
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [int(probe.getsockname()[1]) for probe in probes]
    finally:
        for probe in probes:
            probe.close()


def main(*command: str) -> int:
    """Fetch the broker; run a command beside one: ``python -m tests.services.broker COMMAND...``.

    It finds the broker in ``KAFKA_SERVERS``.
    """
    install()
    if not command:
        return 0
    with broker() as made:
        beside = {**os.environ, "KAFKA_SERVERS": made.servers}
        return subprocess.run(command, env=beside, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
