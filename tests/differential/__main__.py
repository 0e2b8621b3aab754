"""``python -m tests.differential --seconds 3600``: random pipelines against the oracle.

``--place arrow`` runs them without Java: many more in the same time, in the driver's tier alone.
``--only SEED`` tries one again; ``--seed`` gives the same cases in the same order. ``--kills 100``
kills the seven queries of ``seven`` that often, half in each tier, while their joins change trees.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tests.differential.hunt import Killer
    from tests.differential.place import Place

os.environ["TZ"] = "UTC"
time.tzset()
os.environ["PYSPARK_PYTHON"] = sys.executable
os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")


def session() -> SparkSession:
    from slackwater.spark.session import local_session

    conf = {
        "spark.driver.memory": "1500m",
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": tempfile.mkdtemp(prefix="warehouse-"),
        "spark.ui.enabled": "false",
        "spark.log.level": "ERROR",
    }
    return local_session("differential", cores=2, conf=conf)


@contextmanager
def opened(place: str) -> Iterator[Place]:
    """The place of that name; Java starts only where it is needed."""
    if place == "arrow":
        from tests.differential.arrow import Arrow

        yield Arrow()
        return
    from tests.differential.spark import Spark

    spark = session()
    yield Spark(spark)
    spark.stop()


def seeds(first: str) -> Iterator[str]:
    return (f"{first}-{number}" for number in count())


def kill(kills: int, seed: str) -> int:
    """The seven queries, killed half as often in each tier."""
    from tests.differential.kills import kill_seven

    wrong = []
    for tier, share in (("columnar", kills // 2), ("spark", kills - kills // 2)):
        found = kill_seven(tier, share, f"{seed} {tier}", lambda text: print(text, flush=True))
        print(f"seed {seed}, {found}", *found.wrong, sep="\n", flush=True)
        wrong += found.wrong
    return 1 if wrong else 0


def killer() -> Killer:
    from tests.differential.kills import kill_one

    return partial(kill_one, kills=2)


def main() -> int:
    from tests.differential.hunt import hunt

    parser = argparse.ArgumentParser(prog="python -m tests.differential", description=__doc__)
    parser.add_argument("--place", choices=("spark", "arrow"), default="spark")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", default=os.urandom(4).hex())
    parser.add_argument("--only", help="the seed of one case")
    parser.add_argument("--no-reduce", action="store_true", help="show failing cases as they are")
    parser.add_argument("--verbose", action="store_true", help="tell the time of each case")
    parser.add_argument("--kills", type=int, help="kill the seven queries this often instead")
    parser.add_argument("--with-kills", action="store_true", help="kill some of the pipelines")
    given = parser.parse_args()
    if given.kills is not None:
        return kill(given.kills, given.seed)
    if given.with_kills and given.place != "spark":
        parser.error("--with-kills needs --place spark")
    wanted = iter([given.only]) if given.only else seeds(given.seed)
    began = time.monotonic()
    with opened(given.place) as place:
        tally = hunt(
            place,
            wanted,
            given.seconds,
            reduce=not given.no_reduce,
            verbose=given.verbose,
            kill=killer() if given.with_kills else None,
        )
    print(f"seed {given.only or given.seed}: {tally}, {time.monotonic() - began:.0f} s")
    return 1 if tally.failures else 0


if __name__ == "__main__":
    sys.exit(main())
