"""Parquet objects in a store, one prefix ``batch=N`` for each micro-batch.

Nothing can be renamed in a store. The rows of a batch are put below ``_staging``, where readers do
not look; once the batch is committed the store copies them to their place. What is staged has the
epoch of its writer in its name: a pipeline that was replaced and does not know it yet is in
nobody's way.
"""

from __future__ import annotations

import json
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from slackwater.errors import SlackwaterError
from slackwater.execute.sinks.parquet import OWNER, occupied, repeating
from slackwater.execute.sinks.sink import Results, TableResults, Target
from slackwater.runs.checkpoint import KEPT, Owner
from slackwater.runs.files import storage_error
from slackwater.runs.objects.address import open_bucket

if TYPE_CHECKING:
    from slackwater.runs.objects.bucket import Bucket

STAGING = "_staging"


@dataclass(slots=True)
class ParquetObjectsSink:
    """Writes results below ``path``, an address in a store; read them with any Parquet reader.

    The rows of a batch come through the driver and are one object.
    """

    path: str
    _bucket: Bucket | None = field(default=None, init=False, repr=False)
    _do: ThreadPoolExecutor | None = field(default=None, init=False, repr=False)
    _prepared: set[int] = field(default_factory=set, init=False, repr=False)
    _epoch: int = field(default=0, init=False, repr=False)
    _committed: int = field(default=0, init=False, repr=False)

    @property
    def bucket(self) -> Bucket:
        if self._bucket is None:
            self._bucket = open_bucket(self.path)
        return self._bucket

    def check(self, _target: Target) -> str:
        """Whether the store answers; nothing is written."""
        found = self.bucket.get(OWNER)
        whose = "nobody's so far" if found is None else f"that of {_read(found.data).get('output')}"
        return f"{self.path} answers, and is {whose}; whether it can be written is not tried"

    def open(self, target: Target) -> None:
        self._prepared.clear()
        self._do = self._do or ThreadPoolExecutor(1, thread_name_prefix="slackwater-sink")
        if target.owner is None:
            return
        self._epoch, self._committed = target.owner.epoch, target.owner.committed
        if not self.path.startswith(f"{target.owner.folder.rstrip('/')}/"):
            self._claim(target.owner)

    def _claim(self, owner: Owner) -> None:
        """Take the place for an output, for good; refuse one with answers of others."""
        mine = {"checkpoint": owner.id, "folder": owner.folder, "output": owner.output}
        found = self.bucket.get(OWNER)
        if found is None:
            others = [key for key in self.bucket.first_keys() if is_answer(key)]
            if others and not owner.adopts:
                text = f"{others[0]}, which this checkpoint did not write"
                raise occupied(owner, self.path, text)
            data = json.dumps({**mine, "token": uuid4().hex}).encode()
            if self.bucket.swap(OWNER, data, None) is not None:
                return
            found = self.bucket.get(OWNER)
        known = {} if found is None else _read(found.data)
        if any(known.get(key) != mine[key] for key in ("checkpoint", "output")):
            text = f"{known.get('output')} of the checkpoint in {known.get('folder')}"
            raise occupied(owner, self.path, text)

    def prepare(self, batch: int, results: Results) -> int:
        self._prepared.discard(batch)
        local = results if results.is_local else TableResults(results.arrow())
        with tempfile.TemporaryDirectory(prefix="slackwater-") as place:
            try:
                rows = local.write_parquet(Path(place) / "rows", repeating(local))
                if rows:
                    [file] = (Path(place) / "rows").glob("*.parquet")
                    self.bucket.put(_staged(self._epoch, batch), file)
                    self._prepared.add(batch)
            except OSError as error:
                raise storage_error(error, Path(place)) from error
        return rows

    def commit(self, batch: int) -> None:
        if batch in self._prepared:
            self._prepared.remove(batch)
            self._show(self._epoch, batch)

    def _show(self, epoch: int, batch: int) -> None:
        """Copy what is staged, if something is; it goes when there is time."""
        staged = _staged(epoch, batch)
        if self.bucket.copy(staged, f"batch={batch}/part-0.parquet") and self._do is not None:
            self._do.submit(self._forget, staged)

    def _forget(self, key: str) -> None:
        with suppress(SlackwaterError):  # it goes with the next start
            self.bucket.remove([key])

    def recover(self, last: int) -> None:
        """What was staged for the newest batch is that of whoever committed it."""
        for later in range(last + 1, last + KEPT + 2):  # a repair goes no further back
            self.bucket.remove(self.bucket.keys(f"batch={later}"))
        self._show(self._committed, last)
        self.bucket.remove(key for key in self.bucket.keys(STAGING) if self._is_over(key))

    def _is_over(self, key: str) -> bool:
        """Whether what is staged is of this writer or an earlier one: nobody will ask for it."""
        epoch = key.split("/")[1]
        return epoch.isdigit() and int(epoch) <= self._epoch

    def close(self) -> None:
        if self._do is not None:
            self._do.shutdown()
            self._do = None


def _staged(epoch: int, batch: int) -> str:
    return f"{STAGING}/{epoch:06d}/{batch}.parquet"


def is_answer(key: str) -> bool:
    """Whether readers would take an object for results."""
    return key.startswith("batch=") or ("/" not in key and key.endswith(".parquet"))


def _read(data: bytes) -> dict[str, Any]:
    try:
        value = json.loads(data)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
