"""Rows a second into a topic of Kafka: made into messages, kept, and sent in one transaction.

    python -m tests.services.broker python benchmarks/topic_sink.py

``KAFKA_SERVERS`` names the brokers. Every figure is the median of several batches; *CPU* is that of
this process, all threads together, which other load does not move.
"""

from __future__ import annotations

import os
import tempfile
import time
from statistics import median
from uuid import uuid4

from answers import KEYS, answers
from confluent_kafka.admin import AdminClient, NewTopic

import slackwater as sw
from slackwater.execute.sinks import TableResults, Target
from slackwater.execute.sinks.mode import Mode

SERVERS = os.environ["KAFKA_SERVERS"]
ROWS = (1_000, 20_000, 200_000)
ROUNDS = 5
MODES: tuple[Mode, ...] = ("append", "latest")


def main() -> None:
    admin = AdminClient({"bootstrap.servers": SERVERS})
    with tempfile.TemporaryDirectory() as folder:
        for mode in MODES:
            name = f"answers-{mode}-{uuid4().hex[:8]}"
            admin.create_topics([NewTopic(name, 2, 1)])[name].result(30)
            sink = sw.kafka_sink(name, SERVERS, mode=mode, waiting=folder)
            sink.open(Target("q", keys=KEYS))
            sink.recover(-1)
            batch = 0
            for rows in ROWS:
                prepared, committed, spent = [], [], []
                for _ in range(ROUNDS):
                    table = TableResults(answers(rows, batch))
                    cpu, begin = time.process_time(), time.perf_counter()
                    sink.prepare(batch, table)
                    middle = time.perf_counter()
                    sink.commit(batch)
                    prepared.append(middle - begin)
                    committed.append(time.perf_counter() - middle)
                    spent.append(time.process_time() - cpu)
                    batch += 1
                one, other, busy = median(prepared), median(committed), median(spent)
                told = f"{rows:>9,} rows  {mode:<7} prepare {1000 * one:6.0f} ms, commit "
                told += f"{1000 * other:6.0f} ms {rows / (one + other):>9,.0f}/s, CPU "
                print(f"{told}{1000 * busy:6.0f} ms {rows / busy:>9,.0f}/s")


if __name__ == "__main__":
    main()
