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
    quality/<query>/...    what answers under a contract were worth, likewise
    readings.json          how to read estimates out of the runs
    prods/<id>.json        prods from outside that wait for the next batch
    control/               Spark's own offsets of a stream of prods
    events.jsonl           what happened; full files are events.00000001.jsonl and so on
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from slackwater.codec import pack, unpack
from slackwater.control.step import CONTROLLERS
from slackwater.errors import CheckpointError
from slackwater.plan.meaning import Order, differences, is_same, other_zone
from slackwater.runs.files import make_folder, seal, storage_error, unseal, write_atomically
from slackwater.runs.manifest import Begun, Manifest

FORMAT = 7
OLDER = (5, 6)  # formats that are read, and become this one when a pipeline goes on
KEPT = 3  # manifests kept behind the newest, so that a damaged one can be repaired


@dataclass(frozen=True, slots=True)
class Owner:
    """Who writes to a sink: a checkpoint, by its id and folder, and which output of it.

    ``adopts``: the checkpoint comes from before there were owners.
    """

    id: str
    folder: str
    output: str
    adopts: bool = False


class Checkpoint:
    """One pipeline's folder. Use :meth:`open` to claim it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.controllers = CONTROLLERS  # whose memory manifests have
        self._lock: int | None = None

    @classmethod
    def open(
        cls,
        folder: str | Path,
        identity: str,
        meaning: dict[str, object],
        words: dict[str, str] | None = None,
    ) -> Checkpoint:
        """Claim a folder for a pipeline; refuse one that is in use or means something else.

        ``words`` say what it means as people write it.
        """
        checkpoint = cls(Path(folder).absolute())
        checkpoint._create()
        checkpoint._claim()
        try:
            checkpoint._check(identity, meaning, words or {})
        except BaseException:
            checkpoint.close()
            raise
        return checkpoint

    @property
    def identity(self) -> Path:
        return self.folder / "slackwater.json"

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

    def side(self, query: str) -> Path:
        return self.folder / "side" / query

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

    def _claim(self) -> None:
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
            os.close(self._lock)
            self._lock = None

    def order(self) -> Order:
        """How streams and inputs were first written; nothing if the checkpoint is new."""
        try:
            value = json.loads(self.identity.read_text(encoding="utf-8"))
            if "order" in value:
                return Order.from_json(value["order"])
            return Order.of(value["meaning"])
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return Order()  # opening it tells what is wrong

    def owner(self, output: str) -> Owner:
        """Who writes an output of this checkpoint, wherever its folder is moved to."""
        value = json.loads(self.identity.read_text(encoding="utf-8"))
        known = value.get("id")
        return Owner(known or value["pipeline"], str(self.folder), output, adopts=known is None)

    def _check(self, identity: str, meaning: dict[str, object], words: dict[str, str]) -> None:
        path = self.identity
        if not path.exists():
            value = {"format": FORMAT, "pipeline": identity, "meaning": meaning, "id": uuid4().hex}
            value |= {"order": Order.of(meaning).to_json(), "words": words}
            write_atomically(path, json.dumps(value, indent=1).encode())
            return
        try:
            value = json.loads(path.read_text())
        except ValueError as error:
            raise CheckpointError(
                "CHECKPOINT_DAMAGED", f"{path} is not JSON", "restore the file or start afresh"
            ) from error
        self.check_format(value.get("format"))
        if value.get("pipeline") != identity and not is_same(value.get("meaning", {}), meaning):
            raise CheckpointError(
                "CHECKPOINT_OTHER_QUERY",
                f"{self.folder} belongs to another pipeline: {_changes(value, words)}",
                "slack, late rows, sinks and tiers may change; for other changes use a new folder",
            )
        zones = other_zone(value.get("meaning", {}), meaning)
        if zones is not None:
            raise CheckpointError(
                "CHECKPOINT_OTHER_ZONE",
                f"{self.folder} was begun in a session in the time zone {zones[0]}, this one is in "
                f"{zones[1]}: hours, days and times as text would mean two things",
                f"set spark.sql.session.timeZone to {zones[0]}, or use a new folder",
            )

    def check_format(self, found: object) -> None:
        """Refuse what a version wrote that this one cannot read."""
        if found not in (FORMAT, *OLDER):
            known = " and ".join(str(one) for one in (*OLDER, FORMAT))
            raise CheckpointError(
                "CHECKPOINT_FORMAT",
                f"{self.folder} has format {found}, this version reads formats {known}",
                "use the version of slackwater that wrote it, or a new folder",
            )

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

    def sweep(self, live: set[str]) -> None:
        """Remove run files that no kept manifest names."""
        for path in self.runs.glob("*/*"):
            if str(path.relative_to(self.runs)) not in live:
                shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        for path in self.runs.iterdir():
            if path.is_dir() and not any(path.iterdir()):
                path.rmdir()


def _changes(value: dict[str, Any], words: dict[str, str]) -> str:
    if "words" not in value:
        return "its streams, sources or queries are others than these"
    changed = differences(value["words"], words)
    return "; ".join(changed) or "it reads the same, but this version keeps other state for it"
