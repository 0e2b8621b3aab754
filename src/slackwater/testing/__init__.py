"""Pipelines without Java: the loop, state and sinks as they are, over Arrow tables given by hand.

For tests of queries, controllers and sinks. Only the pass over raw rows is another one (DuckDB
instead of Spark); a suite of this project holds the two together.

>>> import pyarrow as pa, slackwater as sw, tempfile
>>> from datetime import datetime, UTC
>>> from slackwater.testing import rows, run
>>> readings = rows("readings", time="ts", ts="timestamp", v="bigint")
>>> sink = sw.memory()
>>> query = readings.window("10 s").aggregate(n="count(*)").query("q", sink=sink)
>>> times = [datetime(2026, 1, 1, 0, 0, s, tzinfo=UTC) for s in (1, 3, 12)]
>>> table = pa.table({"ts": pa.array(times, pa.timestamp("us", "UTC")), "v": [1, 2, 3]})
>>> with tempfile.TemporaryDirectory() as folder:
...     loop = run([query], [table], folder)
>>> sink.table()["n"].to_pylist()
[2, 1]
"""

from __future__ import annotations

from slackwater.testing.checks import check_latest, check_sink
from slackwater.testing.drive import Settings, make_loop, micro, rows, run
from slackwater.testing.runtime import ArrowRuntime, Micro

__all__ = [
    "ArrowRuntime",
    "Micro",
    "Settings",
    "check_latest",
    "check_sink",
    "make_loop",
    "micro",
    "rows",
    "run",
]
