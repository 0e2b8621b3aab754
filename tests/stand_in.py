"""An object store in memory: what every process and every machine of a test sees.

A test takes the fixture ``stand_in`` and gives ``s3://bucket/...`` as checkpoint. Whatever is asked
of the store passes :meth:`StandIn.meet`, which a test may replace to let it fail.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import obstore
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from obstore.store import MemoryStore

from slackwater.execute.sinks import parquet_objects
from slackwater.runs.objects import bucket, located

ASKED = ("get", "put", "copy", "delete", "list")


class StandIn:
    """The store, and who meets what is asked of it: before it is done, and after."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.store = MemoryStore()
        self.meet: Callable[[str, str], None] = lambda step, key: None
        self.asked: Counter[str] = Counter()
        for name in ASKED:
            patch.setattr(bucket.obstore, name, self._watched(name, getattr(obstore, name)))
        for module in (located, parquet_objects):
            patch.setattr(module, "open_bucket", self.open)

    def open(self, address: str) -> bucket.Bucket:
        below = address.removeprefix("s3://bucket").strip("/")
        return bucket.Bucket(self.store, address, below)

    def _watched(self, name: str, do: Callable[..., Any]) -> Callable[..., Any]:
        def asked(store: Any, key: Any = "", *arguments: Any, **options: Any) -> Any:
            self.asked[name] += 1
            self.meet(f"before {name}", str(key))
            found = do(store, key, *arguments, **options)
            self.meet(f"after {name}", str(key))
            return found

        return asked

    def keys(self, below: str = "") -> list[str]:
        found = MemoryStore.list(self.store, below or None).collect()
        return sorted(str(one["path"]) for one in found)

    def data(self, key: str) -> bytes:
        return bytes(MemoryStore.get(self.store, key).bytes())

    def head(self, checkpoint: str) -> dict[str, Any]:
        body: dict[str, Any] = json.loads(self.data(f"{checkpoint}/head.json"))["body"]
        return body

    def rows(self, below: str) -> list[dict[str, Any]]:
        """What a reader of Parquet sees below a prefix."""
        shown = [key for key in self.keys(below) if "/_" not in f"/{key}"]
        return [
            row
            for key in shown
            if key.endswith(".parquet")
            for row in pq.read_table(pa.BufferReader(self.data(key))).to_pylist()
        ]

    def download(self, checkpoint: str, folder: Path, log: Path) -> Path:
        """The outputs of a checkpoint, with a log of events, as a folder that tests can judge."""
        for kind in ("results", "side", "quality"):
            for key in self.keys(f"{checkpoint}/{kind}"):
                file = folder / Path(key).relative_to(checkpoint)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(self.data(key))
        shutil.copy(log, folder / "events.jsonl")
        return folder

    def litter(self, checkpoint: str) -> list[str]:
        """Objects that nothing names."""
        named = {file.get("key") for file in self.head(checkpoint)["files"].values()}
        found = [key.removeprefix(f"{checkpoint}/") for key in self.keys(checkpoint)]
        return [
            key
            for key in found
            if "/_staging/" in key or (key.startswith("data/") and key not in named)
        ]


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> StandIn:
    """A store for ``s3://bucket``; copies of checkpoints are kept below ``work``."""
    monkeypatch.setenv("SLACKWATER_WORK", str(tmp_path / "work"))
    return StandIn(monkeypatch)


def copy_of(checkpoint: str) -> Path:
    """The copy of a checkpoint on this machine."""
    return located.copy_of(checkpoint)
