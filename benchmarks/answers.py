"""Results as a query with many groups gives them, for benchmarks of sinks."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

KEYS = ("window_start", "window_end", "sensor")
_INSTANT = pa.timestamp("us", "UTC")


def answers(rows: int, batch: int = 0) -> pa.Table:
    """Rows of one batch, no key twice."""
    draw = np.random.default_rng(batch)
    starts = np.full(rows, 1_700_000_000_000_000 + batch * 10_000_000)
    return pa.table(
        {
            "window_start": pa.array(starts).cast(_INSTANT),
            "window_end": pa.array(starts + 10_000_000).cast(_INSTANT),
            "sensor": np.char.add("sensor-", np.arange(rows).astype(str)),
            "n": draw.integers(0, 10**6, rows),
            "mean": draw.normal(size=rows),
            "kind": pa.repeat("final", rows),
            "revision": pa.array(np.zeros(rows, np.int32)),
            "coverage": np.ones(rows),
            "emitted_at": pa.array(starts).cast(_INSTANT),
        }
    )
