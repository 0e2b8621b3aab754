"""What an open page costs a query: batch times with and without, block by block in one run.

    python benchmarks/page_cost.py [ROUNDS] [VIEWERS]

One pipeline runs all the time. In every other block of batches a page is served and so many viewers
hold it open, reading all that a browser reads. The first batches of a block are left out: then the
processes of the page start or end.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from statistics import median
from typing import Any

import slackwater as sw
from slackwater.cli.page import page_beside

SETTLE = 8  # batches left out at the beginning of a block
BLOCK = 25  # batches measured in a block
WARM = 80  # batches before the first block


def view(url: str) -> None:
    """Read as a browser does: everything once, then what is new, as long as it comes."""
    for path in ("", "api/runs", "api/runs/0/history", "api/runs/0/log"):
        urllib.request.urlopen(url + path).read()
    with urllib.request.urlopen(f"{url}api/live?since=0.0.-1") as news:
        for line in news:
            if b'"numbers"' in line:
                urllib.request.urlopen(f"{url}api/runs/0/log").read()


@contextmanager
def watched(folder: Path, viewers: int) -> Iterator[None]:
    """A page with viewers, all in processes of their own."""
    with page_beside(folder, 0) as url:
        command = [sys.executable, __file__, "--view", url]
        readers = [subprocess.Popen(command, stderr=subprocess.DEVNULL) for _ in range(viewers)]
        try:
            yield
        finally:
            for reader in readers:
                reader.kill()
                reader.wait()


class Times:
    """The time of every batch, in milliseconds."""

    def __init__(self) -> None:
        self.all: list[float] = []
        self._more = threading.Condition()

    def add(self, report: dict[str, Any]) -> None:
        with self._more:
            self.all.append(sum(report["ms"].values()))
            self._more.notify()

    def next(self, skip: int, count: int) -> list[float]:
        """Wait for some batches, and give those after the first ``skip``."""
        first = len(self.all) + skip
        with self._more:
            self._more.wait_for(lambda: len(self.all) >= first + count)
        return self.all[first : first + count]


def measure(folder: Path, rounds: int, viewers: int) -> dict[bool, list[float]]:
    source = sw.generator(20_000, keys=50, rows_per_batch=20_000, total_rows=1 << 40, seed=3)
    rows = sw.stream("rows", source, time="ts").window("10 s", "2 s").group_by("key")
    query = rows.aggregate(n="count(*)", mean="avg(value)").query("q", sw.max_error(0.02))
    times = Times()
    handle = sw.pipeline(query).start(str(folder), on_batch=times.add, spark=sw.local_session())
    found: dict[bool, list[float]] = {False: [], True: []}
    times.next(0, WARM)
    for block in range(2 * rounds):
        is_open = block % 4 in (1, 2)  # without, with, with, without: a drift hits both alike
        with watched(folder, viewers) if is_open else nullcontext():
            taken = times.next(SETTLE, BLOCK)
        found[is_open] += taken
        words = "page open" if is_open else "no page"
        print(f"{words:<10} median {median(taken):6.1f} ms", flush=True)
    handle.stop()
    return found


def main() -> None:
    given = [int(word) for word in sys.argv[1:3]]
    rounds, viewers = (*given, *(4, 3)[len(given) :])
    with tempfile.TemporaryDirectory() as folder:
        found = measure(Path(folder), rounds, viewers)
    without, within = median(found[False]), median(found[True])
    spread = sorted(found[False])
    low, high = spread[len(spread) // 4], spread[3 * len(spread) // 4]
    print(f"no page    median {without:.1f} ms, half of all between {low:.1f} and {high:.1f} ms")
    print(f"page open  median {within:.1f} ms, {viewers} viewers: {within / without - 1:+.1%}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--view"]:
        for _ in range(3):
            try:
                view(sys.argv[2])
            except OSError:
                time.sleep(0.5)
    else:
        main()
