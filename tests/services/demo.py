"""``make services-demo``: from a real broker through a contract into a real database, on loopback.

Measurements are sent to a topic while the clock goes on, a fifth of them late. A pipeline that
promises sums within five per cent writes them to PostgreSQL, one row for each window and sensor;
what is shown is read from there. Everything that was started is stopped at the end, and at Ctrl-C.
"""

from __future__ import annotations

import json
import logging
import os
import random
import signal
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table

import slackwater as sw
from slackwater.query.stream import Query
from slackwater.spark.quiet import quiet_session
from tests.services.broker import Broker, broker
from tests.services.cluster import PASSWORD, Cluster, cluster

TOPIC, TABLE, SENSORS = "readings", "per_sensor", 5
# messages a second, share that is late, its mean delay in seconds
RATE, LATE, DELAY = 200, 0.2, 1.0
SECONDS, FIRST = 30, 90  # how long rows are shown; how long the first may take
SHOWN = 12  # rows
COLUMNS = {"ts": "timestamp", "sensor": "int", "value": "double"}


@dataclass
class Sensors:
    """Sends measurements until it is told to stop."""

    kafka: Broker
    over: threading.Event = field(default_factory=threading.Event)
    sent: int = 0
    late: int = 0

    def run(self) -> None:
        from confluent_kafka import Producer

        sender = Producer({"bootstrap.servers": self.kafka.servers, "linger.ms": 20})
        draw = random.Random(1)
        begin = time.time()
        while not self.over.wait(0.05):
            for _ in range(int(RATE * (time.time() - begin)) - self.sent):
                sender.produce(TOPIC, json.dumps(self._measured(draw)))
                self.sent += 1
            sender.poll(0)
        sender.flush(10)

    def _measured(self, draw: random.Random) -> dict[str, Any]:
        is_late = draw.random() < LATE
        self.late += is_late
        delay = draw.expovariate(1 / DELAY) if is_late else draw.uniform(0, 0.2)
        ts = datetime.now(UTC) - timedelta(seconds=delay)
        sensor = draw.randrange(SENSORS)
        return {"ts": ts.isoformat(), "sensor": sensor, "value": round(draw.gauss(20, 4), 2)}


def query(kafka: Broker, postgres: Cluster) -> Query:
    """What is asked, under which contract, and where it goes."""
    source = sw.kafka(TOPIC, servers=kafka.servers, schema=COLUMNS, time="ts")
    readings = sw.stream("readings", source, time="ts")
    sums = readings.window("2 seconds").group_by("sensor").aggregate(n="count(*)", sum="sum(value)")

    def table(name: str, mode: Any = "append") -> Any:
        return sw.postgres(
            name, postgres.url, password=sw.secret(env="ANSWERS_PASSWORD"), mode=mode
        )

    return sums.query(
        TABLE,
        sw.max_error(0.05, confidence=0.9),
        late="revise",
        keep="20 seconds",
        sink=table(TABLE, "latest"),
        side=table(f"{TABLE}_late"),
        quality=table(f"{TABLE}_quality"),
    )


def filled(postgres: Cluster) -> bool:
    """Whether the table is there and has rows."""
    if postgres.rows(f"SELECT to_regclass('{TABLE}')") == [(None,)]:
        return False
    return postgres.rows(f"SELECT count(*) FROM {TABLE}") != [(0,)]


def shown(postgres: Cluster, sensors: Sensors, report: dict[str, Any]) -> Group:
    """The newest rows of the table, as anybody would read them."""
    told = Table(title=f"SELECT * FROM {TABLE} ORDER BY window_end DESC", title_justify="left")
    for name in ("window_start", "sensor", "n", "sum", "kind", "revision"):
        told.add_column(name)
    rows: list[tuple[Any, ...]] = []
    total: tuple[Any, ...] = (0, 0, 0)
    if filled(postgres):
        rows = postgres.rows(
            "SELECT to_char(window_start, 'HH24:MI:SS'), sensor, n, round(sum::numeric, 1), kind, "
            f"revision FROM {TABLE} ORDER BY window_end DESC, sensor LIMIT {SHOWN}"
        )
        [total] = postgres.rows(
            "SELECT count(*), coalesce(sum(n), 0), count(*) FILTER (WHERE revision > 0) "
            f"FROM {TABLE}"
        )
    for row in rows:
        told.add_row(*(str(value) for value in row))
    found = report.get("queries", {}).get(TABLE, {})
    slack = found.get("slack")
    line = f"{sensors.sent:,} messages sent, {sensors.late:,} of them late; in the table: "
    line += f"{total[0]:,} rows of {int(total[1]):,} messages, {total[2]:,} of them revised"
    wait = "" if slack is None else f"; slack now {slack / 1e6:.1f} s"
    return Group(told, line + wait)


def demo(seconds: float, console: Console) -> None:
    """All of it, in the order in which it is stopped again."""
    with _started(console) as (kafka, postgres, work):
        os.environ["ANSWERS_PASSWORD"] = PASSWORD
        kafka.topic(TOPIC, 2)
        sensors = Sensors(kafka)
        sender = threading.Thread(target=sensors.run, daemon=True)
        spark = None
        handle = None
        reports: deque[dict[str, Any]] = deque(maxlen=1)
        try:
            console.print("Spark starts ...")
            spark = quiet_session(work / "spark.log", kafka=True)
            sender.start()
            handle = sw.pipeline(query(kafka, postgres)).start(
                str(work / "checkpoint"), spark=spark, trigger="1 second", on_batch=reports.append
            )
            with Live(console=console, refresh_per_second=4) as live:
                end, is_filled = time.monotonic() + FIRST, False
                while time.monotonic() < end and not handle.await_termination(1):
                    live.update(shown(postgres, sensors, reports[0] if reports else {}))
                    if not is_filled and filled(postgres):
                        end, is_filled = time.monotonic() + seconds, True
        finally:
            sensors.over.set()
            if handle is not None:
                handle.stop()
            if spark is not None:
                spark.stop()
            if sender.is_alive():
                sender.join(15)
        if not filled(postgres):
            raise SystemExit(f"no answer within {FIRST} s: is the machine busy with other things?")


@contextmanager
def _started(console: Console) -> Iterator[tuple[Broker, Cluster, Path]]:
    with tempfile.TemporaryDirectory(prefix="slackwater-demo-") as folder:
        console.print("a broker and a database start on loopback, in temporary folders ...")
        with cluster() as postgres, broker() as kafka:
            console.print(f"Kafka at {kafka.servers}, PostgreSQL at {postgres.url}")
            yield kafka, postgres, Path(folder)
        console.print("\nbroker and database are stopped, their folders are gone")


def main(seconds: str = str(SECONDS)) -> int:
    logging.getLogger("py4j").setLevel(logging.CRITICAL)  # it tells of every stop
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # stop all of it then, too
    try:
        demo(float(seconds), Console())
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
