"""What ``slackwater demo --overload`` runs: two streams, a burst, critical results on time."""

from __future__ import annotations

from slackwater.query.contract import slack
from slackwater.query.join import join
from slackwater.query.rank import rank
from slackwater.query.stream import Query, Stream
from slackwater.spark.pipeline import stream
from slackwater.spark.sources.generator import generator
from slackwater.stats.lateness import Burst, Disorder
from slackwater.units import SECOND

SPEED = 10.0  # seconds of event time per second on the wall
ROWS_PER_SECOND = 20.0  # of event time, of each stream; in the burst so many times that
BURST = 16.0
CUSTOMERS, SKEW = 2_000, 0.3  # the best customers come more often than others
BUDGET = 800  # of a batch: twice to four times what comes outside the burst
MOST_ROWS = 2_000  # of a batch and stream: what piles up while Spark warms up comes in steps
RANKS = ("orders.key < 5", "orders.key < 50")  # orders of the best customers, of good ones


def queries(seconds: float) -> tuple[Query, ...]:
    """The same join twice with the same budget; the burst is the middle third of ``seconds``."""
    third = round(seconds * SPEED / 3 * SECOND)
    orders, payments = arriving("orders", third, 1), arriving("payments", third, 2)
    paid = join(orders, payments, on="key", within="10 s").select(
        "orders_key AS customer", "orders_value AS amount", "payments_value AS paid"
    )
    plain = rank(*RANKS, budget=BUDGET, precedence="none")
    return (
        paid.query("by_rank", slack("2 s"), rank=rank(*RANKS, budget=BUDGET), lifespan="60 s"),
        paid.query("as_they_come", slack("2 s"), rank=plain, lifespan="60 s"),
    )


def arriving(name: str, third: int, seed: int) -> Stream:
    """A seeded stream; of every two thirds the second is a burst."""
    burst = Disorder(late=0.0, burst=Burst(2 * third, third, BURST))
    source = generator(
        ROWS_PER_SECOND,
        keys=CUSTOMERS,
        key_skew=SKEW,
        disorder=burst,
        seed=seed,
        speed=SPEED,
        rows_per_batch=MOST_ROWS,
    )
    return stream(name, source, time="ts")
