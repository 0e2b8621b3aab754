"""The checkpoint folder: identity, lock, manifests and decisions, written atomically.

Layout::

    slackwater.json        format version and what the checkpoint means
    lock                   held while a pipeline runs
    spark/                 Spark's own offsets and commits
    manifest/00000012.json everything batch 12 left behind; if it exists, batch 12 is done
    decision/00000012.json what batch 12 decided, written before it was applied
    runs/<state>/...       state
    results/<query>/...    answers of queries that were given no sink
    side/<query>/...       rows set aside, likewise
    malformed/<stream>/... messages that no row could be made of
    quality/<query>/...    what answers under a contract were worth, likewise
    waiting/<output>/...   rows of the newest batch that go into a topic of Kafka
    readings.json          how to read estimates out of the runs
    prods/<id>.json        prods from outside that wait for the next batch
    control/               Spark's own offsets of a stream of prods
    events.jsonl           what happened; full files are events.00000001.jsonl and so on
    writer                 in the copy of a checkpoint that lies in a store: whose copy it is
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from slackwater.codec import pack, unpack
from slackwater.control.step import CONTROLLERS
from slackwater.errors import CheckpointError
from slackwater.events.segments import full_files
from slackwater.plan.change import Change, Known
from slackwater.plan.meaning import Order
from slackwater.runs.files import make_folder, seal, storage_error, unseal, write_atomically
from slackwater.runs.home import IDENTITY, Folder, Home
from slackwater.runs.identity import FORMAT, OLDER, Identity, Meaning, check_format, order_of
from slackwater.runs.manifest import Begun, Manifest
from slackwater.runs.offsets import SparkLog

__all__ = ["FORMAT", "KEPT", "OLDER", "Checkpoint", "Owner"]
KEPT = 3  # manifests kept behind the newest, so that a damaged one can be repaired


@dataclass(frozen=True, slots=True)
class Owner:
    """Who writes to a sink: a checkpoint, by its id and folder, and which output of it.

    ``adopts``: the checkpoint comes from before there were owners. Where the checkpoint lies in an
    object store it may change hands: ``epoch`` counts its writers, ``committed`` is the one that
    committed its newest batch.
    """

    id: str
    folder: str
    output: str
    adopts: bool = False
    epoch: int = 0
    committed: int = 0


class Checkpoint:
    """One pipeline's folder. Use :meth:`open` to claim it.

    ``home`` is where it outlives its machine, if that is not the folder itself.
    """

    def __init__(self, folder: Path, home: Home | None = None) -> None:
        self.folder = folder
        self.home: Home = home or Folder(folder)
        self.taken_from: str | None = None
        self.controllers = CONTROLLERS  # whose memory manifests have
        self.change = Change()  # what the newest pipeline brought and left
        self._lock: int | None = None

    @classmethod
    def open(
        cls,
        folder: str | Path,
        identity: str,
        meaning: Mapping[str, Any],
        words: Mapping[str, str] | None = None,
        order: Order | None = None,
        *,
        home: Home | None = None,
    ) -> Checkpoint:
        """Claim a folder for a pipeline; refuse one that is in use or cannot go on with it.

        ``words`` say what it means as people write it, ``order`` how its plan is arranged.
        """
        return cls.open_as(folder, Meaning(identity, meaning, words or {}, order), home)

    @classmethod
    def open_as(cls, folder: str | Path, given: Meaning, home: Home | None = None) -> Checkpoint:
        """The same, all in one record."""
        checkpoint = cls(Path(folder).absolute(), home)
        checkpoint._create()
        checkpoint.claim()
        try:
            checkpoint.home.fetch()
            checkpoint.change = checkpoint.become(given)
            checkpoint.taken_from = checkpoint.home.take({IDENTITY: [checkpoint.identity]})
        except BaseException:
            checkpoint.close()
            raise
        return checkpoint

    def become(self, given: Meaning) -> Change:
        """Let this be of another pipeline from now on, or refuse it."""
        return Identity(self.identity, self.spark).become(given)

    def known(self) -> Known:
        """Which queries it has, and had; raises if it is no checkpoint."""
        if not self.identity.exists():
            raise CheckpointError(
                "CHECKPOINT_MISSING",
                f"{self.folder} is not a checkpoint: there is no {self.identity.name}",
                "give the folder that was given to the pipeline as its checkpoint",
            )
        return Known.of(Identity(self.identity, self.spark).read())

    def would_become(self, given: Meaning) -> Change:
        """What that would do."""
        return Identity(self.identity, self.spark).change(given)

    @property
    def identity(self) -> Path:
        return self.folder / IDENTITY

    @property
    def spark(self) -> Path:
        return self.folder / "spark"

    @property
    def runs(self) -> Path:
        return self.folder / "runs"

    @property
    def events(self) -> Path:
        return self.folder / "events.jsonl"

    @property
    def readings(self) -> Path:
        return self.folder / "readings.json"

    @property
    def prods(self) -> Path:
        return self.folder / "prods"

    @property
    def control(self) -> Path:
        return self.folder / "control"

    @property
    def is_copy(self) -> bool:
        """Whether the folder is a copy of what lies in a store."""
        return self.home.address != str(self.folder)

    def output(self, kind: str, name: str) -> str:
        """Where an output goes that was given no sink."""
        return f"{self.home.address.rstrip('/')}/{kind}/{name}"

    def side(self, query: str) -> Path:
        return self.folder / "side" / query

    def malformed(self, stream: str) -> Path:
        return self.folder / "malformed" / stream

    def quality(self, query: str) -> Path:
        return self.folder / "quality" / query

    def results(self, query: str) -> Path:
        return self.folder / "results" / query

    def _create(self) -> None:
        try:
            for name in ("manifest", "decision", "runs"):
                make_folder(self.folder / name)
        except OSError as error:
            raise storage_error(error, self.folder) from error

    def claim(self) -> None:
        """Hold the lock of the folder; nothing if it is held already."""
        if self._lock is not None:
            return
        path = self.folder / "lock"
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            owner = path.read_text().strip() or "?"
            os.close(handle)
            raise CheckpointError(
                "CHECKPOINT_IN_USE",
                f"{self.folder} is used by another running pipeline (process {owner})",
                "stop that pipeline, or give this one a checkpoint folder of its own",
            ) from error
        os.ftruncate(handle, 0)
        os.write(handle, str(os.getpid()).encode())
        self._lock = handle

    def close(self) -> None:
        """Give the folder up."""
        if self._lock is not None:
            try:
                self.home.close(logs=self._logs())
            finally:
                os.close(self._lock)
                self._lock = None

    def _logs(self) -> list[Path]:
        """The files of the event log."""
        return [path for path in (*full_files(self.events), self.events) if path.exists()]

    def order(self) -> Order:
        """How streams and inputs were first written; nothing if the checkpoint is new."""
        return order_of(self.home.identity())

    def owner(self, output: str) -> Owner:
        """Who writes an output of this checkpoint, wherever its folder is moved to."""
        value = json.loads(self.identity.read_text(encoding="utf-8"))
        known = value.get("id")
        epoch, committed = self.home.epochs
        return Owner(
            known or value["pipeline"],
            self.home.address,
            output,
            adopts=known is None,
            epoch=epoch,
            committed=committed,
        )

    def check_format(self, found: object) -> None:
        """Refuse what a version wrote that this one cannot read."""
        check_format(self.folder, found)

    def upgrade(self) -> None:
        """Let older versions refuse the folder by its format from now on."""
        value = json.loads(self.identity.read_text(encoding="utf-8"))
        if value.get("format") in OLDER:
            write_atomically(
                self.identity, json.dumps({**value, "format": FORMAT}, indent=1).encode()
            )

    def manifest_path(self, batch: int) -> Path:
        return self.folder / "manifest" / f"{batch:08d}.json"

    def decision_path(self, batch: int) -> Path:
        return self.folder / "decision" / f"{batch:08d}.json"

    def batches(self) -> list[int]:
        """The committed batches whose manifests are kept, oldest first."""
        return sorted(int(path.stem) for path in (self.folder / "manifest").glob("[0-9]*.json"))

    def manifest(self, batch: int) -> Manifest:
        value = unseal(self.manifest_path(batch))
        self.check_format(value.get("format"))
        return Manifest.from_json(value, self.controllers)

    def newest(self) -> Manifest | None:
        """What the newest committed batch left behind."""
        batches = self.batches()
        return self.manifest(batches[-1]) if batches else None

    def commit(self, manifest: Manifest) -> None:
        """Make a batch done; older manifests and decisions are forgotten."""
        batch = manifest.batch
        write_atomically(self.manifest_path(batch), seal({"format": FORMAT, **manifest.to_json()}))
        self.home.done(self._kept(batch, whole=True))
        for kind in ("manifest", "decision"):
            for path in (self.folder / kind).glob("[0-9]*.json"):
                if int(path.stem) < batch - KEPT:
                    path.unlink(missing_ok=True)

    def begun(self, batch: int) -> Begun | None:
        """What an earlier attempt at this batch decided, if it came that far."""
        path = self.decision_path(batch)
        return unpack(unseal(path), Begun) if path.exists() else None

    def begin(self, batch: int, begun: Begun) -> None:
        """Write down what was decided, before it is applied."""
        write_atomically(self.decision_path(batch), seal(pack(begun)))
        self.home.begun(self._kept(batch))

    def settled(self) -> None:
        """Wait until what was decided is kept: from then on somebody may see what is done."""
        self.home.settled()

    def _kept(self, batch: int, *, whole: bool = False) -> dict[str, list[Path]]:
        """What must be kept of the files, now that a batch is decided, or done as a ``whole``."""
        if not self.is_copy:
            return {}
        kept = {
            IDENTITY: [self.identity],
            "decision/": [*(self.folder / "decision").glob("[0-9]*.json")],
            "spark/": SparkLog(self.spark).needed(batch, KEPT),
        }
        if whole:
            kept["manifest/"] = [*(self.folder / "manifest").glob("[0-9]*.json")]
            kept["runs/"] = [path for path in self.runs.rglob("[!.]*") if path.is_file()]
            if self.home.takes_logs():
                kept["events."] = self._logs()
        return kept

    def sweep(self, live: set[str]) -> None:
        """Remove run files that no kept manifest names."""
        for path in self.runs.glob("*/*"):
            if str(path.relative_to(self.runs)) not in live:
                shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        for path in self.runs.iterdir():
            if path.is_dir() and not any(path.iterdir()):
                path.rmdir()
